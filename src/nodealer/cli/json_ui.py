"""The front end for a program in any language: events as JSON lines on standard output, and questions among them.

One line on standard input answers a question, or gives a command. docs/build/programs.md describes the lines, with a
program that plays.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any, Final, TypeVar

import msgspec

from nodealer.cli import text as phrases
from nodealer.cli.output import err, print_json_line, print_line
from nodealer.cli.terminal.commands import resolve_command
from nodealer.cli.terminal.event_lines import describe_progress, event_lines
from nodealer.client.commands import Command
from nodealer.client.event_json import event_json
from nodealer.client.events import GameContinued, LogCopyStopped, TableEvent
from nodealer.client.front_end import FrontEndGone
from nodealer.client.questions import LobbyQuestion
from nodealer.client.status import TableStatus
from nodealer.engine.prompts import Decision, Question, legal_choice, legal_move, legal_seal
from nodealer.engine.replica import Replica
from nodealer.errors import IllegalMove
from nodealer.games.package import GamePackage

T = TypeVar("T")

#: The longest answer.
ANSWER_BYTES_MAX: Final = 1 << 16
#: How many lines are read ahead. A program that writes more waits, as at any full pipe.
LINES_AHEAD_MAX: Final = 1000
_BLOCK: Final = 1 << 16
#: The status before the client has looked at the table.
_NOTHING_YET: Final = TableStatus(0.0, None)


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A program's answer: the number of the question, and a move, positions, or a text to seal."""

    ask: int
    move: dict[str, Any] | None = None
    choose: tuple[int, ...] | None = None
    seal: str | None = None


class CommandLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A program's command for the table: what to do, and to whom."""

    command: str
    name: str = ""


class JsonUI:
    """Prints events for programs, and asks the program at the other end of standard input and output."""

    def __init__(self, *, name: str | None = None, network: bool = True) -> None:
        """Show a table on standard output, as JSON.

        `name` is the player whom a program plays, if there is one: its commands are read from the start. `network`: the
        table is not on this machine.
        """
        self._input = _Input()
        self._name = name
        self._network = network
        self._status: TableStatus | None = None
        self._asked = 0

    @property
    def replica(self) -> Replica | None:
        """The table, once its players have agreed on a session."""
        return None if self._status is None else self._status.replica

    def show(self, event: TableEvent) -> None:
        """Print an event, if it has a line."""
        if (line := event_json(event)) is not None:
            print_json_line(line)
        elif isinstance(event, GameContinued):
            print_line(err(), phrases.continuing(describe_progress(self.replica)))
        elif isinstance(event, LogCopyStopped):
            for text in event_lines(event):
                print_line(err(), text)

    def status(self, status: TableStatus) -> None:
        """Keep the status of the table."""
        self._status = status

    async def prompt(self, question: Question | LobbyQuestion) -> Decision | bool:
        """Ask once, then read answers until one is legal. Report what is wrong with the others.

        A program is not asked in the lobby. Raise `FrontEndGone` at the end of the input.
        """
        game = None if self.replica is None else self.replica.config.package
        if isinstance(question, LobbyQuestion) or game is None:
            await asyncio.Event().wait()
            return False
        self._asked += 1
        print_json_line({"event": "ask", "ask": self._asked} | _question_json(game, question))
        while True:
            line = await self._input.next_answer()
            try:
                return self._read(game, question, line)
            except IllegalMove as error:
                print_json_line({"event": "refused", "ask": self._asked, "reason": str(error)})

    async def commands(self) -> AsyncGenerator[Command, None]:
        """Yield the program's commands."""
        if self._name is not None:
            self._input.start()
        while True:
            line = await self._input.next_command()
            try:
                sent = _decode(line, CommandLine)
                verb, rest = ("sit", "out") if sent.command == "sit_out" else (sent.command, sent.name)
                command = resolve_command(verb, rest, self._status or _NOTHING_YET, network=self._network)
            except IllegalMove as error:
                print_json_line({"event": "refused", "command": _command_word(line), "reason": str(error)})
                continue
            yield command

    def _read(self, game: GamePackage, question: Question, line: bytes) -> Decision:
        """Parse an answer. Raises `IllegalMove` if it does not answer the question."""
        answer = _decode(line, Answer)
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
        return legal_move(game, question.view, answer.move)


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


# --- Lines of a program ---


def _decode(line: bytes, kind: type[T]) -> T:
    """Parse a line. Raise `IllegalMove` if it is not of this kind."""
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise IllegalMove(phrases.bad_answer(error)) from None


def _command_word(line: bytes) -> str | None:
    """Return the command that a line contains, or None if that is not a text."""
    with suppress(IllegalMove):
        word = _decode(line, dict[str, Any]).get("command")
        return word if isinstance(word, str) else None
    return None


def _is_command(line: bytes) -> bool:
    """Return whether a line is meant as a command, and not as an answer."""
    with suppress(IllegalMove):
        return "command" in _decode(line, dict[str, Any])
    return False


class _Input:
    """Standard input, one line at a time, read in a thread that is never joined: the game may end first."""

    def __init__(self) -> None:
        """Start without reading."""
        self._reading = False
        self._room = threading.Semaphore(LINES_AHEAD_MAX)
        self._answers: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._commands: asyncio.Queue[bytes] = asyncio.Queue()

    def start(self) -> None:
        """Start to read, unless that was done before."""
        if not self._reading:
            self._reading = True
            loop = asyncio.get_running_loop()
            threading.Thread(target=self._read, args=(loop,), daemon=True).start()

    async def next_answer(self) -> bytes:
        """Return the next line that is not a command. Raise `FrontEndGone` at the end: the program has gone."""
        self.start()
        line = await self._answers.get()
        if line is None:
            self._answers.put_nowait(None)
            raise FrontEndGone
        self._room.release()
        return line

    async def next_command(self) -> bytes:
        """Return the next command. At the end of the input there is none."""
        line = await self._commands.get()
        self._room.release()
        return line

    def _deliver(self, line: bytes | None) -> None:
        """Give a line to whoever it is for; None means the end of the input."""
        if line is not None and _is_command(line):
            self._commands.put_nowait(line)
        else:
            self._answers.put_nowait(line)

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        """Read lines and deliver them.

        Not through `sys.stdin`'s buffer: a thread waiting there would keep the interpreter from ending.
        """
        kept = b""
        with suppress(RuntimeError):  # the game is over and the loop closed
            while len(kept) <= ANSWER_BYTES_MAX and (more := _read_block()):
                *whole, kept = (kept + more).split(b"\n")
                for line in whole:
                    self._room.acquire()
                    loop.call_soon_threadsafe(self._deliver, line)
            loop.call_soon_threadsafe(self._deliver, None)


def _read_block() -> bytes:
    """Return the next bytes of standard input, or none at its end."""
    try:
        return os.read(sys.stdin.fileno(), _BLOCK)
    except (OSError, ValueError):
        return b""
