"""Lock tables for tests: a script that goes on when seats leave, hold'em, a seat that cheats, and what must be true."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import msgspec

from conformance.harness import Game, Source, resigned
from nodealer.cards import Close, Deal, Event, Moved, NewDeck, Open, Operation, Portion, Return, Show
from nodealer.errors import EntryRefused
from nodealer.games.base import Ask, Done, Want
from nodealer.games.holdem.hand import Hand
from nodealer.games.holdem.moves import Call, Fold, Raise, ShowHand
from nodealer.games.holdem.rules import Holdem
from nodealer.group import Group, concat
from nodealer.log.entry import read_entry
from nodealer.play.bodies import Cards, read_body
from nodealer.play.replica import Outcome, Replica
from nodealer.play.seat import Seat
from nodealer.play.state import Fault, Phase
from nodealer.protocols.base import Duty
from nodealer.protocols.keyed import Releasing
from nodealer.protocols.lock import Lock
from nodealer.protocols.lock.deck import LockDeck
from nodealer.protocols.lock.picking import Picking, ServerPicking
from nodealer.protocols.staged import Idle
from nodealer.tape import Tape, digest
from nodealer.wire import encode

SERVER: Final = b'{"community":"server"}'


class Table(Game):
    """A table that can be stopped between any two entries. What was signed and is not in the log yet is `pending`."""

    pending: list[bytes]

    def play(self, until: Callable[[Game], bool] | None = None) -> Table:
        self.pending = getattr(self, "pending", [])
        while self.pending or (batch := self.step()):
            if not self.pending:
                self.pending = batch
            self.order(self.pending.pop(0))
            if until is not None and until(self):
                return self
        return self


# --- A game that asks for a list of things, and goes on without those who leave ---


@dataclass(frozen=True)
class ScriptRules:
    """Each item of the script is one request of a hand. Shows and portions of seats that have left are skipped.

    A show without positions is of the seat's first card; a return without them is of the first cards of seats 0 and 1.
    """

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
    gone: tuple[int, ...] = ()
    over: bool = False

    @property
    def wants(self) -> Want:
        at = self.at
        while not self.over and at < len(self.rules.script):
            if request := tuple(filter(None, map(self._still, self.rules.script[at]))):
                return Ask(request)
            at += 1
        return Done({"hand": self.hand, "events": len(self.heard), "gone": list(self.gone)})

    def _still(self, operation: Operation) -> Operation | None:
        if isinstance(operation, Show):
            cards = operation.positions or self.cards_of(operation.seat)[:1]
            return None if operation.seat in self.gone else replace(operation, positions=cards)
        if isinstance(operation, Deal):
            portions = tuple(p for p in operation.portions if p.seat not in self.gone)
            return Deal(operation.deck, portions) if portions else None
        if isinstance(operation, Return):
            cards = tuple(p for seat in (0, 1) if seat not in self.gone for p in self.cards_of(seat)[:1])
            return replace(operation, positions=cards) if cards else None
        return operation

    def cards_of(self, seat: int) -> tuple[int, ...]:
        moved = {event.card.position: event.holder for event in self.heard if isinstance(event, Moved)}
        return tuple(position for position, holder in moved.items() if holder == seat)

    def told(self, events: tuple[Event, ...]) -> Script:
        at = self.at
        while at < len(self.rules.script) and not any(map(self._still, self.rules.script[at])):
            at += 1
        return replace(self, at=at + 1, heard=(*self.heard, *events))

    def moved(self, seat: int, move: bytes) -> Script:
        raise AssertionError("nobody moves in a script")

    def left(self, seats: tuple[int, ...], *, cards: bool) -> Script:
        return replace(self, gone=(*self.gone, *seats), over=self.over or not cards)

    def digest(self) -> bytes:
        return digest("script", self.hand, self.at, repr(self.heard), repr(self.gone))


def scripted(
    group: Group,
    *script: Sequence[Operation],
    seats: int = 3,
    seed: str = "lock",
    hands: int = 1,
    parameters: bytes = b"{}",
    roles: Mapping[int, str] | None = None,
) -> Table:
    """A table that has not begun to play a script."""
    rules = ScriptRules(tuple(tuple(request) for request in script))
    return Table(Lock(parameters, on=group), rules, seats=seats, seed=seed, hands=hands, roles=roles)


def portions(seats: Iterable[int], count: int = 1) -> tuple[Portion, ...]:
    return tuple(Portion(seat, count) for seat in seats)


# --- Hold'em ---


def plays_on(source: Source) -> Callable[[Seat, Duty], bytes | None]:
    """Calls most of the time, raises or folds now and then, shows whenever it may."""

    def decide(seat: Seat, duty: Duty) -> bytes | None:
        game = seat.replica.state.game
        if duty.deck is not None or duty.kind != "move" or not isinstance(game, Hand):
            return None
        legal, whim = game.legal(seat.number), source.below(12)
        if legal.show:
            return seat.move(ShowHand())
        if whim == 0 and legal.raise_from is not None:
            return seat.move(Raise(legal.raise_from))
        if whim == 1 and legal.fold:
            return seat.move(Fold())
        return seat.move(Call())

    return decide


def holdem(
    group: Group, seats: int, seed: str, *, parameters: bytes = b"{}", roles: Mapping[int, str] | None = None
) -> Table:
    protocol = Lock(parameters, on=group)
    return Table(protocol, Holdem(), seats=seats, seed=seed, decide=plays_on(Source(seed)), roles=roles)


# --- Leaving ---


def stay(game: Game) -> list[Seat]:
    return [seat for seat in game.seats.values() if seat.number not in game.silent]


def leave(game: Table, seats: Iterable[int]) -> None:
    """Seats say nothing any more, and all others say that they go on without them.

    Each of those first sends what it has signed; and what it owes after its word it signs at once, so that it crosses
    with the last word.
    """
    leavers = sorted(seats)
    game.silent |= set(leavers)
    pending, game.pending = [data for data in game.pending if game.signer(data) not in leavers], []
    for seat in stay(game):
        for data in [data for data in pending if game.signer(data) == seat.number]:
            assert game.order(data) in (Outcome.ACCEPTED, Outcome.DROPPED)
        assert game.order(seat.without(leavers)) is Outcome.ACCEPTED
        if seat is not stay(game)[-1]:
            game.pending += seat.due()


def playing(game: Game) -> bool:
    return game.state.phase is Phase.PLAYING


Plan = Sequence[tuple[int, tuple[int, ...]]]


def play_leaving(game: Table, plan: Plan) -> Table:
    """Play to the end; when the log has so many entries (and a hand is on), these seats leave. Leaves cards checked."""
    for height, leavers in plan:
        game.play(until=lambda game: len(game.log) >= height and playing(game))
        if playing(game):
            leave(game, leavers)
    game.play()
    ends_well(game)
    return game


def ends_well(game: Game) -> None:
    """The table has come to its end, nobody is blamed, and all replicas agree however they settle."""
    state = game.state
    assert state.fault is None
    assert state.phase in (Phase.ENDED, Phase.BETWEEN), state.phase
    assert len(state.results) == game.hands
    assert Outcome.FAULT not in game.outcomes
    eager, lazy = game.replica(), game.replica(eager=False)
    lazy.settle()
    assert game.digests() == {eager.digest()} == {lazy.digest()}


# --- What must be true of a deck ---


def deck_of(game: Game | Replica) -> LockDeck:
    deck = game.state.decks[0]
    assert isinstance(deck, LockDeck)
    return deck


def true_faces(deck: LockDeck, tapes: Mapping[int, Tape], positions: Iterable[int]) -> dict[int, int]:
    """Position to face, with everybody's tape, those who left too."""
    chosen, faces = tuple(positions), dict[int, int]()
    for seats in {deck.masked_by(position) for position in chosen}:
        here = tuple(position for position in chosen if deck.masked_by(position) == seats)
        secrets = {seat: deck.card_secrets(tapes[seat], here, seat) for seat in seats}
        found = zip(here, deck.faces_at(here, secrets), strict=True)
        faces |= {position: face for position, face in found if face is not None}
    return faces


