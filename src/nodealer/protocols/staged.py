"""Decks that move through stages, and deal, open and show cards by publishing a key for each card.

What `mask` and `lock` (and in its own words `offset`) share: every seat has a secret for every card, whose public key
everybody knows; dealing a card means that all others publish theirs, opening it that all do, showing it that the holder
does. A protocol adds how a deck is made, and how published secrets turn a card into a face.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

from nodealer.cards import (
    Card,
    Close,
    Deal,
    Event,
    Finished,
    Moved,
    Open,
    Opened,
    Operation,
    Place,
    Places,
    Return,
    Show,
)
from nodealer.errors import BadParameter, CardUnreadable, PeerFault, Undecided
from nodealer.group import Points, Scalars, concat
from nodealer.proofs.transcript import Transcript
from nodealer.protocols.base import Binding, DeckChange, Duty
from nodealer.protocols.codec import read_message, read_secrets
from nodealer.tape import Tape, digest
from nodealer.wire import Message, encode


class Stage(Protocol):
    """What a deck is in the middle of: what is owed, an honest seat's message, and how a message is judged."""

    def duties(self, deck: Any) -> tuple[Duty, ...]: ...
    def apply(self, deck: Any, duty: Duty, message: bytes) -> DeckChange: ...
    def message(self, deck: Any, duty: Duty, tape: Tape, choice: bytes | None) -> bytes: ...


