"""The heavier way to prove that hidden cards lie within a set: for cross-checking the lighter one.

The holder masks and shuffles the *allowed* faces under a key of its own, with the proof of a shuffle, and shows of each
card that it has the face of one of the outputs, no output twice. A card that is none of the allowed faces has no output
to be shown equal to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nodealer.errors import BadParameter, Malformed
from nodealer.group import Points, Scalars
from nodealer.proofs import equality, linear, shuffle
from nodealer.proofs.checks import Check
from nodealer.proofs.encoding import encodings
from nodealer.proofs.linear import LinearRow, Statement
from nodealer.proofs.relations import Remask
from nodealer.proofs.transcript import Context, draw_scalars
from nodealer.protocols.mask.deck import Masked
from nodealer.tape import Tape


@dataclass(frozen=True)
class Within:
    """What the holder sends."""

    key: Points
    outputs: Masked
    #: For each card, the output that it is.
    chosen: tuple[int, ...]
    knowledge: bytes
    shuffled: bytes
    same: bytes

    @property
    def size(self) -> int:
        points = len(self.key.to_bytes() + self.outputs.epk.to_bytes() + self.outputs.msg.to_bytes())
        return points + len(self.chosen) + len(self.knowledge + self.shuffled + self.same)


def _relation(key: Points, allowed: Points, outputs: Masked) -> Remask:
    return Remask(key, key.group.identity(len(allowed)), allowed, outputs.epk, outputs.msg)


def _same_faces(cards: Masked, keys: Points, outputs: Masked, key: Points) -> Statement:
    """w_i − w'_i = s_i·u_i − k·u'_i, with K_i = s_i·G and K = k·G."""
    G = key.group.G
    rows = (
        LinearRow(keys, ((0, G),)),
        LinearRow(key, ((1, G),)),
        LinearRow(cards.msg - outputs.msg, ((0, cards.epk), (1, -outputs.epk))),
    )
    return Statement("test: a card is an output", (len(keys), 1), rows)


def prove(context: Context, tape: Tape, allowed: Points, cards: Masked, keys: Points, s: Scalars) -> Within:
    """From the cards under the holder's keys alone, (u, w). Raises `BadParameter` where a card is none of the faces."""
    group, m, seed = allowed.group, len(allowed), cards.digest()
    k = draw_scalars(tape, "by shuffling: key", seed, group, 1)
    K = k * group.G
    order = tape.permutation("by shuffling: order", seed, m)
    rho = draw_scalars(tape, "by shuffling: masks", seed, group, m)
    outputs = Masked(rho * group.G, allowed.take(order) + rho * K)
    transcript = context.transcript()
    knowledge = equality.prove_knowledge(transcript, tape, K, k)
    shuffled = shuffle.prove(transcript, tape, _relation(K, allowed, outputs), order, lambda d: d.dot(rho))
    place = {face: at for at, face in enumerate(encodings(allowed.take(order)))}
    faces = encodings(cards.msg - s * cards.epk)
    if any(face not in place for face in faces):
        raise BadParameter("a card is none of the allowed faces")
    chosen = tuple(place[face] for face in faces)
    statement = _same_faces(cards, keys, outputs.take(chosen), K)
    return Within(K, outputs, chosen, knowledge, shuffled, linear.prove(transcript, tape, statement, [s, k]))


def check(context: Context, allowed: Points, cards: Masked, keys: Points, sent: Within) -> Sequence[Check]:
    """All that is owed."""
    if len(set(sent.chosen)) != len(keys) or not set(sent.chosen) <= set(range(len(allowed))):
        raise Malformed("an output stands for two cards, or there is no such output")
    transcript = context.transcript()
    return (
        equality.check_knowledge(transcript, sent.key, sent.knowledge),
        shuffle.check(transcript, _relation(sent.key, allowed, sent.outputs), sent.shuffled),
        linear.check(transcript, _same_faces(cards, keys, sent.outputs.take(sent.chosen), sent.key), sent.same),
    )
