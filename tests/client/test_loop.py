"""The loop between a transport and a participant: agents that think, and what happens meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

import pytest

from client.hub import Hub, Line
from conformance.clear import ClearProtocol, bad_dealt_share, bad_proof
from conformance.games import TinyMove, TinyRules
from engine.circle import Circle
from nodealer.cli.bot_process import end_when_declined
from nodealer.client.agents import Agent
from nodealer.client.loop import Connected, Event, Loop
from nodealer.client.policies import TimeoutVoter
from nodealer.engine.frame_result import Received
from nodealer.engine.inbox import EntryBatch
from nodealer.engine.participant import TOGETHER_MAX, Participant
from nodealer.engine.phases import Phase
from nodealer.engine.prompts import Decision, Question
from nodealer.engine.replica import Applied, Outcome
from nodealer.engine.seat import Seat
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import CardUnreadable, Declined, HomeUnusable, RelayError
from nodealer.group import group
from nodealer.log.session import Proposal
from nodealer.proofs.checks import settle


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


class Table:
    """Loops around one hub. The first player proposes; players without their own agent pass."""

    def __init__(self, circle: Circle, minds: Mapping[int, Agent], **options: Any) -> None:
        self.hub = Hub()
        self.circle = circle
        self.lines = [Line(self.hub, 0) for _ in circle.people]
        self.proposed = False
        self.loops = [
            Loop(
                one,
                self.lines[place],
                minds.get(place, Passes()) if one.store.name is not None else None,
                **({"watch": self.propose} if place == 0 else options if place == 1 else {}),
            )
            for place, one in enumerate(circle.people)
        ]

    def propose(self, step: Received) -> list[bytes]:
        one = self.circle.people[0]
        if self.proposed or len(one.offers) < self.circle.seats:
            return []
        self.proposed = True
        return one.propose(self.circle.proposal())

    def start(self) -> list[asyncio.Task[None]]:
        return [asyncio.create_task(loop.run()) for loop in self.loops]


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
    monkeypatch.setattr("nodealer.client.loop.BATCH_WINDOW", 3600.0)

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
    monkeypatch.setattr("nodealer.client.loop.BATCH_WINDOW", 0.001)

    put_off = list[EntryBatch]()

    class Noted(EntryBatch):
        def __init__(self, seat: Seat) -> None:
            put_off.append(self)
            super().__init__(seat)

    monkeypatch.setattr("nodealer.engine.participant.EntryBatch", Noted)

    async def work() -> None:
        circle = lying_first()
        home = circle.homes[1]
        one, hub, told = circle.sit(MemoryPlayerStore(home.name, home.identity, home.root)), Hub(), list[object]()

        def see(step: Received) -> tuple[bytes, ...]:
            told.extend(step.happened)
            return ()

        task = asyncio.create_task(Loop(one, Silent(hub, 0), watch=see).run())
        for number, frame in enumerate(circle.frames):
            await hub.say(frame)
            await until(lambda number=number: one.next_frame_number == number + 1)  # type: ignore[misc]
            await until(lambda: one.is_settled)
        assert put_off, "the test is of what is put off"
        faults = [happened for happened in told if isinstance(happened, Applied) and happened.outcome is Outcome.FAULT]
        liar = circle.people[0].seat.number
        assert [happened.after.faults[-1].seat for happened in faults] == [liar]
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
        take, puts_off = table.loops[2]._handle, 0

        async def asked(event: Event | None) -> None:
            nonlocal puts_off
            await take(event)
            puts_off += not one.is_settled
            if one.has_session:
                # As a page or a timer would.
                assert one.options() and one.replica and not one.is_over

        table.loops[2]._handle = asked  # type: ignore[method-assign]
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
            for frame in circle.people[place].vote_skip([0]):
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
    monkeypatch.setattr("nodealer.client.loop.BATCH_WINDOW", 3600.0)

    async def work() -> None:
        circle = lying_first()
        liar, home = circle.people[0].seat.number, circle.homes[1]
        fresh, hub, told = MemoryPlayerStore(home.name, home.identity, home.root), Hub(), list[object]()
        one = circle.sit(fresh)

        def see(step: Received) -> tuple[bytes, ...]:
            told.extend(step.happened)
            return ()

        task = asyncio.create_task(Loop(one, Silent(hub, 0), watch=see).run())
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
        faults = [happened for happened in told if isinstance(happened, Applied) and happened.outcome is Outcome.FAULT]
        assert [happened.after.faults[-1].seat for happened in faults] == [liar]

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
        await asyncio.gather(Loop(one, line, mind).run(), *tasks[1:])
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
        await until(lambda: not table.loops[0]._connected)
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
        await until(lambda: not table.loops[0]._connected)
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
        await until(lambda: not table.loops[0]._connected)
        line.whole.set()
        await asyncio.gather(*tasks)
        assert b'"show":true' in b"".join(line.sent) and len(table.circle.digests()) == 1

    in_time(work)


def test_without_a_connection_nobody_is_late() -> None:
    async def work() -> None:
        mind = Thinks()
        looks: list[float] = []

        class Looking:
            def on_tick(self, participant: Participant, now: float) -> list[bytes]:
                looks.append(now)
                return []

        table = Table(small(), {0: mind}, policy=Looking())
        tasks = table.start()
        await mind.thinking.wait()
        await table.lines[1].cut()
        await until(lambda: not table.loops[1]._connected)
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
        task = asyncio.create_task(Loop(circle.people[0], line).run())
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
        task = asyncio.create_task(Loop(circle.sit(circle.homes[0]), line, Passes()).run())
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
        table = Table(circle, {}, watch=end_when_declined)
        tasks = table.start()
        with pytest.raises(Declined, match="never"):
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

        def has_disputed(step: Received) -> list[bytes]:
            if one.has_seat:
                one.seat._disputed.add(0)
            return table.propose(step)

        table.loops[0]._watch = has_disputed
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
        table = Table(circle, {0: mind}, policy=TimeoutVoter(2.0), clock=clock)
        tasks = table.start()
        await mind.thinking.wait()
        await until(lambda: bool(circle.people[0].replica.state.hand.skip_votes))
        assert circle.people[0].replica.state.hand.skip_votes.keys() == {1}
        for task in tasks:
            task.cancel()

    in_time(work)
