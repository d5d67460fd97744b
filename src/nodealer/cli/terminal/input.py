"""Lines that a person types, with editing and a history.

A line that was meant for something else is never used as an answer.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from nodealer.cli import text as phrases
from nodealer.client.front_end import FrontEndGone

try:
    import readline
    import termios
except ImportError:  # no such terminal: lines are read without editing
    _EDITING = False
else:
    _EDITING = True


#: The longest line that is read instead of an argument.
GIVEN_BYTES_MAX: Final = 8192


def read_argument(text: str) -> str:
    """Return the argument; for `-`, the first line of standard input, which other users cannot see.

    Leaves the rest of the input for the next reader.
    """
    line = b""
    while text == "-" and len(line) < GIVEN_BYTES_MAX and not line.endswith(b"\n"):
        byte = os.read(sys.stdin.fileno(), 1)
        if not byte:
            break
        line += byte
    return line.decode(errors="replace").strip() if text == "-" else text


class _BegunBefore(Exception):
    """The line was begun before its question was asked."""


class LineReader:
    """Standard input, one line at a time. There is at most one reader, and whoever asked last gets the next line.

    Answers are read in a thread that is never joined, because Ctrl-C must not hang until Enter is pressed. A question
    that is withdrawn leaves the thread behind, and the next question takes it over, so that no line is lost.
    """

    def __init__(self) -> None:
        """Start without a question; nothing is read until the first one."""
        self._reading = False
        self._asked: asyncio.Future[str] | None = None
        #: Whether the line that is being typed was begun for an earlier question.
        self._begun = False
        #: Lines that came when their question had just been withdrawn.
        self._unasked: deque[str] = deque()
        #: The prompt of the line that is being typed.
        self._prompt = ""
        self._terminal = _EDITING and sys.stdin.isatty()
        if self._terminal:
            _reset_terminal()
            # A thread that still reads when the program ends would leave the terminal without an echo.
            atexit.register(termios.tcsetattr, sys.stdin, termios.TCSADRAIN, termios.tcgetattr(sys.stdin))

    async def answer(self, prompt: str) -> str:
        """Ask, and return the line that answers.

        Raises `FrontEndGone` at the end of the input: the person has gone.
        """
        while True:
            try:
                return await self._read_in_thread(prompt)
            except _BegunBefore:
                sys.stdout.write(phrases.TYPED_TOO_EARLY)

    def take_unasked(self) -> list[str]:
        """Return the lines that a person typed for a question that had just been withdrawn."""
        lines = list(self._unasked) if self._terminal else []
        if lines:
            self._unasked.clear()
        return lines

    @property
    def typed(self) -> bool:
        """Return whether a person types the lines, and not a file or a program."""
        return self._terminal

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Move an open question below what is printed inside this context."""
        if not (self._reading and self._prompt and self._terminal):
            yield
            return
        self._erase()
        yield
        if self._asked is None or self._asked.done():
            # The question was withdrawn.
            self._prompt = ""
        else:
            _write(self._prompt + readline.get_line_buffer())

    async def next(self) -> str:
        """Return a line that no question asked for. Raises `FrontEndGone` at the end of the input."""
        if self._unasked:
            return self._unasked.popleft()
        if self._reading or not self._terminal:
            return await self._read_in_thread("")
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        # The terminal delivers whole lines here, and keeps an unfinished one.
        loop.add_reader(sys.stdin, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(sys.stdin)
        return _require_line(sys.stdin.readline())

    async def _read_in_thread(self, prompt: str) -> str:
        """Return the next line, read in the thread, which is started if none is waiting."""
        if self._unasked and not self._terminal:
            # A file or a program has written it for the next question.
            return self._unasked.popleft()
        loop = asyncio.get_running_loop()
        asked = self._asked = loop.create_future()
        if self._reading:
            self._take_over(prompt)
        else:
            self._reading, self._begun, self._prompt = True, False, prompt
            if self._terminal:
                # What was typed before the question appeared was meant for something else.
                termios.tcflush(sys.stdin, termios.TCIFLUSH)
            threading.Thread(target=self._read, args=(prompt, loop), daemon=True).start()
        try:
            return _require_line(await asked)
        except asyncio.CancelledError:
            if asked.done() and not asked.cancelled() and asked.exception() is None and asked.result():
                self._unasked.append(asked.result())
            raise

    def _take_over(self, prompt: str) -> None:
        """Reuse the reader that an earlier question left behind, with what was typed so far."""
        so_far = readline.get_line_buffer() if self._terminal else ""
        self._begun = bool(prompt and so_far)
        if self._prompt:
            self._erase()
        self._prompt = prompt
        if prompt:
            _write(prompt + so_far)

    def _erase(self) -> None:
        """Erase the question and the typed text from the screen. The typed text is kept."""
        if not self._terminal or os.environ.get("TERM", "dumb") == "dumb":
            _write("\n")
            return
        with suppress(OSError):
            # A terminal that does not know its width reports 0.
            wide = os.get_terminal_size().columns or len(self._prompt) + 1
            rows = len(self._prompt + readline.get_line_buffer()) // wide
            _write("\r" + "\x1b[A" * rows + "\x1b[J")

    def _read(self, prompt: str, loop: asyncio.AbstractEventLoop) -> None:
        """Read one line in the thread, and deliver it to the loop."""
        try:
            line = input(prompt) + "\n"
        except (EOFError, OSError, ValueError):
            line = ""
        with suppress(RuntimeError):  # the game is over and the loop closed
            loop.call_soon_threadsafe(self._deliver, line)

    def _deliver(self, line: str) -> None:
        """Give the line to whoever asked last. Rejects a line that was begun for an earlier question."""
        self._reading, self._prompt = False, ""
        if self._asked is None or self._asked.done():
            if line:
                self._unasked.append(line)
            return
        if self._begun and line:
            self._asked.set_exception(_BegunBefore())
        else:
            self._asked.set_result(line)


def _reset_terminal() -> None:
    """Switch the terminal back to whole lines with echo.

    A program that was killed while it asked may have left it in another mode, in which the end of a line would never
    arrive.
    """
    mode = termios.tcgetattr(sys.stdin)
    mode[0] |= termios.ICRNL
    mode[3] |= termios.ICANON | termios.ECHO
    termios.tcsetattr(sys.stdin, termios.TCSADRAIN, mode)


def _write(text: str) -> None:
    """Write to standard output at once, without buffering."""
    sys.stdout.write(text)
    sys.stdout.flush()


def _require_line(line: str) -> str:
    """Return the line. Raises `FrontEndGone` for an empty one, which means the end of the input."""
    if not line:
        raise FrontEndGone
    return line
