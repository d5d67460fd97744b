"""A re-key to measure: every card moves from one key to its own key, is proven, and is verified from bytes."""

from __future__ import annotations

import os
from dataclasses import dataclass

from nodealer.group import Group, Points, hash_to_points
from nodealer.proofs import checks, equality
from nodealer.proofs.equality import ManyEqualities
from nodealer.proofs.transcript import draw_scalars
from nodealer.tape import Tape
from nodealer_lab.bench.shuffles import CONTEXT


@dataclass(frozen=True)
class SentRekey:
    """The bytes that a seat sends."""

    keys: bytes
    gains: bytes
    proof: bytes


@dataclass(frozen=True)
class RekeyBench:
    """The cards, their old key, and what was sent."""

    epk: Points
    old: Points
    tape: Tape
    sent: SentRekey

    @staticmethod
    def make(group: Group, cards: int) -> RekeyBench:
        """Create cards with unknown discrete logarithms, and re-key them."""
        epk = hash_to_points(group, b"nodealer/bench", [b"epk %d" % index for index in range(cards)])
        epk.to_bytes()  # the previous step has already encoded an available deck
        tape = Tape(bytes(32))
        old = draw_scalars(tape, "old", b"", group, 1) * group.G
        return RekeyBench(epk, old, tape, _rekey_cards(epk, old, tape))

    def prove(self) -> SentRekey:
        """Compute the new keys, the gains of the cards, and the proof."""
        return _rekey_cards(self.epk, self.old, self.tape)

    def verify(self, sent: SentRekey) -> None:
        """Decode keys, gains and proof, and settle the check."""
        group = self.epk.group
        each = ManyEqualities(group.G, group.points(sent.keys), self.epk, group.points(sent.gains), less=self.old)
        checks.settle([equality.check_many_equalities(CONTEXT.transcript(), each, sent.proof)], os.urandom)


def _rekey_cards(epk: Points, old: Points, tape: Tape) -> SentRekey:
    """Give every card a new key of its own in place of the shared old one, with one proof for all cards."""
    group = epk.group
    new = draw_scalars(tape, "new", b"", group, len(epk))
    delta = new - draw_scalars(tape, "old", b"", group, 1)
    keys, gains = new * group.G, delta * epk
    each = ManyEqualities(group.G, keys, epk, gains, less=old)
    proof = equality.prove_many_equalities(CONTEXT.transcript(), tape, each, delta)
    return SentRekey(keys.to_bytes(), gains.to_bytes(), proof)
