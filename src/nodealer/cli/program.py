"""A seat played by a program in any language.

One JSON line on standard output asks, one on standard input answers.

docs/build/programs.md describes the lines, with a program that plays.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from contextlib import suppress
from typing import Any, Final

import msgspec

from nodealer.cli import text as phrases
from nodealer.cli.output import print_json_line
from nodealer.engine.prompts import Decision, Question, legal_choice, legal_move, legal_seal
from nodealer.errors import IllegalMove
from nodealer.games.package import GamePackage

#: The longest answer.
ANSWER_BYTES_MAX: Final = 1 << 16
_BLOCK: Final = 1 << 16


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A program's answer: the number of the question, and a move, positions, or a text to seal."""

    ask: int
    move: dict[str, Any] | None = None
    choose: tuple[int, ...] | None = None
    seal: str | None = None


class Program:
    """Asks the program at the other end of standard input and output."""

    def __init__(self, game: GamePackage) -> None:
        """Ask about this game. The questions are printed on standard output, as JSON."""
        self._game = game
        self._answers = _Answers()
        self._asked = 0

    async def decide(self, question: Question) -> Decision:
        """Ask once, then read answers until one is legal. Reports what is wrong with the others."""
        self._asked += 1
        print_json_line({"event": "ask", "ask": self._asked} | _question_json(self._game, question))
        while True:
            line = await self._answers.next()
            try:
                return self._read(question, line)
            except IllegalMove as error:
                print_json_line({"event": "refused", "ask": self._asked, "reason": str(error)})

    def _read(self, question: Question, line: bytes) -> Decision:
        """Parse an answer. Raises `IllegalMove` if it does not answer the question."""
        try:
            answer = msgspec.json.decode(line, type=Answer)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise IllegalMove(phrases.bad_answer(error)) from None
        if answer.ask != self._asked:
            raise IllegalMove(phrases.answer_to_other_question(answer.ask, self._asked))
        if question.seal is not None:
            if answer.seal is None or answer.move is not None or answer.choose is not None:
                raise IllegalMove(phrases.WANTS_SEAL)
            return legal_seal(answer.seal)
        if question.peek is not None:
            if answer.choose is None or answer.move is not None or answer.seal is not None:
                raise IllegalMove(phrases.WANTS_CHOICE)
            return legal_choice(question.view, question.peek, answer.choose)
        if answer.move is None or answer.choose is not None or answer.seal is not None:
            raise IllegalMove(phrases.WANTS_MOVE)
        return legal_move(self._game, question.view, answer.move)


def _question_json(game: GamePackage, question: Question) -> dict[str, Any]:
    """Return a question as JSON: what is asked, and what the seat sees.

    `page` has the possible moves, as the game's page shows them.
    """
    view, peek = question.view, question.peek
    who = {"seat": view.seat, "name": view.names[view.seat], "hand": view.hand + 1}
    if question.seal is not None:
        return who | {"for": "seal", "deck": question.seal.deck, "page": game.page(view)}
    if peek is None:
        return who | {"for": "move", "page": game.page(view)}
    seen = [
        {"position": position, "card": str(game.words.looked_at(view.game, peek.deck, face))}
        for position, face in view.seen_in(peek.deck).items()
    ]
    return who | {"for": "choose", "then": peek.then, "deck": peek.deck, "seen": seen, "page": game.page(view)}


class _Answers:
    """Standard input, one line at a time, read in a thread that is never joined: the game may end first."""

    def __init__(self) -> None:
        """Start without reading; the thread starts with the first call of `next`."""
        self._lines: asyncio.Queue[bytes | None] | None = None

    async def next(self) -> bytes:
        """Return the next line. Raises `KeyboardInterrupt` at the end of the input: the program has gone."""
        if self._lines is None:
            self._lines = asyncio.Queue()
            reading = (asyncio.get_running_loop(), self._lines)
            threading.Thread(target=_read, args=reading, daemon=True).start()
        line = await self._lines.get()
        if line is None:
            self._lines.put_nowait(None)
            raise KeyboardInterrupt
        return line


def _read(loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[bytes | None]) -> None:
    """Read lines into the queue.

    Not through `sys.stdin`'s buffer: a thread waiting there would keep the interpreter from ending.
    """
    kept = b""
    with suppress(RuntimeError):  # the game is over and the loop closed
        while len(kept) <= ANSWER_BYTES_MAX and (more := _read_block()):
            *whole, kept = (kept + more).split(b"\n")
            for line in whole:
                loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, None)


def _read_block() -> bytes:
    """Return the next bytes of standard input, or none at its end."""
    try:
        return os.read(sys.stdin.fileno(), _BLOCK)
    except (OSError, ValueError):
        return b""
