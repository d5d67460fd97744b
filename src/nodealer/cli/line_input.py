"""Lines that a person types: with editing and a history, and never a line that was meant for something else."""

from __future__ import annotations

import asyncio
import atexit
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from nodealer.cli import text as phrases

try:
    import readline
    import termios
except ImportError:  # no terminal of this kind: lines come as they are
    _EDITING = False
else:
    _EDITING = True


#: The longest line that is taken in the place of an argument.
GIVEN_BYTES_MAX: Final = 8192


def given(text: str) -> str:
    """What was typed in a command; or, for a `-`, the first line of standard input, which nobody else can see. What
    stands behind it is left for whoever reads next."""
    line = b""
    while text == "-" and len(line) < GIVEN_BYTES_MAX and not line.endswith(b"\n"):
        byte = os.read(sys.stdin.fileno(), 1)
        if not byte:
            break
        line += byte
    return line.decode(errors="replace").strip() if text == "-" else text


class _BegunBefore(Exception):
    """A line that was begun before the question was asked that it would answer."""


class Lines:
    """Standard input, a line at a time. There is one reader at most, and whoever asked last gets the next line.

    What answers a question is read in a thread that nobody waits for: Ctrl-C must not hang until Enter is pressed. A
    question that is not asked any more leaves the thread behind, and the next one who asks takes it over, so that no
    line is lost in between.
    """

    def __init__(self) -> None:
        self._reading = False
        self._asked: asyncio.Future[str] | None = None
        #: Whether the line that is being typed was begun for an earlier question.
        self._begun = False
        #: What stands before the line that is being typed.
        self._prompt = ""
        self._terminal = _EDITING and sys.stdin.isatty()
        if self._terminal:
            _mend()
            # A thread that still reads when the program ends would leave the terminal without an echo.
            atexit.register(termios.tcsetattr, sys.stdin, termios.TCSADRAIN, termios.tcgetattr(sys.stdin))

    async def answer(self, prompt: str) -> str:
        """The line that answers a question. Raises `KeyboardInterrupt` at the end of the input: the person has gone."""
        while True:
            try:
                return await self._by_thread(prompt)
            except _BegunBefore:
                sys.stdout.write(phrases.TYPED_TOO_EARLY)

    @property
    def typed(self) -> bool:
        """Whether somebody types them, and no file or program has them ready."""
        return self._terminal

    @contextmanager
    def aside(self) -> Iterator[None]:
        """While something else is said: it stands above the question that is open, and the question below it again."""
        if not (self._reading and self._prompt and self._terminal):
            yield
            return
        self._wipe()
        yield
        if self._asked is None or self._asked.done():
            # It is asked no more.
            self._prompt = ""
        else:
            _write(self._prompt + readline.get_line_buffer())

    async def next(self) -> str:
        """A line that nobody has asked for. Raises `KeyboardInterrupt` at the end of the input."""
        if self._reading or not self._terminal:
            return await self._by_thread("")
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        # The terminal gives whole lines here, and keeps what is unfinished to itself.
        loop.add_reader(sys.stdin, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(sys.stdin)
        return _there(sys.stdin.readline())

    async def _by_thread(self, prompt: str) -> str:
        loop = asyncio.get_running_loop()
        self._asked = loop.create_future()
        if self._reading:
            self._take_over(prompt)
        else:
            self._reading, self._begun, self._prompt = True, False, prompt
            if self._terminal:
                # What was typed before the question was there was meant for something else.
                termios.tcflush(sys.stdin, termios.TCIFLUSH)
            threading.Thread(target=self._read, args=(prompt, loop), daemon=True).start()
        return _there(await self._asked)

    def _take_over(self, prompt: str) -> None:
        """The reader that an earlier question left behind, with what was typed into it so far."""
        so_far = readline.get_line_buffer() if self._terminal else ""
        self._begun = bool(prompt and so_far)
        if self._prompt:
            self._wipe()
        self._prompt = prompt
        if prompt:
            _write(prompt + so_far)

    def _wipe(self) -> None:
        """Take the question from the screen, with what was typed so far, which is not forgotten."""
        if not self._terminal or os.environ.get("TERM", "dumb") == "dumb":
            _write("\n")
            return
        with suppress(OSError):
            # A terminal that does not know its width says 0.
            wide = os.get_terminal_size().columns or len(self._prompt) + 1
            rows = len(self._prompt + readline.get_line_buffer()) // wide
            _write("\r" + "\x1b[A" * rows + "\x1b[J")

    def _read(self, prompt: str, loop: asyncio.AbstractEventLoop) -> None:
        try:
            line = input(prompt) + "\n"
        except (EOFError, OSError, ValueError):
            line = ""
        with suppress(RuntimeError):  # the game is over and the loop closed
            loop.call_soon_threadsafe(self._give, line)

    def _give(self, line: str) -> None:
        self._reading, self._prompt = False, ""
        if self._asked is None or self._asked.done():
            return
        if self._begun and line:
            self._asked.set_exception(_BegunBefore())
        else:
            self._asked.set_result(line)


def _mend() -> None:
    """Let the terminal give whole lines and show them: one that was killed while it asked has left it otherwise, and
    whoever comes back would wait for the end of a line for ever."""
    mode = termios.tcgetattr(sys.stdin)
    mode[0] |= termios.ICRNL
    mode[3] |= termios.ICANON | termios.ECHO
    termios.tcsetattr(sys.stdin, termios.TCSADRAIN, mode)


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _there(line: str) -> str:
    if not line:
        raise KeyboardInterrupt
    return line
