"""`bench proofs`: the shuffle argument and the re-key, against two bare loops on the curve library.

U is the cost of masking the cards with fixed bases, which is serial code everywhere. S is one sum of products over as
many points as a shuffle of pairs has. Like all sums of a proof, it is vector code if the processor supports that. Every
time is compared with both. Proving has a limit in U, because a shuffler pays it in addition to the masks; verifying has
a limit in both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from nodealer.group import Group, group
from nodealer.tape import Tape
from nodealer_lab.bench import memory, shuffles
from nodealer_lab.bench.rekeys import RekeyBench
from nodealer_lab.bench.rounds import BenchEffort, Timed, bare, interleaved, measure, timed_on_thread, using_threads
from nodealer_lab.bench.rows import BenchRow, bare_row, meets, size_row, time_row, unjudged
from nodealer_lab.bench.shuffles import KINDS, Shuffled, ShuffleKind

CARDS: Final = 52
LARGE: Final = (1_000, 10_000)
CHAIN: Final = 6
AS_ONE, PROOF_BYTES, REKEY_BYTES, PER_CARD, MEMORY_PER_CARD = 0.6, 3_700, 1_900, 1.15, 1.3
#: The limits in U for re-masking and proving, and for verifying including decoding.
PROVE: Final = {"pairs": 4.5, "addmask": 5.0, "scalar": 4.0}
VERIFY: Final = {"pairs": 1.85, "addmask": 2.0, "scalar": 1.3}
#: The limit in U for a shuffle of a chain whose decks are available, verified as one.
IN_CHAIN: Final = {"pairs": 0.7}
#: The limits in S for verifying.
VERIFY_SUM: Final = {"pairs": 1.75, "addmask": 1.8, "scalar": 1.15}
WEIGHED: Final = (2_500, 5_000, 10_000)
PROCESSES: Final = 5


def run(effort: BenchEffort) -> Iterator[BenchRow]:
    """Yield all rows, on one thread. Raise `BackendMissing` without the native core."""
    native = group(backend="native")
    with using_threads(1):
        for kind in KINDS:
            yield from _small_deck_rows(effort, native, kind)
        yield from _rekey_rows(effort, native)
        for kind in KINDS:
            yield from _large_deck_rows(effort, native, kind)
    for kind in KINDS:
        yield _memory_row(effort, kind)


def _timers(native: Group, kind: ShuffleKind, cards: int) -> tuple[Timed, Timed]:
    """Return timers for proving, and for verifying the last proof. Run the first one first."""
    before, tape = shuffles.start(native, kind, cards), Tape(bytes(32))
    sent: list[Shuffled] = []

    def prove() -> None:
        """Shuffle and prove once, and keep the result for the verifier."""
        sent[:] = [kind.shuffle(before, tape)]

    return timed_on_thread(prove), timed_on_thread(lambda: shuffles.verify(sent[0]))


def _small_deck_rows(effort: BenchEffort, native: Group, kind: ShuffleKind) -> Iterator[BenchRow]:
    """Measure a shuffle proof on an ordinary deck: time to prove, time to verify, and bytes.

    Also compare verifying a chain of shuffles together with verifying each by itself.
    """
    cards = effort.size(CARDS)
    n = {"cards": cards}
    prover, verifier = _timers(native, kind, cards)
    yield from _rows_against_both(
        effort, f"{kind.name}: shuffle, re-mask, prove", cards, prover, (PROVE[kind.name], None)
    )
    required = VERIFY[kind.name], VERIFY_SUM[kind.name]
    yield from _rows_against_both(effort, f"{kind.name}: verify", cards, verifier, required)
    steps = shuffles.chain(kind, shuffles.start(native, kind, cards), CHAIN)
    as_one = timed_on_thread(lambda: shuffles.verify_as_one(steps))
    each = timed_on_thread(lambda: shuffles.verify_each(steps))
    times = interleaved(effort, as_one, each)
    n_chain = {"cards": cards, "shuffles": CHAIN}
    yield time_row(f"{kind.name}: a chain as one", n_chain, times, "each alone", AS_ONE, note="goal 0.45")
    yield _chain_share_row(effort, kind, n_chain, as_one)
    yield size_row(f"{kind.name}: proof", n, len(steps[0].proof), "bytes", PROOF_BYTES)


def _rows_against_both(
    effort: BenchEffort, name: str, cards: int, work: Timed, required: tuple[float | None, float | None]
) -> Iterator[BenchRow]:
    """Measure a work once, and yield two rows: relative to U and relative to S (see the module's docstring).

    The measurement runs longer than others, to find quiet rounds.
    """
    effort = replace(effort, seconds=5 * effort.seconds)
    loops = ("fixed_base", 2 * cards), ("vartime_msm", 5 * cards)
    found = measure(effort, work, *(bare(loop, turns) for loop, turns in loops))
    yardsticks = f"U = {2 * cards} × fixed base", f"S = vartime msm of {5 * cards}"
    for at in range(2):
        yield bare_row(name, {"cards": cards}, found, yardsticks[at], required[at], at)


def _chain_share_row(effort: BenchEffort, kind: ShuffleKind, n: Mapping[str, int], as_one: Timed) -> BenchRow:
    """Measure one shuffle's share of the time to verify a chain of shuffles together, in units of U."""
    cards = n["cards"]
    effort = replace(effort, seconds=5 * effort.seconds)
    found = measure(effort, lambda: as_one() / CHAIN, bare("fixed_base", 2 * cards))
    name, yardstick = f"{kind.name}: verify, a shuffle of a chain as one", f"U = {2 * cards} × fixed base"
    return bare_row(name, n, found, yardstick, IN_CHAIN.get(kind.name), 0)


def _rekey_rows(effort: BenchEffort, native: Group) -> Iterator[BenchRow]:
    """Measure the step of `mask` after the shuffles, in which a seat gives every card a key of its own."""
    cards = effort.size(CARDS)
    step = RekeyBench.make(native, cards)
    prove, verify = timed_on_thread(step.prove), timed_on_thread(lambda: step.verify(step.sent))
    yield from _rows_against_both(effort, "re-key: new keys, gains, prove", cards, prove, (None, None))
    yield from _rows_against_both(effort, "re-key: verify", cards, verify, (None, None))
    yield size_row("re-key: proof", {"cards": cards}, len(step.sent.proof), "bytes", REKEY_BYTES)


def _large_deck_rows(effort: BenchEffort, native: Group, kind: ShuffleKind) -> Iterator[BenchRow]:
    """Measure the time per card of a large deck, relative to a small deck."""
    small = effort.size(CARDS)
    on_small = _timers(native, kind, small)
    for cards in map(effort.size, LARGE):
        for name, many, one in zip(("prove", "verify"), _timers(native, kind, cards), on_small, strict=True):
            seconds, few = interleaved(effort, many, one)
            times = seconds / cards, few / small
            yield time_row(f"{kind.name}: {name}, a card", {"cards": cards}, times, f"a card of {small}", PER_CARD)


def _memory_row(effort: BenchEffort, kind: ShuffleKind) -> BenchRow:
    """Measure the memory that one more card costs in a large deck, relative to a small deck.

    These are differences, so the memory that Python needs anyway cancels out.
    """
    few, more, most = map(effort.size, WEIGHED)
    runs = min(effort.pairs, PROCESSES)
    name = f"{kind.name}: peak of a process that proves and verifies, a card"
    n, yardstick = {"cards": most}, f"a card of {more}, resident bytes"
    peaks = memory.measure_peaks(kind.name, (few, more, most), runs)
    if peaks is None:
        return unjudged(BenchRow(name, n, yardstick=yardstick, required=MEMORY_PER_CARD), "needs Linux")
    small, large = (peaks[1] - peaks[0]) / (more - few), (peaks[2] - peaks[1]) / (most - more)
    ratio = large / max(1.0, small)
    ok = meets(ratio, MEMORY_PER_CARD, "max")
    return BenchRow(name, n, None, large, "bytes", yardstick, ratio, MEMORY_PER_CARD, "max", ok)
