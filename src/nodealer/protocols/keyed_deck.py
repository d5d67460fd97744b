"""Decks that deal, open and show cards by publishing a key for each card.

Shared by `mask`, `lock` and `offset`. Every seat has a secret for every card, whose public key is known. To deal a
card, all other seats publish their secrets; to open it, all seats do; to show it, the holder does. Each protocol adds
how a deck is made and how published secrets turn a card into a face.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Self

from nodealer.cards.events import Half
from nodealer.cards.operations import Card, Deal, Open, Show
from nodealer.errors import BadParameter, CardUnreadable, PeerFault, Undecided
from nodealer.group import Points, Scalars, concat
from nodealer.proofs.checks import Check, Equation, holds_without_entropy
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import read_message, read_secrets
from nodealer.protocols.stages import StagedDeck
from nodealer.records import replace
from nodealer.tape import Tape
from nodealer.wire import Message, encode

#: From this many keys on, one combined sum is cheaper than one multiplication per key.
JOINED_PAYS: Final = 8

#: Position to seat to the secret that the seat has published for that card.
Published = Mapping[int, Mapping[int, Scalars]]


def add_published(published: Published, seat: int, positions: tuple[int, ...], keys: Scalars) -> Published:
    """Return `published` with a seat's secrets for these cards added."""
    added = {p: {**published.get(p, {}), seat: keys[place]} for place, p in enumerate(positions)}
    return {**published, **added}


# defence: another-key, false-key, other-card
def refuse_wrong_keys(seat: int, positions: tuple[int, ...], keys: Scalars, wanted: Points) -> None:
    """Raise `PeerFault` if a published secret does not match its card's public key."""
    if len(keys) >= JOINED_PAYS and _all_match(seat, keys, wanted):
        return
    public = keys * wanted.group.G
    if public != wanted:
        wrong = next(p for place, p in enumerate(positions) if public[place] != wanted[place])
        raise PeerFault(seat, f"the key it published for card {wrong} is not the card's key")


def _all_match(seat: int, keys: Scalars, wanted: Points) -> bool:
    """Return whether all keys match, by one combined sum.

    The result differs from checking one by one with probability 2^-128.
    """
    minus_one = -wanted.group.integers([1])
    return holds_without_entropy(
        Check(seat, "published keys", (Equation.each((keys, wanted.group.G), (minus_one, wanted)),))
    )


@dataclass(frozen=True)
class KeyedDeck(StagedDeck):
    """A deck with a key for every card and seat."""

    released: Published = field(default_factory=dict, repr=False, kw_only=True)

    # --- What each protocol implements ---

    @abstractmethod
    def masked_by(self, position: int) -> tuple[int, ...]:
        """Return the seats whose secrets mask a card."""

    @abstractmethod
    def card_keys(self, positions: tuple[int, ...], seat: int) -> Points:
        """Return a seat's public keys for these cards."""

    @abstractmethod
    def card_secrets(self, tape: Tape, positions: tuple[int, ...], seat: int) -> Scalars:
        """Return a seat's own secrets for these cards."""

    @abstractmethod
    def faces_at(self, positions: tuple[int, ...], secrets: Mapping[int, Scalars]) -> list[int | None]:
        """Return the faces at these positions, given every seat's secrets, or None for a card that is not a face."""

    # --- Faces ---

    def knows(self, seat: int, tape: Tape) -> Mapping[Card, int]:
        """Return the faces of open cards and of the seat's own hand. Raise `CardUnreadable` if one is not a face."""
        known = {self.places.card(position): face for position, face in self.places.opened.items()}
        hidden = self.places.only_hidden(self.places.hand(seat))
        if hidden:
            own = {seat: self.card_secrets(tape, hidden, seat)}
            for position, face in zip(hidden, self.unmask(hidden, own), strict=True):
                if face is None:
                    raise CardUnreadable(self.number, position, "it is none of the faces of the deck")
                known[self.places.card(position)] = face
        return known

    def faces_of(self, positions: tuple[int, ...]) -> dict[int, int]:
        """Map positions to faces, for cards whose secrets are all published. Raise `Undecided` if a card has none."""
        found = dict(zip(positions, self.unmask(positions, {}), strict=True))
        for position, face in found.items():
            if face is None:
                raise Undecided(f"card {position} of deck {self.number} is none of the faces of the deck")
        return {position: face for position, face in found.items() if face is not None}

    def unmask(self, positions: tuple[int, ...], extra: Mapping[int, Scalars]) -> list[int | None]:
        """Return the faces at these positions from the published secrets and those in `extra` (seat to secrets).

        Cards that are masked by different sets of seats (before and after a seat left) are decrypted separately.
        """
        apart: dict[tuple[int, ...], list[int]] = {}
        for place, position in enumerate(positions):
            apart.setdefault(self.masked_by(position), []).append(place)
        found: dict[int, int | None] = {}
        for seats, places in apart.items():
            here = tuple(positions[place] for place in places)
            secrets = {
                seat: extra[seat].take(places) if seat in extra else self.published(here, seat) for seat in seats
            }
            found.update(zip(places, self.faces_at(here, secrets), strict=True))
        return [found[place] for place in range(len(positions))]

    def published(self, positions: tuple[int, ...], seat: int) -> Scalars:
        """Return the secrets that a seat has published for these cards. Raise `BadParameter` if one is missing."""
        try:
            return concat(*[self.released[position][seat] for position in positions])
        except KeyError:
            raise BadParameter(f"seat {seat} has not published its keys to all of the cards {positions}") from None

    # --- Duties ---

    def unpublished(self, wanted: Mapping[int, tuple[int, ...]]) -> dict[int, tuple[int, ...]]:
        """Return the positions in `wanted` that each seat has not yet published its secret for.

        Open cards need none.
        """
        still = {seat: tuple(p for p in positions if self._owes(seat, p)) for seat, positions in wanted.items()}
        return {seat: positions for seat, positions in still.items() if positions}

    def _owes(self, seat: int, position: int) -> bool:
        """Return whether a seat's secret is part of a hidden card and not published yet."""
        published = self.released.get(position, {})
        return self.places.face(position) is None and seat in self.masked_by(position) and seat not in published


