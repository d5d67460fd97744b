"""The client of a table: agents and people who think, what they want meanwhile, and what happens while they do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import pytest

from client.hub import Hub, Line
from conformance.clear import ClearProtocol, bad_dealt_share, bad_proof
from conformance.games import TinyMove, TinyRules
from engine.circle import Circle
from nodealer.client.agents import Agent
from nodealer.client.commands import WORDS, SendChat, StartGame
from nodealer.client.commands import Command as AnyCommand
from nodealer.client.events import AsksToSit, Chatted, CommandRefused, Ended, Fault, TableEvent, Word
from nodealer.client.front_end import FrontEndGone
from nodealer.client.lobby import Onlooker
from nodealer.client.policies import Policy, TimeoutVoter
from nodealer.client.questions import LobbyQuestion
from nodealer.client.status import TableStatus
from nodealer.client.table_client import COMMANDS_MAX, Behaviour, NotSeated, TableClient
from nodealer.client.transport import Connected, Event
from nodealer.client.ui import REPORTS_MAX, UI, GuardedUI, SilentUI
from nodealer.engine.commands import (
    AdmitPlayer,
    Command,
    MakeMove,
    ProposeSession,
    RemovePlayer,
    RequestSeat,
    SitOut,
    VoteAbort,
    VoteSkip,
    WriteNote,
)
from nodealer.engine.inbox import EntryBatch
from nodealer.engine.participant import TOGETHER_MAX, Participant
from nodealer.engine.phases import Phase
from nodealer.engine.prompts import Decision, Question
from nodealer.engine.seat import Seat
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import CardUnreadable, Declined, HomeUnusable, RelayError
from nodealer.group import group
from nodealer.log.session import Proposal
from nodealer.proofs.checks import settle

T = TypeVar("T")


class Passes:
    """An agent that answers at once."""

    async def decide(self, question: Question) -> Decision:
        return TinyMove(False)


class Thinks:
    """An agent that thinks until it is told to answer, and records what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self.cancelled = 0
        self.now = asyncio.Event()
        self.thinking = asyncio.Event()

    async def decide(self, question: Question) -> Decision:
        self.asked.append(question)
        self.thinking.set()
        try:
            await self.now.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.thinking.clear()
        return TinyMove(True)


class Proposer(Onlooker):
    """Proposes the circle's game once everyone has come."""

    def __init__(self, circle: Circle) -> None:
        super().__init__(lambda event: None)
        self._circle = circle
        self._proposed = False

    def on_status(self, status: TableStatus) -> Sequence[Command]:
        if self._proposed or status.lobby is None or len(status.lobby.offers) < self._circle.seats:
            return ()
        self._proposed = True
        return (ProposeSession(self._circle.proposal()),)


class Recorder(SilentUI):
    """A front end that records what it shows. Its person gives the commands that are put into `wants`."""

    def __init__(self) -> None:
        self.shown: list[TableEvent] = []
        self.statuses: list[TableStatus] = []
        self.wants: asyncio.Queue[AnyCommand] = asyncio.Queue()

    def show(self, event: TableEvent) -> None:
        self.shown.append(event)

    def status(self, status: TableStatus) -> None:
        self.statuses.append(status)

    async def commands(self) -> AsyncGenerator[AnyCommand, None]:
        while True:
            yield await self.wants.get()

    def of(self, kind: type[T]) -> list[T]:
        """Return the events of one kind."""
        return [event for event in self.shown if isinstance(event, kind)]


class Table:
    """Clients around one hub. The first player proposes; players without their own agent pass."""

    def __init__(
        self,
        circle: Circle,
        minds: Mapping[int, Agent | None],
        *,
        uis: Mapping[int, UI] | None = None,
        policies: Mapping[int, Sequence[Policy]] | None = None,
        **options: Any,
    ) -> None:
        self.hub = Hub()
        self.circle = circle
        self.lines = [Line(self.hub, 0) for _ in circle.people]
        self.uis = [(uis or {}).get(place, Recorder()) for place in range(len(circle.people))]
        self.clients = [
            TableClient(
                one,
                self.lines[place],
                self.uis[place],
                Behaviour(
                    minds.get(place, Passes()) if one.store.name is not None else None,
                    Proposer(circle) if place == 0 else None,
                    (policies or {}).get(place, ()),
                ),
                **(options if place == 1 else {}),
            )
            for place, one in enumerate(circle.people)
        ]

    def start(self) -> list[asyncio.Task[Participant]]:
        return [asyncio.create_task(client.run()) for client in self.clients]


