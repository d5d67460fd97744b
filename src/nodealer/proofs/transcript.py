"""The transcript of a proof: what the Fiat–Shamir transform hashes.

The caller creates it and binds the context. A proof then absorbs its statement and messages and draws challenges. Every
item is framed with its label, kind and length. A challenge is a hash of everything before it and is absorbed as well.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from nodealer.group import Group, Points, Scalars
from nodealer.proofs import labels
from nodealer.tape import Item, Tape, framed

Trace = Callable[[str], None]


@dataclass(frozen=True)
class Context:
    """The context of a proof. Every challenge depends on all of it, so a proof is valid nowhere else."""

    protocol: str
    version: int
    session: bytes
    roster: bytes
    hand: int
    deck: int
    epoch: int
    step: str
    seat: int
    #: The anchor of the duty that the message with this proof answers.
    anchor: bytes

    # defence: from-elsewhere
    def transcript(self, trace: Trace | None = None) -> Transcript:
        """Start a transcript with this context."""
        transcript = Transcript(self.seat, trace)
        transcript.absorb(
            labels.CONTEXT,
            self.protocol,
            self.version,
            self.session,
            self.roster,
            self.hand,
            self.deck,
            self.epoch,
            self.step,
            self.seat,
            self.anchor,
        )
        return transcript


#: The hash state that every transcript starts from.
_DOMAIN: Final = hashlib.sha512(framed(labels.DOMAIN, 1, labels.VERSION))


@lru_cache(maxsize=256)
def _challenge_request(label: str, group: str, count: int) -> bytes:
    """Return the bytes absorbed before drawing a challenge. Cached: there are few of them, and none is secret."""
    return framed(label, 2, group, count)


class Transcript:
    """A running hash of labelled items. `seat` is the prover. `trace`, if given, is called with each absorbed item."""

    def __init__(self, seat: int, trace: Trace | None = None) -> None:
        """Start a transcript of a proof by this seat."""
        self.seat = seat
        self._hash = _DOMAIN.copy()
        self._trace = trace
        if trace is not None:
            self._report(labels.DOMAIN, (labels.VERSION,))

    def absorb(self, label: str, *items: Item) -> None:
        """Bind public items. Never absorb a secret."""
        if self._trace is not None:
            self._report(label, items)
        self._hash.update(framed(label, len(items), *items))

    def _report(self, label: str, items: tuple[Item, ...]) -> None:
        """Report absorbed items to the trace, if there is one."""
        if self._trace is not None:
            self._trace(f"{label}: {', '.join(_format_item(item) for item in items)}")

    def absorb_points(self, label: str, *arrays: Points) -> None:
        """Bind arrays of points, each with its length."""
        self.absorb(label, *(array.to_bytes() for array in arrays))

    # defence: halved, neighbours
    def challenge(self, label: str, group: Group) -> Scalars:
        """Draw one scalar that depends on everything absorbed so far."""
        return self.challenges(label, group, 1)

    def challenges(self, label: str, group: Group, count: int) -> Scalars:
        """Draw `count` scalars that depend on everything absorbed so far."""
        name, running = group.name, self._hash
        running.update(_challenge_request(label, name, count))
        wide = hashlib.shake_256(running.digest()).digest(group.wide_size * count)
        running.update(framed(labels.CHALLENGE, 1, wide))
        if self._trace is not None:
            self._report(label, (name, count))
            self._report(labels.CHALLENGE, (wide,))
        return group.wide_scalars(wide)

    # defence: nonce
    def nonces(self, tape: Tape, label: str, group: Group, count: int) -> Scalars:
        """Draw secret scalars for the prover that depend on everything absorbed so far.

        Two statements or challenges never share a nonce, even if the prover restarts or is fed a fork of the log. Use
        different labels to draw more than once from the same state of the transcript.
        """
        return draw_scalars(tape, label, self._hash.digest(), group, count)


def draw_scalars(tape: Tape, label: str, inputs: bytes, group: Group, count: int) -> Scalars:
    """Draw secret non-zero scalars from the tape. An array that contains a zero (once in 2^240) is drawn again."""
    index = 0
    while True:
        drawn = group.wide_scalars(tape.draw(label, inputs, size=group.wide_size * count, index=index))
        if drawn.first_zero() is None:
            return drawn
        index += 1


def _format_item(item: Item) -> str:
    """Format an item for a trace. Long bytes are abbreviated."""
    if not isinstance(item, bytes):
        return repr(item)
    return item.hex() if len(item) <= 64 else f"{item[:16].hex()}… ({len(item)} bytes)"
