"""Offset decks for tests: alone with all their tapes, with or without proofs, or on the log of a table."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

from conformance.harness import Game as TableGame
from conformance.harness import Source, resigned
from nodealer.cards import Card, Event, Operation
from nodealer.group import Group
from nodealer.play.replica import Replica
from nodealer.proofs.checks import Check, settle
from nodealer.protocols.base import Binding, DeckChange, Duty
from nodealer.protocols.offset import Offset
from nodealer.protocols.offset.deck import OffsetDeck
from nodealer.tape import Tape
from nodealer.wire import encode

from ..mask.kit import ScriptRules, Verdict, _duty_of, _judge, _take

SESSION: Final = bytes(range(32))
ROSTER: Final = bytes(range(32, 64))


def table(
    group: Group,
    seats: int = 3,
    *,
    session: bytes = SESSION,
    roster: bytes = ROSTER,
    hand: int = 0,
    dealer: int | None = None,
) -> Binding:
    roles = () if dealer is None else (("dealer", dealer),)
    return Binding("offset", 0, session, roster, hand, tuple(range(seats)), roles, group)


def tapes_of(seats: int, mark: int = 1) -> dict[int, Tape]:
    return {seat: Tape(bytes([mark, seat]) * 16) for seat in range(seats)}


class UnprovenDeck(OffsetDeck):
    """A deck whose proofs nobody looks at: the protocol as its source has it."""

    def apply(self, duty: Duty, message: bytes) -> DeckChange:
        step = super().apply(duty, message)
        return DeckChange(step.deck, step.events)


class Unproven(Offset):
    def new_deck(self, table: Binding, deck: int, size: int, owner: int | None) -> OffsetDeck:
        made = super().new_deck(table, deck, size, owner)
        return UnprovenDeck(**{f.name: getattr(made, f.name) for f in fields(made) if f.init})


#: From the deck, the duty, the cheater's tape and the honest message: what the cheater sends.
Forge = Callable[[OffsetDeck, Duty, Tape, bytes], bytes]


@dataclass
class Decks:
    """Decks of one table with everybody's tape, all messages and all checks. Some seats' messages are forged."""

    table: Binding
    tapes: dict[int, Tape]
    protocol: Offset
    #: The order of players that the dealer asks for.
    order: Sequence[int] | None = None
    #: Seat and step to what the seat sends instead.
    forged: dict[tuple[int, str], Forge] = field(default_factory=dict)
    decks: dict[int, OffsetDeck] = field(default_factory=dict)
    said: list[tuple[Duty, bytes]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)

    def make(self, size: int, deck: int = 0) -> OffsetDeck:
        return self.run(self.protocol.new_deck(self.table, deck, size, None))

    def ask(self, operation: Operation) -> OffsetDeck:
        step = self.decks[operation.deck].request(operation)
        self.events += step.events
        return self.run(step.deck)  # type: ignore[arg-type]

    def run(self, deck: OffsetDeck) -> OffsetDeck:
        while deck.duties:
            deck = self.step(deck, deck.duties[0])
        self.decks[deck.number] = deck
        return deck

    def message(self, deck: OffsetDeck, duty: Duty) -> bytes:
        choice = encode(list(self.order)) if self.order is not None and duty.kind == "requestDealParts" else None
        honest = deck.message(duty, self.tapes[duty.seat], choice)
        forge = self.forged.get((duty.seat, duty.kind))
        return honest if forge is None else forge(deck, duty, self.tapes[duty.seat], honest)

    def step(self, deck: OffsetDeck, duty: Duty) -> OffsetDeck:
        message = self.message(deck, duty)
        self.said.append((duty, message))
        step = deck.apply(duty, message)
        self.events += step.events
        self.checks += step.checks
        after = step.deck
        assert isinstance(after, OffsetDeck)
        return after

    def settle(self) -> None:
        settle(self.checks, Source("weights"))
        self.checks.clear()

    def knows(self, seat: int, deck: int = 0) -> dict[Card, int]:
        return dict(self.decks[deck].knows(seat, self.tapes[seat]))


def decks_of(
    group: Group,
    seats: int = 3,
    *,
    order: Sequence[int] | None = None,
    dealer: int | None = None,
    proven: bool = True,
    forged: dict[tuple[int, str], Forge] | None = None,
) -> Decks:
    protocol = Offset(on=group) if proven else Unproven(on=group)
    return Decks(table(group, seats, dealer=dealer), tapes_of(seats), protocol, order, forged or {})


# --- At a table ---


def played(
    group: Group,
    *script: Sequence[Operation],
    seats: int = 3,
    seed: str = "offset",
    hands: int = 1,
    dealer: int | None = None,
    protocol: Offset | None = None,
) -> TableGame:
    """A table that has not begun to play a script."""
    rules = ScriptRules(tuple(tuple(request) for request in script))
    roles = {} if dealer is None else {dealer: "dealer"}
    return TableGame(protocol or Offset(on=group), rules, seats=seats, seed=seed, hands=hands, roles=roles)


def cheat(game: TableGame, seat: int, step: str, forge: Forge) -> Verdict:
    """Play until `seat` owes `step`, let it send what `forge` makes, and judge.

    Eager and lazy replicas and the honest seats must agree, nobody but the cheater may be named, and no honest seat may
    say a word about cards after a fault.
    """
    eager, lazy = game.replica(0), game.replica(0, eager=False)
    while batch := game.step():
        for place, data in enumerate(batch):
            duty = _duty_of(eager, data)
            if duty is None or duty.seat != seat or duty.kind != step:
                _take(game, data, eager, lazy)
                continue
            return _judge(game, seat, resigned_as(game, eager, duty, data, forge), batch[place + 1 :], eager, lazy)
    raise AssertionError(f"seat {seat} never owed {step}")


def resigned_as(game: TableGame, replica: Replica, duty: Duty, data: bytes, forge: Forge) -> bytes:
    """The entry of a duty with what `forge` makes of its message, signed again."""
    deck = replica.state.hand.decks[duty.deck]  # type: ignore[index]
    assert isinstance(deck, OffsetDeck)
    tape = game.tape(duty.seat, duty.binding.hand)
    message = json.loads(forge(deck, duty, tape, deck.message(duty, tape)))

    def change(entry: dict[str, Any]) -> None:
        entry["body"]["message"] = message

    return resigned(data, game.persons[duty.seat].key, change)


def altered(message: bytes, **changes: object) -> bytes:
    """A message with other values in some fields; bytes are encoded."""
    said = json.loads(message)
    assert changes.keys() <= said.keys()
    return encode(said | {name: json.loads(encode(value)) for name, value in changes.items()})