@dataclass(frozen=True)
class Idle:
    """Nothing is going on; the deck takes requests."""

    def duties(self, deck: Any) -> tuple[Duty, ...]:
        return ()

    def apply(self, deck: Any, duty: Duty, message: bytes) -> DeckChange:
        raise BadParameter("the deck owes nothing")

    def message(self, deck: Any, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        raise BadParameter("the deck owes nothing")


@dataclass(frozen=True)
class Closed(Idle):
    """The deck takes no requests any more."""


@dataclass(frozen=True)
class StagedDeck(ABC):
    """The public state of one deck. `trail` is a hash over everything that was ever asked of it and said to it."""

    binding: Binding
    number: int
    places: Places
    stage: Stage
    trail: bytes
    #: Position to seat to the secret that the seat has published for that card.
    released: Mapping[int, Mapping[int, Scalars]] = field(default_factory=dict, repr=False, kw_only=True)
    #: The operation that is in progress.
    asked: Operation | None = field(default=None, kw_only=True)

    # --- What a protocol adds ---

    @abstractmethod
    def masked_by(self, position: int) -> tuple[int, ...]:
        """The seats whose secrets a card is under."""

    @abstractmethod
    def card_keys(self, positions: tuple[int, ...], seat: int) -> Points:
        """A seat's public keys for the cards at these positions."""

    @abstractmethod
    def card_secrets(self, tape: Tape, positions: tuple[int, ...], seat: int) -> Scalars:
        """A seat's own secrets for the cards at these positions."""

    @abstractmethod
    def faces_at(self, positions: tuple[int, ...], secrets: Mapping[int, Scalars]) -> list[int | None]:
        """The faces at these positions, from every seat's secrets; None where it is no face of the deck."""

    def give_back(self, operation: Return) -> DeckChange:
        """Begin a return. Every protocol can lay cards aside."""
        positions = self.places.given_back(operation)
        if operation.place is not Place.DISCARD:
            raise BadParameter(f"{self.binding.protocol} cannot put cards back into the deck")
        moved = tuple(Moved(self.places.card(position), None) for position in positions)
        laid_aside = replace(self, places=self.places.discard(positions), asked=None)
        return DeckChange(laid_aside, (*moved, Finished(operation)))

    # --- The interface of a deck ---

    @property
    def duties(self) -> tuple[Duty, ...]:
        return self.stage.duties(self)

    def request(self, operation: Operation) -> DeckChange:
        if self.asked is None and not isinstance(self.stage, Idle):
            return self._later(operation)
        return self.begin(operation, operation)

    def _later(self, operation: Operation) -> DeckChange:
        """Take a request while the deck recovers from a seat's leaving: it is begun when the deck is whole again.

        What makes no sense is refused now. A recovery never leaves fewer cards in the pile, so the rest will be served.
        """
        step = self.at(stage=Idle()).begin(operation, operation)
        if isinstance(operation, Close):
            return step
        return DeckChange(self.at(trail=digest("asked", self.trail, repr(operation)), asked=operation))

    def begin(self, operation: Operation, asked: Operation) -> DeckChange:
        """Begin an operation. `asked` is what the game asked for and will be told is finished."""
        if not isinstance(self.stage, Idle) or isinstance(self.stage, Closed):
            raise BadParameter(f"deck {self.number} is busy or closed")
        deck = replace(self, trail=digest("asked", self.trail, repr(operation)), asked=asked)
        match operation:
            case Deal():
                return deck._deal(operation)
            case Open():
                return deck._open(operation)
            case Show():
                if operation.to is not None:
                    raise BadParameter(f"{self.binding.protocol} shows a card to all or to nobody")
                positions = self.places.shown(operation)
                return deck.release(operation, {operation.seat: positions}, positions)
            case Return():
                return deck.give_back(operation)
            case Close():
                return DeckChange(replace(deck, stage=Closed(), asked=None), (Finished(operation),))
            case _:
                raise BadParameter(f"{self.binding.protocol} cannot {type(operation).__name__.lower()}")

    def apply(self, duty: Duty, message: bytes) -> DeckChange:
        deck = replace(self, trail=digest("said", self.trail, duty.id, message))
        return self.stage.apply(deck, duty, message)

    def message(self, duty: Duty, tape: Tape, choice: bytes | None = None) -> bytes:
        return self.stage.message(self, duty, tape, choice)

    def knows(self, seat: int, tape: Tape) -> Mapping[Card, int]:
        known = {self.places.card(position): face for position, face in self.places.opened}
        hidden = tuple(position for position in self.places.hand(seat) if self.places.face(position) is None)
        if hidden:
            own = {seat: self.card_secrets(tape, hidden, seat)}
            for position, face in zip(hidden, self.unmask(hidden, own), strict=True):
                if face is None:
                    raise CardUnreadable(self.number, position, "it is none of the faces of the deck")
                known[self.places.card(position)] = face
        return known

    def without(self, seats: tuple[int, ...]) -> DeckChange | None:
        return None

    def digest(self) -> bytes:
        return digest("deck", self.trail, self.places.digest())

    # --- For stages ---

    def duty(self, seat: int, step: str, anchor: bytes, *, choice: bool = False, may_choose: bool = False) -> Duty:
        """A duty of this deck."""
        return Duty(self.binding, self.number, seat, step, anchor, choice=choice, may_choose=may_choose)

    def transcript(self, duty: Duty, epoch: int) -> Transcript:
        """The transcript of a proof for a duty."""
        return self.binding.context(deck=self.number, epoch=epoch, step=duty.kind, seat=duty.seat).transcript()

    def at(self, **changes: Any) -> Self:
        """This deck with some fields changed."""
        return replace(self, **changes)

    # --- Publishing keys ---

    def _deal(self, deal: Deal) -> DeckChange:
        dealt = self.places.deal(deal, self.binding.players)
        everything = tuple(position for positions in dealt.values() for position in positions)
        owing = {
            seat: tuple(position for position in everything if position not in dealt.get(seat, ()))
            for seat in self.binding.players
        }
        return self.release(deal, owing, everything)

    def _open(self, operation: Open) -> DeckChange:
        positions = self.places.choose(operation.count, operation.positions)
        return self.release(operation, dict.fromkeys(self.binding.players, positions), positions)

    def release(
        self, operation: Deal | Open | Show, owing: Mapping[int, tuple[int, ...]], positions: tuple[int, ...]
    ) -> DeckChange:
        """Ask every seat for the secrets it has not published yet. An open card needs none."""
        still = {seat: tuple(p for p in wanted if self.owes(seat, p)) for seat, wanted in owing.items()}
        stage = Releasing(operation, positions, {seat: wanted for seat, wanted in still.items() if wanted}, self.trail)
        return stage.settle(replace(self, stage=stage))

    def owes(self, seat: int, position: int) -> bool:
        published = self.released.get(position, {})
        return self.places.face(position) is None and seat in self.masked_by(position) and seat not in published

    def faces_of(self, positions: tuple[int, ...]) -> list[int]:
        """The faces of cards whose secrets are all published."""
        found = self.unmask(positions, {})
        if None in found:
            position = positions[found.index(None)]
            raise Undecided(f"card {position} of deck {self.number} is none of the faces of the deck")
        return [face for face in found if face is not None]

    def unmask(self, positions: tuple[int, ...], extra: Mapping[int, Scalars]) -> list[int | None]:
        """Cards that are under different seats' secrets (before and after a seat left) are looked at apart."""
        found: dict[int, int | None] = {}
        for seats in dict.fromkeys(map(self.masked_by, positions)):
            places = [place for place, position in enumerate(positions) if self.masked_by(position) == seats]
            here = tuple(positions[place] for place in places)
            secrets = {
                seat: extra[seat].take(places) if seat in extra else self._published(here, seat) for seat in seats
            }
            found.update(zip(places, self.faces_at(here, secrets), strict=True))
        return [found[place] for place in range(len(positions))]

    def _published(self, positions: tuple[int, ...], seat: int) -> Scalars:
        if any(seat not in self.released.get(position, {}) for position in positions):
            raise BadParameter(f"seat {seat} has not published all keys of {positions}")
        return concat(*(self.released[position][seat] for position in positions))


class Release(Message, frozen=True, tag="release"):
    """My secrets of the cards that are dealt, opened or shown, in the order of the request."""

    keys: bytes


@dataclass(frozen=True)
class Releasing:
    """Seats publish their secrets of the cards that are dealt, opened or shown, side by side."""

    operation: Deal | Open | Show
    positions: tuple[int, ...]
    #: Seat to the positions whose secrets it still owes.
    owing: Mapping[int, tuple[int, ...]]
    anchor: bytes

    def duties(self, deck: StagedDeck) -> tuple[Duty, ...]:
        return tuple(deck.duty(seat, "release", self.anchor) for seat in self.owing)

    def message(self, deck: StagedDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        return encode(Release(deck.card_secrets(tape, self.owing[duty.seat], duty.seat).to_bytes()))

    def apply(self, deck: StagedDeck, duty: Duty, message: bytes) -> DeckChange:
        said, positions = read_message(Release, message), self.owing[duty.seat]
        keys = read_secrets(deck.binding.group, said.keys, len(positions), "the keys")
        return self.take(deck, duty.seat, keys)

    def take(self, deck: StagedDeck, seat: int, keys: Scalars) -> DeckChange:
        """A seat's secrets, each checked against its public key."""
        positions = self.owing[seat]
        public, wanted = keys * deck.binding.group.G, deck.card_keys(positions, seat)
        if public != wanted:
            wrong = next(p for place, p in enumerate(positions) if public[place] != wanted[place])
            raise PeerFault(seat, f"the key it published for card {wrong} is not the card's key")
        released = dict(deck.released)
        for place, position in enumerate(positions):
            released[position] = {**released.get(position, {}), seat: keys[place]}
        stage = replace(self, owing={other: wanted for other, wanted in self.owing.items() if other != seat})
        return stage.settle(deck.at(released=released, stage=stage))

    def settle(self, deck: StagedDeck) -> DeckChange:
        """Wait while secrets are owed; then move or open the cards."""
        if self.owing:
            return DeckChange(deck)
        places, events = deck.places, list[Event]()
        if isinstance(self.operation, Deal):
            for seat, positions in places.deal(self.operation, deck.binding.players).items():
                for position in positions:
                    places = places.give(position, seat)
                    events.append(Moved(places.card(position), seat))
        else:
            hidden = tuple(position for position in self.positions if places.face(position) is None)
            faces = deck.faces_of(hidden) if hidden else []
            for position, face in zip(hidden, faces, strict=True):
                places = places.open(position, face)
                events.append(Opened(places.card(position), face))
        return DeckChange(
            deck.at(places=places, stage=Idle(), asked=None), (*events, Finished(deck.asked or self.operation))
        )
