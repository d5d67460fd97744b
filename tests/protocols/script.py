"""A game that asks for a list of things."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from nodealer.cards.events import Event, Moved, Opened
from nodealer.cards.operations import (
    Capability,
    Deal,
    Mix,
    NewDeck,
    NoneOf,
    Operation,
    Pass,
    Peek,
    Prove,
    Return,
    Show,
    needed_capabilities,
)
from nodealer.games.base import Ask, Done, Want, WithoutStakes


@dataclass(frozen=True)
class ScriptRules:
    """Each item of the script is one request of a hand; every hand is the same. Who leaves ends it."""

    script: tuple[tuple[Operation, ...], ...]
    deck_max: int = 52
    name: str = "script"
    parameters: bytes = b"{}"
    version: int = 0
    stake: int = 0
    versions = ()
    #: What it says that it takes, where that is another thing.
    announced: frozenset[Capability] | None = None

    @property
    def operations(self) -> frozenset[Capability]:
        """Just what the script takes."""
        if self.announced is not None:
            return self.announced
        asked = [operation for request in self.script for operation in request]
        owners = {operation.deck: operation.owner for operation in asked if isinstance(operation, NewDeck)}
        return frozenset().union(*(needed_capabilities(operation, owners.get(operation.deck)) for operation in asked))

    @classmethod
    def of(cls, script: Sequence[Sequence[Operation]]) -> Self:
        """Rules of a script."""
        return cls(tuple(map(tuple, script)))

    def begin(self, hand: int, seats: tuple[int, ...], before: object, chips: object) -> Script:
        return Script(self, hand, seats)


@dataclass(frozen=True)
class Script(WithoutStakes):
    rules: ScriptRules
    hand: int
    seats: tuple[int, ...]
    at: int = 0
    heard: tuple[Event, ...] = ()

    @property
    def wants(self) -> Want:
        if self.at < len(self.rules.script):
            return Ask(tuple(map(self.claimed, self.rules.script[self.at])))
        return Done({"hand": self.hand, "events": len(self.heard)})

    def claimed(self, operation: Operation) -> Operation:
        return replace(operation, claims=self.claims(operation)) if isinstance(operation, Prove) else operation

    def claims(self, operation: Prove) -> tuple[NoneOf, ...]:
        """A proof without claims is of everybody, that no hidden card is one of those that are open."""
        if operation.claims:
            return operation.claims
        opened = {event.card.position: event.face for event in self.heard if isinstance(event, Opened)}
        hidden = {seat: sorted(set(self.cards_of(seat)) - opened.keys()) for seat in self.seats}
        faces = tuple(sorted(opened.values()))
        return tuple(NoneOf(seat, tuple(at), faces) for seat, at in hidden.items() if at)

    def cards_of(self, seat: int) -> tuple[int, ...]:
        moved = dict[int, int | None]()
        for event in self.heard:
            if isinstance(event, Moved):
                moved |= {event.card.position: event.holder} | ({event.was.position: None} if event.was else {})
        return tuple(position for position, holder in moved.items() if holder == seat)

    def told(self, events: tuple[Event, ...]) -> Script:
        return replace(self, at=self.at + 1, heard=(*self.heard, *events))

    def moved(self, seat: int, move: bytes) -> Script:
        raise AssertionError("nobody moves in a script")

    def left(self, seats: tuple[int, ...], *, cards: bool) -> Script:
        return replace(self, at=len(self.rules.script))


@dataclass(frozen=True)
class LastingRules(ScriptRules):
    """A script that goes on without those who leave: what was theirs to show or to get is skipped.

    A show or a gift without positions is of the seat's first card, and its hand is mixed whole; a return without them
    is of the first cards of seats 0 and 1.
    """

    def begin(self, hand: int, seats: tuple[int, ...], before: object, chips: object) -> LastingScript:
        return LastingScript(self, hand, seats)


@dataclass(frozen=True)
class LastingScript(Script):
    gone: tuple[int, ...] = ()
    over: bool = False

    @property
    def wants(self) -> Want:
        at = self._next()
        if not self.over and at < len(self.rules.script):
            return Ask(self._still(at))
        return Done({"hand": self.hand, "events": len(self.heard), "gone": list(self.gone)})

    def _next(self) -> int:
        """The first request from here on of which something is left."""
        at = self.at
        while at < len(self.rules.script) and not self._still(at):
            at += 1
        return at

    def _still(self, at: int) -> tuple[Operation, ...]:
        return tuple(filter(None, map(self._left_of, self.rules.script[at])))

    def _left_of(self, operation: Operation) -> Operation | None:
        if isinstance(operation, Show):
            cards = operation.positions or self.cards_of(operation.seat)[:1]
            return None if operation.seat in self.gone else replace(operation, positions=cards)
        if isinstance(operation, Deal):
            portions = tuple(p for p in operation.portions if p.seat not in self.gone)
            return Deal(operation.deck, portions) if portions else None
        if isinstance(operation, Pass):
            here = (gift for gift in operation.gifts if not {gift.giver, gift.to} & set(self.gone))
            named = (replace(gift, positions=gift.positions or self.cards_of(gift.giver)[:1]) for gift in here)
            gifts = tuple(gift for gift in named if set(gift.positions) <= set(self.cards_of(gift.giver)))
            return Pass(operation.deck, gifts) if gifts else None
        if isinstance(operation, Peek):
            return None if operation.seat in self.gone else operation
        if isinstance(operation, Mix):
            mine = self.cards_of(operation.seat)
            return replace(operation, positions=mine) if mine and operation.seat not in self.gone else None
        if isinstance(operation, Return) and not operation.positions:
            cards = tuple(p for seat in (0, 1) if seat not in self.gone for p in self.cards_of(seat)[:1])
            return replace(operation, positions=cards) if cards else None
        if isinstance(operation, Prove):
            claims = tuple(claim for claim in self.claims(operation) if claim.seat not in self.gone)
            return Prove(operation.deck, claims) if claims else None
        return operation

    def told(self, events: tuple[Event, ...]) -> LastingScript:
        return replace(self, at=self._next() + 1, heard=(*self.heard, *events))

    def left(self, seats: tuple[int, ...], *, cards: bool) -> LastingScript:
        return replace(self, gone=(*self.gone, *seats), over=self.over or not cards)