class Release(Message, frozen=True, tag="release"):
    """The sender's secrets for the cards that are dealt, opened or shown, in the order of the request."""

    keys: bytes


@dataclass(frozen=True)
class Releasing:
    """Stage: seats publish their secrets for the cards that are dealt, opened or shown, in parallel or in groups."""

    operation: Deal | Open | Show
    positions: tuple[int, ...]
    #: Seat to the positions whose secrets it still owes.
    owing: Mapping[int, tuple[int, ...]]
    anchor: bytes

    # defence: coalition
    @classmethod
    def of(cls, deck: KeyedDeck, operation: Deal | Open | Show) -> Self:
        """Return the stage of an operation: which seats owe which secrets. Raise `BadParameter` if it is not valid."""
        players, places = deck.binding.players, deck.places
        match operation:
            case Deal():
                dealt = places.resolve_deal(operation, players)
                positions = tuple(position for mine in dealt.values() for position in mine)
                wanted = {seat: tuple(p for to, ps in dealt.items() if to != seat for p in ps) for seat in players}
            case Open():
                positions = places.resolve_positions(operation.count, operation.positions)
                wanted = dict.fromkeys(players, positions)
            case Show():
                if operation.to is not None:
                    raise BadParameter(f"{deck.binding.protocol} can show a card to everyone, but not to one seat")
                positions = places.validate_show(operation)
                wanted = {operation.seat: positions}
        return cls(operation, positions, deck.unpublished(wanted), deck.trail)

    @property
    def in_turn(self) -> tuple[int, ...]:
        """The seats that owe their secrets now."""
        return self.operation.in_turn(self.owing) if isinstance(self.operation, Open) else tuple(self.owing)

    def duties(self, deck: KeyedDeck) -> tuple[Duty, ...]:
        """Return one duty for each seat whose turn it is to publish its secrets."""
        return tuple(deck.duty(seat, "release", self.anchor) for seat in self.in_turn)

    def half(self, deck: KeyedDeck) -> Mapping[int, Half]:
        """Return a map from seat to the operation, a deal or an opening, that it would leave half done by leaving now.

        That is every seat that owes a secret, now or in a later group, for a card to which others have published
        theirs: two colluding seats in two groups may know the card together. A show concerns only the holder.
        """
        if isinstance(self.operation, Show):
            return {}
        what = Half.DEALT if isinstance(self.operation, Deal) else Half.OPENED
        return {seat: what for seat, owing in self.owing.items() if any(deck.released.get(p) for p in owing)}

    def message(self, deck: KeyedDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the seat's secrets for every position that it owes."""
        return encode(Release(deck.card_secrets(tape, self.owing[duty.seat], duty.seat).to_bytes()))

    def apply(self, deck: KeyedDeck, duty: Duty, message: bytes) -> DeckChange:
        """Accept a seat's secrets. Raise `PeerFault` if one does not match its public key."""
        said, positions = read_message(Release, message), self.owing[duty.seat]
        keys = read_secrets(deck.binding.group, said.keys, len(positions), "the keys")
        return self.accept_keys(deck, duty.seat, keys)

    def accept_keys(self, deck: KeyedDeck, seat: int, keys: Scalars) -> DeckChange:
        """Accept a seat's secrets after checking each against its public key."""
        positions = self.owing[seat]
        refuse_wrong_keys(seat, positions, keys, deck.card_keys(positions, seat))
        stage = replace(self, owing={other: wanted for other, wanted in self.owing.items() if other != seat})
        if not set(self.in_turn).intersection(stage.in_turn):
            # The next group answers what this one has published.
            stage = replace(stage, anchor=deck.trail)
        return stage.settle(deck.with_fields(released=add_published(deck.released, seat, positions, keys)))

    def settle(self, deck: KeyedDeck) -> DeckChange:
        """Wait while secrets are owed, then move or open the cards."""
        if self.owing:
            return DeckChange(deck.in_stage(self))
        if isinstance(self.operation, Deal):
            return deck.hand_out(deck.places.resolve_deal(self.operation, deck.binding.players))
        hidden = deck.places.only_hidden(self.positions)
        return deck.turn_up(deck.faces_of(hidden) if hidden else {})


def release(deck: KeyedDeck, operation: Deal | Open | Show) -> DeckChange:
    """Begin an operation: every seat owes the secrets that it has not published yet."""
    return Releasing.of(deck, operation).settle(deck)
