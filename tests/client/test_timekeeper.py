"""The timekeeper: when it ticks, how others react, and that it never costs anyone time."""

from __future__ import annotations

import asyncio

import pytest

from conformance.games import TinyRules
from engine.circle import KEEPER, Circle, shows_if_even
from nodealer.client.duty_timer import Drift, DutyTimer
from nodealer.client.events import SessionOpened, TableEvent, TimeIsUp
from nodealer.client.policies import TimeoutVoter
from nodealer.client.table_client import Behaviour, NotSeated, TableClient
from nodealer.client.timekeeper import Ticker
from nodealer.client.ui import SilentUI
from nodealer.engine.bodies import Tick, Without, read_body
from nodealer.engine.clock import Clock
from nodealer.engine.commands import SendTick
from nodealer.engine.phases import Phase
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import IllegalMove
from nodealer.keys import Identity
from nodealer.log.entry import read_entry
from nodealer.log.session import Limits

from .hub import Hub, Line
from .looking import look

LIMITS = Limits(move=10_000, cards=5_000, bank=3_000, refill=1_000)


class Timed:
    """A table with a timekeeper and one shared clock, whose seat 0 does not move."""

    def __init__(self, seats: int = 3, limits: Limits = LIMITS) -> None:
        self.circle = Circle(seats, rules=TinyRules(passes=True, deck_max=9), hands=1, clock=limits)
        self.circle.play(until=lambda circle: bool(circle.people[0].options().must_move))
        self.now = 100.0
        self.keeper: Ticker | None = Ticker()
        self.watching = {place: TimeoutVoter() for place in range(1, seats)}
        #: What was sent, and when.
        self.said: list[tuple[float, type, int]] = []

    @property
    def clock(self) -> Clock:
        clock = self.circle.people[0].replica.state.clock
        assert clock is not None
        return clock

    def observe(self) -> None:
        circle = self.circle
        frames = [] if self.keeper is None else look(self.keeper, circle.keeper, self.now)
        for place, patience in self.watching.items():
            frames += look(patience, circle.people[place], self.now)
        for frame in frames:
            entry = read_entry(frame).entry
            self.said.append((self.now - 100.0, type(read_body(bytes(entry.body))), entry.seat))
        circle.waiting.extend(frames)
        while circle.step():
            pass

    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds * 4)):
            self.observe()
            self.now += 0.25

    def ticks(self) -> list[float]:
        return [when for when, kind, _ in self.said if kind is Tick]


def test_when_it_ticks() -> None:
    table = Timed()
    table.wait(1.75)
    assert not table.said
    table.watching.clear()
    table.wait(40)
    # It ticks after 2 s; when the limit has passed, 10 s later; at the end of the bank, 3 s later; and then no more.
    assert table.ticks() == [2.0, 12.25, 15.25]
    assert all(one.replica.digest() for one in table.circle.people)
    assert len(table.circle.digests()) == 1


def test_it_ticks_on_while_a_bank_runs() -> None:
    table = Timed(limits=Limits(10_000, 5_000, 25_000, 0))
    table.watching.clear()
    table.wait(60)
    assert table.ticks() == [2.0, 12.25, 22.25, 32.25, 37.25]


def test_who_answers_at_once_is_not_ticked_for() -> None:
    circle = Circle(3, clock=LIMITS)
    keeper, now = Ticker(), 0.0
    while circle.people[0].has_session is False or circle.people[0].replica.state.phase is not Phase.ENDED:
        circle.play(until=lambda circle: False)
        now += 0.25
        assert not look(keeper, circle.keeper, now)
    assert circle.keeper.is_over and len(circle.digests()) == 1


def test_who_thinks_too_long_gets_the_move_of_the_rules() -> None:
    """This happens without any key press, once both clocks have seen the time pass."""
    table = Timed()
    table.wait(20)
    (said,) = table.circle.people[0].replica.state.chronicle.vote_results
    assert (said.of, said.did) == (0, "move")
    assert [kind for _, kind, _ in table.said].count(Without) == 2
    # Only once the limit and the bank have passed by its own clock too: 13 s.
    assert all(when >= 13.0 for when, kind, _ in table.said if kind is Without)
    table.circle.play()
    assert table.circle.people[0].replica.state.phase is Phase.ENDED


