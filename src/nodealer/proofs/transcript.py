"""The transcript of a proof: what Fiat–Shamir hashes.

The caller makes it and binds the context; a proof absorbs its statement and its messages and draws challenges. Every
item is framed with its label, kind and length, and a challenge is a hash of everything before it, itself absorbed.
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
    """Where a proof belongs. All of it is in every challenge, so that no proof fits anywhere else."""

    protocol: str
    version: int
    session: bytes
    roster: bytes
    hand: int
    deck: int
    epoch: int
    step: str
    seat: int
    #: What the message that carries the proof answers: the anchor of its duty.
    anchor: bytes

    def transcript(self, trace: Trace | None = None) -> Transcript:
        """A fresh transcript that starts with this context."""
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


#: What every transcript starts with.
_DOMAIN: Final = hashlib.sha512(framed(labels.DOMAIN, 1, labels.VERSION))


@lru_cache(maxsize=256)
def _asked(label: str, group: str, count: int) -> bytes:
    """What is absorbed before a challenge is drawn: few of them, and nothing but words and numbers of this program."""
    return framed(label, 2, group, count)


class Transcript:
    """A running hash of labelled items. `seat` is the prover; `trace`, if given, is told each item that is absorbed."""

    def __init__(self, seat: int, trace: Trace | None = None) -> None:
        self.seat = seat
        self._hash = _DOMAIN.copy()
        self._trace = trace
        if trace is not None:
            self._tell(labels.DOMAIN, (labels.VERSION,))

    def absorb(self, label: str, *items: Item) -> None:
        """Bind public items. Nothing secret is ever absorbed."""
        if self._trace is not None:
            self._tell(label, items)
        self._hash.update(framed(label, len(items), *items))

    def _tell(self, label: str, items: tuple[Item, ...]) -> None:
        """Everything that is absorbed goes by here, where there is a trace."""
        if self._trace is not None:
            self._trace(f"{label}: {', '.join(_shown(item) for item in items)}")

    def absorb_points(self, label: str, *arrays: Points) -> None:
        """Bind arrays of points, each with its length."""
        self.absorb(label, *(array.to_bytes() for array in arrays))

    def challenge(self, label: str, group: Group) -> Scalars:
        """One scalar that depends on everything absorbed so far."""
        return self.challenges(label, group, 1)

    def challenges(self, label: str, group: Group, count: int) -> Scalars:
        """`count` scalars that depend on everything absorbed so far."""
        name, running = group.name, self._hash
        running.update(_asked(label, name, count))
        wide = hashlib.shake_256(running.digest()).digest(group.wide_size * count)
        running.update(framed(labels.CHALLENGE, 1, wide))
        if self._trace is not None:
            self._tell(label, (name, count))
            self._tell(labels.CHALLENGE, (wide,))
        return group.wide_scalars(wide)

    def nonces(self, tape: Tape, label: str, group: Group, count: int) -> Scalars:
        """Secret scalars for the prover, bound to all that this transcript holds.

        Two statements, or two challenges, never meet the same nonce: not even when the prover is restarted or fed
        a fork of the log. The label keeps apart what one state of the transcript is asked for twice.
        """
        return draw_scalars(tape, label, self._hash.digest(), group, count)


def draw_scalars(tape: Tape, label: str, inputs: bytes, group: Group, count: int) -> Scalars:
    """Secret scalars from the tape, none zero. An array with a zero (once in 2^240) is drawn again as a whole."""
    index = 0
    while True:
        drawn = group.wide_scalars(tape.draw(label, inputs, size=group.wide_size * count, index=index))
        if drawn.first_zero() is None:
            return drawn
        index += 1


def _shown(item: Item) -> str:
    if not isinstance(item, bytes):
        return repr(item)
    return item.hex() if len(item) <= 64 else f"{item[:16].hex()}… ({len(item)} bytes)"
