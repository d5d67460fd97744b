"""`bench recovery`: a `mask` deck rebuilt when players leave, against a fresh deck for the remaining players.

Six seats hold two cards each of 52. One, two or three leave, with none to five cards open. Measured are the work of all
remaining seats together, each of which verifies all proofs before it sends, and the raw bytes that they send.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from time import process_time
from typing import Final

import msgspec

from nodealer.cards.operations import Deal, Open, Portion
from nodealer.errors import BadParameter
from nodealer.group import Group, group
from nodealer.proofs.checks import Check, settle
from nodealer.protocols import make_protocol
from nodealer.protocols.base import Binding, Deck
from nodealer.tape import Tape
from nodealer_lab.bench.rounds import BenchEffort, Timed, interleaved, using_threads
from nodealer_lab.bench.rows import BenchRow, meets, time_row

SEATS: Final = 6
CARDS: Final = 52
DEALT: Final = 2
LEAVERS: Final = (1, 2, 3)
OPEN: Final = range(6)
#: The highest allowed ratio to a fresh deck. The goal is 2.
REQUIRED: Final = 3.0
#: A rebuild takes long, so a few pairs are enough.
PAIRS: Final = 5
FRESH: Final = "a fresh deck for those who stay"
#: The last step of a rebuild. If it is aborted there, all of its work is lost.
LAST: Final = "rekey"


@dataclass(frozen=True)
class Cost:
    """The CPU time and bytes that seats have spent together."""

    seconds: float
    bytes: int


@dataclass(frozen=True)
class RecoveryBench:
    """A table that `leavers` seats leave when `open` cards are open."""

    leavers: int
    open: int
    cards: int
    on: Group

    @property
    def n(self) -> dict[str, int]:
        """The sizes that its rows show."""
        return {"leavers": self.leavers, "open": self.open, "cards": self.cards}

    @property
    def staying(self) -> int:
        """The number of seats that stay in the hand."""
        return SEATS - self.leavers

    def new_deck(self, seats: int) -> Deck:
        """Return a deck that this many seats are about to create."""
        return _new_deck(self.on, self.cards, seats)

    @property
    def dealt(self) -> Deck:
        """The deck with cards in all hands and on the table."""
        return _dealt(self.on, self.cards, self.open)

    @cached_property
    def aborted(self) -> tuple[Deck, Cost]:
        """The rebuild without the last seat, aborted at its last step, and its wasted cost."""
        return perform_duties(remove_seats(self.dealt, (SEATS - 1,)), until=LAST)

    def create_fresh(self) -> Cost:
        """Create a deck of the same size by the remaining seats. Return the cost."""
        return perform_duties(self.new_deck(self.staying))[1]

    def rebuild(self) -> Cost:
        """Rebuild the deck after all leavers leave at once. Return the cost."""
        return perform_duties(remove_seats(self.dealt, tuple(range(self.staying, SEATS))))[1]

    def rebuild_again(self) -> Cost:
        """Rebuild the deck when more seats leave at the last step of an earlier rebuild. Return the cost."""
        return perform_duties(remove_seats(self.aborted[0], tuple(range(self.staying, SEATS - 1))))[1]


def _new_deck(on: Group, cards: int, seats: int) -> Deck:
    """Return a new deck of `mask` for this many seats, before the first message."""
    binding = Binding("mask", 1, bytes(32), bytes(32), 0, tuple(range(seats)), (), on)
    return make_protocol("mask", on=on).new_deck(binding, 0, cards, None)


@lru_cache(maxsize=len(OPEN))
def _dealt(on: Group, cards: int, opened: int) -> Deck:
    """Return a dealt deck. It is the same for any number of leavers, and cached."""
    deck, _ = perform_duties(_new_deck(on, cards, SEATS))
    deck, _ = perform_duties(deck.request(Deal(0, tuple(Portion(seat, DEALT) for seat in range(SEATS)))).deck)
    return perform_duties(deck.request(Open(0, opened)).deck)[0] if opened else deck


def remove_seats(deck: Deck, seats: tuple[int, ...]) -> Deck:
    """Return the deck after these seats have left. Raise `BadParameter` if it cannot continue."""
    change = deck.without(seats)
    if change is None:
        raise BadParameter("this deck cannot continue")
    return change.deck


def perform_duties(deck: Deck, until: str = "") -> tuple[Deck, Cost]:
    """Let all seats perform their duties, up to a kind of step. Return the deck and the cost.

    Each seat settles the pending proofs before it sends.
    """
    pending = dict[int, list[Check]]()
    sent, start = 0, process_time()
    while deck.duties and deck.duties[0].kind != until:
        duty = deck.duties[0]
        settle(pending.pop(duty.seat, []), os.urandom)
        message = deck.message(duty, Tape(bytes([duty.seat + 1]) * 32))
        sent += raw_size(message)
        for seat in duty.binding.players:
            # Each seat has its own replica, which does the same work.
            change = deck.apply(duty, message)
            pending.setdefault(seat, []).extend(change.checks if seat != duty.seat else ())
        deck = change.deck
    for checks in pending.values():
        settle(checks, os.urandom)
    return deck, Cost(process_time() - start, sent)


def raw_size(message: bytes) -> int:
    """Return the number of bytes of a message's points and scalars before text encoding."""
    fields = msgspec.json.decode(message, type=dict[str, msgspec.Raw])
    return sum(len(msgspec.json.decode(text, type=bytes)) for name, text in fields.items() if name != "type")


