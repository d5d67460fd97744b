"""A person's seat in the terminal: what lies on the table, what may be done, and a prompt."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress

from nodealer.cards import Peek
from nodealer.cli.output import out, rendered, shown
from nodealer.errors import IllegalMove
from nodealer.games.view import View
from nodealer.games.words import Text, Words
from nodealer.play.participant import Decision, Question
from nodealer.wire import Message, encode


class Person:
    """Asks the person at the keyboard."""

    def __init__(self, words: Words, quiet: Callable[[], AbstractContextManager[None]] = nullcontext) -> None:
        self._words = words
        self._console = out()
        self._quiet = quiet

    async def decide(self, question: Question) -> Decision:
        """Ask until the answer is a legal move, or a choice."""
        view, peek = question.view, question.peek
        with self._quiet():
            return await (self._move(view) if peek is None else self._choose(view, peek))

    async def _move(self, view: View) -> Message:
        self._say(*self._words.table(view))
        while True:
            self._say(self._words.prompt(view))
            try:
                move = self._words.read(view, await self._line())
                if move is None:
                    self._say(*self._words.help)
                    continue
                if view.game is not None:
                    view.game.moved(view.seat, encode(move))
                return move
            except IllegalMove as error:
                self._console.print(f"[yellow]{shown(error)}[/yellow]")

    async def _choose(self, view: View, peek: Peek) -> tuple[int, ...]:
        self._say(*self._words.offer(view, peek))
        while True:
            try:
                return self._words.choose(view, peek, await self._line())
            except IllegalMove as error:
                self._console.print(f"[yellow]{shown(error)}[/yellow]")

    def _say(self, *lines: Text) -> None:
        for line in lines:
            self._console.print(rendered(line))

    async def _line(self) -> str:
        sys.stdout.write("> ")
        sys.stdout.flush()
        line = await _read_line()
        if not line:
            raise KeyboardInterrupt
        return line


async def _read_line() -> str:
    """A line of standard input. In a thread that nobody waits for: Ctrl-C must not hang until Enter is pressed."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[str] = loop.create_future()

    def give(line: str) -> None:
        if not answer.done():
            answer.set_result(line)

    def read() -> None:
        line = sys.stdin.readline()
        with suppress(RuntimeError):  # the game is over and the loop closed
            loop.call_soon_threadsafe(give, line)

    threading.Thread(target=read, daemon=True).start()
    return await answer
