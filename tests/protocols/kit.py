"""What the tests of all protocols share: a seat that cheats at a table, and messages."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.harness import Game, Table, refusal, resigned
from nodealer.engine.bodies import Cards, Leave, read_body
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Outcome
from nodealer.engine.state import Fault, TableState
from nodealer.errors import EntryRefused
from nodealer.group import Points
from nodealer.log.entry import read_entry
from nodealer.protocols.base import Duty
from nodealer.tape import Tape
from nodealer.wire import encode

# --- One seat cheats ---

#: From the deck, the duty, the cheater's tape and the honest message: what the cheater sends.
Forge = Callable[[Any, Duty, Tape, bytes], bytes]


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


def is_fault(verdict: Verdict, reason: str) -> None:
    assert verdict.fault is not None and reason in verdict.fault.reason, verdict


def is_refused(verdict: Verdict, reason: str) -> None:
    assert verdict.refused is not None and reason in verdict.refused.reason, verdict


def cheat(game: Table, seat: int, step: str, forge: Forge, *, skip: int = 0) -> Verdict:
    """Play until `seat` owes `step` (for the `skip`+1st time), let it send what `forge` makes, and judge.

    Eager and lazy replicas and the honest seats must agree, nobody but the cheater may be named, and after a fault the
    others must be able to end what they began: without another word about cards, where these cannot go on.
    """
    while (data := game.next()) is not None:
        duty = duty_of(game.state, data)
        if duty is not None and (duty.seat, duty.kind) == (seat, step):
            if not skip:
                return judge(game, seat, forged(game, duty, data, forge), game.pending)
            skip -= 1
        assert game.order(data) in (Outcome.ACCEPTED, Outcome.DROPPED)
    raise AssertionError(f"seat {seat} never owed {step}")


def duty_of(state: TableState, data: bytes) -> Duty | None:
    """The duty that an entry fulfils, if it is about cards and the duty is open."""
    body = read_body(bytes(read_entry(data).entry.body))
    known = state.duties.open.get(body.duty) if isinstance(body, Cards) else None
    return None if known is None else known.duty


def forged(game: Game, duty: Duty, data: bytes, forge: Forge) -> bytes:
    """The entry with what `forge` makes of its message, signed by its own seat."""
    assert duty.deck is not None
    body = read_body(bytes(read_entry(data).entry.body))
    assert isinstance(body, Cards)
    honest = bytes(body.message)
    message = forge(game.state.hand.decks[duty.deck], duty, game.tape(duty.seat, duty.binding.hand), honest)

    def change(entry: dict[str, Any]) -> None:
        entry["body"]["message"] = json.loads(message)

    return data if message == honest else resigned(data, game.persons[duty.seat].key, change)


def judge(game: Table, seat: int, data: bytes, rest: Sequence[bytes]) -> Verdict:
    """What all others make of a false entry, when `rest` was signed on the same head."""
    eager, lazy = game.replica(), game.replica(eager=False)
    before = eager.digest()
    honest = [other for other in game.seats.values() if other.number != seat]
    takers = (eager.append, lazy.append, *(other.receive for other in honest))
    refusals = [_refusal(take, data) for take in takers]
    lazy.settle()
    if refusals[0] is not None:
        assert all(refused is not None and refused.seat == seat for refused in refusals)
        assert eager.digest() == lazy.digest() == before
        return Verdict(None, refusals[0])
    fault = eager.state.fault
    assert fault is not None and fault.seat == seat, f"the fault is {fault}"
    assert eager.state.expelled == {seat}
    assert isinstance(refusal(eager, game.by_hand(seat, Leave(), eager)), EntryRefused), "it has no word any more"
    cards_go_on = eager.state.phase is Phase.PLAYING
    # What honest seats signed on the same head still arrives. It counts or is late, and is nobody's fault.
    crossing = [other for other in rest if game.signer(other) != seat]
    game.log.append(data)
    game.pending = []
    game.seats.pop(seat, None)
    for other in crossing:
        assert game.order(other) in (Outcome.ACCEPTED, Outcome.DROPPED)
    since = len(game.log)
    game.hands = 0
    game.play()
    assert cards_go_on or not list(spoken(game.log[since:])), "an honest seat speaks of cards that are no more"
    for other in game.log[eager.height :]:
        assert eager.append(other).outcome is not Outcome.FAULT
        lazy.append(other)
    lazy.settle()
    assert {eager.digest(), lazy.digest()} == {one.replica.digest() for one in honest}
    assert eager.state.phase is Phase.ENDED and eager.state.faults == (fault,)
    return Verdict(fault, None)


def _refusal(take: Callable[[bytes], object], data: bytes) -> EntryRefused | None:
    try:
        take(data)
    except EntryRefused as refused:
        return refused
    return None


# --- Messages ---


def spoken(log: Iterable[bytes]) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Every message about cards in a log, with the number of its entry and its seat."""
    for number, data in enumerate(log):
        entry = read_entry(data).entry
        body = read_body(bytes(entry.body))
        if isinstance(body, Cards):
            yield number, entry.seat, json.loads(bytes(body.message))


def messages(log: Iterable[bytes]) -> list[tuple[int, dict[str, Any]]]:
    """Every message about cards in a log, with its seat."""
    return [(seat, message) for _, seat, message in spoken(log)]


def changed(message: bytes, **fields: object) -> bytes:
    """A message with other values in some fields; bytes are encoded."""
    said = json.loads(message)
    assert fields.keys() <= said.keys()
    return encode(said | {name: json.loads(encode(value)) for name, value in fields.items()})


def field_of(message: bytes | Mapping[str, Any], name: str) -> bytes:
    """The bytes in a field."""
    fields = json.loads(message) if isinstance(message, bytes) else message
    return base64.b64decode(fields[name])


def put(data: bytes, index: int, element: bytes) -> bytes:
    """An array's encoding with one element replaced."""
    size = len(element)
    return data[: index * size] + element + data[(index + 1) * size :]


def element(data: bytes, index: int, size: int = 32) -> bytes:
    return data[index * size : (index + 1) * size]


def encodings(points: Points) -> list[bytes]:
    data, size = points.to_bytes(), points.group.point_size
    return [data[at : at + size] for at in range(0, len(data), size)]
