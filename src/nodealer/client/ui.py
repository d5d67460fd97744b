"""The interface of a front end to its client: terminal, JSON lines, page, or nothing at all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final, Protocol

from nodealer.client.commands import Command, StartGame
from nodealer.client.events import TableEvent
from nodealer.client.front_end import FrontEndGone
from nodealer.client.questions import LobbyQuestion
from nodealer.client.status import TableStatus
from nodealer.engine.prompts import Decision, Question
from nodealer.errors import NodealerError


class UI(Protocol):
    """A front end of one participant."""

    def show(self, event: TableEvent) -> None:
        """Show something that happened. Called once for each event."""

    def status(self, status: TableStatus) -> None:
        """Take note of the status of the table. Called after every change, and several times a second."""

    async def prompt(self, question: Question | LobbyQuestion) -> Decision | bool:
        """Ask the person, and return a decision that the game allows, or yes or no for a question of the lobby.

        Cancelled if the question is no longer open.
        """

    def commands(self) -> AsyncGenerator[Command, None]:
        """Yield what the person wants to do besides answering. Each command is carried out at once."""


#: How many different errors of a front end are reported.
REPORTS_MAX: Final = 10


class GuardedUI:
    """A front end whose mistakes do not end the game: they are reported to the event loop, and the seat goes on."""

    def __init__(self, ui: UI) -> None:
        """Guard this front end."""
        self._ui = ui
        #: The errors that were reported: few, and each once, because a status comes several times a second.
        self._reported: set[str] = set()

    def show(self, event: TableEvent) -> None:
        """Show an event."""
        try:
            self._ui.show(event)
        except Exception as error:
            self._report(error)

    def status(self, status: TableStatus) -> None:
        """Pass on the status."""
        try:
            self._ui.status(status)
        except Exception as error:
            self._report(error)

    async def prompt(self, question: Question | LobbyQuestion) -> Decision | bool:
        """Ask the person. If the front end fails, wait until the question is withdrawn."""
        try:
            return await self._ui.prompt(question)
        except Exception as error:
            self._report(error)
        await asyncio.Event().wait()
        return False

    async def commands(self) -> AsyncGenerator[Command, None]:
        """Yield the commands of the person. If the front end fails, there are no more."""
        try:
            async with aclosing(self._ui.commands()) as commands:
                async for command in commands:
                    yield command
        except Exception as error:
            self._report(error)

    def _report(self, error: Exception) -> None:
        """Report an unexpected error of the front end to the event loop, which prints it. Raise it if it was meant."""
        if isinstance(error, FrontEndGone | NodealerError):
            raise error
        if repr(error) not in self._reported and len(self._reported) < REPORTS_MAX:
            self._reported.add(repr(error))
            context = {"message": "the front end failed; the seat goes on", "exception": error}
            asyncio.get_running_loop().call_exception_handler(context)


class SilentUI:
    """The front end of a bot: shows nothing, and has no person to ask."""

    def show(self, event: TableEvent) -> None:
        """Show nothing."""

    def status(self, status: TableStatus) -> None:
        """Show nothing."""

    async def prompt(self, question: Question | LobbyQuestion) -> Decision | bool:
        """Wait forever: there is no one to ask."""
        await asyncio.Event().wait()
        return False

    async def commands(self) -> AsyncGenerator[Command, None]:
        """Yield nothing, forever."""
        await asyncio.Event().wait()
        yield StartGame()  # never reached: it makes this a generator
