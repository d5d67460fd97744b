"""The smallest game that asks for everything: deal, open, show or pass, perhaps peek and discard, turn all cards up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from nodealer.cards.events import Event, Moved, Opened
from nodealer.cards.operations import (
    Capability,
    Deal,
    Look,
    NewDeck,
    NoneOf,
    Open,
    Operation,
    Peek,
    Place,
    Portion,
    Prove,
    Return,
    Show,
)
from nodealer.errors import IllegalMove, Malformed
from nodealer.games.base import Ask, Done, Game, Turn, Want, WithoutStakes
from nodealer.wire import Message, decode, encode


class TinyMove(Message, frozen=True):
    """Show my first card, or pass."""

    show: bool


@dataclass(frozen=True)
class TinyRules:
    """`deal` cards to each seat and `board` face up. `together`: all seats move at once, not one after the other."""

    deck_max: int = 6
    deal: int = 1
    board: int = 1
    peek: Look | None = None
    #: All seats prove that their hidden cards are none of those that are open.
    prove: bool = False
    discard: bool = False
    together: bool = False
    #: With `together`: moves that cross in one round all count.
    rounds: bool = False
    #: Turn every card up at the end, so that the faces can be counted.
    reveal: bool = True
    #: What is printed on the faces; equal prints are different faces.
    printed: str = ""
    #: What a seat begins with; each of the others pays one to the first seat.
    stake: int = 0
    #: A move is made for a seat that makes none: it passes.
    passes: bool = False
    name: str = "tiny"
    version: int = 0
    versions = ()
    parameters: bytes = b"{}"

    @property
    def operations(self) -> frozenset[Capability]:
        more = {Capability.OPEN_POSITIONS} if self.reveal else set()
        if self.peek is not None:
            more.add(Capability(f"peek:{self.peek.value}"))
        if self.prove:
            more.add(Capability.PROVE)
        if self.discard:
            more.add(Capability.RETURN_DISCARD)
        return frozenset({Capability.SHARED_DECK, Capability.DEAL_TOP, Capability.OPEN_TOP, Capability.SHOW_ALL, *more})

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> Tiny:
        return Tiny(self, hand, seats, before.hand if isinstance(before, Tiny) else -1)


@dataclass(frozen=True)
class Tiny(WithoutStakes):
    rules: TinyRules
    hand: int
    seats: tuple[int, ...]
    last_hand: int = -1
    stage: str = "deal"
    moved_already: tuple[int, ...] = ()
    showing: int | None = None
    held: tuple[tuple[int, int], ...] = ()
    faces: tuple[tuple[int, int], ...] = ()
    gone: tuple[int, ...] = ()
    cards_gone: bool = False
    told_events: tuple[Event, ...] = field(default=(), repr=False)

    @property
    def to_move(self) -> tuple[int, ...]:
        return tuple(seat for seat in self.seats if seat not in (*self.moved_already, *self.gone))

    @property
    def wants(self) -> Want:
        if self.stage == "over" or self.cards_gone:
            return Done(self.result, self.paid, self.net)
        if self.stage == "turns" and self.showing is None:
            seats = self.to_move if self.rules.together else self.to_move[:1]
            return Turn(seats, round=0 if self.rules.rounds else None)
        return Ask(tuple(self._operations()))

    def _operations(self) -> list[Operation]:
        if self.stage == "deal":
            portions = tuple(Portion(seat, self.rules.deal) for seat in self.seats if seat not in self.gone)
            return [NewDeck(0, self.rules.deck_max), Deal(0, portions), Open(0, self.rules.board)]
        if self.stage == "turns" and self.showing is not None:
            return [Show(0, self.showing, self._of(self.showing)[:1])]
        if self.stage == "peek" and self.rules.peek is not None:
            return [Peek(0, self._first(), 2, self.rules.peek)]
        if self.stage == "prove":
            return [Prove(0, self._claims())]
        if self.stage == "discard":
            return [Return(0, (self.faces[0][0],), Place.DISCARD)]
        return self._reveal()

    def _claims(self) -> tuple[NoneOf, ...]:
        opened = dict(self.faces)
        hidden = {seat: sorted(set(self._of(seat)) - opened.keys()) for seat in self.seats if seat not in self.gone}
        none_of = tuple(sorted(opened.values()))
        return tuple(NoneOf(seat, tuple(cards), none_of) for seat, cards in hidden.items() if cards)

    def _first(self) -> int:
        return next(seat for seat in self.seats if seat not in self.gone)

    def _of(self, seat: int) -> tuple[int, ...]:
        return tuple(position for position, holder in self.held if holder == seat)

    def _reveal(self) -> list[Operation]:
        known, held = dict(self.faces), dict(self.held)
        shows: list[Operation] = []
        for seat in self.seats:
            hidden = tuple(position for position in self._of(seat) if position not in known)
            if hidden and seat not in self.gone:
                shows.append(Show(0, seat, hidden))
        rest = tuple(p for p in range(self.rules.deck_max) if p not in known and p not in held)
        return [*shows, Open(0, positions=rest)] if rest else shows

    def told(self, events: tuple[Event, ...]) -> Tiny:
        held = dict(self.held) | {
            e.card.position: e.holder for e in events if isinstance(e, Moved) and e.holder is not None
        }
        faces = dict(self.faces) | {e.card.position: e.face for e in events if isinstance(e, Opened)}
        game = replace(self, held=tuple(held.items()), faces=tuple(faces.items()), told_events=events, showing=None)
        return replace(game, stage=game._after())

    def _after(self) -> str:
        stages = ["deal", "turns"]
        stages += ["peek"] if self.rules.peek is not None else []
        stages += ["prove"] if self.rules.prove and self._claims() else []
        stages += ["discard"] if self.rules.discard else []
        stages += ["reveal"] if self.rules.reveal and self._reveal() else []
        stages += ["over"]
        if self.stage == "turns" and self.to_move:
            return "turns"
        return stages[stages.index(self.stage) + 1] if self.stage in stages else "over"

    def moved(self, seat: int, move: bytes) -> Tiny:
        try:
            said = decode(TinyMove, move, what="the move")
        except Malformed as error:
            raise IllegalMove(str(error)) from None
        if seat not in self.to_move:
            raise IllegalMove("not this seat's turn")
        game = replace(self, moved_already=(*self.moved_already, seat))
        if said.show:
            return replace(game, showing=seat)
        return game if game.to_move else replace(game, stage=game._after())

    def left(self, seats: tuple[int, ...], *, cards: bool) -> Tiny:
        game = replace(self, gone=(*self.gone, *seats), cards_gone=self.cards_gone or not cards)
        if game.stage == "turns" and game.showing is None and not game.to_move:
            return replace(game, stage=game._after())
        return game

    @property
    def result(self) -> dict[str, Any]:
        prints = self.rules.printed
        faces = [[position, face, prints[face] if prints else ""] for position, face in sorted(self.faces)]
        return {"hand": self.hand, "faces": faces, "gone": list(self.gone)}

    def default(self, seat: int) -> bytes | None:
        return encode(TinyMove(False)) if self.rules.passes else None

    @property
    def paid(self) -> Mapping[int, int]:
        return dict.fromkeys(self.seats, 1) if self.rules.stake else {}

    @property
    def net(self) -> Mapping[int, int]:
        """The first seat that has not left wins what the others paid."""
        staying = [seat for seat in self.seats if seat not in self.gone]
        if not self.rules.stake or not staying:
            return {}
        return dict.fromkeys(self.seats, -1) | {staying[0]: len(self.seats) - 1}
