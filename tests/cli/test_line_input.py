"""Lines that a person types, in a real terminal: one process, one after the other what can happen to a line.

What the process does by itself it does when it is told so, by a signal: when what was typed before has come to it.
"""

from __future__ import annotations

import asyncio
import io
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from cli.running import environment
from nodealer.cli.terminal.input import LineReader
from nodealer.client.front_end import FrontEndGone

CHILD = """
import asyncio, signal
from nodealer.cli.terminal.input import LineReader
from nodealer.client.front_end import FrontEndGone

now = asyncio.Event()

async def told():
    await now.wait()
    now.clear()

async def beside(lines, prompt):
    asking = asyncio.create_task(lines.answer(prompt))
    await told()
    with lines.aside():
        print("news", flush=True)
    return await asking

async def cancelled(lines, prompt):
    asking = asyncio.create_task(lines.answer(prompt))
    await told()
    asking.cancel()
    print("cancelled", flush=True)

async def main():
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, now.set)
    lines = LineReader()
    print("ready", flush=True)
    await told()
    print("first", repr(await lines.answer("1> ")))
    await cancelled(lines, "2> ")
    print("second", repr(await lines.answer("3> ")))
    await cancelled(lines, "4> ")
    print("third", repr(await lines.answer("5> ")))
    print("up", repr(await lines.answer("6> ")))
    print("idle", flush=True)
    print("nobody asked", repr(await lines.next()))
    waiting = asyncio.create_task(lines.next())
    await asyncio.sleep(0.1)
    waiting.cancel()
    print("fourth", repr(await lines.answer("7> ")))
    await cancelled(lines, "8> ")
    print("left behind", repr(await lines.next()))
    print("fifth", repr(await beside(lines, "8a> ")))
    try:
        await lines.answer("9> ")
    except FrontEndGone:
        print("gone", flush=True)
    await cancelled(lines, "10> ")

asyncio.run(main())
"""

#: It is told that it is time.
NOW = None
#: What is waited for, and what is typed then.
DIALOGUE = [
    ("ready", "typed too soon\n"),
    ("", NOW),
    ("1> ", "one\n"),
    # A question that is not asked any more leaves its reader to the next.
    (r"first 'one\\n'.*2> ", NOW),
    (r"cancelled.*3> ", "two\n"),
    # A line that was begun for it is not an answer to another question.
    (r"second 'two\\n'.*4> ", "ab"),
    ("ab", NOW),
    ("5> ab", "c\n"),
    ("answer again.*5> ", "three\n"),
    (r"third 'three\\n'.*6> ", "\x1b[A\n"),
    (r"up 'three\\n'.*idle", "hello\n"),
    (r"nobody asked 'hello\\n'.*7> ", "fourr\x7f\n"),
    (r"fourth 'four\\n'.*8> ", "the"),
    ("the", NOW),
    ("cancelled", "re\n"),
    # What is said beside a question stands above it, and what was typed goes on.
    (r"left behind 'there\\n'.*8a> ", "fi"),
    ("fi", NOW),
    (r"news\r\n8a> fi", "ve\n"),
    (r"fifth 'five\\n'.*9> ", "\x04"),
    ("gone.*10> ", NOW),
]


def wait_for(terminal: int, pattern: str) -> None:
    screen, deadline = "", time.monotonic() + 60
    while not re.search(pattern, screen, re.DOTALL):
        assert select.select([terminal], [], [], deadline - time.monotonic())[0], f"waited for {pattern}: {screen!r}"
        screen += os.read(terminal, 4096).decode()


def test_in_a_terminal() -> None:
    main, other = pty.openpty()
    before, left = termios.tcgetattr(other), termios.tcgetattr(other)
    # Somebody was killed here while it asked: the terminal gives single keys, and shows none.
    left[0] &= ~termios.ICRNL
    left[3] &= ~(termios.ICANON | termios.ECHO)
    termios.tcsetattr(other, termios.TCSANOW, left)
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD], env=environment(TERM="dumb"), stdin=other, stdout=other, start_new_session=True
    )
    try:
        for pattern, typed in DIALOGUE:
            wait_for(main, pattern)
            if typed is NOW:
                process.send_signal(signal.SIGUSR1)
            else:
                os.write(main, typed.encode())
        assert process.wait(timeout=60) == 0
        # The last question was never answered, and its reader has not kept the terminal.
        assert termios.tcgetattr(other) == before
    finally:
        process.kill()
        process.wait()
        os.close(main)
        os.close(other)


def test_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("one\ntwo\n"))

    async def read() -> list[str]:
        lines = LineReader()
        return [await lines.answer("> "), await lines.next(), await lines.answer("> ")]

    with pytest.raises(FrontEndGone):
        asyncio.run(read())


class Held(LineReader):
    """A terminal whose thread reads what the test says."""

    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def types(self, line: str) -> None:
        self._deliver(line)


@pytest.mark.parametrize("when", ["delivered", "cancelled"])
@pytest.mark.parametrize("terminal", [True, False])
def test_a_line_that_comes_when_its_question_is_withdrawn_is_not_lost(
    terminal: bool, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a person it may be for the table, and never answers the next question; from a file it is for that one."""
    monkeypatch.setattr("nodealer.cli.terminal.input.threading.Thread", lambda **given: SimpleNamespace(start=int))
    monkeypatch.setattr("nodealer.cli.terminal.input.termios.tcflush", lambda *given: None)

    async def read() -> None:
        lines = Held(terminal=terminal)
        asking = asyncio.create_task(lines.answer("1> "))
        await asyncio.sleep(0)
        steps: list[Callable[[], object]] = [lambda: lines.types("leave\n"), asking.cancel]
        for step in steps if when == "delivered" else reversed(steps):
            step()
        await asyncio.wait({asking})
        assert asking.cancelled()
        if terminal:
            assert lines.take_unasked() == ["leave\n"] and lines.take_unasked() == []
        else:
            assert lines.take_unasked() == [] and await lines.answer("2> ") == "leave\n"

    asyncio.run(read())