def test_at_two_seats_one_and_the_clock_are_enough() -> None:
    table = Timed(2)
    table.wait(20)
    (said,) = table.circle.people[0].replica.state.chronicle.vote_results
    assert (said.of, said.by, said.did) == (0, (1,), "move")


def test_a_timekeeper_that_runs_ahead_makes_nobody_vote() -> None:
    table = Timed()
    table.keeper = None
    table.observe()
    for time in (0, 10**6, 10**9):
        table.circle.waiting.extend(table.circle.keeper.command(SendTick(time)))
        while table.circle.step():
            pass
    assert table.clock.late and table.clock.bank(0) == 0
    table.wait(12.75)
    assert not table.said
    table.wait(1.0)
    assert [kind for _, kind, _ in table.said] == [Without, Without], "its own clock has seen it pass"


def test_without_a_tick_a_persons_program_says_nothing() -> None:
    """A bot votes only after its timeout: a silent timekeeper must not stop a majority."""
    table = Timed()
    table.keeper = None
    table.wait(120)
    assert not table.said
    table.watching = {place: TimeoutVoter(5.0) for place in (1, 2)}
    table.wait(17)
    assert not table.said
    table.wait(2)
    assert [kind for _, kind, _ in table.said] == [Without, Without]
    assert table.circle.people[0].replica.state.chronicle.vote_results


def test_one_that_comes_back_takes_nobodys_time() -> None:
    """Its time continues from its last tick, however long it was away."""
    table = Timed()
    table.watching.clear()
    table.wait(5)
    assert table.ticks() == [2.0] and table.clock.last_tick is not None
    table.keeper = None
    table.wait(300)
    place = next(place for place, one in enumerate(table.circle.people) if one is table.circle.keeper)
    table.circle.bring_back(place)
    table.keeper, before = Ticker(), table.clock.last_tick
    table.wait(9)
    assert not table.clock.late
    table.wait(5)
    assert table.clock.late and table.clock.last_tick - before < 15_000


@pytest.mark.parametrize("times", [[0.0, 1e9, 2e9, 3e9], [1e9, 0.0, 1e9, 0.0], [0.0, -1e9, -2e9, -3e9]])
def test_its_clock_may_jump(times: list[float]) -> None:
    table = Timed()
    frames = [frame for now in times for frame in look(Ticker(), table.circle.keeper, now)]
    assert not frames
    keeper = Ticker()
    for now in times * 2:
        table.circle.waiting.extend(look(keeper, table.circle.keeper, now))
        while table.circle.step():
            pass
    assert not table.clock.late


def test_nobody_else_ticks() -> None:
    table = Timed()
    for place in (0, 3, 4):
        if table.circle.people[place] is not table.circle.keeper:
            keeper = Ticker()
            assert not [frame for now in range(9) for frame in look(keeper, table.circle.people[place], float(now))]
    with pytest.raises(IllegalMove, match="only the timekeeper"):
        table.circle.people[1].command(SendTick(0))


def test_what_it_said_and_has_not_heard_is_enough() -> None:
    table, keeper = Timed(), Ticker()
    frames = [frame for now in range(60) for frame in look(keeper, table.circle.keeper, float(now))]
    assert len(frames) == 1


# --- What screens show ---


def test_what_is_left_is_an_estimate() -> None:
    table = Timed()
    watch, state = DutyTimer(), table.circle.people[1].replica.state
    (wait,) = watch.update(state, 0.0).values()
    assert (wait.seat, wait.limit_left, wait.bank_left) == (0, 10.0, 3.0)
    for now in range(1, 13):
        (wait,) = watch.update(state, float(now)).values()
    assert (wait.limit_left, wait.bank_left) == (0.0, 1.0)
    (wait,) = watch.update(state, 13.0).values()
    (wait,) = watch.update(state, 14.0).values()
    assert wait.bank_left == 0.0


