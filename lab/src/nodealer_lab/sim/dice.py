"""All randomness of a simulated game, derived from its seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

from nodealer.tape import expand

T = TypeVar("T")


#: How many bytes are generated at once. Most draws take eight.
BLOCK: Final = 256


class SeededDice:
    """A deterministic random source: the same seed and purpose give the same draws, independent of other purposes."""

    def __init__(self, seed: str, *purpose: str) -> None:
        """Start a stream of random bytes that depends only on the seed and the purpose."""
        self._from = (seed, *purpose)
        self._made = 0
        self._left = b""

    def __call__(self, size: int) -> bytes:
        """Return `size` random bytes, so that dice can serve as a source of entropy."""
        while len(self._left) < size:
            self._made += 1
            self._left += expand("dice", *self._from, self._made, size=BLOCK)
        drawn, self._left = self._left[:size], self._left[size:]
        return drawn

    def between(self, low: int, high: int) -> int:
        """Return a number from `low` to `high`, both included."""
        return low + int.from_bytes(self(8), "little") % (high - low + 1)

    def chance(self, per_mille: int) -> bool:
        """Return True with a probability of `per_mille` in a thousand."""
        return self.between(1, 1000) <= per_mille

    def pick(self, choices: Sequence[T]) -> T:
        """Return one of the choices at random."""
        return choices[self.between(0, len(choices) - 1)]
