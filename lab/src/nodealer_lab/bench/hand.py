"""`bench hand`: a whole hand, all seats in one process and no network, against U, the bare cost of masking a deck."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import process_time
from typing import Final

from nodealer.cards.events import Event, Moved
from nodealer.cards.operations import Capability, Deal, NewDeck, Open, Operation, Portion, Show
from nodealer.client.local_table import LocalTable, seat_players
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.phases import Phase
from nodealer.engine.replica import replay
from nodealer.engine.state import Config
from nodealer.errors import BadParameter
from nodealer.games.base import Ask, Done, Game, Want, WithoutStakes
from nodealer.group import Group, group
from nodealer.log.file import read_log
from nodealer.protocols import make_protocol
from nodealer.wire import encode
from nodealer_lab.bench import duel, offset
from nodealer_lab.bench.metered_group import Meter, metered_signatures, with_meter
from nodealer_lab.bench.rounds import BenchEffort, Timed, bare, interleaved, using_threads
from nodealer_lab.bench.rows import BenchRow, meets, size_row, time_row

CARDS: Final = 52
DEALT: Final = 2
BOARD: Final = 5
SEATS: Final = (2, 6, 9)
#: Table sizes for protocols that are measured at others than the usual ones.
SEATS_OF: Final = {"lock": (2, 3, 6)}
#: The table size for which limits apply.
JUDGED: Final = 6
LOG_BYTES: Final = {"mask": 125_000, "lock": 130_000, "offset": 175_000}
#: The limits in U for one seat that plays a hand, and for the audit of the hand.
PLAY_COST: Final = {"mask": 38.0}
AUDIT_COST: Final = {"mask": 22.0}
#: The limits for CPU time outside the arithmetic relative to the arithmetic, and for an audit relative to one seat's
#: play.
PYTHON, AUDIT = 1.0, 1.0
#: A hand takes long, so fewer pairs than usual are enough.
PAIRS: Final = 5


@dataclass(frozen=True)
class BenchHand(WithoutStakes):
    """A hand with two cards for each seat in one request, five open cards, and a showdown of all seats."""

    seats: tuple[int, ...]
    cards: int
    stage: int = 0
    held: tuple[tuple[int, int], ...] = ()

    @property
    def wants(self) -> Want:
        """The next stage of the hand: deal, open the board, and show all hands. Then it is done."""
        return Done({"seats": len(self.seats)}) if self.stage == 3 else Ask(self._operations())

    def _operations(self) -> tuple[Operation, ...]:
        """Return the card operations of the current stage."""
        if self.stage == 0:
            return NewDeck(0, self.cards), Deal(0, tuple(Portion(seat, DEALT) for seat in self.seats))
        if self.stage == 1:
            return (Open(0, BOARD),)
        return tuple(Show(0, seat, tuple(p for p, holder in self.held if holder == seat)) for seat in self.seats)

    def told(self, events: tuple[Event, ...]) -> Game:
        """Go on to the next stage, and remember which seat holds which card once they are dealt."""
        held = tuple((e.card.position, e.holder) for e in events if isinstance(e, Moved) and e.holder is not None)
        return replace(self, stage=self.stage + 1, held=self.held or held)

    def moved(self, seat: int, move: bytes) -> Game:
        """Raise `BadParameter`: this hand has no moves."""
        raise BadParameter("no seat moves in this hand")

    def left(self, seats: tuple[int, ...], *, cards: bool) -> Game:
        """End the hand, because a player left."""
        return replace(self, stage=3)


@dataclass(frozen=True)
class HandRules:
    """The rules of the benchmark's game."""

    deck_max: int = CARDS
    name: str = "bench hand"
    version: int = 0
    stake: int = 0
    versions = ()
    parameters: bytes = b"{}"
    operations = frozenset({Capability.SHARED_DECK, Capability.DEAL_TOP, Capability.OPEN_TOP, Capability.SHOW_ALL})

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> Game:
        """Begin a hand with a deck of the largest size."""
        return BenchHand(seats, self.deck_max)