def test_a_timekeeper_that_runs_ahead_is_seen() -> None:
    """More than 5 s plus 20 % of the elapsed time is reported, once."""
    table, drift = Timed(), Drift()
    one = table.circle.people[1]

    def heard(time: int, now: float) -> float | None:
        table.circle.waiting.extend(table.circle.keeper.command(SendTick(time)))
        while table.circle.step():
            pass
        return drift.seconds_ahead(one, now)

    assert drift.seconds_ahead(one, 0.0) is None
    assert heard(1_000_000, 0.0) is None, "only differences count"
    for now in (4.0, 8.0):
        assert drift.seconds_ahead(one, now) is None
    assert heard(1_016_900, 10.0) is None
    assert heard(1_018_000, 10.0) == pytest.approx(8.0)
    assert drift.seconds_ahead(one, 10.5) is None
    assert heard(1_019_000, 14.0) is None, "one that is slow is nobody's loss"


def test_who_comes_back_does_not_call_the_time_between_a_drift() -> None:
    """The newest tick in a log may be old: it may have arrived unobserved."""
    table, drift = Timed(), Drift()
    one = table.circle.people[1]

    def heard(time: int, now: float) -> float | None:
        table.circle.waiting.extend(table.circle.keeper.command(SendTick(time)))
        while table.circle.step():
            pass
        return drift.seconds_ahead(one, now)

    assert heard(1_000_000, 0.0) is None
    assert heard(1_060_000, 1.0) is None, "the first look found an old one"
    assert heard(1_061_000, 2.0) is None
    assert heard(1_200_000, 100.0) is None, "for long nobody looked: there was no connection"
    assert heard(1_260_000, 101.0) is None
    assert heard(1_281_000, 102.0) == pytest.approx(20.0)


def test_keeps_time_over_a_transport() -> None:
    async def work() -> None:
        table, now = Timed(2), [0.0]

        def clock() -> float:
            now[0] += 0.5
            return now[0]

        hub = Hub()
        hub.frames = list(table.circle.frames)
        again = table.circle.sit(table.circle.homes[2])
        keeping = asyncio.ensure_future(
            TableClient(again, Line(hub), SilentUI(), Behaviour(policies=[Ticker()]), clock=clock).run()
        )
        async with asyncio.timeout(60), hub.changed:
            await hub.changed.wait()
        assert isinstance(read_body(bytes(read_entry(hub.frames[-1]).entry.body)), Tick)
        keeping.cancel()

    asyncio.run(work())


def test_who_is_not_the_timekeeper_is_told_only_that() -> None:
    async def work() -> None:
        table, shown = Timed(2), list[TableEvent]()

        class Screen(SilentUI):
            def show(self, event: TableEvent) -> None:
                shown.append(event)

        hub = Hub()
        hub.frames = list(table.circle.frames)
        home = MemoryPlayerStore(KEEPER, Identity(table.circle.source(32)), table.circle.source(32))
        late = TableClient(table.circle.sit(home), Line(hub), Screen(), Behaviour(policies=[Ticker()]))
        with pytest.raises(NotSeated, match="another timekeeper, or none"):
            async with asyncio.timeout(60):
                await late.run()
        assert not [event for event in shown if isinstance(event, SessionOpened | TimeIsUp)]

    asyncio.run(work())


def test_a_table_that_moves_is_never_late() -> None:
    """Everyone takes time, but within the limit."""
    table = Timed()
    for _ in range(4):
        table.wait(9)
        table.circle.waiting.extend(frame for one in table.circle.people[:3] for frame in shows_if_even(one))
        while table.circle.step():
            pass
    assert not table.circle.people[0].replica.state.chronicle.vote_results
    assert table.circle.people[0].replica.state.phase is Phase.ENDED
