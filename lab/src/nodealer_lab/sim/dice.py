"""Everything that is left to chance in a simulated game, drawn from its seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

from nodealer.tape import expand

T = TypeVar("T")


#: How many bytes are made at once: most draws take eight.
BLOCK: Final = 256


class SeededDice:
    """The same seed and purpose give the same draws. Purposes do not disturb each other."""

    def __init__(self, seed: str, *purpose: str) -> None:
        self._from = (seed, *purpose)
        self._made = 0
        self._left = b""

    def __call__(self, size: int) -> bytes:
        """Bytes: dice are a source of entropy."""
        while len(self._left) < size:
            self._made += 1
            self._left += expand("dice", *self._from, self._made, size=BLOCK)
        drawn, self._left = self._left[:size], self._left[size:]
        return drawn

    def between(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return low + int.from_bytes(self(8), "little") % (high - low + 1)

    def chance(self, per_mille: int) -> bool:
        """Whether something happens that happens so many times in a thousand."""
        return self.between(1, 1000) <= per_mille

    def pick(self, choices: Sequence[T]) -> T:
        """One of these."""
        return choices[self.between(0, len(choices) - 1)]
