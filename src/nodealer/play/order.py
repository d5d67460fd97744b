"""The order of a table, where its transport numbers the frames: each of them is judged once.

What a frame is worth hangs on the table as it stood when the frame came. One that was refused then might be taken on a
later table: whoever judged it again, after a restart, would have another log than everybody else. A home keeps what
changed something, and between two such frames nothing changes. So every frame up to the last one that a home has was
judged, and is passed over when the order is heard from its beginning again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final

#: How many frames wait for those before them, and their bytes. What is beyond comes again.
AHEAD_MAX: Final = 1024
AHEAD_BYTES_MAX: Final = 16 << 20


class Order:
    """The frames of a table as they come to one participant, from number 0 on."""

    def __init__(self) -> None:
        #: How many have come.
        self.taken = 0
        self._ahead: dict[int, bytes] = {}
        self._ahead_bytes = 0
        self._kept: deque[bytes] = deque()

    def came_back(self, kept: Iterable[bytes]) -> None:
        """A home has these of the frames, in their order."""
        self._kept.extend(kept)

    @property
    def lacking(self) -> int:
        """How many frames a home has that have not come again yet."""
        return len(self._kept)

    def take(self, frame: bytes, number: int) -> list[bytes]:
        """The frames that are to be judged now. Frames may come repeated and too soon."""
        if number != self.taken:
            if number > self.taken and number not in self._ahead:
                self._wait(frame, number)
            return []
        ready = [frame]
        while (following := self._ahead.pop(self.taken + len(ready), None)) is not None:
            self._ahead_bytes -= len(following)
            ready.append(following)
        self.taken += len(ready)
        return [one for one in ready if self._is_new(one)]

    def _wait(self, frame: bytes, number: int) -> None:
        if len(self._ahead) < AHEAD_MAX and self._ahead_bytes + len(frame) <= AHEAD_BYTES_MAX:
            self._ahead[number] = frame
            self._ahead_bytes += len(frame)

    def _is_new(self, frame: bytes) -> bool:
        if not self._kept:
            return True
        if frame == self._kept[0]:
            self._kept.popleft()
        return False
