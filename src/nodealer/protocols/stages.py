"""Decks that move through stages.

A protocol gives its decks a table of what each request begins, and writes down which stage may follow which: both stand
in its `stages.py`. A deck knows its stages by these alone, so that stages know decks and decks no stages.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, runtime_checkable

from nodealer.cards.events import Event, Finished, Half, Moved, Opened
from nodealer.cards.operations import Card, Close, Operation, Place, Return, words
from nodealer.cards.places import Places
from nodealer.errors import BadParameter
from nodealer.proofs.transcript import Transcript
from nodealer.protocols.base import Binding, DeckChange, Duty
from nodealer.records import replace
from nodealer.tape import Tape, digest
from nodealer.wire import encode


class Stage(Protocol):
    """What a deck is in the middle of: what is owed, an honest seat's message, and how a message is judged."""

    def duties(self, deck: Any) -> tuple[Duty, ...]: ...
    def apply(self, deck: Any, duty: Duty, message: bytes) -> DeckChange: ...
    def message(self, deck: Any, duty: Duty, tape: Tape, choice: bytes | None) -> bytes: ...


@dataclass(frozen=True)
class Quiet:
    """Nothing is owed."""

    def duties(self, deck: Any) -> tuple[Duty, ...]:
        return ()

    def apply(self, deck: Any, duty: Duty, message: bytes) -> DeckChange:
        raise BadParameter("the deck owes nothing")

    def message(self, deck: Any, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        raise BadParameter("the deck owes nothing")


@dataclass(frozen=True)
class Untouched(Quiet):
    """A deck before its first stage."""


@dataclass(frozen=True)
class Idle(Quiet):
    """Nothing is going on; the deck takes requests."""


@dataclass(frozen=True)
class Closed(Quiet):
    """The deck takes no requests any more."""


@runtime_checkable
class Publishing(Protocol):
    """A stage in which seats publish what opens cards: one that stops in between leaves them half done."""

    def half(self, deck: Any) -> Mapping[int, Half]: ...


#: Which stages may follow which. Plain data, for tests and for the diagrams in docs/.
Transitions = Mapping[type[Stage], frozenset[type[Stage]]]
#: What begins an operation: a function of the deck and the operation.
Requests = Mapping[type[Operation], Callable[[Any, Any], DeckChange]]


@dataclass(frozen=True)
class StagedDeck(ABC):
    """The public state of one deck. `trail` is a hash over everything that was ever asked of it and said to it."""

    requests: Requests = field(repr=False, compare=False)
    binding: Binding
    number: int
    places: Places
    trail: bytes
    stage: Stage = field(default=Untouched(), kw_only=True)
    #: The operation that is in progress.
    asked: Operation | None = field(default=None, kw_only=True)

    # --- The interface of a deck ---

    @property
    def duties(self) -> tuple[Duty, ...]:
        return self.stage.duties(self)

    def request(self, operation: Operation) -> DeckChange:
        return self.begin(operation, operation)

    def begin(self, operation: Operation, asked: Operation) -> DeckChange:
        """Begin an operation. `asked` is what the game asked for and will be told is finished."""
        if not isinstance(self.stage, Idle):
            raise BadParameter(f"deck {self.number} is busy or closed")
        if type(operation) not in self.requests:
            raise BadParameter(f"{self.binding.protocol} cannot {type(operation).__name__.lower()}")
        deck = self.at(trail=self.trail_with(operation), asked=asked)
        return self.requests[type(operation)](deck, operation)

    def trail_with(self, operation: Operation) -> bytes:
        """The trail once this is asked for."""
        return digest("asked", self.trail, encode(words(operation)))

    def apply(self, duty: Duty, message: bytes) -> DeckChange:
        return self.stage.apply(self.told(duty, message), duty, message)

    def message(self, duty: Duty, tape: Tape, choice: bytes | None = None) -> bytes:
        return self.stage.message(self, duty, tape, choice)

    @abstractmethod
    def knows(self, seat: int, tape: Tape) -> Mapping[Card, int]: ...

    def without(self, seats: tuple[int, ...]) -> DeckChange | None:
        return None

    @property
    def tossed(self) -> bool:
        return False

    @property
    def half(self) -> Mapping[int, Half]:
        return self.stage.half(self) if isinstance(self.stage, Publishing) else {}

    def digest(self) -> bytes:
        return digest("deck", self.trail, self.places.digest())

    # --- For stages ---

    def at(self, **changes: Any) -> Self:
        """This deck with some fields changed."""
        return replace(self, **changes)

    def to(self, stage: Stage, **changes: Any) -> Self:
        """This deck in its next stage. Nothing else changes a stage."""
        return replace(self, stage=stage, **changes)

    def told(self, duty: Duty, message: bytes) -> Self:
        """This deck with one more message in its trail."""
        return self.at(trail=digest("said", self.trail, duty.id, message))

    def duty(self, seat: int, kind: str, anchor: bytes, *, choice: bool = False, may_choose: bool = False) -> Duty:
        """A duty of this deck."""
        return self.binding.duty(self.number, seat, kind, anchor, choice=choice, may_choose=may_choose)

    def transcript(self, duty: Duty, epoch: int) -> Transcript:
        """The transcript of a proof for a duty."""
        where = {"deck": self.number, "epoch": epoch, "seat": duty.seat}
        return self.binding.context(**where, step=duty.kind, anchor=duty.anchor).transcript()

    def inputs(self, seat: int, epoch: int, *others: bytes) -> bytes:
        """The public inputs of a secret that a seat derives for this deck."""
        return self.binding.inputs(deck=self.number, epoch=epoch, seat=seat, others=others)

    # --- Ends of stages ---

    def finish(self, *events: Event, **changes: Any) -> DeckChange:
        """What was asked is done."""
        if self.asked is None:
            raise BadParameter("nothing was asked")
        return DeckChange(self.to(Idle(), asked=None, **changes), (*events, Finished(self.asked)))

    def hand_out(self, dealt: Mapping[int, tuple[int, ...]], **changes: Any) -> DeckChange:
        """Cards of the pile are in seats' hands: seat to positions."""
        places = self.places
        for seat, positions in dealt.items():
            places = places.move_to_hand(positions, seat)
        moved = (Moved(places.card(position), seat) for seat, positions in dealt.items() for position in positions)
        return self.finish(*moved, places=places, **changes)

    def turn_up(self, faces: Mapping[int, int], **changes: Any) -> DeckChange:
        """Cards are face up: position to face."""
        places = self.places.open(faces)
        opened = (Opened(places.card(position), face) for position, face in faces.items())
        return self.finish(*opened, places=places, **changes)


# --- Requests that are the same everywhere ---


def lay_aside(deck: StagedDeck, operation: Return) -> DeckChange:
    """Cards go to the discards, and nowhere else: every protocol can do that."""
    positions = deck.places.validate_return(operation)
    if operation.place is not Place.DISCARD:
        raise BadParameter(f"{deck.binding.protocol} cannot put cards back into the deck")
    moved = (Moved(deck.places.card(position), None) for position in positions)
    return deck.finish(*moved, places=deck.places.discard(positions))


def close(deck: StagedDeck, operation: Close) -> DeckChange:
    """Nothing is asked of the deck any more."""
    return DeckChange(deck.to(Closed(), asked=None), (Finished(operation),))
