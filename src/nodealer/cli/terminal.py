"""A person's seat in the terminal: what lies on the table, what may be done, and a prompt."""

from __future__ import annotations

import asyncio
import sys
from typing import Final

from rich.console import Console

from nodealer.cli.narrator import pretty
from nodealer.errors import BadParameter, IllegalMove
from nodealer.games.holdem.hand import Hand
from nodealer.games.holdem.moves import Call, Fold, Legal, Move, Muck, Raise, ShowHand
from nodealer.play.view import View
from nodealer.wire import Message, encode

HELP: Final = """[bold]f[/bold] fold   [bold]c[/bold] check or call   [bold]r 40[/bold] raise to 40   \
[bold]a[/bold] all in   [bold]s[/bold] show   [bold]m[/bold] muck   [bold]?[/bold] this help   Ctrl-C leave"""


class Person:
    """Asks the person at the keyboard."""

    def __init__(self) -> None:
        self._console = Console(highlight=False)

    async def move(self, view: View) -> Message:
        """Ask until the answer is a legal move."""
        game = view.game
        if not isinstance(game, Hand):
            raise BadParameter("the terminal plays hold'em")
        self._show(view, game)
        while True:
            answer = await asyncio.to_thread(self._ask, game.legal(view.seat))
            try:
                move = read_answer(answer, game.legal(view.seat))
                if move is None:
                    self._console.print(HELP)
                    continue
                game.moved(view.seat, encode(move))
                return move
            except IllegalMove as error:
                self._console.print(f"[yellow]{error}[/yellow]")

    def _show(self, view: View, game: Hand) -> None:
        self._console.print(
            f"  your cards [bold]{pretty(tuple(view.cards.values()))}[/bold]   "
            f"board [bold]{pretty(game.board) or '–'}[/bold]   pot {game.pot}"
        )

    def _ask(self, legal: Legal) -> str:
        self._console.print(f"  you may: {legal}   (? for help)")
        sys.stdout.write("> ")
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            raise KeyboardInterrupt
        return line


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
