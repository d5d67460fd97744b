"""Duel decks for tests: alone with both tapes, or on the log of a table where one seat cheats."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from conformance.harness import Game as TableGame
from conformance.harness import Source, resigned
from nodealer.cards import Event, NewDeck, Operation
from nodealer.errors import EntryRefused
from nodealer.games.base import Ask, Done, Want
from nodealer.group import Group
from nodealer.log.entry import read_entry
from nodealer.play.bodies import Cards, read_body
from nodealer.play.phases import Phase
from nodealer.play.replica import Outcome, Replica
from nodealer.play.seat import Seat
from nodealer.play.state import Fault
from nodealer.proofs.checks import Check, settle
from nodealer.protocols.base import Binding, Duty
from nodealer.protocols.duel import Duel, DuelDeck
from nodealer.protocols.duel.protocol import OPERATIONS
from nodealer.tape import Tape, digest
from nodealer.wire import encode

MODES: Final = ("proven", "committed", "xor")
Choose = Callable[[DuelDeck, Duty], Sequence[int]]


def duel(group: Group, mode: str = "proven") -> Duel:
    return Duel(b"{}" if mode == "proven" else encode({"mode": mode}), on=group)


def table(group: Group) -> Binding:
    return Binding("duel", 0, bytes(range(32)), bytes(range(32, 64)), 0, (0, 1), (), group)


def second(deck: DuelDeck, duty: Duty) -> Sequence[int]:
    """Take the second card; put cards back in reverse."""
    seen: Sequence[int] = deck.stage.positions  # type: ignore[attr-defined]
    return seen[1:2] if duty.kind == "take" else seen[::-1]


@dataclass
class Decks:
    """Decks of one table with both tapes, all messages and all checks."""

    table: Binding
    mode: str = "proven"
    tapes: dict[int, Tape] = field(default_factory=lambda: {seat: Tape(bytes([7, seat]) * 16) for seat in (0, 1)})
    decks: dict[int, DuelDeck] = field(default_factory=dict)
    said: list[tuple[Duty, bytes]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    choose: Choose = second

    def make(self, size: int, deck: int = 0, owner: int = 0) -> DuelDeck:
        return self.run(duel(self.table.group, self.mode).new_deck(self.table, deck, size, owner))

    def ask(self, operation: Operation) -> DuelDeck:
        step = self.decks[operation.deck].request(operation)
        self.events += step.events
        assert isinstance(step.deck, DuelDeck)
        return self.run(step.deck)

    def run(self, deck: DuelDeck) -> DuelDeck:
        while deck.duties:
            deck = self.step(deck, deck.duties[0])
        self.decks[deck.number] = deck
        return deck

    def step(self, deck: DuelDeck, duty: Duty, message: bytes | None = None) -> DuelDeck:
        if message is None:
            choice = encode(list(self.choose(deck, duty))) if duty.choice else None
            message = deck.message(duty, self.tapes[duty.seat], choice)
        self.said.append((duty, message))
        step = deck.apply(duty, message)
        self.events += step.events
        self.checks += step.checks
        assert isinstance(step.deck, DuelDeck)
        return step.deck

    def settle(self) -> None:
        settle(self.checks, Source("weights"))
        self.checks.clear()

    def knows(self, seat: int, deck: int = 0) -> dict[int, int]:
        return {card.position: face for card, face in self.decks[deck].knows(seat, self.tapes[seat]).items()}


def fresh(group: Group, mode: str = "proven", size: int = 5) -> Decks:
    decks = Decks(table(group), mode)
    decks.make(size)
    return decks


# --- A game that asks for a list of things ---


@dataclass(frozen=True)
class ScriptRules:
    """Each item of the script is one request of a hand; every hand is the same."""

    script: tuple[tuple[Operation, ...], ...]
    deck_max: int = 52
    name: str = "script"
    parameters: bytes = b"{}"
    version: int = 0
    operations: frozenset[type[Operation]] = OPERATIONS

    def begin(self, hand: int, seats: tuple[int, ...], before: object) -> Script:
        return Script(self, hand)


@dataclass(frozen=True)
class Script:
    rules: ScriptRules
    hand: int
    at: int = 0
    heard: tuple[Event, ...] = ()
    gone: tuple[int, ...] = ()

    @property
    def wants(self) -> Want:
        if self.at < len(self.rules.script):
            return Ask(self.rules.script[self.at])
        return Done({"hand": self.hand, "events": len(self.heard), "gone": list(self.gone)})

    def told(self, events: tuple[Event, ...]) -> Script:
        return replace(self, at=self.at + 1, heard=(*self.heard, *events))

    def moved(self, seat: int, move: bytes) -> Script:
        raise AssertionError("nobody moves in a script")

    def left(self, seats: tuple[int, ...], *, cards: bool) -> Script:
        return replace(self, at=len(self.rules.script), gone=seats)

    def digest(self) -> bytes:
        return digest("script", self.hand, self.at, repr(self.heard))


def decide(seat: Seat, duty: Duty) -> bytes | None:
    deck = seat.replica.state.hand.decks[duty.deck or 0]
    assert isinstance(deck, DuelDeck)
    seat.choose(duty, encode(list(second(deck, duty))))
    return None


def played(group: Group, mode: str, *script: Sequence[Operation], seed: str = "duel", hands: int = 1) -> TableGame:
    """A table that has not begun to play a script."""
    rules = ScriptRules(tuple(tuple(request) for request in script))
    return TableGame(duel(group, mode), rules, seats=2, seed=seed, hands=hands, decide=decide)


NEW: Final = (NewDeck(0, 5, 0), NewDeck(1, 4, 1))

# --- One seat cheats ---

#: From the deck, the duty, the cheater's tape and the honest message: what the cheater sends.
Forge = Callable[[DuelDeck, Duty, Tape, bytes], bytes]


@dataclass(frozen=True)
class Verdict:
    """What came of a cheat, and after how many more entries."""

    fault: Fault | None = None
    refused: EntryRefused | None = None
    later: int = 0


def cheat(game: TableGame, seat: int, steps: Sequence[str], forge: Forge) -> Verdict:
    """Play; whenever `seat` owes one of `steps` it sends what `forge` makes of the honest message. Says what came."""
    replica = game.replica(0)
    first: int | None = None
    while batch := _said(game):
        for data in batch:
            duty = _duty_of(replica, data)
            if duty is not None and duty.seat == seat and duty.kind in steps:
                data, changed = _forged(game, replica, duty, data, forge)
                if changed and first is None:
                    first = len(game.log)
            try:
                outcome = replica.append(data).outcome
            except EntryRefused as refused:
                assert refused.seat == seat
                return Verdict(refused=refused, later=len(game.log) - (first or 0))
            game.log.append(data)
            for other in game.seats.values():
                if other.number != seat:
                    other.receive(data)
            _own(game, seat, data)
            if outcome is Outcome.FAULT or replica.state.phase is Phase.STOPPED:
                return Verdict(replica.state.fault, later=len(game.log) - 1 - (first or 0))
    return Verdict()


def _said(game: TableGame) -> list[bytes]:
    """What seats say. The cheater is a program of ours that sits at the log; its seat only helps it along."""
    return game.due() or game.decided() or game.due()


def _own(game: TableGame, seat: int, data: bytes) -> None:
    """The cheater's own seat believes that it sent what it sent."""
    own, entry = game.seats[seat], read_entry(data).entry
    if entry.seat == seat:
        own._sent[entry.seq] = data
    own.receive(data)


