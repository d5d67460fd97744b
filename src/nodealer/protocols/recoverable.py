"""Decks that continue after seats leave.

Shared by `mask` and `lock`: the remaining seats rebuild the deck around the cards they hold, in a new epoch. Requests
made meanwhile wait, and the interrupted request is restarted for the remaining seats. Each protocol adds how the deck
is rebuilt (`leave`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeVar

from nodealer.cards.events import Event, Half, Moved
from nodealer.cards.operations import Close, Deal, Open, Operation, Place, Portion, Return, without_seats
from nodealer.errors import BadParameter
from nodealer.group import Points, Scalars
from nodealer.proofs.hidden_cards import HiddenCards
from nodealer.protocols.base import DeckChange
from nodealer.protocols.keyed_deck import KeyedDeck, Releasing
from nodealer.protocols.layers import CardArray, Layers
from nodealer.protocols.stages import Idle, Quiet, close
from nodealer.records import replace
from nodealer.tape import Tape, digest

C = TypeVar("C", bound=CardArray)

#: Continues a deck without seats, given the deck and the seats that leave. Returns None if it cannot.
Leave = Callable[[Any, tuple[int, ...]], DeckChange | None]


@dataclass(frozen=True)
class RecoverableDeck(KeyedDeck, Generic[C]):
    """A deck with layers of cards, each under the keys of the seats that were there when it was created."""

    leave: Leave = field(repr=False, compare=False, kw_only=True)
    layers: Layers[C] = field(repr=False, kw_only=True)
    #: The number of times that keys for the whole deck were started, including interrupted ones. No number is used
    #: twice.
    epoch: int = field(default=0, kw_only=True)
    #: Positions that were in the pile when a seat left. Their cards are back in the deck under other positions.
    dead: frozenset[int] = field(default=frozenset(), kw_only=True)
    #: Hidden positions that a seat held or had discarded when it left. Requests that name them skip them.
    lost: frozenset[int] = field(default=frozenset(), kw_only=True)
    #: Whether the deck is being rebuilt around the cards that seats hold.
    rebuilding: bool = field(default=False, kw_only=True)
    #: Seats that have left after publishing their keys to the cards in progress. Those cards are finished first.
    leavers: tuple[int, ...] = field(default=(), kw_only=True)

    # --- What a keyed deck needs ---

    def masked_by(self, position: int) -> tuple[int, ...]:
        """Return the seats that were at the table when the card's layer was created, including seats that have left."""
        return self.layers.layer_at(position).binding.players

    def card_keys(self, positions: tuple[int, ...], seat: int) -> Points:
        """Return a seat's public keys for these cards, each from the layer of its card."""
        return self.layers.keys(positions, seat)

    def card_secrets(self, tape: Tape, positions: tuple[int, ...], seat: int) -> Scalars:
        """Draw a seat's own secrets for these cards from its tape, each for the layer of its card."""
        return self.layers.secrets(tape, positions, seat)

    # --- Proofs about hidden cards ---

    @abstractmethod
    def face_points(self, faces: tuple[int, ...]) -> Points:
        """Return these faces of the deck as points."""

    @abstractmethod
    def hidden_cards(self, positions: tuple[int, ...], seat: int) -> HiddenCards:
        """Return cards that are under a seat's keys alone, in the form that proofs about them use."""

    # --- Requests while a seat leaves ---

    def request(self, operation: Operation) -> DeckChange:
        """Take a request. If the deck is being rebuilt, the request begins when the deck is complete.

        Raise `BadParameter` now if it will not be possible then.
        """
        if self.asked is not None or isinstance(self.stage, Quiet):
            return self.begin(operation, operation)
        asked = self.with_fields(trail=self.trail_with(operation), asked=operation)
        if isinstance(operation, Close):
            return close(asked, operation)
        self.with_new_pile(len(self.places.face_down) - len(self.places.hidden_owned)).with_fields(stage=Idle()).begin(
            operation, operation
        )
        return DeckChange(asked)

    def begin(self, operation: Operation, asked: Operation) -> DeckChange:
        """Begin an operation without the cards that no longer exist, because their seat left while it waited."""
        left = self._with_living_positions(operation)
        if left is not None:
            return super().begin(left, asked)
        if not isinstance(self.stage, Idle):
            raise BadParameter(f"deck {self.number} is busy or closed")
        return self.with_fields(trail=self.trail_with(operation), asked=asked).finish()

    def _with_living_positions(self, operation: Operation) -> Operation | None:
        """Return the operation restricted to cards that still exist, or None if none do.

        A request that names a dead position of the pile means any unseen card: it gets the next ones.
        """
        match operation:
            case Deal(portions=portions) if any(self.dead & set(portion.positions) for portion in portions):
                counted = (Portion(portion.seat, portion.count or len(portion.positions)) for portion in portions)
                return replace(operation, portions=tuple(counted))
            case Open() if self.dead & set(operation.positions):
                return replace(operation, count=operation.count or len(operation.positions), positions=())
            case Return() if self.lost & set(operation.positions):
                positions = tuple(position for position in operation.positions if position not in self.lost)
                # A shuffle without any of its cards still shuffles the pile.
                left = positions or operation.place is Place.SHUFFLED
                return replace(operation, positions=positions) if left else None
            case _:
                return operation

    @property
    def half(self) -> Mapping[int, Half]:
        """A map from seat to the operation that it would leave half done by leaving now.

        While the deck is rebuilt, that is the rebuild, for every seat that owes a message.
        """
        return {duty.seat: Half.REBUILT for duty in self.duties} if self.rebuilding else super().half

    # --- For a protocol's `leave` ---

    def without(self, seats: tuple[int, ...]) -> DeckChange | None:
        """Continue without these seats: at once if cards in progress need their keys, otherwise when those are done.

        Without the delay, a player who has seen a card could have a friend who owes nothing leave, and get another
        card.
        """
        leavers = tuple(sorted({*self.leavers, *seats}))
        needed = frozenset(self.stage.owing if isinstance(self.stage, Releasing) else leavers)
        if needed.isdisjoint(leavers) and len(self.binding.without(leavers).players) > 1:
            return DeckChange(self.with_fields(leavers=leavers))
        return self.leave(self.with_fields(leavers=()) if self.leavers else self, leavers)

    def finish(self, *events: Event, **changes: Any) -> DeckChange:
        """Finish the current request, then continue without the seats that have left meanwhile."""
        done = super().finish(*events, leavers=(), **changes)
        step = self.leave(done.deck, self.leavers) if self.leavers else None
        return done if step is None else DeckChange(step.deck, (*done.events, *step.events), step.checks)

    def trail_without(self, seats: tuple[int, ...]) -> bytes:
        """Return the trail after these seats have left.

        It makes the duties that follow different from those before, even if no message was sent in between.
        """
        return digest("without", self.trail, self.epoch, *seats)

    def after_leaving(self, seats: tuple[int, ...]) -> Self:
        """Return this deck after these seats have left with the cards they held, in a new epoch."""
        return self.with_fields(
            binding=self.binding.without(seats),
            places=self.places.remove_seats(seats),
            epoch=self.epoch + 1,
            trail=self.trail_without(seats),
            lost=self.lost | self._hidden_cards_of(seats),
            rebuilding=bool(self.layers),
        )

    def _hidden_cards_of(self, seats: tuple[int, ...]) -> frozenset[int]:
        """Return the hidden cards that these seats hold or have discarded and no one else has seen."""
        return frozenset(position for position in self.places.hidden_owned if self.places.owner(position) in seats)

    def leaving_events(self, seats: tuple[int, ...]) -> tuple[Moved, ...]:
        """Return the events for the hands of seats that leave: their hidden cards go back."""
        places = self.places
        gone = (p for p, seat in places.held.items() if seat in seats and places.face(p) is None)
        return tuple(Moved(places.card(position), None) for position in gone)

    def with_new_pile(self, count: int) -> Self:
        """Return the deck with a new pile of `count` cards. The positions of the old pile are dead."""
        return self.with_fields(places=self.places.rebuild(count), dead=self.dead | self.places.in_pile)

    def resume(self) -> DeckChange:
        """Restart an unfinished request on an idle deck. Cards that were in progress have gone back."""
        whole = self.with_fields(rebuilding=False)
        if self.asked is None:
            return DeckChange(whole)
        seats = frozenset(seat for layer in self.layers.all_layers for seat in layer.binding.players)
        again = without_seats(self.asked, seats - frozenset(self.binding.players))
        return whole.finish() if again is None else whole.begin(again, self.asked)