def run(effort: BenchEffort) -> Iterator[BenchRow]:
    """Yield all rows, on one thread. Raise `BackendMissing` without the native core."""
    native = group(backend="native")
    effort = replace(effort, pairs=min(effort.pairs, PAIRS))
    cards = max(effort.size(CARDS), DEALT * SEATS + max(OPEN) + 1)
    with using_threads(1):
        for leavers in LEAVERS:
            for opened in OPEN if effort.shrink == 1 else (0, max(OPEN)):
                yield from _rows(effort, RecoveryBench(leavers, opened, cards, native))
        for leavers in LEAVERS[1:]:
            yield from _second_rebuild_rows(effort, RecoveryBench(leavers, 0, cards, native))


def _rows(effort: BenchEffort, bench: RecoveryBench) -> Iterator[BenchRow]:
    """Compare rebuilding a deck after players left with making a fresh one, in CPU time and in bytes sent."""
    times, sizes = _measure(effort, bench.rebuild, bench.create_fresh)
    yield time_row("rebuild, CPU of those who stay", bench.n, times, FRESH, REQUIRED)
    yield _bytes_row("rebuild, raw bytes", bench, sizes)


def _second_rebuild_rows(effort: BenchEffort, bench: RecoveryBench) -> Iterator[BenchRow]:
    """Measure the rebuild that replaces an aborted one, alone and including the wasted work."""
    times, (again, fresh) = _measure(effort, bench.rebuild_again, bench.create_fresh)
    yield time_row("rebuild while another runs, CPU", bench.n, times, FRESH, REQUIRED)
    yield _bytes_row("rebuild while another runs, raw bytes", bench, (again, fresh))
    vain = bench.aborted[1].bytes
    yield _bytes_row("the same with the one that was broken off at its last step", bench, (vain + again, fresh), None)


def _measure(
    effort: BenchEffort, rebuilt: Callable[[], Cost], fresh: Callable[[], Cost]
) -> tuple[tuple[float, float], tuple[int, int]]:
    """Time two kinds of work in turn.

    Return both times, and the bytes that both sent, which are the same in every run.
    """
    sent = dict[Callable[[], Cost], int]()

    def timed(work: Callable[[], Cost]) -> Timed:
        """Return a timer of the work, which also records the bytes that the work sent."""

        def run() -> float:
            """Do the work once and return its seconds."""
            spent = work()
            sent[work] = spent.bytes
            return spent.seconds

        return run

    times = interleaved(effort, timed(rebuilt), timed(fresh))
    return times, (sent[rebuilt], sent[fresh])


def _bytes_row(name: str, bench: RecoveryBench, sizes: tuple[int, int], required: float | None = REQUIRED) -> BenchRow:
    """Return the row that compares the bytes of a rebuild with those of a fresh deck.

    `sizes` holds both, in this order.
    """
    size, fresh = sizes
    ok = meets(size / fresh, required, "max")
    return BenchRow(
        name, bench.n, value=size, unit="bytes", yardstick=FRESH, ratio=size / fresh, required=required, ok=ok
    )
