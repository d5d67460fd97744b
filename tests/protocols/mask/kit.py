"""Mask decks for tests: alone with all their tapes, or on the log of a table where one seat cheats."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from conformance.harness import Game as TableGame
from conformance.harness import Source, resigned
from nodealer.cards import Card, Close, Deal, Event, NewDeck, Open, Operation, Return, Show
from nodealer.errors import EntryRefused
from nodealer.games.base import Ask, Done, Want
from nodealer.group import Group, Points
from nodealer.log.entry import read_entry
from nodealer.play.bodies import Cards, read_body
from nodealer.play.replica import Outcome, Replica
from nodealer.play.state import Fault
from nodealer.proofs.checks import Check, settle
from nodealer.protocols.base import Binding, Duty
from nodealer.protocols.mask import Mask
from nodealer.protocols.mask.deck import MaskDeck
from nodealer.tape import Tape, digest
from nodealer.wire import encode

SESSION: Final = bytes(range(32))
ROSTER: Final = bytes(range(32, 64))


def table(group: Group, seats: int = 3, *, session: bytes = SESSION, roster: bytes = ROSTER, hand: int = 0) -> Binding:
    return Binding("mask", 0, session, roster, hand, tuple(range(seats)), (), group)


def tapes_of(seats: int, mark: int = 1) -> dict[int, Tape]:
    return {seat: Tape(bytes([mark, seat]) * 16) for seat in range(seats)}


@dataclass
class Decks:
    """Decks of one table with everybody's tape, all messages and all checks, settled step by step or at the end."""

    table: Binding
    tapes: dict[int, Tape]
    decks: dict[int, MaskDeck] = field(default_factory=dict)
    said: list[tuple[Duty, bytes]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)

    def make(self, size: int, deck: int = 0) -> MaskDeck:
        return self.run(Mask(on=self.table.group).new_deck(self.table, deck, size, None))

    def ask(self, operation: Operation) -> MaskDeck:
        step = self.decks[operation.deck].request(operation)
        self.events += step.events
        return self.run(step.deck)  # type: ignore[arg-type]

    def run(self, deck: MaskDeck) -> MaskDeck:
        while deck.duties:
            deck = self.step(deck, deck.duties[0])
        self.decks[deck.number] = deck
        return deck

    def step(self, deck: MaskDeck, duty: Duty, message: bytes | None = None) -> MaskDeck:
        if message is None:
            message = deck.message(duty, self.tapes[duty.seat])
        self.said.append((duty, message))
        step = deck.apply(duty, message)
        self.events += step.events
        self.checks += step.checks
        after = step.deck
        assert isinstance(after, MaskDeck)
        return after

    def settle(self) -> None:
        settle(self.checks, Source("weights"))
        self.checks.clear()

    def knows(self, seat: int, deck: int = 0) -> dict[Card, int]:
        return dict(self.decks[deck].knows(seat, self.tapes[seat]))


def fresh(group: Group, seats: int = 3, size: int = 4) -> Decks:
    decks = Decks(table(group, seats), tapes_of(seats))
    decks.make(size)
    return decks


def encodings(points: Points) -> list[bytes]:
    data, size = points.to_bytes(), points.group.point_size
    return [data[at : at + size] for at in range(0, len(data), size)]


# --- A game that asks for a list of things ---


@dataclass(frozen=True)
class ScriptRules:
    """Each item of the script is one request of a hand; every hand is the same."""

    script: tuple[tuple[Operation, ...], ...]
    deck_max: int = 52
    name: str = "script"
    parameters: bytes = b"{}"
    version: int = 0
    operations: frozenset[type[Operation]] = frozenset({NewDeck, Deal, Open, Show, Return, Close})

    def begin(self, hand: int, seats: tuple[int, ...], before: object) -> Script:
        return Script(self, hand)


@dataclass(frozen=True)
class Script:
    rules: ScriptRules
    hand: int
    at: int = 0
    heard: tuple[Event, ...] = ()

    @property
    def wants(self) -> Want:
        if self.at < len(self.rules.script):
            return Ask(self.rules.script[self.at])
        return Done({"hand": self.hand, "events": len(self.heard)})

    def told(self, events: tuple[Event, ...]) -> Script:
        return replace(self, at=self.at + 1, heard=(*self.heard, *events))

    def moved(self, seat: int, move: bytes) -> Script:
        raise AssertionError("nobody moves in a script")

    def left(self, seats: tuple[int, ...], *, cards: bool) -> Script:
        return replace(self, at=len(self.rules.script))

    def digest(self) -> bytes:
        return digest("script", self.hand, self.at, repr(self.heard))


