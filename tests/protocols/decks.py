"""Decks alone, without a table around them: with everybody's tape, all messages and all checks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Generic, Protocol, TypeVar

from conformance.harness import Source
from nodealer.cards.events import Event
from nodealer.cards.operations import Card, Operation
from nodealer.group import Group
from nodealer.proofs.checks import Check, settle
from nodealer.protocols.base import Binding, Deck, Duty
from nodealer.tape import Tape

SESSION: Final = bytes(range(32))
ROSTER: Final = bytes(range(32, 64))

D = TypeVar("D", bound=Deck)
Made = TypeVar("Made", bound=Deck, covariant=True)


class Makes(Protocol[Made]):
    """A protocol, by what it makes."""

    def new_deck(self, table: Binding, deck: int, size: int, owner: int | None) -> Made: ...


def binding(
    protocol: str,
    group: Group,
    seats: int = 3,
    *,
    session: bytes = SESSION,
    roster: bytes = ROSTER,
    hand: int = 0,
    roles: tuple[tuple[str, int], ...] = (),
) -> Binding:
    return Binding(protocol, 0, session, roster, hand, tuple(range(seats)), roles, group)


def tapes_of(seats: int, mark: int = 1) -> dict[int, Tape]:
    return {seat: Tape(bytes([mark, seat]) * 16) for seat in range(seats)}


@dataclass
class Decks(Generic[D]):
    """Decks of one table, settled step by step or at the end."""

    table: Binding
    tapes: dict[int, Tape]
    protocol: Makes[D]
    decks: dict[int, D] = field(default_factory=dict)
    said: list[tuple[Duty, bytes]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)

    def make(self, size: int, deck: int = 0, owner: int | None = None) -> D:
        return self.run(self.protocol.new_deck(self.table, deck, size, owner))

    def ask(self, operation: Operation) -> D:
        deck = self.decks[operation.deck]
        step = deck.request(operation)
        self.events += step.events
        assert isinstance(step.deck, type(deck))
        return self.run(step.deck)

    def run(self, deck: D) -> D:
        while owed := [duty for duty in deck.duties if not duty.optional]:
            deck = self.step(deck, owed[0])
        self.decks[deck.places.deck] = deck
        return deck

    def message(self, deck: D, duty: Duty) -> bytes:
        return deck.message(duty, self.tapes[duty.seat])

    def step(self, deck: D, duty: Duty, message: bytes | None = None) -> D:
        if message is None:
            message = self.message(deck, duty)
        self.said.append((duty, message))
        step = deck.apply(duty, message)
        self.events += step.events
        self.checks += step.checks
        assert isinstance(step.deck, type(deck))
        return step.deck

    def settle(self) -> None:
        settle(self.checks, Source("weights"))
        self.checks.clear()

    def knows(self, seat: int, deck: int = 0) -> dict[Card, int]:
        return dict(self.decks[deck].knows(seat, self.tapes[seat]))
