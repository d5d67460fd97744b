"""`bench cards`: proofs about cards that stay hidden, and the cost of a pass.

The proofs are "none of my thirteen is a heart" and "this one is a heart". As in `bench proofs`, U is the cost of
masking as many cards as a proof has cards and faces: two fixed-base multiplications each.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from nodealer.cards.operations import Deal, Gift, Pass, Portion
from nodealer.group import Group, Points, Scalars, group, hash_to_points
from nodealer.proofs import exclusion
from nodealer.proofs.checks import Check, settle
from nodealer.proofs.exclusion import Exclusion, ExclusionProducts
from nodealer.proofs.hidden_cards import MaskedCards
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols import make_protocol
from nodealer.protocols.base import Binding
from nodealer.tape import Tape
from nodealer_lab.bench import hidden_card_hands
from nodealer_lab.bench.recovery import perform_duties
from nodealer_lab.bench.rounds import BenchEffort, bare, measure, timed_on_thread, using_threads
from nodealer_lab.bench.rows import BenchRow, bare_row, size_row
from nodealer_lab.bench.shuffles import CONTEXT
from nodealer_lab.terms import terms_of

SUIT, SUITS = 13, 4
#: The bytes sent for a whole hand without a suit, and for one card of a suit.
HAND_BYTES, CARD_BYTES = 2_000, 1_700
#: A pass as before a hand of Hearts: the number of seats, the cards that each gives, and the bytes that each sends.
SEATS, GIVEN, PASS_BYTES = 4, 3, 1_500
#: The limit in U for proving a hand.
PROVE: Final = 2.0
#: Terms of the single multiplication: for each face, for each card, and constant.
TERMS: Final = (2, 5, 8)


@dataclass(frozen=True)
class HiddenCardsBench:
    """Cards that a seat holds, and faces that they are not."""

    statement: Exclusion
    s: Scalars
    tape: Tape

    @staticmethod
    def make(on: Group, cards: int, faces: int) -> HiddenCardsBench:
        """Create cards whose other keys are published. All points are already computed, as those of a deck are."""
        tape = Tape(bytes(32))
        deck, epk = (_hash_points(on, name, count) for name, count in ((b"face", faces + cards), (b"epk", cards)))
        s, off = (draw_scalars(tape, name, b"", on, cards) for name in ("own", "published"))
        msg, keys = deck[faces:] + (s + off) * epk, s * on.G
        for points in (msg, keys):
            points.to_bytes()
        return HiddenCardsBench(Exclusion(deck[:faces], MaskedCards(epk, msg, off, keys)), s, tape)

    def prove(self) -> tuple[bytes, ...]:
        """Return what is sent: the products and their proof."""
        sent, proof = exclusion.prove(CONTEXT.transcript(), self.tape, self.statement, self.s)
        return sent.Y.to_bytes(), sent.Z.to_bytes(), sent.T.to_bytes(), proof

    def check(self, Y: bytes, Z: bytes, T: bytes, proof: bytes) -> Check:
        """Parse the sent bytes and return the check that remains to be settled."""
        on = self.statement.faces.group
        sent = ExclusionProducts(on.points(Y), on.points(Z), on.points(T))
        return exclusion.check(CONTEXT.transcript(), self.statement, sent, proof)


def _hash_points(on: Group, name: bytes, count: int) -> Points:
    """Return `count` points hashed from `name` and an index, already encoded so that encoding is not timed later."""
    points = hash_to_points(on, b"nodealer/bench", [b"%s %d" % (name, index) for index in range(count)])
    points.to_bytes()
    return points


def run(effort: BenchEffort) -> Iterator[BenchRow]:
    """Yield all rows, on one thread. Raise `BackendMissing` without the native core."""
    native, suit = group(backend="native"), effort.size(SUIT)
    with using_threads(1):
        hand, card = HiddenCardsBench.make(native, suit, suit), HiddenCardsBench.make(native, 1, (SUITS - 1) * suit)
        yield from _proof_rows(effort, "none of a hand is of a suit", hand, HAND_BYTES, PROVE)
        yield from _proof_rows(effort, "one card is of a suit", card, CARD_BYTES, None)
        yield _pass_row(native)
        yield from hidden_card_hands.run(effort)


def _pass_row(on: Group) -> BenchRow:
    """Measure the raw bytes that a seat sends when each player passes cards to the next."""
    seats = range(SEATS)
    binding = Binding("mask", 1, bytes(32), bytes(32), 0, tuple(seats), (), on)
    deck, _ = perform_duties(make_protocol("mask", on=on).new_deck(binding, 0, SEATS * GIVEN + 1, None))
    deck, _ = perform_duties(deck.request(Deal(0, tuple(Portion(seat, GIVEN) for seat in seats))).deck)
    gifts = (Gift(seat, (seat + 1) % SEATS, tuple(sorted(deck.places.hand(seat)))) for seat in seats)
    _, spent = perform_duties(deck.request(Pass(0, tuple(gifts))).deck)
    return size_row("a pass, each seat", {"seats": SEATS, "cards": GIVEN}, spent.bytes / SEATS, "bytes", PASS_BYTES)


def _proof_rows(
    effort: BenchEffort, name: str, hidden: HiddenCardsBench, most: int, prove: float | None
) -> Iterator[BenchRow]:
    """Measure a proof about hidden cards: its size in bytes, its number of terms, and the time to make and verify it.

    `most` is the largest allowed size, and `prove` the largest allowed time of the prover relative to the yardstick, or
    None if there is no limit.
    """
    f, h = len(hidden.statement.faces), len(hidden.s)
    n, sent = {"cards": h, "faces": f}, hidden.prove()
    yield size_row(f"{name}: products and proof", n, sum(map(len, sent)), "bytes", most)
    terms = sum(len(factors) for factors, _ in terms_of([hidden.check(*sent)], os.urandom))
    of_face, of_card, rest = TERMS
    yield size_row(f"{name}: verify", n, terms, "terms", of_face * f + of_card * h + rest)
    longer, yardstick = replace(effort, seconds=5 * effort.seconds), f"U = {2 * (f + h)} × fixed base"
    for what, work, required in (
        ("prove", hidden.prove, prove),
        ("verify", lambda: settle([hidden.check(*sent)], os.urandom), None),
    ):
        found = measure(longer, timed_on_thread(work), bare("fixed_base", 2 * (f + h)))
        yield bare_row(f"{name}: {what}", n, found, yardstick, required, 0)
