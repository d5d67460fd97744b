"""Decks that go on when seats leave.

What `mask` and `lock` share: those who stay make the deck again around the cards that they hold, in a new epoch. What
is asked meanwhile waits, and what was in progress is asked again for those who stay. A protocol adds how the deck is
made again (`leave`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeVar

from nodealer.cards.events import Event, Half, Moved
from nodealer.cards.operations import Close, Deal, Open, Operation, Place, Portion, Return, for_those_who_stay
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

#: How a deck goes on without seats: a function of the deck and those who leave.
Leave = Callable[[Any, tuple[int, ...]], DeckChange | None]


@dataclass(frozen=True)
class RecoverableDeck(KeyedDeck, Generic[C]):
    """A deck with layers of cards, each under the keys of the seats that were there when it was made."""

    leave: Leave = field(repr=False, compare=False, kw_only=True)
    layers: Layers[C] = field(repr=False, kw_only=True)
    #: How often keys for the whole deck were begun, what was broken off included: no number is used twice.
    epoch: int = field(default=0, kw_only=True)
    #: Positions that lay in a pile when a seat left. Their cards are in the deck again, under other positions.
    dead: frozenset[int] = field(default=frozenset(), kw_only=True)
    #: Hidden positions that a seat held or had laid aside when it left. What is still asked about them is skipped.
    lost: frozenset[int] = field(default=frozenset(), kw_only=True)
    #: Whether the deck is being made again around the cards that are held.
    rebuilding: bool = field(default=False, kw_only=True)
    #: Seats that have left and whose keys of the cards in progress are published: those cards come first.
    leavers: tuple[int, ...] = field(default=(), kw_only=True)

    # --- What a deck with keys needs ---

    def masked_by(self, position: int) -> tuple[int, ...]:
        return self.layers.of(position).binding.players

    def card_keys(self, positions: tuple[int, ...], seat: int) -> Points:
        return self.layers.keys(positions, seat)

    def card_secrets(self, tape: Tape, positions: tuple[int, ...], seat: int) -> Scalars:
        return self.layers.secrets(tape, positions, seat)

    # --- What is proven of hidden cards ---

    @abstractmethod
    def face_points(self, faces: tuple[int, ...]) -> Points:
        """Some faces of the deck, as points."""

    @abstractmethod
    def hidden_cards(self, positions: tuple[int, ...], seat: int) -> HiddenCards:
        """Cards that are under a seat's keys alone, as a proof about them sees them."""

    # --- Requests around a seat's leaving ---

    def request(self, operation: Operation) -> DeckChange:
        """Take a request; while the deck is made again, it is begun when the deck is whole.

        What will make no sense then is refused now.
        """
        if self.asked is not None or isinstance(self.stage, Quiet):
            return self.begin(operation, operation)
        asked = self.at(trail=self.trail_with(operation), asked=operation)
        if isinstance(operation, Close):
            return close(asked, operation)
        self.rebuilt(len(self.places.face_down) - len(self.places.hidden_owned)).at(stage=Idle()).begin(
            operation, operation
        )
        return DeckChange(asked)

    def begin(self, operation: Operation, asked: Operation) -> DeckChange:
        """Begin what is left of an operation: it may have waited while a seat left whose cards it names."""
        left = self._with_living_positions(operation)
        if left is not None:
            return super().begin(left, asked)
        if not isinstance(self.stage, Idle):
            raise BadParameter(f"deck {self.number} is busy or closed")
        return self.at(trail=self.trail_with(operation), asked=asked).finish()

    def _with_living_positions(self, operation: Operation) -> Operation | None:
        """The operation about cards that are still there; None if these are none.

        A request that names a dead position of the pile means any card that nobody has seen: the next ones.
        """
        match operation:
            case Deal(portions=portions) if any(self.dead & set(portion.positions) for portion in portions):
                counted = (Portion(portion.seat, portion.count or len(portion.positions)) for portion in portions)
                return replace(operation, portions=tuple(counted))
            case Open() if self.dead & set(operation.positions):
                return replace(operation, count=operation.count or len(operation.positions), positions=())
            case Return() if self.lost & set(operation.positions):
                positions = tuple(position for position in operation.positions if position not in self.lost)
                # Without any of its cards a shuffle is still one of the pile.
                left = positions or operation.place is Place.SHUFFLED
                return replace(operation, positions=positions) if left else None
            case _:
                return operation

    @property
    def half(self) -> Mapping[int, Half]:
        return {duty.seat: Half.REBUILT for duty in self.duties} if self.rebuilding else super().half

    # --- For a protocol's `leave` ---

    def without(self, seats: tuple[int, ...]) -> DeckChange | None:
        """Go on without these seats: at once, if cards that are on their way need their keys. Else these cards come
        first. Otherwise somebody who has seen a card could have a friend leave, who owes nothing, and get another."""
        leavers = tuple(sorted({*self.leavers, *seats}))
        needed = frozenset(self.stage.owing if isinstance(self.stage, Releasing) else leavers)
        if needed.isdisjoint(leavers) and len(self.binding.without(leavers).players) > 1:
            return DeckChange(self.at(leavers=leavers))
        return self.leave(self.at(leavers=()) if self.leavers else self, leavers)

    def finish(self, *events: Event, **changes: Any) -> DeckChange:
        """What was asked is done; now the deck goes on without those who have left meanwhile."""
        done = super().finish(*events, leavers=(), **changes)
        step = self.leave(done.deck, self.leavers) if self.leavers else None
        return done if step is None else DeckChange(step.deck, (*done.events, *step.events), step.checks)

    def trail_without(self, seats: tuple[int, ...]) -> bytes:
        """The trail once these have left: what is owed then is another duty than what was owed before, even if nobody
        has said a word since."""
        return digest("without", self.trail, self.epoch, *seats)

    def left_by(self, seats: tuple[int, ...]) -> Self:
        """This deck once these seats are gone, with what they held, in an epoch of its own."""
        return self.at(
            binding=self.binding.without(seats),
            places=self.places.remove_seats(seats),
            epoch=self.epoch + 1,
            trail=self.trail_without(seats),
            lost=self.lost | self._hidden_cards_of(seats),
            rebuilding=bool(self.layers),
        )

    def _hidden_cards_of(self, seats: tuple[int, ...]) -> frozenset[int]:
        """What seats hold or have laid aside and nobody else has seen."""
        return frozenset(position for position in self.places.hidden_owned if self.places.owner(position) in seats)

    def taken_from(self, seats: tuple[int, ...]) -> tuple[Moved, ...]:
        """What is told of the hands of those who leave: hidden cards go back."""
        places = self.places
        gone = (p for p, seat in places.held.items() if seat in seats and places.face(p) is None)
        return tuple(Moved(places.card(position), None) for position in gone)

    def rebuilt(self, count: int) -> Self:
        """The deck with a new pile of `count` cards. The old one is dead."""
        return self.at(places=self.places.rebuild(count), dead=self.dead | self.places.in_pile)

    def resume(self) -> DeckChange:
        """Ask an idle deck again for what it had not finished. Cards that were on their way have gone back."""
        whole = self.at(rebuilding=False)
        if self.asked is None:
            return DeckChange(whole)
        seats = frozenset(seat for layer in self.layers.every for seat in layer.binding.players)
        again = for_those_who_stay(self.asked, seats - frozenset(self.binding.players))
        return whole.finish() if again is None else whole.begin(again, self.asked)