def union_is_whole(game: Game) -> bool:
    """Open, held, laid aside and in the pile: every face exactly once. Says whether there was anything to count."""
    if not playing(game) or 0 not in game.state.decks:
        return False
    deck = deck_of(game)
    if not deck.layers or not isinstance(deck.stage, Idle | Releasing | Picking | ServerPicking):
        return False
    places = deck.places
    tapes = {seat: game.tape(seat, game.state.hand) for seat in game.seats}
    positions = {*places.pile, *places.held, *places.aside, *places.opened}
    faces = true_faces(deck, tapes, positions)
    assert sorted(faces.values()) == list(range(deck.size))
    assert all(faces[position] == face for position, face in places.opened.items())
    assert not {*places.held.values(), *places.aside.values()} & game.silent
    return True


def nothing_is_shown(deck: LockDeck) -> None:
    """No holder has published the secret of a card that is not open."""
    for position, seat in (*deck.places.held.items(), *deck.places.aside.items()):
        if deck.places.face(position) is None:
            assert seat not in deck.released.get(position, {})


# --- One seat cheats ---

#: From the deck, the duty, the cheater's tape and the honest message: what the cheater sends.
Forge = Callable[[LockDeck, Duty, Tape, bytes], bytes]


@dataclass(frozen=True)
class Verdict:
    """What came of a cheat: the fault, or the refusal."""

    fault: Fault | None
    refused: EntryRefused | None


