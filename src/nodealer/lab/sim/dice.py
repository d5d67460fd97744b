"""Everything that is left to chance in a simulated game, drawn from its seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from nodealer.tape import expand

T = TypeVar("T")


class Dice:
    """The same seed and purpose give the same draws. Purposes do not disturb each other."""

    def __init__(self, seed: str, *purpose: str) -> None:
        self._from = (seed, *purpose)
        self._drawn = 0

    def __call__(self, size: int) -> bytes:
        """Bytes: dice are a source of entropy."""
        self._drawn += 1
        return expand("dice", *self._from, self._drawn, size=size)

    def between(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return low + int.from_bytes(self(8), "little") % (high - low + 1)

    def chance(self, per_mille: int) -> bool:
        """Whether something happens that happens so many times in a thousand."""
        return self.between(1, 1000) <= per_mille

    def pick(self, choices: Sequence[T]) -> T:
        """One of these."""
        return choices[self.between(0, len(choices) - 1)]