def in_time(work: Callable[[], Awaitable[None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(60):
            await work()

    asyncio.run(run())


def small(**options: Any) -> Circle:
    return Circle(3, hands=1, watchers=1, **options)


async def until(true: Callable[[], bool]) -> None:
    while not true():
        await asyncio.sleep(0.001)


def test_frames_come_in_while_a_mind_thinks() -> None:
    async def work() -> None:
        mind = Thinks()
        table = Table(small(), {0: mind})
        tasks = table.start()
        await mind.thinking.wait()
        one = table.circle.people[0]
        for number in range(50):
            await table.hub.say(b"junk %d" % number)
        await until(lambda: one.next_frame_number == len(table.hub.frames))
        assert len(mind.asked) == 1 and not mind.cancelled, "what changes nothing is nothing to think about"
        mind.now.set()
        await asyncio.gather(*tasks)
        assert table.circle.digests() == {one.replica.digest()} and one.replica.state.phase is Phase.ENDED
        assert b'"show":true' in b"".join(table.lines[0].sent)

    in_time(work)


def test_a_seat_on_the_network_looks_at_what_came_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batching takes fewer checks for the same game. No one waits: a seat that owes something checks at once."""
    monkeypatch.setattr("nodealer.client.table_client.BATCH_WINDOW", 3600.0)

    def sums(most: int) -> int:
        made = [0]

        def counted(*arguments: Any) -> None:
            made[0] += 1
            settle(*arguments)

        async def work() -> None:
            table = Table(Circle(4, hands=1, rules=TinyRules(deck_max=8)), {})
            await asyncio.gather(*table.start())
            one = table.circle.people[0].replica
            assert table.circle.digests() == {one.digest()} and one.state.phase is Phase.ENDED
            # What was received was also stored.
            assert all(home.entries == one.entries for home in table.circle.homes)

        with monkeypatch.context() as patch:
            patch.setattr("nodealer.engine.participant.TOGETHER_MAX", most)
            patch.setattr("nodealer.engine.replica.settle", counted)
            in_time(work)
        return made[0]

    assert sums(TOGETHER_MAX) < sums(0)


class Silent(Line):
    """A connection that receives but never delivers what is sent."""

    async def send(self, frame: bytes) -> None:
        self.sent.append(frame)


def lying_first() -> Circle:
    """Return a circle whose first player's key comes with a false proof."""
    circle = Circle(3, hands=1, rules=TinyRules(deck_max=8))
    lying = ClearProtocol(group(), lies={(0, "key"): bad_proof})
    circle.people[0] = circle.sit(circle.homes[0], parts=lambda proposal: (lying, circle.rules, None))
    return circle.play(decide=lambda one: [])


def false_entry(circle: Circle) -> bytes:
    replica = circle.people[1].replica
    return replica.entries[replica.state.faults[0].entry]


def test_a_pause_is_enough_to_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """If no frame follows, participants with nothing to send check all the same, and a liar is named."""
    monkeypatch.setattr("nodealer.client.table_client.BATCH_WINDOW", 0.001)

    put_off = list[EntryBatch]()

    class Noted(EntryBatch):
        def __init__(self, seat: Seat) -> None:
            put_off.append(self)
            super().__init__(seat)

    monkeypatch.setattr("nodealer.engine.participant.EntryBatch", Noted)

    async def work() -> None:
        circle = lying_first()
        home = circle.homes[1]
        one, hub, ui = circle.sit(MemoryPlayerStore(home.name, home.identity, home.root)), Hub(), Recorder()

        task = asyncio.create_task(TableClient(one, Silent(hub, 0), ui).run())
        for number, frame in enumerate(circle.frames):
            await hub.say(frame)
            await until(lambda number=number: one.next_frame_number == number + 1)  # type: ignore[misc]
            await until(lambda: one.is_settled)
        assert put_off, "the test is of what is put off"
        assert [fault.seat for fault in ui.of(Fault)] == [circle.people[0].seat.number]
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    in_time(work)


@pytest.mark.parametrize("written", [0, 7, 12])
def test_a_disk_that_fails_is_told_by_the_loop_whoever_has_looked(written: int) -> None:
    """If the disk fails while an observer reads the state between batched entries, the loop ends."""

    class Asked(MemoryPlayerStore):
        def append(self, data: bytes) -> None:
            if len(self.entries) == written:
                raise HomeUnusable("the disk is full")
            super().append(data)

    async def work() -> None:
        circle = small()
        old = circle.homes[2]
        circle.homes[2] = Asked(old.name, old.identity, old.root)
        one = circle.people[2] = circle.sit(circle.homes[2])
        table = Table(circle, {})
        take, puts_off = table.clients[2]._handle, 0

        async def asked(event: Event | None) -> None:
            nonlocal puts_off
            await take(event)
            puts_off += not one.is_settled
            if one.has_session:
                # As a page or a timer would.
                assert one.options() and one.replica and not one.is_over

        table.clients[2]._handle = asked  # type: ignore[method-assign]
        tasks = table.start()
        with pytest.raises(HomeUnusable, match="the disk is full"):
            await tasks[2]
        assert len(circle.homes[2].entries) == written and (puts_off or not written)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    in_time(work)


def test_a_mind_that_is_overtaken_is_stopped_and_asked_anew() -> None:
    """The other players make its move for it."""

    async def work() -> None:
        mind = Thinks()
        circle = Circle(3, hands=2, watchers=1, rules=TinyRules(passes=True))
        table = Table(circle, {0: mind})
        tasks = table.start()
        await mind.thinking.wait()
        for place in (1, 2):
            await until(lambda place=place: bool(circle.people[place].options().can_vote_skip))  # type: ignore[misc]
            for frame in circle.people[place].command(VoteSkip(frozenset({0}))):
                await table.hub.say(frame)
        await until(lambda: len(mind.asked) == 2)
        assert mind.cancelled == 1
        mind.now.set()
        await asyncio.gather(*tasks)
        first, second = mind.asked
        assert first.duty.binding.hand == 0 and second.duty.binding.hand == 1
        moves = [frame for frame in table.lines[0].sent if b'"move":{"show"' in frame]
        assert len(moves) == 1, "what it would have said to the first is not said to the second"

    in_time(work)


def test_a_transport_that_ends() -> None:
    async def work() -> None:
        mind = Thinks()
        table = Table(small(), {0: mind})
        tasks = table.start()
        await mind.thinking.wait()
        await table.hub.end()
        for task in tasks:
            with pytest.raises(RelayError, match="before the game did"):
                await task
        assert mind.cancelled == 1

    in_time(work)


def test_a_relay_that_ends_after_a_false_proof_does_not_hide_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nodealer.client.table_client.BATCH_WINDOW", 3600.0)

    async def work() -> None:
        circle = lying_first()
        liar, home = circle.people[0].seat.number, circle.homes[1]
        fresh, hub, ui = MemoryPlayerStore(home.name, home.identity, home.root), Hub(), Recorder()
        one = circle.sit(fresh)

        task = asyncio.create_task(TableClient(one, Silent(hub, 0), ui).run())
        for number, frame in enumerate(circle.frames):
            await hub.say(frame)
            await until(lambda number=number: one.next_frame_number == number + 1)  # type: ignore[misc]
            if not one.is_settled and frame == false_entry(circle):
                break
        assert not one.is_settled and frame not in fresh.entries
        await hub.end()
        with pytest.raises(RelayError, match="before the game did"):
            await task
        assert frame in fresh.entries
        assert [fault.seat for fault in ui.of(Fault)] == [liar]

    in_time(work)


def test_a_line_that_breaks_and_another_one() -> None:
    """A new loop around the same participant receives everything again and accepts only what is new."""

    async def work() -> None:
        mind = Thinks()
        table = Table(small(), {0: mind})
        tasks = table.start()
        await mind.thinking.wait()
        tasks[0].cancel()
        with pytest.raises(asyncio.CancelledError):
            await tasks[0]
        assert mind.cancelled == 1
        one, line = table.circle.people[0], Line(table.hub)
        mind.now.set()
        await asyncio.gather(TableClient(one, line, Recorder(), Behaviour(mind)).run(), *tasks[1:])
        assert one.replica.state.phase is Phase.ENDED and len(table.circle.digests()) == 1

    in_time(work)


def test_without_a_connection_a_mind_thinks_on_and_nothing_is_signed() -> None:
    """After reconnecting, its answer and all unconfirmed messages are sent."""

    async def work() -> None:
        mind = Thinks()
        table = Table(small(), {0: mind})
        tasks = table.start()
        await mind.thinking.wait()
        one, line = table.circle.people[0], table.lines[0]
        await line.cut()
        await until(lambda: not table.clients[0]._connected)
        mind.now.set()
        signed, sent = len(one.store.journal.records), len(line.sent)
        await asyncio.sleep(0.02)
        assert len(one.store.journal.records) == signed and not mind.cancelled
        line.whole.set()
        await asyncio.gather(*tasks)
        assert len(line.sent) > sent and one.replica.state.phase is Phase.ENDED and len(table.circle.digests()) == 1

    in_time(work)


@pytest.mark.parametrize("when", ["before", "while it is heard"])
def test_an_answer_waits_until_what_was_missed_is_heard(when: str) -> None:
    """The missed frames did not close the question: no one is asked, or has to answer, twice."""

    async def work() -> None:
        mind = Thinks()
        table = Table(small(), {0: mind})
        tasks = table.start()
        await mind.thinking.wait()
        one, line = table.circle.people[0], table.lines[0]
        await line.cut()
        await until(lambda: not table.clients[0]._connected)
        for number in range(20):
            await table.hub.say(b"junk %d" % number)
        if when == "before":
            mind.now.set()
        line.whole.set()
        await until(lambda: one.is_catching_up)
        mind.now.set()
        await asyncio.gather(*tasks)
        assert len(mind.asked) == 1 and not mind.cancelled and one.replica.state.phase is Phase.ENDED
        assert b'"show":true' in b"".join(line.sent)

    in_time(work)


def test_what_was_sent_and_lost_is_sent_again() -> None:
    async def work() -> None:
        mind = Thinks()
        table = Table(small(), {0: mind})
        tasks = table.start()
        await mind.thinking.wait()
        line = table.lines[0]
        # The connection is cut unnoticed: what is sent now is lost.
        line.whole.clear()
        mind.now.set()
        await until(lambda: bool(table.circle.people[0].seat.unconfirmed))
        await line.cut()
        await until(lambda: not table.clients[0]._connected)
        line.whole.set()
        await asyncio.gather(*tasks)
        assert b'"show":true' in b"".join(line.sent) and len(table.circle.digests()) == 1

    in_time(work)


def test_without_a_connection_nobody_is_late() -> None:
    async def work() -> None:
        mind = Thinks()
        looks: list[float] = []

        class Looking:
            def on_status(self, status: TableStatus) -> Sequence[Command]:
                looks.append(status.now)
                return ()

        table = Table(small(), {0: mind}, policies={1: [Looking()]})
        tasks = table.start()
        await mind.thinking.wait()
        await table.lines[1].cut()
        await until(lambda: not table.clients[1]._connected)
        count = len(looks)
        await asyncio.sleep(0.3)
        assert count and len(looks) == count
        for task in tasks:
            task.cancel()

    in_time(work)


def test_who_is_cancelled_twice_closes_the_line_first() -> None:
    """As at the end of a program: every task is cancelled, and again by the one that waits for it."""

    class Slow(Line):
        closing = asyncio.Event()
        closed = False

        async def events(self) -> AsyncGenerator[Event, None]:
            try:
                yield Connected(0)
                await asyncio.Event().wait()
            finally:
                self.closing.set()
                with suppress(asyncio.CancelledError):
                    await asyncio.Event().wait()
                await asyncio.sleep(0)
                self.closed = True

    async def work() -> None:
        circle, line = small(), Slow(Hub())
        task = asyncio.create_task(TableClient(circle.people[0], line, Recorder()).run())
        await asyncio.sleep(0.01)
        task.cancel()
        await line.closing.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert line.closed

    in_time(work)


def test_nothing_is_said_before_all_is_heard() -> None:
    async def work() -> None:
        circle = small().play(until=lambda circle: bool(circle.people[0].options().must_move))
        hub = Hub()
        hub.frames += circle.frames
        line = Line(hub, len(circle.frames) + 2)
        task = asyncio.create_task(
            TableClient(circle.sit(circle.homes[0]), line, Recorder(), Behaviour(Passes())).run()
        )
        await asyncio.sleep(0.02)
        await hub.say(b"junk")
        await asyncio.sleep(0.02)
        assert line.sent == []
        await hub.say(b"junk")
        await until(lambda: len(line.sent) == 1)
        task.cancel()

    in_time(work)


def test_who_declines_ends() -> None:
    def never(proposal: Proposal) -> None:
        raise Declined("never")

    async def work() -> None:
        circle = small()
        circle.people[1] = circle.sit(circle.homes[1], accept=never)
        table = Table(circle, {})
        tasks = table.start()
        with pytest.raises(NotSeated, match="you cannot play this: never"):
            await tasks[1]
        for task in tasks:
            task.cancel()

    in_time(work)


def test_a_mind_that_fails_is_heard_of() -> None:
    class Fails:
        async def decide(self, question: Question) -> Decision:
            raise ZeroDivisionError

    async def work() -> None:
        table = Table(small(), {0: Fails()})
        tasks = table.start()
        with pytest.raises(ZeroDivisionError):
            await tasks[0]
        for task in tasks:
            task.cancel()

    in_time(work)


def lied_to() -> Circle:
    """Return a game in which seat 1 gives false shares of dealt cards, so that seat 0 cannot read its own."""
    circle = small()
    lying = ClearProtocol(group(), lies={(1, "share"): bad_dealt_share})
    circle.people[1] = circle.sit(circle.homes[1], parts=lambda proposal: (lying, circle.rules, None))
    return circle


def test_a_card_that_does_not_open_is_disputed() -> None:
    async def work() -> None:
        circle = lied_to()
        table = Table(circle, {})
        tasks = table.start()
        await until(lambda: circle.people[0].has_session and bool(circle.people[0].replica.state.faults))
        assert [fault.seat for fault in circle.people[0].replica.state.faults] == [1]
        claims = [frame for frame in table.hub.frames if b'"type":"claim"' in frame]
        assert claims and not any(task.done() and task.exception() for task in tasks)
        for task in tasks:
            task.cancel()

    in_time(work)


def test_who_has_disputed_and_still_cannot_read_is_not_asked() -> None:
    """The loop does not fail either: the table decides the dispute."""

    async def work() -> None:
        circle = lied_to()
        mind = Thinks()
        table = Table(circle, {0: mind})
        one = circle.people[0]

        take = table.clients[0]._handle

        async def has_disputed(event: Event | None) -> None:
            await take(event)
            if one.has_seat:
                one.seat._disputed.add(0)

        table.clients[0]._handle = has_disputed  # type: ignore[method-assign]
        tasks = table.start()
        await until(lambda: one.has_session and one.options().required is not None)
        with pytest.raises(CardUnreadable):
            one.question()
        for number in range(9):
            await table.hub.say(b"junk %d" % number)
        await until(lambda: one.next_frame_number == len(table.hub.frames))
        assert not tasks[0].done() and mind.asked == []
        for task in tasks:
            task.cancel()

    in_time(work)


def test_somebody_with_patience_looks_at_its_clock() -> None:
    async def work() -> None:
        mind, now = Thinks(), [0.0]

        def clock() -> float:
            now[0] += 1.0
            return now[0]

        circle = small(rules=TinyRules(passes=True))
        table = Table(circle, {0: mind}, policies={1: [TimeoutVoter(2.0)]}, clock=clock)
        tasks = table.start()
        await mind.thinking.wait()
        await until(lambda: bool(circle.people[0].replica.state.hand.skip_votes))
        assert circle.people[0].replica.state.hand.skip_votes.keys() == {1}
        for task in tasks:
            task.cancel()

    in_time(work)


# --- What people want ---


@pytest.fixture
def no_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that a person does may wait for the next look at the clock."""
    monkeypatch.setattr("nodealer.client.table_client.WAKE_SECONDS", 3600.0)


async def stop(tasks: Sequence[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def refused(ui: Recorder) -> CommandRefused:
    await until(lambda: bool(ui.of(CommandRefused)))
    return ui.of(CommandRefused)[0]


class Asked(Recorder):
    """A front end whose person answers when they are told to."""

    def __init__(self) -> None:
        super().__init__()
        self.mind = Thinks()

    async def prompt(self, question: Question | LobbyQuestion) -> Decision | bool:
        assert isinstance(question, Question)
        return await self.mind.decide(question)


@pytest.mark.usefixtures("no_tick")
def test_a_command_is_carried_out_at_once_and_two_in_their_order() -> None:
    async def work() -> None:
        mind = Thinks()
        table = Table(small(), {0: mind})
        tasks = table.start()
        await mind.thinking.wait()
        ui, one = table.uis[1], table.circle.people[0]
        assert isinstance(ui, Recorder)
        ui.wants.put_nowait(WriteNote("first"))
        ui.wants.put_nowait(WriteNote("second"))
        others = table.uis[0]
        assert isinstance(others, Recorder)
        await until(lambda: len(others.of(Word)) == 2)
        assert [(said.name, said.text) for said in others.of(Word)] == [("Bo", "first"), ("Bo", "second")]
        mind.now.set()
        await asyncio.gather(*tasks)
        assert one.replica.state.phase is Phase.ENDED and not ui.of(CommandRefused)

    in_time(work)


@pytest.mark.usefixtures("no_tick")
def test_a_command_that_the_rules_do_not_allow_is_refused_with_the_reason() -> None:
    async def work() -> None:
        mind = Thinks()
        table = Table(small(), {0: mind})
        tasks = table.start()
        await mind.thinking.wait()
        ui = table.uis[0]
        assert isinstance(ui, Recorder)
        for command in (VoteAbort(), RemovePlayer("Ben"), AdmitPlayer("Zoe"), StartGame(), MakeMove({"no": 1})):
            ui.shown.clear()
            ui.wants.put_nowait(command)
            what = await refused(ui)
            assert what.what == WORDS.get(type(command), "") and what.reason
        mind.now.set()
        await asyncio.gather(*tasks)

    in_time(work)


@pytest.mark.usefixtures("no_tick")
def test_a_command_without_a_connection_is_carried_out_after_it() -> None:
    async def work() -> None:
        mind = Thinks()
        table = Table(small(), {0: mind})
        tasks = table.start()
        await mind.thinking.wait()
        ui, line = table.uis[0], table.lines[0]
        assert isinstance(ui, Recorder)
        await line.cut()
        await until(lambda: not table.clients[0]._connected)
        signed = len(table.circle.people[0].store.journal.records)
        ui.wants.put_nowait(WriteNote("later"))
        await asyncio.sleep(0.02)
        assert len(table.circle.people[0].store.journal.records) == signed and not ui.of(Word)
        line.whole.set()
        await until(lambda: bool(ui.of(Word)))
        mind.now.set()
        await asyncio.gather(*tasks)

    in_time(work)


def test_a_command_after_the_end_is_refused() -> None:
    class Late(Recorder):
        async def commands(self) -> AsyncGenerator[AnyCommand, None]:
            await self.over.wait()
            yield SitOut()

        def __init__(self) -> None:
            super().__init__()
            self.over = asyncio.Event()

        def show(self, event: TableEvent) -> None:
            super().show(event)
            if isinstance(event, Ended):
                self.over.set()

    async def work() -> None:
        ui = Late()
        table = Table(small(), {}, uis={0: ui})
        client = table.clients[0]
        take = client._act

        async def slow() -> None:
            await take()
            await asyncio.sleep(0)
            await asyncio.sleep(0)

        client._act = slow  # type: ignore[method-assign]
        await asyncio.gather(*table.start())
        assert ui.of(CommandRefused) == [CommandRefused("sit out", "the game is over")]

    in_time(work)


@pytest.mark.usefixtures("no_tick")
def test_a_person_answers_and_hears_why_an_answer_is_not_allowed() -> None:
    async def work() -> None:
        ui = Asked()
        decided: list[object] = ["nonsense", TinyMove(True)]

        async def prompt(question: Question | LobbyQuestion) -> Any:
            return decided.pop(0)

        ui.prompt = prompt  # type: ignore[method-assign]
        table = Table(small(), {0: None}, uis={0: ui})
        await asyncio.gather(*table.start())
        assert [one.what for one in ui.of(CommandRefused)] == [""] and ui.of(CommandRefused)[0].reason
        assert b'"show":true' in b"".join(table.lines[0].sent)

    in_time(work)


@pytest.mark.usefixtures("no_tick")
def test_a_prompt_that_is_cancelled_is_asked_again() -> None:
    async def work() -> None:
        ui, asked = Asked(), list[object]()

        async def prompt(question: Question | LobbyQuestion) -> Decision | bool:
            asked.append(question)
            if len(asked) == 1:
                raise asyncio.CancelledError
            return TinyMove(True)

        ui.prompt = prompt  # type: ignore[method-assign]
        table = Table(small(), {0: None}, uis={0: ui})
        await asyncio.gather(*table.start())
        assert len(asked) == 2 and b'"show":true' in b"".join(table.lines[0].sent)

    in_time(work)


@pytest.mark.usefixtures("no_tick")
def test_a_person_may_go_when_no_more_commands_can_wait() -> None:
    class Hasty(Recorder):
        async def commands(self) -> AsyncGenerator[AnyCommand, None]:
            yield await self.wants.get()
            for _ in range(COMMANDS_MAX - 1):
                yield WriteNote("now")
            await self.wants.get()
            raise FrontEndGone

    async def work() -> None:
        ui, mind = Hasty(), Thinks()
        table = Table(small(), {0: mind}, uis={0: GuardedUI(ui)})
        tasks = table.start()
        await mind.thinking.wait()
        await table.lines[0].cut()
        await until(lambda: not table.clients[0]._connected)
        ui.wants.put_nowait(WriteNote("first"))
        await until(lambda: not table.clients[0]._has_room)
        ui.wants.put_nowait(WriteNote("never carried out"))
        with pytest.raises(FrontEndGone):
            await tasks[0]
        await stop(tasks)

    in_time(work)


def test_two_chat_messages_of_one_moment_both_arrive() -> None:
    async def work() -> None:
        mind = Thinks()
        table = Table(small(), {0: mind}, wall=lambda: 5.0)
        tasks = table.start()
        await mind.thinking.wait()
        ui, others = table.uis[1], table.uis[0]
        assert isinstance(ui, Recorder) and isinstance(others, Recorder)
        ui.wants.put_nowait(SendChat("hello"))
        ui.wants.put_nowait(SendChat("again"))
        await until(lambda: len(others.of(Chatted)) == 2)
        assert [said.text for said in others.of(Chatted)] == ["hello", "again"]
        await stop(tasks)

    in_time(work)


class Waiting(Line):
    """A connection into the order of a circle, which delivers frames one by one."""

    def __init__(self, circle: Circle) -> None:
        super().__init__(Hub())
        self.circle = circle

    async def send(self, frame: bytes) -> None:
        self.circle.waiting.append(frame)


def seat_two_asks(until: Callable[[Circle], bool]) -> tuple[Circle, TableClient, Recorder]:
    """Return a circle in which someone asks for a seat, with the client of seat 1."""
    circle, ui = Circle(3, hands=3, watchers=0, newcomers=1, rules=TinyRules(passes=True)), Recorder()
    circle.play(until=lambda circle: bool(circle.people[1].options().must_move))
    circle.waiting.extend(circle.people[3].command(RequestSeat()))
    circle.step()
    circle.play(until=until)
    return circle, TableClient(circle.people[1], Waiting(circle), ui), ui


def test_a_vote_on_seats_that_came_too_late_to_count_is_repeated() -> None:
    """An entry counts in its own hand. The person does not know that the hand was over."""

    async def work() -> None:
        ended, _, _ = seat_two_asks(lambda circle: circle.people[0].replica.state.hand.number == 1)
        last = len(ended.frames) - 1
        circle, client, ui = seat_two_asks(lambda circle: len(circle.frames) == last)
        await client._act()
        assert [asks.name for asks in ui.of(AsksToSit)] == [circle.homes[3].name]
        await client._carry_out(AdmitPlayer(circle.homes[3].name or ""))
        state = circle.people[0].replica
        circle.play(until=lambda circle: not circle.people[1].seat.unconfirmed)
        assert state.state.hand.number == 1 and not state.state.proposed, "it came too late"
        await client._act()
        circle.play(until=lambda circle: bool(state.state.proposed))
        (one,) = state.state.proposed.values()
        assert one.by == 1 and one.hand == 1 and not ui.of(CommandRefused)
        circle.play(until=lambda circle: not circle.people[1].seat.unconfirmed)
        waiting = list(circle.waiting)
        await client._act()
        assert list(circle.waiting) == waiting, "it is not repeated once it counts"

    in_time(work)


def test_a_command_about_seats_waits_for_a_move_on_its_way() -> None:
    async def work() -> None:
        circle, client, ui = seat_two_asks(lambda circle: True)
        move = circle.people[1].command(MakeMove({"show": False}))
        client._waiting.append((client._roster, AdmitPlayer(circle.homes[3].name or "")))
        await client._act()
        assert not circle.waiting and not ui.of(CommandRefused)
        circle.waiting.extend(move)
        circle.step()
        await client._act()
        while circle.step():
            pass
        (one,) = circle.people[0].replica.state.proposed.values()
        assert one.by == 1

    in_time(work)


def test_a_name_that_was_typed_under_other_seats_seats_nobody() -> None:
    """Whoever asks under that name now may be another player than the one whom the person meant."""

    async def work() -> None:
        circle, client, ui = seat_two_asks(lambda circle: True)
        client._waiting.append((b"another roster", AdmitPlayer(circle.homes[3].name or "")))
        await client._act()
        assert not circle.waiting and not circle.people[1].seat.unconfirmed
        assert [one.reason for one in ui.of(CommandRefused)] == ["the seats have changed since then"]

    in_time(work)


# --- A front end that fails ---


class Broken(Recorder):
    """A front end with a mistake in one of its methods."""

    def __init__(self, where: str, error: Exception) -> None:
        super().__init__()
        self.where, self.error = where, error
        self.failed = 0

    def fail(self, where: str) -> None:
        if where == self.where:
            self.failed += 1
            raise self.error

    def show(self, event: TableEvent) -> None:
        self.fail("show")

    def status(self, status: TableStatus) -> None:
        self.fail("status")

    async def prompt(self, question: Question | LobbyQuestion) -> Decision | bool:
        self.fail("prompt")
        return TinyMove(False)

    async def commands(self) -> AsyncGenerator[AnyCommand, None]:
        self.fail("commands")
        yield WriteNote("hello")


PLACES = ["show", "status", "prompt", "commands"]


@pytest.mark.parametrize("where", PLACES)
def test_a_front_end_that_fails_does_not_end_the_game(where: str) -> None:
    async def work() -> None:
        reported: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: reported.append(context))
        broken, error = Broken(where, ZeroDivisionError("oops")), ZeroDivisionError
        circle = small(rules=TinyRules(passes=True))
        table = Table(
            circle, {0: None}, uis={0: GuardedUI(broken)}, policies={1: [TimeoutVoter(0.05)], 2: [TimeoutVoter(0.05)]}
        )
        await asyncio.gather(*table.start())
        assert circle.people[0].replica.state.phase is Phase.ENDED and broken.failed
        assert [type(context["exception"]) for context in reported] == [error]
        assert reported[0]["message"] == "the front end failed; the seat goes on"

    in_time(work)


def test_a_front_end_that_fails_in_many_ways_is_not_reported_for_each() -> None:
    async def work() -> None:
        reported: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: reported.append(context))

        class Failing(SilentUI):
            def status(self, status: TableStatus) -> None:
                raise ZeroDivisionError(status.now)

        ui = GuardedUI(Failing())
        for now in range(100):
            ui.status(TableStatus(float(now), None))
        assert len(reported) == REPORTS_MAX

    in_time(work)


@pytest.mark.parametrize("where", PLACES)
def test_a_front_end_whose_person_has_gone_ends_the_run(where: str) -> None:
    async def work() -> None:
        table = Table(small(), {0: None}, uis={0: GuardedUI(Broken(where, FrontEndGone()))})
        tasks = table.start()
        with pytest.raises(FrontEndGone):
            await tasks[0]
        await stop(tasks)

    in_time(work)


def test_a_person_may_go_while_there_is_no_connection() -> None:
    async def work() -> None:
        ui, gone = Asked(), asyncio.Event()

        async def prompt(question: Question | LobbyQuestion) -> Decision | bool:
            ui.mind.thinking.set()
            await gone.wait()
            raise FrontEndGone

        ui.prompt = prompt  # type: ignore[method-assign]
        table = Table(small(), {0: None}, uis={0: GuardedUI(ui)})
        tasks = table.start()
        await ui.mind.thinking.wait()
        await table.lines[0].cut()
        await until(lambda: not table.clients[0]._connected)
        gone.set()
        with pytest.raises(FrontEndGone):
            await tasks[0]
        await stop(tasks)

    in_time(work)
