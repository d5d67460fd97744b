"""`bench proofs`: the shuffle argument against U, the bare cost of masking the cards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from nodealer.group import Group, group
from nodealer.lab.bench import memory, shuffles
from nodealer.lab.bench.rows import Row, meets, size_row, time_row, unjudged
from nodealer.lab.bench.shuffles import KINDS, Kind
from nodealer.lab.bench.timing import Effort, Timed, bare, interleaved, timed, using_threads
from nodealer.tape import Tape

CARDS: Final = 52
LARGE: Final = (1_000, 10_000)
CHAIN: Final = 6
PROVE, VERIFY, AS_ONE, PROOF_BYTES, PER_CARD = 6.0, 2.0, 0.6, 6_000, 1.3
WEIGHED: Final = (2_500, 5_000, 10_000)
PROCESSES: Final = 5


def run(effort: Effort) -> Iterator[Row]:
    """All rows, one thread. Raises `BackendMissing` without the native core."""
    native = group(backend="native")
    with using_threads(1):
        for kind in KINDS:
            yield from _small(effort, native, kind)
        for kind in KINDS:
            yield from _large(effort, native, kind)
    for kind in KINDS:
        yield _linear_memory(effort, kind)


def _prover(native: Group, kind: Kind, cards: int) -> Timed:
    before, tape = shuffles.start(native, kind, cards), Tape(bytes(32))
    return timed(lambda: kind.shuffle(before, tape))


def _verifier(native: Group, kind: Kind, cards: int) -> Timed:
    sent = kind.shuffle(shuffles.start(native, kind, cards), Tape(bytes(32)))
    return timed(lambda: shuffles.verify(sent))


def _small(effort: Effort, native: Group, kind: Kind) -> Iterator[Row]:
    cards = effort.size(CARDS)
    loop, turns = kind.bare
    n, U = {"cards": cards}, bare(loop, turns * cards)
    yardstick = f"U = {turns * cards} × {loop.replace('_', ' ')}"
    times = interleaved(effort, _prover(native, kind, cards), U)
    yield time_row(f"{kind.name}: shuffle, re-mask, prove", n, times, yardstick, PROVE, note="goal 4")
    times = interleaved(effort, _verifier(native, kind, cards), U)
    yield time_row(f"{kind.name}: verify", n, times, yardstick, VERIFY, note="goal 1.5")
    steps = shuffles.chain(kind, shuffles.start(native, kind, cards), CHAIN)
    as_one, each = timed(lambda: shuffles.verify_as_one(steps)), timed(lambda: shuffles.verify_each(steps))
    times = interleaved(effort, as_one, each)
    n_chain = {"cards": cards, "shuffles": CHAIN}
    yield time_row(f"{kind.name}: a chain as one", n_chain, times, "each alone", AS_ONE, note="goal 0.45")
    yield size_row(f"{kind.name}: proof", n, len(steps[0].proof), "bytes", PROOF_BYTES)


def _large(effort: Effort, native: Group, kind: Kind) -> Iterator[Row]:
    """Time per card, against that of a small deck."""
    small = effort.size(CARDS)
    for cards in map(effort.size, LARGE):
        for name, timer in (("prove", _prover), ("verify", _verifier)):
            seconds, few = interleaved(effort, timer(native, kind, cards), timer(native, kind, small))
            times = seconds / cards, few / small
            yield time_row(f"{kind.name}: {name}, a card", {"cards": cards}, times, f"a card of {small}", PER_CARD)


def _linear_memory(effort: Effort, kind: Kind) -> Row:
    """What a further card costs in a large deck, against a small one. Differences: what Python has anyway cancels."""
    few, more, most = map(effort.size, WEIGHED)
    runs = min(effort.pairs, PROCESSES)
    name, n, yardstick = f"{kind.name}: memory, a card", {"cards": most}, f"a card of {more}"
    peaks = [
        peak for peak in (memory.peak_of(kind.name, cards, runs) for cards in (few, more, most)) if peak is not None
    ]
    if len(peaks) < 3:
        return unjudged(Row(name, n, yardstick=yardstick, required=PER_CARD), "needs Linux")
    small, large = (peaks[1] - peaks[0]) / (more - few), (peaks[2] - peaks[1]) / (most - more)
    ratio = large / max(1.0, small)
    return Row(name, n, None, large, "bytes", yardstick, ratio, PER_CARD, "max", meets(ratio, PER_CARD, "max"))
