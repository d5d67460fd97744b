"""A step of `offset` against a step of `mask` and against cut-and-choose, shown by `bench hand --protocol offset`.

Cut-and-choose itself is the oracle of the tests. Here only its arithmetic is timed: 128 shadows of the deck created and
encoded, and 128 decoded and recreated. Hashing, drawing and comparing would add to that.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from nodealer.group import Group
from nodealer.proofs.checks import settle
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols import make_protocol
from nodealer.protocols.base import Binding, Deck, Duty
from nodealer.protocols.codec import read_message
from nodealer.protocols.offset.deck import OffsetDeck
from nodealer.protocols.offset.messages import OffsetShuffle
from nodealer.tape import Tape
from nodealer_lab.bench.rounds import BenchEffort, Timed, interleaved, timed
from nodealer_lab.bench.rows import BenchRow, size_row, time_row

CARDS: Final = 52
#: The highest allowed ratio of a step, proven or verified, to one of `mask`; and the limit for its proof in bytes.
STEP, PROOF_BYTES = 4.0, 10_000
ROUNDS: Final = 128


@dataclass(frozen=True)
class PendingShuffle:
    """A deck that the second of two seats has to shuffle."""

    deck: Deck
    duty: Duty
    tape: Tape

    def prove(self) -> bytes:
        """Shuffle the deck and prove it. Return the message."""
        return self.deck.message(self.duty, self.tape)

    def verify(self, message: bytes) -> None:
        """Verify a message from its bytes."""
        settle(self.deck.apply(self.duty, message).checks, os.urandom)


def second_shuffle(on: Group, protocol: str, cards: int) -> PendingShuffle:
    """Return a deck of this protocol after the first seat has shuffled it."""
    table = Binding(protocol, 0, bytes(32), bytes(32), 0, (0, 1), (), on)
    tapes = [Tape(bytes([seat]) * 32) for seat in range(2)]
    deck = make_protocol(protocol, on=on).new_deck(table, 0, cards, None)
    while (duty := deck.duties[0]).seat == 0 or duty.kind != "shuffle":
        deck = deck.apply(duty, deck.message(duty, tapes[duty.seat])).deck
    return PendingShuffle(deck, duty, tapes[1])


def rows(effort: BenchEffort, on: Group) -> Iterator[BenchRow]:
    """Yield all rows."""
    cards = effort.size(CARDS)
    n = {"cards": cards}
    offset, mask = (second_shuffle(on, name, cards) for name in ("offset", "mask"))
    step, other = offset.prove(), mask.prove()
    shadows = _CutAndChoose(offset, cards)
    few = replace(effort, pairs=min(effort.pairs, 2), seconds=0.0)
    for name, ours, theirs, long in (
        ("shuffle and prove", timed(offset.prove), timed(mask.prove), shadows.make),
        ("verify", _message_timer(offset.verify, step), _message_timer(mask.verify, other), shadows.recompute),
    ):
        yield time_row(f"a step: {name}", n, interleaved(effort, ours, theirs), "a step of mask", STEP)
        times = interleaved(few, ours, timed(long))
        yield time_row(f"a step: {name}", n, times, f"{ROUNDS} rounds of cut-and-choose", note="arithmetic only")
    said = read_message(OffsetShuffle, step)
    proof = sum(map(len, (said.scaled, said.key, said.commitment, said.scaledProof, said.proof)))
    yield size_row("a step: proof, with the deck between its stages", n, proof, "bytes", PROOF_BYTES)


def _message_timer(work: Callable[[bytes], None], message: bytes) -> Timed:
    """Return a timer of `work` on this message."""
    return timed(lambda: work(message))


class _CutAndChoose:
    """The arithmetic of 128 rounds: (A, B) becomes (r·(A + x·B), r·B) with an r for each card."""

    def __init__(self, pending: PendingShuffle, cards: int) -> None:
        """Take the deck of a pending shuffle, draw r and x, and make all rounds once."""
        if not isinstance(pending.deck, OffsetDeck):
            raise TypeError("not an offset deck")
        self._deck = pending.deck.steps[-1].deck
        self._group, self._made = self._deck.A.group, list[tuple[bytes, bytes]]()
        self._r = draw_scalars(pending.tape, "r", b"", self._group, cards)
        self._x = draw_scalars(pending.tape, "x", b"", self._group, 1)
        self.make()

    def make(self) -> None:
        """Do the prover's work: compute and encode every shadow."""
        self._made = [self._round() for _ in range(ROUNDS)]

    def recompute(self) -> None:
        """Do the verifier's work: decode every shadow and recreate it from one of the two ends."""
        for A, B in self._made:
            self._group.points(A)
            self._group.points(B)
            self._round()

    def _round(self) -> tuple[bytes, bytes]:
        """Return one round's shadow of the deck: its arrays r·(A + x·B) and r·B, encoded."""
        A, B = self._deck.A, self._deck.B
        return (self._r * (A + self._x * B)).to_bytes(), (self._r * B).to_bytes()
