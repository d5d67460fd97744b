"""Decks that move through stages.

A protocol's `stages.py` has a table of what each request begins and a table of which stage may follow which. Decks know
their stages only through these tables, so stages depend on decks, but decks on no stage.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Never, Protocol, Self, TypeVar, runtime_checkable

from nodealer.cards.events import Event, Finished, Half, Moved, Opened
from nodealer.cards.operations import Card, Close, Operation, Place, Return, operation_fields
from nodealer.cards.places import Places
from nodealer.errors import BadParameter
from nodealer.proofs.transcript import Transcript
from nodealer.protocols.base import Binding, DeckChange, Duty
from nodealer.records import replace
from nodealer.tape import Tape, digest
from nodealer.wire import encode

#: The kind of deck that a stage belongs to.
D_contra = TypeVar("D_contra", bound="StagedDeck", contravariant=True)


class Stage(Protocol[D_contra]):
    """A step of the protocol that a deck is in: who owes a message, how it is made, and how it is applied."""

    def duties(self, deck: D_contra) -> tuple[Duty, ...]:
        """Return the messages that seats owe in this stage."""

    def apply(self, deck: D_contra, duty: Duty, message: bytes) -> DeckChange:
        """Return the deck after a seat's message. Raise a `PeerFault` that names the seat if the message is wrong."""

    def message(self, deck: D_contra, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the message that an honest seat sends for `duty`."""


@dataclass(frozen=True)
class Quiet:
    """A stage without duties."""

    def duties(self, deck: StagedDeck) -> tuple[Duty, ...]:
        """Return no duties."""
        return ()

    def apply(self, deck: StagedDeck, duty: Duty, message: bytes) -> DeckChange:
        """Raise `BadParameter`: no seat owes a message in this stage."""
        raise BadParameter("no message is due for this deck")

    def message(self, deck: StagedDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Raise `BadParameter`: no seat owes a message in this stage."""
        raise BadParameter("no message is due for this deck")


@dataclass(frozen=True)
class Untouched(Quiet):
    """Stage: a deck before its first stage."""


@dataclass(frozen=True)
class Idle(Quiet):
    """Stage: the deck is complete and takes requests."""


@dataclass(frozen=True)
class Closed(Quiet):
    """Stage: the deck is closed and takes no more requests."""


@runtime_checkable
class Publishing(Protocol[D_contra]):
    """A stage in which seats publish what opens cards. A seat that leaves now leaves a deal or opening unfinished."""

    def half(self, deck: D_contra) -> Mapping[int, Half]:
        """Return, for each seat that would leave an operation half done by leaving now, the kind of operation."""


#: A stage of any kind of deck.
AnyStage = Stage[Never]
#: The stages that may follow each stage. Plain data, for tests and for the diagrams in docs/.
Transitions = Mapping[type[AnyStage], frozenset[type[AnyStage]]]
#: What begins each kind of operation: a function of the deck and the operation, whose types the table cannot name.
Requests = Mapping[type[Operation], Callable[[Any, Any], DeckChange]]


@dataclass(frozen=True)
class StagedDeck(ABC):
    """The public state of one deck. `trail` is a hash over all requests and messages so far."""

    requests: Requests = field(repr=False, compare=False)
    binding: Binding
    number: int
    places: Places
    trail: bytes
    stage: Stage[Self] = field(default=Untouched(), kw_only=True)
    #: The operation in progress, as the game requested it.
    asked: Operation | None = field(default=None, kw_only=True)

    # --- The `Deck` interface ---

    @property
    def duties(self: Self) -> tuple[Duty, ...]:
        """The messages that seats owe in the current stage."""
        return self.stage.duties(self)

    def request(self, operation: Operation) -> DeckChange:
        """Begin an operation that the game requests.

        Raise `BadParameter` if the deck is busy, closed, or cannot do it.
        """
        return self.begin(operation, operation)

    def begin(self, operation: Operation, asked: Operation) -> DeckChange:
        """Begin an operation. `asked` is what the game requested and will be reported as finished."""
        if not isinstance(self.stage, Idle):
            raise BadParameter(f"deck {self.number} is busy or closed")
        if type(operation) not in self.requests:
            raise BadParameter(f"{self.binding.protocol} cannot {type(operation).__name__.lower()}")
        deck = self.with_fields(trail=self.trail_with(operation), asked=asked)
        return self.requests[type(operation)](deck, operation)

    def trail_with(self, operation: Operation) -> bytes:
        """Return the trail after this request."""
        return digest("asked", self.trail, encode(operation_fields(operation)))

    def apply(self: Self, duty: Duty, message: bytes) -> DeckChange:
        """Add a message to the trail, have the current stage check the message, and return the resulting deck."""
        return self.stage.apply(self.with_message(duty, message), duty, message)

    def message(self: Self, duty: Duty, tape: Tape, choice: bytes | None = None) -> bytes:
        """Return the message that an honest seat sends for `duty` in the current stage."""
        return self.stage.message(self, duty, tape, choice)

    @abstractmethod
    def knows(self, seat: int, tape: Tape) -> Mapping[Card, int]:
        """Return the faces that a seat knows, read with the secrets on its tape.

        Raise `CardUnreadable` if one is not a card.
        """

    def without(self, seats: tuple[int, ...]) -> DeckChange | None:
        """Return None: by default, a deck cannot continue after a seat leaves."""
        return None

    @property
    def outcome_seen(self) -> bool:
        """Whether a seat that leaves now has seen a random outcome that leaving would undo. By default False."""
        return False

    @property
    def half(self) -> Mapping[int, Half]:
        """A map from seat to the operation that the seat would leave half done by leaving now."""
        return self.stage.half(self) if isinstance(self.stage, Publishing) else {}

    def digest(self) -> bytes:
        """Return a digest of the public state, for comparing replicas."""
        return digest("deck", self.trail, self.places.digest())

    # --- For stages ---

    def with_fields(self, **changes: Any) -> Self:
        """Return this deck with some fields changed."""
        return replace(self, **changes)

    def in_stage(self, stage: Stage[Self], **changes: Any) -> Self:
        """Return this deck in its next stage. No other method changes the stage."""
        return self.with_fields(stage=stage, **changes)

    def with_message(self, duty: Duty, message: bytes) -> Self:
        """Return this deck with a message added to its trail."""
        return self.with_fields(trail=digest("said", self.trail, duty.id, message))

    def duty(self, seat: int, kind: str, anchor: bytes, *, choice: bool = False, may_choose: bool = False) -> Duty:
        """Return a duty of this deck."""
        return self.binding.duty(self.number, seat, kind, anchor, choice=choice, may_choose=may_choose)

    def transcript(self, duty: Duty, epoch: int) -> Transcript:
        """Return the transcript of a proof for a duty."""
        where = {"deck": self.number, "epoch": epoch, "seat": duty.seat}
        return self.binding.context(**where, step=duty.kind, anchor=duty.anchor).transcript()

    def inputs(self, seat: int, epoch: int, *others: bytes) -> bytes:
        """Return the public inputs of a secret that a seat derives for this deck."""
        return self.binding.inputs(deck=self.number, epoch=epoch, seat=seat, others=others)

    # --- Ends of stages ---

    def finish(self, *events: Event, **changes: Any) -> DeckChange:
        """Finish the current request and return to idle."""
        if self.asked is None:
            raise BadParameter("no operation is in progress")
        return DeckChange(self.in_stage(Idle(), asked=None, **changes), (*events, Finished(self.asked)))

    def hand_out(self, dealt: Mapping[int, tuple[int, ...]], **changes: Any) -> DeckChange:
        """Finish a deal: move cards of the pile to hands. `dealt` maps seats to positions."""
        places = self.places
        for seat, positions in dealt.items():
            places = places.move_to_hand(positions, seat)
        moved = (Moved(places.card(position), seat) for seat, positions in dealt.items() for position in positions)
        return self.finish(*moved, places=places, **changes)

    def turn_up(self, faces: Mapping[int, int], **changes: Any) -> DeckChange:
        """Finish by turning cards face up. `faces` maps positions to faces."""
        places = self.places.open(faces)
        opened = (Opened(places.card(position), face) for position, face in faces.items())
        return self.finish(*opened, places=places, **changes)


# --- Requests that all protocols share ---


def discard_cards(deck: StagedDeck, operation: Return) -> DeckChange:
    """Discard cards. Raise `BadParameter` for any other kind of return."""
    positions = deck.places.validate_return(operation)
    if operation.place is not Place.DISCARD:
        raise BadParameter(f"{deck.binding.protocol} cannot put cards back into the deck")
    moved = (Moved(deck.places.card(position), None) for position in positions)
    return deck.finish(*moved, places=deck.places.discard(positions))


def close(deck: StagedDeck, operation: Close) -> DeckChange:
    """Close the deck for further requests."""
    return DeckChange(deck.in_stage(Closed(), asked=None), (Finished(operation),))
