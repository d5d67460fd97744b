"""A person's seat in the terminal: what lies on the table, what may be done, and a prompt."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from nodealer.cards import Peek
from nodealer.cli.lines import Lines
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
        self._lines = Lines()
        #: Takes what is said to the table and not to the game, such as `leave`; says whether it was that.
        self.to_the_table: Callable[[str], bool] = lambda line: False

    async def decide(self, question: Question) -> Decision:
        """Ask until the answer is a legal move, or a choice."""
        view, peek = question.view, question.peek
        with self._quiet():
            return await (self._move(view) if peek is None else self._choose(view, peek))

    async def idle(self) -> None:
        """Hear what is said to the table while the person is asked nothing. Until cancelled."""
        with self._quiet():
            while True:
                line = await self._lines.next()
                if line.strip() and not self.to_the_table(line):
                    self._console.print("[yellow]it is not your turn[/yellow]")

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
        """A line that is for the game."""
        while True:
            sys.stdout.write("> ")
            sys.stdout.flush()
            line = await self._lines.next()
            if not self.to_the_table(line):
                return line
