"""`bench cards`: what is proven of cards that stay hidden. "None of my thirteen is a heart"; "this one is a heart". And
what a pass costs.

U is, as in `bench proofs`, the cost of masking as many cards as a proof has cards and faces: two fixed bases each.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from nodealer.cards.operations import Deal, Gift, Pass, Portion
from nodealer.group import Group, Points, Scalars, group, hash_to_points
from nodealer.proofs import exclusion
from nodealer.proofs.checks import Check, settle, terms_of
from nodealer.proofs.exclusion import Exclusion, ExclusionProducts
from nodealer.proofs.hidden_cards import MaskedCards
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols import make_protocol
from nodealer.protocols.base import Binding
from nodealer.tape import Tape
from nodealer_lab.bench import hidden_card_hands
from nodealer_lab.bench.recovery import worked
from nodealer_lab.bench.rounds import BenchEffort, bare, measured, timed_on_thread, using_threads
from nodealer_lab.bench.rows import BenchRow, bare_row, size_row
from nodealer_lab.bench.shuffles import CONTEXT

SUIT, SUITS = 13, 4
#: What is sent, in bytes: for a whole hand without a suit, and for one card of a suit.
HAND_BYTES, CARD_BYTES = 2_000, 1_700
#: A pass, as before a hand of Hearts: so many seats give so many cards each, and what each sends, in bytes.
SEATS, GIVEN, PASS_BYTES = 4, 3, 1_500
#: In U, to prove a hand.
PROVE: Final = 2.0
#: Terms of the one multiplication: for each face, for each card, and for all.
TERMS: Final = (2, 5, 8)


@dataclass(frozen=True)
class Hidden:
    """Cards that a seat holds, some faces that they are not, and what it sends about them."""

    statement: Exclusion
    s: Scalars
    tape: Tape

    @staticmethod
    def make(on: Group, cards: int, faces: int) -> Hidden:
        """Cards that others have published their keys of. All points are at hand, as those of a deck are."""
        tape = Tape(bytes(32))
        deck, epk = (_points(on, name, count) for name, count in ((b"face", faces + cards), (b"epk", cards)))
        s, off = (draw_scalars(tape, name, b"", on, cards) for name in ("own", "published"))
        msg, keys = deck[faces:] + (s + off) * epk, s * on.G
        for points in (msg, keys):
            points.to_bytes()
        return Hidden(Exclusion(deck[:faces], MaskedCards(epk, msg, off, keys)), s, tape)

    def prove(self) -> tuple[bytes, ...]:
        """What is sent: the products, and their proof."""
        sent, proof = exclusion.prove(CONTEXT.transcript(), self.tape, self.statement, self.s)
        return sent.Y.to_bytes(), sent.Z.to_bytes(), sent.T.to_bytes(), proof

    def check(self, Y: bytes, Z: bytes, T: bytes, proof: bytes) -> Check:
        """What it owes, from bytes."""
        on = self.statement.faces.group
        sent = ExclusionProducts(on.points(Y), on.points(Z), on.points(T))
        return exclusion.check(CONTEXT.transcript(), self.statement, sent, proof)


def _points(on: Group, name: bytes, count: int) -> Points:
    points = hash_to_points(on, b"nodealer/bench", [b"%s %d" % (name, index) for index in range(count)])
    points.to_bytes()
    return points


def run(effort: BenchEffort) -> Iterator[BenchRow]:
    """All rows, one thread. Raises `BackendMissing` without the native core."""
    native, suit = group(backend="native"), effort.size(SUIT)
    with using_threads(1):
        hand, card = Hidden.make(native, suit, suit), Hidden.make(native, 1, (SUITS - 1) * suit)
        yield from _proofs(effort, "none of a hand is of a suit", hand, HAND_BYTES, PROVE)
        yield from _proofs(effort, "one card is of a suit", card, CARD_BYTES, None)
        yield _pass(native)
        yield from hidden_card_hands.run(effort)


def _pass(on: Group) -> BenchRow:
    """Raw bytes of what a seat sends when everybody passes to the next."""
    seats = range(SEATS)
    binding = Binding("mask", 1, bytes(32), bytes(32), 0, tuple(seats), (), on)
    deck, _ = worked(make_protocol("mask", on=on).new_deck(binding, 0, SEATS * GIVEN + 1, None))
    deck, _ = worked(deck.request(Deal(0, tuple(Portion(seat, GIVEN) for seat in seats))).deck)
    gifts = (Gift(seat, (seat + 1) % SEATS, tuple(sorted(deck.places.hand(seat)))) for seat in seats)
    _, spent = worked(deck.request(Pass(0, tuple(gifts))).deck)
    return size_row("a pass, each seat", {"seats": SEATS, "cards": GIVEN}, spent.bytes / SEATS, "bytes", PASS_BYTES)


def _proofs(effort: BenchEffort, name: str, hidden: Hidden, most: int, prove: float | None) -> Iterator[BenchRow]:
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
        found = measured(longer, timed_on_thread(work), bare("fixed_base", 2 * (f + h)))
        yield bare_row(f"{name}: {what}", n, found, yardstick, required, 0)