def _duty_of(replica: Replica, data: bytes) -> Duty | None:
    body = read_body(bytes(read_entry(data).entry.body))
    known = replica.state.duties.open.get(body.duty) if isinstance(body, Cards) else None
    return None if known is None else known.duty


def _forged(game: TableGame, replica: Replica, duty: Duty, data: bytes, forge: Forge) -> tuple[bytes, bool]:
    deck = replica.state.hand.decks[duty.deck or 0]
    assert isinstance(deck, DuelDeck)
    honest = bytes(_body(data).message)
    forged = forge(deck, duty, game.tape(duty.seat, duty.binding.hand), honest)
    if forged == honest:
        return data, False

    def change(entry: dict[str, Any]) -> None:
        entry["body"]["message"] = json.loads(forged)

    return resigned(data, game.persons[duty.seat].key, change), True


def _body(data: bytes) -> Cards:
    body = read_body(bytes(read_entry(data).entry.body))
    assert isinstance(body, Cards)
    return body


def changed(message: bytes, **fields: Any) -> bytes:
    """A message with other values in some fields."""
    said = json.loads(message)
    return encode(said | {name: json.loads(encode(value)) for name, value in fields.items()})


def field_of(message: bytes, name: str) -> bytes:
    return base64.b64decode(json.loads(message)[name])


def put(data: bytes, index: int, element: bytes) -> bytes:
    """An array's encoding with one element replaced."""
    size = len(element)
    return data[: index * size] + element + data[(index + 1) * size :]


def element(data: bytes, index: int, size: int = 32) -> bytes:
    return data[index * size : (index + 1) * size]