def is_fault(verdict: Verdict, reason: str) -> None:
    assert verdict.fault is not None and reason in verdict.fault.reason, verdict


def is_refused(verdict: Verdict, reason: str) -> None:
    assert verdict.refused is not None and reason in verdict.refused.reason, verdict


def cheat(game: Table, seat: int, step: str, forge: Forge, *, skip: int = 0, plan: Plan = ()) -> Verdict:
    """Play until `seat` owes `step` (for the `skip`+1st time), let it send what `forge` makes, and judge.

    Eager and lazy replicas and the honest seats must agree, nobody but the cheater may be named, and no honest seat may
    say a word about cards after a fault.
    """
    for height, leavers in plan:
        game.play(until=lambda game: len(game.log) >= height)
        leave(game, leavers)
    for _ in range(skip + 1):
        game.play(until=lambda game: _next_is(game, seat, step))
        if skip:
            game.play(until=lambda _: True)
            skip -= 1
    data = game.pending.pop(0)
    duty = duty_of(game.state.duties, data)
    assert duty is not None
    return _judge(game, seat, forged(game, duty, data, forge), game.pending)


def _next_is(game: Game, seat: int, step: str) -> bool:
    assert isinstance(game, Table)
    if not game.pending:
        game.pending = game.step()
    duty = duty_of(game.state.duties, game.pending[0]) if game.pending else None
    return duty is not None and (duty.seat, duty.kind) == (seat, step)


def duty_of(duties: Mapping[bytes, Any], data: bytes) -> Duty | None:
    body = read_body(bytes(read_entry(data).entry.body))
    known = duties.get(body.duty) if isinstance(body, Cards) else None
    return None if known is None else known.duty


def forged(game: Game, duty: Duty, data: bytes, forge: Forge) -> bytes:
    """The entry with another message in it, signed by its own seat."""
    deck, tape = deck_of(game), game.tape(duty.seat, duty.binding.hand)
    message = json.loads(forge(deck, duty, tape, deck.message(duty, tape)))

    def change(entry: dict[str, Any]) -> None:
        entry["body"]["message"] = message

    return resigned(data, game.persons[duty.seat].key, change)


