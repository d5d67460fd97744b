"""A person's seat in the terminal: what lies on the table, what may be done, and a prompt."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Final

from nodealer.cli.games import Desk, desk_for
from nodealer.cli.narrator import pretty
from nodealer.cli.output import out, shown
from nodealer.errors import BadParameter, IllegalMove
from nodealer.games.holdem.hand import Hand
from nodealer.games.holdem.moves import Call, Fold, Legal, Move, Muck, Raise, ShowHand
from nodealer.play.view import View
from nodealer.protocols.base import Duty
from nodealer.wire import Message, encode

HELP: Final = """[bold]f[/bold] fold   [bold]c[/bold] check or call   [bold]r 40[/bold] raise to 40   \
[bold]a[/bold] all in   [bold]s[/bold] show   [bold]m[/bold] muck   [bold]?[/bold] this help   Ctrl-C leave"""


class Person:
    """Asks the person at the keyboard."""

    def __init__(self, quiet: Callable[[], AbstractContextManager[None]] = nullcontext) -> None:
        self._console = out()
        self._quiet = quiet

    async def decide(self, view: View, question: Duty) -> Message | bytes:
        """Ask until the answer is a legal move, or a choice."""
        with self._quiet():
            return await (self._move(view) if question.deck is None else self._choose(view, question))

    async def _move(self, view: View) -> Message:
        game = view.game
        desk = desk_for(game)
        if desk is not None:
            return await self._move_at(desk, view)
        if not isinstance(game, Hand):
            raise BadParameter("the terminal does not play this game")
        self._show(view, game)
        while True:
            answer = await self._ask(game.legal(view.seat))
            try:
                move = read_answer(answer, game.legal(view.seat))
                if move is None:
                    self._console.print(HELP)
                    continue
                game.moved(view.seat, encode(move))
                return move
            except IllegalMove as error:
                self._console.print(f"[yellow]{shown(error)}[/yellow]")

    async def _move_at(self, desk: Desk, view: View) -> Message:
        desk.show(view, self._console)
        while True:
            try:
                move = desk.read(view, await self._line())
                if move is None:
                    self._console.print(desk.help)
                    continue
                if view.game is not None:
                    view.game.moved(view.seat, encode(move))
                return move
            except IllegalMove as error:
                self._console.print(f"[yellow]{shown(error)}[/yellow]")

    async def _choose(self, view: View, duty: Duty) -> bytes:
        desk = desk_for(view.game)
        if desk is None:
            raise BadParameter("nothing is chosen in this game")
        desk.offer(view, duty, self._console)
        while True:
            try:
                return desk.choose(view, duty, await self._line())
            except IllegalMove as error:
                self._console.print(f"[yellow]{shown(error)}[/yellow]")

    def _show(self, view: View, game: Hand) -> None:
        self._console.print(
            f"  your cards [bold]{pretty(tuple(view.cards.values()))}[/bold]   "
            f"board [bold]{pretty(game.board) or '–'}[/bold]   pot {game.pot}"
        )

    async def _ask(self, legal: Legal) -> str:
        self._console.print(f"  you may: {shown(legal)}   (? for help)")
        return await self._line()

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


def read_answer(text: str, legal: Legal) -> Move | None:
    """The move that a person typed; None for a request for help. Raises `IllegalMove` for anything else."""
    words = text.split()
    match words:
        case ["f" | "fold"]:
            return Fold()
        case ["c" | "call" | "check"]:
            return Call()
        case ["r" | "raise", amount] if amount.isascii() and amount.isdigit() and len(amount) < 16 and int(amount) > 0:
            return Raise(int(amount))
        case ["a" | "all"] if legal.raise_to is not None:
            return Raise(legal.raise_to)
        case ["s" | "show"]:
            return ShowHand()
        case ["m" | "muck"]:
            return Muck()
        case ["?" | "help"] | []:
            return None
    raise IllegalMove(f"{text.strip()!r} is not a move here; ? lists them")
