"""The public state of a `mask` deck: its cards, who holds them, and the stage it is in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from nodealer.cards import Card, Close, Deal, Event, Finished, Moved, Open, Operation, Place, Places, Return, Show
from nodealer.errors import BadParameter, CardUnreadable, Undecided
from nodealer.group import Points, Scalars, concat
from nodealer.protocols.base import Duty, Step, Table
from nodealer.protocols.mask.cards import Layer, gather_cards, gather_secrets, look_up
from nodealer.protocols.mask.stages import Closed, Gathering, Idle, Releasing
from nodealer.tape import Tape, digest


class Stage(Protocol):
    """What a deck is in the middle of."""

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]: ...
    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> Step: ...
    def message(self, deck: MaskDeck, duty: Duty, tape: Tape) -> bytes: ...


@dataclass(frozen=True)
class MaskDeck:
    """One deck. `trail` is a hash over everything that was ever asked of it and said to it."""

    table: Table
    number: int
    faces: Points = field(repr=False)
    face_index: Mapping[bytes, int] = field(repr=False)
    places: Places
    stage: Stage
    trail: bytes
    layers: tuple[Layer, ...] = field(default=(), repr=False)
    #: Position to seat to the key that the seat has published for that card.
    released: Mapping[int, Mapping[int, Scalars]] = field(default_factory=dict, repr=False)

    # --- The interface ---

    @property
    def duties(self) -> tuple[Duty, ...]:
        return self.stage.duties(self)

    def request(self, operation: Operation) -> Step:
        if not isinstance(self.stage, Idle) or isinstance(self.stage, Closed):
            raise BadParameter(f"deck {self.number} is busy or closed")
        deck = replace(self, trail=digest("asked", self.trail, repr(operation)))
        match operation:
            case Deal():
                return deck._deal(operation)
            case Open():
                positions = self.places.choose(operation.count, operation.positions)
                return deck._release(operation, dict.fromkeys(self.table.seats, positions), positions)
            case Show():
                if operation.to is not None:
                    raise BadParameter("mask shows a card to all or to nobody")
                positions = self.places.shown(operation)
                return deck._release(operation, {operation.seat: positions}, positions)
            case Return():
                return deck._return(operation)
            case Close():
                return Step(replace(deck, stage=Closed()), (Finished(operation),))
            case _:
                raise BadParameter(f"mask cannot {type(operation).__name__.lower()}")

    def apply(self, duty: Duty, message: bytes) -> Step:
        deck = replace(self, trail=digest("said", self.trail, duty.id, message))
        return self.stage.apply(deck, duty, message)

    def message(self, duty: Duty, tape: Tape, choice: bytes | None = None) -> bytes:
        return self.stage.message(self, duty, tape)

    def knows(self, seat: int, tape: Tape) -> Mapping[Card, int]:
        known = {self.places.card(position): face for position, face in self.places.opened}
        hidden = tuple(position for position in self.places.hand(seat) if self.places.face(position) is None)
        if hidden:
            own = gather_secrets(tape, self.table, self.number, self.layers, hidden, seat)
            for position, face in zip(hidden, self.unmask(hidden, {seat: own}), strict=True):
                if face is None:
                    raise CardUnreadable(self.number, position, "it is none of the faces of the deck")
                known[self.places.card(position)] = face
        return known

    def without(self, seats: tuple[int, ...]) -> Step | None:
        return None

    def digest(self) -> bytes:
        return digest("mask deck", self.trail, self.places.digest())

    # --- What requests begin ---

    def _deal(self, deal: Deal) -> Step:
        dealt = self.places.deal(deal, self.table.seats)
        everything = tuple(position for positions in dealt.values() for position in positions)
        owing = {
            seat: tuple(position for position in everything if position not in dealt.get(seat, ()))
            for seat in self.table.seats
        }
        return self._release(deal, owing, everything)

    def _release(
        self, operation: Deal | Open | Show, owing: Mapping[int, tuple[int, ...]], all_: tuple[int, ...]
    ) -> Step:
        """Ask every seat for the keys it has not published yet. An open card needs none."""
        still = {
            seat: tuple(p for p in positions if self.places.face(p) is None and seat not in self.released.get(p, {}))
            for seat, positions in owing.items()
        }
        stage = Releasing(operation, all_, {seat: ps for seat, ps in still.items() if ps}, self.trail)
        return stage.settle(replace(self, stage=stage))

    def _return(self, give_back: Return) -> Step:
        positions = self.places.given_back(give_back)
        if give_back.place is Place.DISCARD:
            places = self.places.discard(positions)
            moved: tuple[Event, ...] = tuple(Moved(self.places.card(position), None) for position in positions)
            return Step(replace(self, places=places), (*moved, Finished(give_back)))
        if give_back.place is Place.SHUFFLED:
            positions = (*positions, *self.places.pile)
            if len(positions) < 2:
                raise BadParameter("one card cannot be shuffled")
        masked = tuple(position for position in positions if self.places.face(position) is None)
        return Step(replace(self, stage=Gathering(give_back, positions, masked, self.trail)))

    # --- For the stages ---

    def duty(self, seat: int, step: str, anchor: bytes) -> Duty:
        """A duty of this deck."""
        return Duty(self.table, self.number, seat, step, anchor)

    def unmask(self, positions: tuple[int, ...], extra: Mapping[int, Scalars]) -> list[int | None]:
        """The faces at these positions, from published keys and those in `extra`: None where it is no face."""
        cards = gather_cards(self.layers, positions)
        total = self.table.group.integers([0] * len(positions))
        for seat in self.table.seats:
            total = total + (extra[seat] if seat in extra else self._published(positions, seat))
        return look_up(self.table.group, cards.msg - total * cards.epk, self.face_index)

    def _published(self, positions: tuple[int, ...], seat: int) -> Scalars:
        if any(seat not in self.released.get(position, {}) for position in positions):
            raise BadParameter(f"seat {seat} has not published all keys of {positions}")
        return concat(*(self.released[position][seat] for position in positions))

    def faces_of(self, positions: tuple[int, ...]) -> list[int]:
        """The faces of cards whose keys are all published."""
        found = self.unmask(positions, {})
        if None in found:
            raise Undecided(
                f"card {positions[found.index(None)]} of deck {self.number} is none of the faces of the deck"
            )
        return [face for face in found if face is not None]