@dataclass(frozen=True)
class HandBench:
    """A protocol at a table with this many seats."""

    protocol: str
    seats: int
    cards: int
    on: Group
    meter: Meter = field(default_factory=Meter)
    parameters: bytes = b"{}"

    @cached_property
    def metered_group(self) -> Group:
        """The metered group, shared by all runs so that values cached per group are computed only once."""
        return with_meter(self.on, self.meter)

    def table(self, on: Group) -> LocalTable:
        """Return new players who have agreed on a session and have played nothing."""
        names = [f"player {seat}" for seat in range(self.seats)]
        protocol = make_protocol(self.protocol, self.parameters, on)
        return seat_players(names, protocol, HandRules(self.cards), os.urandom, stays=stay_for_hands(1))

    def play(self, on: Group) -> tuple[LocalTable, float]:
        """Return a finished hand, and the CPU time of all seats together."""
        table = self.table(on)
        start = process_time()
        table.run()
        seconds = process_time() - start
        if table.seats[0].replica.state.phase is not Phase.ENDED:
            raise BadParameter(f"the hand did not end: {table.seats[0].replica.state.faults}")
        return table, seconds

    def seat_cpu(self) -> float:
        """Play a hand. Return the CPU time of one seat."""
        return self.play(self.on)[1] / self.seats

    def arithmetic_cpu(self) -> float:
        """Play a hand. Return the CPU time that one seat spends in group operations and signatures."""
        meter = self.meter
        with metered_signatures(meter):
            table = self.table(self.metered_group)
            meter.seconds, meter.calls = 0.0, 0
            table.run()
        return meter.net / self.seats


def run(effort: BenchEffort, protocol: str = "mask") -> Iterator[BenchRow]:
    """Yield all rows, on one thread. Raise `BackendMissing` without the native core."""
    if protocol == "chain":
        # Its numbers have 2048 bits, so it has another yardstick and other relevant figures.
        from nodealer_lab.bench import chain

        yield from chain.run(effort)
        return
    native = group(backend="native")
    effort = replace(effort, pairs=min(effort.pairs, PAIRS))
    if protocol == "duel":
        # Two seats with a deck each: it has its own hand, measured per card.
        yield from duel.run(effort, native)
        return
    with using_threads(1):
        for seats in SEATS_OF.get(protocol, SEATS):
            cards = max(effort.size(CARDS), DEALT * seats + BOARD)
            yield from _rows(effort, HandBench(protocol, seats, cards, native))
        if protocol == "offset":
            yield from offset.rows(effort, native)


def _rows(effort: BenchEffort, bench: HandBench) -> Iterator[BenchRow]:
    """Measure one hand: the CPU time of a seat, the time to verify the log, and the size of the saved log.

    A further row shows how much time Python adds to the arithmetic and the signatures. Only the table size `JUDGED` has
    required figures.
    """
    n, judged = {"seats": bench.seats, "cards": bench.cards}, bench.seats == JUDGED
    U, yardstick = bare("fixed_base", 2 * bench.cards), f"U = {2 * bench.cards} × fixed base"
    played, _ = bench.play(bench.on)
    saved, config = _saved_log(played), played.seats[0].replica.config
    playing, u = interleaved(effort, bench.seat_cpu, U)
    required = PLAY_COST.get(bench.protocol) if judged else None
    yield time_row("play a hand, CPU of one seat", n, (playing, u), yardstick, required)
    audit, u = interleaved(effort, _cpu_timer(lambda: _verify_log(saved, config)), U)
    required = AUDIT_COST.get(bench.protocol) if judged else None
    yield time_row("verify its log", n, (audit, u), yardstick, required)
    required = AUDIT if judged else None
    yield time_row("verify its log", n, (audit, playing), "one seat's playing", required)
    # Both include all seats. The arithmetic is the same in every run except for noise.
    playing, arithmetic = interleaved(effort, bench.seat_cpu, bench.arithmetic_cpu)
    ratio = (playing - arithmetic) / arithmetic
    required = PYTHON if judged else None
    ok = meets(ratio, required, "max")
    name, against = "Python around the arithmetic", "group and signatures"
    yield BenchRow(name, n, playing - arithmetic, yardstick=against, ratio=ratio, required=required, ok=ok)
    yield size_row("saved log", n, len(saved), "bytes", LOG_BYTES.get(bench.protocol) if judged else None)


def _saved_log(table: LocalTable) -> bytes:
    """Return the bytes of the log file of a played table: the session, then one entry per line."""
    lines = (encode(table.seats[0].replica.config.session), *table.log)
    return b"".join(line + b"\n" for line in lines)


def _verify_log(saved: bytes, config: Config) -> None:
    """Verify the bytes of a saved log. Raise `BadParameter` if they do not verify."""
    _, entries = read_log(io.BytesIO(saved))
    replica = replay(config, list(entries), entropy=os.urandom, eager=False)
    if replica.state.faults or replica.state.phase is not Phase.ENDED:
        raise BadParameter("an honest hand does not verify")


def _cpu_timer(work: Callable[[], object]) -> Timed:
    """Return a timer of the CPU time of `work`."""

    def run() -> float:
        """Do the work once and return its CPU seconds."""
        start = process_time()
        work()
        return process_time() - start

    return run
