"""A person at a terminal, at the second seat of a table: a real client, a keyboard, and a clock that the test moves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar
from unittest import mock

from conformance.games import TinyRules
from engine.circle import Circle
from nodealer.cli.output import to_markup
from nodealer.cli.terminal.input import LineReader
from nodealer.cli.terminal.ui import TerminalUI
from nodealer.client.events import TableEvent
from nodealer.client.policies import TimeoutVoter
from nodealer.client.status import TableStatus
from nodealer.client.table_client import Behaviour, ClientOptions, TableClient
from nodealer.client.transport import Connected, Event
from nodealer.engine.participant import KeySchedule, Participant
from nodealer.engine.phases import Phase
from nodealer.games.text import Text
from nodealer.log.session import Limits


class Typing(LineReader):
    """A keyboard. What is typed goes to whoever waits for a line."""

    def __init__(self, *, typed: bool = True) -> None:
        self._typed = typed
        #: The prompts so far; empty where a line is read that no question asked for.
        self.asked: list[str] = []
        self._waits: asyncio.Future[str] | None = None
        self.unasked: list[str] = []

    def take_unasked(self) -> list[str]:
        lines, self.unasked = self.unasked, []
        return lines

    @property
    def typed(self) -> bool:
        return self._typed

    @contextmanager
    def aside(self) -> Iterator[None]:
        yield

    async def answer(self, prompt: str) -> str:
        self.asked.append(prompt)
        self._waits = asyncio.get_running_loop().create_future()
        return await self._waits

    async def next(self) -> str:
        return await self.answer("")

    def type(self, line: str) -> None:
        assert self._waits is not None and not self._waits.done(), f"nobody reads {line!r}"
        self._waits.set_result(line + "\n")


class Reading(TerminalUI):
    """A terminal whose lines somebody reads."""

    def __init__(self, lines: LineReader, name: str | None = "Bo", *, network: bool = True) -> None:
        self.lines: list[str] = []
        self.shown: list[TableEvent] = []
        self.seen = 0
        super().__init__(name=name, network=network, lines=lines)

    def show(self, event: TableEvent) -> None:
        self.shown.append(event)
        super().show(event)

    def say(self, markup: str) -> None:
        self.lines.append(markup)

    def _say_lines(self, *lines: Text) -> None:
        self.lines += map(to_markup, lines)

    def status(self, status: TableStatus) -> None:
        super().status(status)
        self.seen += 1


class Wire:
    """The connection of one client to a circle, whose frames the test passes on."""

    def __init__(self) -> None:
        self.incoming: asyncio.Queue[Event] = asyncio.Queue()
        self.sent: list[bytes] = []

    async def send(self, frame: bytes) -> None:
        self.sent.append(frame)

    async def events(self) -> AsyncGenerator[Event, None]:
        while True:
            yield await self.incoming.get()


class Around(Circle):
    """A circle in which one place is a client's."""

    client_hears: Callable[[bytes], Iterable[bytes]] | None = None

    def hear(self, place: int, one: Participant, frame: bytes, number: int) -> Iterable[bytes]:
        if place != 1 or self.client_hears is None:
            return super().hear(place, one, frame, number)
        return self.client_hears(frame)


class Seat:
    """A person at the second seat of a table."""

    #: Those whose programs run.
    running: ClassVar[list[Seat]] = []

    def __init__(
        self,
        clock: Limits | None = None,
        newcomers: int = 0,
        seats: int = 3,
        *,
        network: bool = True,
        typed: bool = True,
        keys: KeySchedule | None = None,
        play: bool = True,
    ) -> None:
        rules = TinyRules(stake=10, passes=True, deck_max=12)
        self.circle = Around(seats, rules=rules, hands=9, clock=clock, newcomers=newcomers)
        self.typing, self.wire, self.now = Typing(typed=typed), Wire(), 0.0
        self.network = network
        self.runner = asyncio.Runner()
        self.running.append(self)
        self.sit(keys=keys)
        if play:
            self.circle.play(until=lambda circle: bool(circle.people[1].options().must_move))
            self._rest()

    def sit(self, **options: Any) -> None:
        """The program of this seat starts, and the one before it ends."""
        self.end()
        self.runner = asyncio.Runner()
        self.me = self.circle.people[1] = self.circle.sit(self.circle.homes[1], by_person=True, **options)
        self.wire = Wire()
        self.ui, self._read = Reading(self.typing, network=self.network), 0
        behaviour = Behaviour(policies=(TimeoutVoter(),))
        client = TableClient(self.me, self.wire, self.ui, behaviour, ClientOptions(), clock=lambda: self.now)
        self.wire.incoming.put_nowait(Connected(len(self.circle.frames)))
        for frame in self.circle.frames:
            self.wire.incoming.put_nowait(frame)
        self.task = self.runner.get_loop().create_task(client.run())
        self._rest()
        if not self.circle.frames:
            # The circle has said hello for everybody.
            self.wire.sent.clear()
        self._flush()
        self.circle.client_hears = self._hears

    def end(self) -> None:
        """The program of this seat ends."""
        self.runner.close()

    def _hears(self, frame: bytes) -> Iterable[bytes]:
        self.wire.incoming.put_nowait(frame)
        self._rest()
        sent, self.wire.sent = self.wire.sent, []
        return sent

    def _flush(self) -> None:
        self.circle.waiting.extend(self.wire.sent)
        self.wire.sent = []

    def _rest(self) -> None:
        """The client has done all that there is to do now."""

        async def rest() -> None:
            seen = self.ui.seen
            while not self.task.done() and (self.wire.incoming.qsize() or self.ui.seen < seen + 2):
                await asyncio.sleep(0)

        with (
            mock.patch("nodealer.client.table_client.WAKE_SECONDS", 0.0),
            mock.patch("nodealer.client.table_client.BATCH_WINDOW", 0.0),
        ):
            self.runner.run(rest())

    @property
    def lines(self) -> list[str]:
        """All that was on the screen."""
        return self.ui.lines

    def types(self, line: str) -> list[str]:
        """What is said to that."""
        before = len(self.lines)
        self.typing.type(line)
        self._rest()
        self._rest()
        self._flush()
        self._read = len(self.lines)
        return self.lines[before:]

    def looks(self, seconds: float = 0.0) -> list[str]:
        """What is new on the screen, also after some time."""
        for _ in range(1 + round(2 * seconds)):
            self._rest()
            self._flush()
            self.now += 0.5
        before, self._read = self._read, len(self.lines)
        return self.lines[before:]

    def hand(self, number: int) -> None:
        self.circle.play(
            until=lambda circle: (
                circle.people[0].replica.state.hand.number == number
                and circle.people[0].replica.state.phase is Phase.PLAYING
            )
        )
