"""Publishing keys, and, where faces are not public points, saying what a card is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nodealer.cards import Close, Finished, Operation
from nodealer.errors import Malformed, PeerFault
from nodealer.group import Scalars, concat
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import read_message, read_secrets
from nodealer.protocols.duel import secrets
from nodealer.protocols.duel.messages import Give, Reveal
from nodealer.protocols.staged import Closed
from nodealer.tape import Tape
from nodealer.wire import encode

if TYPE_CHECKING:
    from nodealer.protocols.duel.deck import DuelDeck


def released_with(
    deck: DuelDeck, seat: int, positions: tuple[int, ...], keys: Scalars
) -> dict[int, dict[int, Scalars]]:
    """What is published once a seat has published these keys."""
    released = {position: dict(by_seat) for position, by_seat in deck.released.items()}
    for place, position in enumerate(positions):
        released.setdefault(position, {})[seat] = keys[place]
    return released


def refuse_other_keys(deck: DuelDeck, seat: int, positions: tuple[int, ...], keys: Scalars) -> None:
    """A published key that is not the key of its card is a fault, where keys have public keys."""
    if not deck.mode.keys or not positions:
        return
    public, wanted = keys * deck.cipher.G, deck.card_keys(positions, seat)
    if public != wanted:
        wrong = next(p for place, p in enumerate(positions) if public[place] != wanted[place])
        raise PeerFault(seat, f"the key it published for card {wrong} is not the card's key")


@dataclass(frozen=True)
class Giving:
    """Keys of cards are owed: the rival's for a draw, the owner's for a play, both for a card of the pile."""

    operation: Operation
    positions: tuple[int, ...]
    #: Seat to the positions whose keys it still owes.
    owing: Mapping[int, tuple[int, ...]]
    anchor: bytes

    def duties(self, deck: DuelDeck) -> tuple[Duty, ...]:
        return tuple(deck.duty(seat, "give", self.anchor) for seat in self.owing)

    def message(self, deck: DuelDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        return encode(Give(deck.card_secrets(tape, self.owing[duty.seat], duty.seat).to_bytes()))

    def apply(self, deck: DuelDeck, duty: Duty, message: bytes) -> DeckChange:
        said, seat, positions = read_message(Give, message), duty.seat, self.owing[duty.seat]
        keys = read_secrets(deck.cipher, said.keys, len(positions), "the keys")
        refuse_other_keys(deck, seat, positions, keys)
        stage = replace(self, owing={other: wanted for other, wanted in self.owing.items() if other != seat})
        return stage.settle(deck.at(released=released_with(deck, seat, positions, keys), stage=stage))

    def settle(self, deck: DuelDeck) -> DeckChange:
        """Wait while keys are owed; then do what they were for."""
        return DeckChange(deck) if self.owing else deck.given(self.operation, self.positions)


@dataclass(frozen=True)
class Revealing:
    """The owner says what cards are: those it plays, or in the end all that are hidden."""

    operation: Operation
    positions: tuple[int, ...]
    anchor: bytes

    @property
    def final(self) -> bool:
        """Whether this is the check of the whole list."""
        return isinstance(self.operation, Close)

    def duties(self, deck: DuelDeck) -> tuple[Duty, ...]:
        return (deck.duty(deck.owner, "reveal", self.anchor),)

    def message(self, deck: DuelDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        cards = deck.read(tape, self.positions)
        nonces = b"".join(secrets.nonces(deck, tape, cards))
        keys = b""
        if self.positions and self._with_keys(deck):
            keys = deck.card_secrets(tape, self.positions, deck.owner).to_bytes()
        return encode(Reveal(tuple(cards), nonces, keys))

    def _with_keys(self, deck: DuelDeck) -> bool:
        """The source asks for no key at a play, so that any card can be played that is on the list."""
        return self.final or not deck.mode.word_for_word

    def apply(self, deck: DuelDeck, duty: Duty, message: bytes) -> DeckChange:
        said, seat = read_message(Reveal, message), duty.seat
        nonces = self._read(deck, said)
        self._refuse_repeats(deck, seat, said.cards)
        for card, nonce in zip(said.cards, nonces, strict=True):
            if secrets.commitment(deck, card, nonce) != deck.commitments[card]:
                raise PeerFault(seat, f"what it says of card {card} is not what it committed to")
        released: Mapping[int, Mapping[int, Scalars]] = deck.released
        if not self._with_keys(deck):
            if said.keys:
                raise Malformed("a play shows no keys in this mode")
        elif self.positions:
            keys = read_secrets(deck.cipher, said.keys, len(self.positions), "the keys")
            self._refuse_other_places(deck, seat, said.cards, nonces, keys)
            released = released_with(deck, seat, self.positions, keys)
        if not self.final:
            return deck.at(released=released).turned_up(self.positions, list(said.cards))
        self._refuse_other_list(deck, seat, said.cards)
        return DeckChange(deck.at(stage=Closed(), asked=None), (Finished(self.operation),))

    def _read(self, deck: DuelDeck, said: Reveal) -> list[bytes]:
        size = secrets.NONCE_BYTES
        if len(said.cards) != len(self.positions) or len(said.nonces) != size * len(self.positions):
            raise Malformed(f"{len(self.positions)} cards and as many nonces are owed")
        if any(card >= deck.size for card in said.cards):
            raise Malformed(f"a card that is none of {deck.size}")
        return [said.nonces[at : at + size] for at in range(0, len(said.nonces), size)]

    def _refuse_repeats(self, deck: DuelDeck, seat: int, cards: tuple[int, ...]) -> None:
        again = set(self.positions)
        shown = {face for position, face in deck.places.opened if position not in again}
        for place, card in enumerate(cards):
            if card in shown or card in cards[:place]:
                raise PeerFault(seat, f"card {card} is on the table already")

    def _refuse_other_places(
        self, deck: DuelDeck, seat: int, cards: tuple[int, ...], nonces: list[bytes], keys: Scalars
    ) -> None:
        """Each card is the one at the place that it was drawn from: Ka[i]·Kb[i]·P = C[i]."""
        unchecked = tuple(p for p in self.positions if seat not in deck.released.get(p, {}))
        if unchecked == self.positions:
            refuse_other_keys(deck, seat, self.positions, keys)
        rivals = concat(*(deck.released[position][deck.rival] for position in self.positions))
        slots = keys * rivals * secrets.committed_points(deck, cards, nonces)
        found = deck.cards_at(self.positions)
        if slots != found:
            wrong = next(place for place in range(len(cards)) if slots[place] != found[place])
            raise PeerFault(seat, f"card {cards[wrong]} is not what it drew at place {self.positions[wrong]}")

    def _refuse_other_list(self, deck: DuelDeck, seat: int, cards: tuple[int, ...]) -> None:
        positions = dict(zip(self.positions, cards, strict=True))
        for position, face in deck.places.opened:
            if positions.setdefault(position, face) != face:
                raise PeerFault(seat, f"it played card {face} from place {position}, and that is another card")
        if sorted(positions.values()) != list(range(deck.size)):
            raise PeerFault(seat, "its cards are not the list that it published")