def _judge(game: Game, seat: int, data: bytes, rest: Sequence[bytes]) -> Verdict:
    eager, lazy = game.replica(), game.replica(eager=False)
    before = eager.digest()
    honest = [other for other in stay(game) if other.number != seat]
    takers = (eager.append, lazy.append, *(other.receive for other in honest))
    refusals = [_refusal(take, data) for take in takers]
    if refusals[0] is not None:
        assert all(refused is not None and refused.seat == seat for refused in refusals)
        lazy.settle()
        assert eager.digest() == lazy.digest() == before
        return Verdict(None, refusals[0])
    # What honest seats signed on the same head still arrives. It is void, and nobody's fault.
    for other in rest:
        if game.signer(other) != seat:
            for take in takers:
                take(other)
    lazy.settle()
    for one in honest:
        assert not one.due(), "an honest seat goes on after a fault"
    assert len({eager.digest(), lazy.digest(), *(one.replica.digest() for one in honest)}) == 1
    fault = eager.state.fault
    assert fault is not None and fault.seat == seat, f"the fault is {fault}"
    return Verdict(fault, None)


def _refusal(take: Callable[[bytes], Outcome], data: bytes) -> EntryRefused | None:
    try:
        take(data)
    except EntryRefused as refused:
        return refused
    return None


# --- Messages ---


def changed(message: bytes, **fields: bytes | list[int]) -> bytes:
    """A message with other values in some fields."""
    said = json.loads(message)
    assert fields.keys() <= said.keys()
    return encode(said | {name: json.loads(encode(value)) for name, value in fields.items()})


def field_of(message: bytes, name: str) -> bytes:
    return base64.b64decode(json.loads(message)[name])


def messages(log: Iterable[bytes]) -> list[tuple[int, dict[str, Any]]]:
    """Every message of the card protocol in a log, with its seat."""
    found = []
    for data in log:
        entry = read_entry(data).entry
        body = read_body(bytes(entry.body))
        if isinstance(body, Cards):
            found.append((entry.seat, json.loads(bytes(body.message))))
    return found


def points_in(message: Mapping[str, Any]) -> list[bytes]:
    """The points of a message that are no proof's."""
    text = b"".join(base64.b64decode(message[name]) for name in ("key", "keys", "cards", "points") if name in message)
    return [] if message["type"] == "release" else [text[at : at + 32] for at in range(0, len(text), 32)]


def put(data: bytes, index: int, element: bytes) -> bytes:
    """An array's encoding with one element replaced."""
    size = len(element)
    return data[: index * size] + element + data[(index + 1) * size :]


def element(data: bytes, index: int, size: int = 32) -> bytes:
    return data[index * size : (index + 1) * size]


def at_place(points: Any, index: int, point: Any) -> Any:
    """An array with one element replaced."""
    before, after = points[:index] if index else None, points[index + 1 :] if index + 1 < len(points) else None
    return concat(*(part for part in (before, point, after) if part is not None))


# --- A seat that is played by hand ---


def take_over(game: Table, seat: int) -> None:
    """From now on a seat says only what the test lets it say."""
    game.pending = [data for data in getattr(game, "pending", []) if game.signer(data) != seat]
    game.silent.add(seat)
    del game.seats[seat]


def owed_by(game: Table, seat: int, step: str) -> Duty:
    return next(d.duty for d in game.state.duties.values() if (d.duty.seat, d.duty.kind) == (seat, step))


def say(game: Table, seat: int, step: str, message: bytes | None = None) -> Outcome:
    """A message of a seat that was taken over: the honest one if none is given."""
    duty, deck = owed_by(game, seat, step), deck_of(game)
    if message is None:
        message = deck.message(duty, game.tape(seat, game.state.hand))
    return game.order(game.by_hand(seat, Cards(duty.id, msgspec.Raw(message)), game.replica()))
