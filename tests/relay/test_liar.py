"""A relay that lies in every possible way: the game goes on, or it stops and is known to have diverged.

Nothing that a relay does makes a seat look guilty, and no card is opened because of what it made up. It even has the
read key: a relay with a friend at the table, who cannot sign for others.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection

from client.around import SECRET, SealedCircle
from conformance.games import TinyMove
from conformance.harness import NAMES, Source
from engine.circle import Circle
from nodealer.cards.events import Opened as OpenedCard
from nodealer.client.relay_transport import ConnectionEvent, RelayLost, RelayTransport
from nodealer.client.status import TableStatus
from nodealer.client.table_client import Behaviour, TableClient
from nodealer.client.ui import SilentUI
from nodealer.engine.commands import Command, ProposeSession
from nodealer.engine.frame_result import Diverged, Received
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.prompts import Decision, Question
from nodealer.engine.replica import Applied
from nodealer.engine.store import PlayerStore
from nodealer.errors import NodealerError
from nodealer.relay.messages import FRAME_BYTES_MAX, Opened, RelayReply, StoredFrame, encode_page
from relay.liar import Liar
from sampling import DEEP

KEY = SECRET.read_key
#: Offers, proposal, commitments and nonces of three players; entries follow. The first three of these cross.
LOBBY = 10
#: How many frames the undisturbed game has.
FRAMES = 37
VICTIM = NAMES[2]
#: After this many rounds without a new frame there will be none.
QUIET = 25


class Shows:
    """An agent that answers at once."""

    async def decide(self, question: Question) -> Decision:
        return TinyMove(True)


async def soon(seconds: float) -> None:
    await asyncio.sleep(min(seconds, 0.002))


class Proposes:
    """Proposes the game when all are there, as often as it takes."""

    def __init__(self, circle: Circle) -> None:
        self._circle = circle

    def on_status(self, status: TableStatus) -> Sequence[Command]:
        lobby = status.lobby
        if lobby is None or lobby.proposal is not None or len(lobby.offers) < 3:
            return ()
        with suppress(NodealerError):
            return (ProposeSession(self._circle.proposal()),)
        return ()


class Around:
    """Three players around a lying relay."""

    def __init__(self, liar: Liar, url: str) -> None:
        self.liar = liar
        self.url = url
        self.circle = SealedCircle(3, hands=1, watchers=0)
        self.told: list[ConnectionEvent] = []
        #: The events of each player.
        self.happened: dict[str, list[Any]] = {name: [] for name in NAMES[:3]}
        self.tasks = [asyncio.create_task(self._play(one, url)) for one in self.circle.people]

    async def _play(self, one: Participant, url: str) -> None:
        name = str(one.store.name)
        keys = self.circle.keyring_of(one)
        way = RelayTransport(
            one, keys, [url + name], entropy=Source(name), create=True, emit=self.told.append, sleep=soon
        )
        self._note(one, self.happened[name])
        policies = [Proposes(self.circle)] if one is self.circle.people[0] else []
        await TableClient(one, way, SilentUI(), Behaviour(Shows(), policies=policies)).run()

    def _note(self, one: Participant, happened: list[Any]) -> None:
        """Record what happens to a participant."""
        receive, settle = one.receive, one.settle

        def noted(step: Received) -> Received:
            happened.extend(step.happened)
            return step

        one.receive = lambda *args, **options: noted(receive(*args, **options))  # type: ignore[method-assign]
        one.settle = lambda: noted(settle())  # type: ignore[method-assign]

    # --- Until ---

    async def until(self, true: Callable[[], bool]) -> None:
        while not true():
            for task in self.tasks:
                if task.done() and task.exception() is not None:
                    task.result()
            await asyncio.sleep(0.002)

    async def end(self) -> None:
        """Wait until all have finished with the same log."""
        await asyncio.gather(*self.tasks)
        assert all(one.replica.state.phase is Phase.ENDED for one in self.circle.people)
        assert len(self.circle.digests()) == 1

    async def standstill(self) -> None:
        """Wait until no one has had anything to send for many rounds of their common event loop.

        Elapsed time would prove nothing, because all may have waited for the machine.
        """
        seen, quiet = -1, 0
        while quiet < QUIET:
            quiet = quiet + 1 if seen == len(self.liar.frames) else 0
            seen = len(self.liar.frames)
            await asyncio.sleep(0.004)

    async def stop(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    # --- What is known ---

    def diverged(self) -> list[Diverged]:
        return [one for happened in self.happened.values() for one in happened if isinstance(one, Diverged)]

    def opened(self, name: str) -> dict[tuple[int, int], int]:
        """Return the cards that a participant saw opened."""
        applied = [one for one in self.happened[name] if isinstance(one, Applied)]
        cards = [event for one in applied for event in one.events if isinstance(event, OpenedCard)]
        return {(event.card.deck, event.card.position): event.face for event in cards}

    def nobody_is_accused(self) -> None:
        for one in self.circle.people:
            if one.has_session:
                state = one.replica.state
                assert not state.faults and not state.chronicle.vote_results and not state.gone


def around(liar: Liar, work: Callable[[Around], Awaitable[None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(60), liar.on() as url:
            table = Around(liar, url)
            try:
                await work(table)
                table.nobody_is_accused()
            finally:
                await table.stop()

    asyncio.run(run())


async def ends(table: Around) -> None:
    await table.end()


def test_an_honest_one() -> None:
    liar = Liar()
    around(liar, ends)
    assert len(liar.frames) == FRAMES
    assert [KEY.open(frame)[1][:8] for frame in liar.frames].count(b'{"entry"') == FRAMES - LOBBY


# --- What changes nothing ---


class Repeats(Liar):
    """Delivers everything twice: at once, and again much later."""

    def take(self, name: str, frame: bytes) -> None:
        self.frames += [frame, frame, *self.frames[-40:-10:10]]


class RepeatsToOne(Liar):
    """Repeats frames to only one client, which then counts differently."""

    def shown(self, name: str) -> Sequence[StoredFrame]:
        times = 2 if name == VICTIM else 1
        return list(enumerate((frame for frame in self.frames for _ in range(times)), 1))


class AnotherEvening(Circle):
    """The same players with the same keys at another table."""

    def sit(self, home: PlayerStore, **options: Any) -> Participant:
        return super().sit(home, table="another", **options)


class Replays(Liar):
    """Delivers what was sent at another table of the same players, and what was never sent."""

    earlier: Sequence[bytes] = ()

    def take(self, name: str, frame: bytes) -> None:
        made_up = KEY.seal(bytes(16), b'{"entry":"%d"}' % len(self.frames))
        changed = frame[:-1] + bytes([frame[-1] ^ 1])
        self.frames += [*self.earlier[len(self.frames) % 7 :: 7], made_up, changed, frame, b"junk"]


@pytest.mark.parametrize("kind", [Repeats, RepeatsToOne, Replays])
def test_more_than_was_said_changes_nothing(kind: type[Liar]) -> None:
    liar = kind()
    if isinstance(liar, Replays):
        other = AnotherEvening(3, hands=1, watchers=0).play()
        liar.earlier = [KEY.seal(bytes(16), frame) for frame in other.frames]
    around(liar, ends)


class Cuts(Liar):
    """Receives a frame and cuts the connection, before or after storing it."""

    def __init__(self, every: int) -> None:
        super().__init__()
        self.every = every
        self.came = 0

    def take(self, name: str, frame: bytes) -> None:
        self.came += 1
        if self.came % self.every == 0:
            self.here[name].transport.abort()
            if self.came % 2:
                return
        super().take(name, frame)


@pytest.mark.parametrize("every", [2, 3, 7])
def test_cuts(every: int) -> None:
    """What got lost is sent again, and the hand ends as it would have."""
    around(Cuts(every), ends)


class Garbage(Liar):
    """Sends nonsense every few pages, and the right thing over the next connection."""

    nonsense: Sequence[str | bytes] = (
        b"",
        b"\xff" * 40,
        "text where bytes belong",
        '{"type":"accepted"}',
        '{"type":"refused","code":"no","reason":"because"}',
        struct.pack(">QI", 1, 1 << 30),
        struct.pack(">QI", 1 << 63, 1) + b"x",
        encode_page([(1, b"again")]) * 2,
    )

    def __init__(self) -> None:
        super().__init__()
        self.said = 0

    async def send_page(self, name: str, connection: ServerConnection, frames: list[StoredFrame]) -> None:
        self.said += 1
        if self.said % 4 == 0:
            await connection.send(self.nonsense[self.said // 4 % len(self.nonsense)])
        if self.said % 31 == 0:
            # The header of a message of one gigabyte.
            connection.transport.write(b"\x82\x7f" + struct.pack(">Q", 1 << 30))
        await super().send_page(name, connection, frames)


def test_garbage() -> None:
    async def work(table: Around) -> None:
        await table.end()
        reasons = [line.reason for line in table.told if isinstance(line, RelayLost)]
        assert reasons and all("the relay ws://127.0.0.1" in reason for reason in reasons)
        assert any("something invalid" in reason for reason in reasons) and any(
            "because" in reason for reason in reasons
        )

    around(Garbage(), work)


# --- What stops the table, and names nobody ---


class Drops(Liar):
    """Drops one frame until it is sent again."""

    def __init__(self, place: int) -> None:
        super().__init__()
        self.place = place
        self.came = 0

    def take(self, name: str, frame: bytes) -> None:
        self.came += 1
        if self.came - 1 != self.place:
            super().take(name, frame)


DROPPED = range(1, FRAMES - 1) if DEEP else (1, 4, LOBBY, 17, 25)


@pytest.mark.parametrize("place", DROPPED)
def test_a_frame_that_is_dropped(place: int) -> None:
    """The table stops, and continues when the players whose frames were lost reconnect."""

    async def work(table: Around) -> None:
        await table.until(lambda: table.liar.came > place)  # type: ignore[attr-defined]
        await table.standstill()
        assert not table.diverged()
        for connection in list(table.liar.here.values()):
            connection.transport.abort()
        await table.end()

    around(Drops(place), work)


class Delays(Liar):
    """Holds back what one player sends."""

    def __init__(self) -> None:
        super().__init__()
        self.held: list[bytes] | None = []

    def take(self, name: str, frame: bytes) -> None:
        if name == VICTIM and self.held is not None and len(self.frames) >= LOBBY:
            self.held.append(frame)
        else:
            super().take(name, frame)


def test_a_player_who_is_held_back() -> None:
    async def work(table: Around) -> None:
        liar = table.liar
        assert isinstance(liar, Delays)
        await table.until(lambda: bool(liar.held))
        await table.standstill()
        assert not any(table.opened(name) for name in table.happened) and not table.diverged()
        held, liar.held = liar.held or [], None
        liar.frames += held
        liar.change()
        await table.end()

    around(Delays(), work)


class Promises(Liar):
    """Claims that there are more frames than there are."""

    def opened(self, name: str, after: int) -> RelayReply:
        told = super().opened(name, after)
        assert isinstance(told, Opened)
        return Opened(told.frames + 500_000, FRAME_BYTES_MAX) if name == VICTIM else told


def test_a_relay_that_promises_more_than_it_brings() -> None:
    async def work(table: Around) -> None:
        await table.until(lambda: len(table.liar.frames) == LOBBY + 2)
        await table.standstill()
        victim = table.circle.people[2]
        assert victim.has_session and victim.missing_frames > 400_000 and not victim.store.journal.records
        assert not table.diverged()

    around(Promises(), work)


# --- What is noticed ---


class TwoHistories(Liar):
    """From some frame on, shows one player another order: without that frame, or with it after the next one."""

    def __init__(self, place: int, swap: bool) -> None:
        super().__init__()
        self.place = place
        self.swap = swap

    def shown(self, name: str) -> Sequence[StoredFrame]:
        frames = self.frames
        if name == VICTIM and len(frames) > self.place:
            before, rest = frames[: self.place], frames[self.place + 1 :]
            frames = [*before, *rest[:1], *([frames[self.place]] if self.swap and rest else ()), *rest[1:]]
        return list(enumerate(frames, 1))


#: The first three entries cross, before any card is opened.
FORKS = range(LOBBY, FRAMES - 4) if DEEP else (LOBBY, LOBBY + 1, 18)


@pytest.mark.parametrize("swap", [True, False], ids=["reordered", "left out"])
@pytest.mark.parametrize("place", FORKS)
def test_two_histories(place: int, swap: bool) -> None:
    async def work(table: Around) -> None:
        await table.until(lambda: len(table.liar.frames) > place)
        await table.standstill()
        if len(table.liar.frames) == place + 1:
            # Everyone waits for the player who does not get it.
            return
        people = table.circle.people
        assert table.diverged(), "somebody says that the logs have parted"
        assert {one.seat for one in table.diverged()} <= {0, 1, 2}
        assert any(one.replica.state.phase is not Phase.ENDED for one in people)
        seen = [table.opened(name) for name in table.happened]
        if place <= LOBBY + 1:
            assert not any(seen), "noticed before a card opens"
        for one in seen:
            for other in seen:
                assert all(other.get(card, face) == face for card, face in one.items())

    around(TwoHistories(place, swap), work)


class RollsBack(Liar):
    """Has lost the end of the table when a client reconnects."""

    lost = False

    def opened(self, name: str, after: int) -> RelayReply:
        if name == VICTIM and after:
            self.lost = True
            return Opened(0, FRAME_BYTES_MAX)
        return super().opened(name, after)

    def shown(self, name: str) -> Sequence[StoredFrame]:
        if name == VICTIM and self.lost:
            return [(1000 + cursor, frame) for cursor, frame in list(super().shown(name))[LOBBY:]]
        return super().shown(name)


def test_an_old_table_for_who_comes_back() -> None:
    """A player whose store has more than the relay shows signs nothing more, and says why."""

    async def work(table: Around) -> None:
        await table.until(lambda: len(table.liar.frames) > 20)
        old = table.circle.people[2]
        table.tasks.pop().cancel()
        table.liar.frames = table.liar.frames[:LOBBY]
        for connection in list(table.liar.here.values()):
            connection.transport.abort()
        again = table.circle.people[2] = table.circle.sit(table.circle.homes[2])
        records = len(again.store.journal.records)
        task = asyncio.create_task(table._play(again, table.url))
        table.tasks.append(task)
        await table.until(lambda: all(one.silenced is not None for one in table.circle.people))
        assert all("rolled back" in str(one.silenced) for one in table.circle.people)
        assert old is not again and len(again.store.journal.records) == records

    around(Liar(), work)


def test_a_past_that_is_shown_as_new() -> None:
    """Known frames that return with new cursors after a cut are skipped, and new ones count."""

    async def work(table: Around) -> None:
        await table.until(lambda: len(table.liar.frames) > 20)
        table.liar.here[VICTIM].transport.abort()
        await table.end()

    around(RollsBack(), work)