def played(group: Group, *script: Sequence[Operation], seats: int = 3, seed: str = "mask", hands: int = 1) -> TableGame:
    """A table that has not begun to play a script."""
    rules = ScriptRules(tuple(tuple(request) for request in script))
    return TableGame(Mask(on=group), rules, seats=seats, seed=seed, hands=hands)


# --- One seat cheats ---

#: From the deck, the duty, the cheater's tape and the honest message: what the cheater sends.
Forge = Callable[[MaskDeck, Duty, Tape, bytes], bytes]


@dataclass(frozen=True)
class Verdict:
    """What came of a cheat: the fault, or the refusal."""

    fault: Fault | None
    refused: EntryRefused | None

    @property
    def reason(self) -> str:
        if self.fault is not None:
            return self.fault.reason
        assert self.refused is not None
        return self.refused.reason


def cheat(game: TableGame, seat: int, step: str, forge: Forge, *, skip: int = 0) -> Verdict:
    """Play until `seat` owes `step` (for the `skip`+1st time), let it send what `forge` makes, and judge.

    Eager and lazy replicas and the honest seats must agree, nobody but the cheater may be named, and no honest seat may
    say a word about cards after a fault.
    """
    eager, lazy = game.replica(0), game.replica(0, eager=False)
    while batch := game.step():
        for place, data in enumerate(batch):
            duty = _duty_of(eager, data)
            if duty is None or duty.seat != seat or duty.kind != step or skip:
                skip -= duty is not None and (duty.seat, duty.kind) == (seat, step)
                _take(game, data, eager, lazy)
                continue
            forged = _forged(game, eager, duty, data, forge)
            return _judge(game, seat, forged, batch[place + 1 :], eager, lazy)
    raise AssertionError(f"seat {seat} never owed {step}")


def _take(game: TableGame, data: bytes, *replicas: Replica) -> None:
    assert game.order(data) is Outcome.ACCEPTED
    for replica in replicas:
        assert replica.append(data).outcome is Outcome.ACCEPTED


def _duty_of(replica: Replica, data: bytes) -> Duty | None:
    body = read_body(bytes(read_entry(data).entry.body))
    known = replica.state.duties.open.get(body.duty) if isinstance(body, Cards) else None
    return None if known is None else known.duty


def _forged(game: TableGame, replica: Replica, duty: Duty, data: bytes, forge: Forge) -> bytes:
    deck = replica.state.hand.decks[duty.deck]
    assert isinstance(deck, MaskDeck)
    tape = game.tape(duty.seat, duty.binding.hand)
    message = json.loads(forge(deck, duty, tape, deck.message(duty, tape)))

    def change(entry: dict[str, Any]) -> None:
        entry["body"]["message"] = message

    return resigned(data, game.persons[duty.seat].key, change)


def _judge(game: TableGame, seat: int, forged: bytes, rest: Sequence[bytes], eager: Replica, lazy: Replica) -> Verdict:
    before = eager.digest()
    honest = [other for other in game.seats.values() if other.number != seat]
    takers = (eager.append, lazy.append, *(other.receive for other in honest))
    refusals = [_refusal(take, forged) for take in takers]
    lazy.settle()
    if refusals[0] is not None:
        assert all(refused is not None and refused.seat == seat for refused in refusals)
        assert eager.digest() == lazy.digest() == before
        return Verdict(None, refusals[0])
    # What honest seats signed on the same head still arrives. It is void, and nobody's fault.
    for data in rest:
        if game.signer(data) != seat:
            for take in takers:
                take(data)
    lazy.settle()
    for other in honest:
        assert not other.due(), "an honest seat goes on after a fault"
    digests = {eager.digest(), lazy.digest(), *(other.replica.digest() for other in honest)}
    assert len(digests) == 1
    fault = eager.state.fault
    assert fault is not None and fault.seat == seat, f"the fault is {fault}"
    return Verdict(fault, None)


def _refusal(take: Callable[[bytes], Outcome], data: bytes) -> EntryRefused | None:
    try:
        take(data)
    except EntryRefused as refused:
        return refused
    return None


def changed(message: bytes, **fields: bytes) -> bytes:
    """A message with other bytes in some fields."""
    said = json.loads(message)
    assert fields.keys() <= said.keys()
    return encode(said | {name: json.loads(encode(value)) for name, value in fields.items()})


def field_of(message: bytes, name: str) -> bytes:
    return base64.b64decode(json.loads(message)[name])


def put(data: bytes, index: int, element: bytes) -> bytes:
    """An array's encoding with one element replaced."""
    size = len(element)
    return data[: index * size] + element + data[(index + 1) * size :]


def element(data: bytes, index: int, size: int = 32) -> bytes:
    return data[index * size : (index + 1) * size]
