"""Lines that a person types. One thread reads, when somebody asks, and whoever asked last gets the next line."""

from __future__ import annotations

import asyncio
import sys
import threading
from contextlib import suppress


class Lines:
    """Standard input, a line at a time.

    The thread is one that nobody waits for: Ctrl-C must not hang until Enter is pressed. Who is not asked any more
    leaves the thread to the next one who asks, so that no line is lost in between.
    """

    def __init__(self) -> None:
        self._reading = False
        self._asked: asyncio.Future[str] | None = None

    async def next(self) -> str:
        """The next line. Raises `KeyboardInterrupt` at the end of the input: the person has gone."""
        loop = asyncio.get_running_loop()
        asked: asyncio.Future[str] = loop.create_future()
        self._asked = asked
        if not self._reading:
            self._reading = True
            threading.Thread(target=self._read, args=(loop,), daemon=True).start()
        line = await asked
        if not line:
            raise KeyboardInterrupt
        return line

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        line = sys.stdin.readline()
        with suppress(RuntimeError):  # the game is over and the loop closed
            loop.call_soon_threadsafe(self._give, line)

    def _give(self, line: str) -> None:
        self._reading = False
        if self._asked is not None and not self._asked.done():
            self._asked.set_result(line)
