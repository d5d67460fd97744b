"""Bots in processes of their own that are killed, doubled, set back and out of room: the game goes on, or one says why.

Keys and roots are the same in every game here, and with them the session, the cards and the moves. So a game that was
disturbed has to end as one that was not.
"""

from __future__ import annotations

import asyncio
import os
import resource
import shutil
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cli.running import environment
from conformance.harness import Source, events_of
from games.outside import GAME
from nodealer.audit.verify import verify_file
from nodealer.cards.events import Opened
from nodealer.client.agents import BotAgent
from nodealer.client.bot_process import BotConfig
from nodealer.client.folder_store import JOURNAL, LOG, FolderStore
from nodealer.client.local_relay import serve_local_table
from nodealer.client.local_seats import LocalSeat, convene, play_local_seat
from nodealer.client.local_table import LocalTable
from nodealer.client.processes import BOT_PROGRAM
from nodealer.client.setup import table_setup
from nodealer.client.table_client import USUAL
from nodealer.client.ui import SilentUI
from nodealer.engine.commands import ProposeSession
from nodealer.engine.frame_result import Received
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Replica
from nodealer.engine.resolve import resolve_parts
from nodealer.engine.store import MemoryPlayerStore, PlayerStore
from nodealer.keys import Identity, host_mark
from nodealer.log.entry import read_entry
from nodealer.log.file import save_log
from nodealer.relay.invitations import Invitation
from nodealer.relay.sealing import ReadKey
from nodealer.relay.stores.memory import MemoryStore
from nodealer.tape import expand
from nodealer.wire import encode

#: In the folder of the tests, from which the processes are started.
PLACE = "games.outside:GAME"
PLAN = table_setup(GAME, {"cards": "12"}, place=PLACE, seats=3, hands=1).with_bots()
HOST = Identity(expand("killed", "host", size=32))
MARK = host_mark(HOST.public)
TESTS = Path(__file__).parents[1]
#: How many frames the undisturbed game has: three offers, a proposal, three commitments, three nonces, and the log.
FRAMES = 10 + 21


def key_of(name: str) -> bytes:
    return expand("killed", "key", name, size=32)


def root_of(name: str) -> bytes:
    return expand("killed", "root", name, size=32)


# --- The same game in this process ---


def participant(home: PlayerStore) -> Participant:
    """A bot as the command makes it."""
    source, stays = Source("killed"), stay_for_hands(PLAN.hands)
    parts = partial(resolve_parts, game=GAME)
    return Participant(home, entropy=source, accept=PLAN.expected.accept, stay_policy=stays, host=MARK, parts=parts)


def host_store() -> MemoryPlayerStore:
    """The store of the one who proposes and looks on."""
    return MemoryPlayerStore(None, HOST, expand("killed", "host root", size=32))


class Proposes:
    """Proposes the game when all are there."""

    def __init__(self, host: Participant) -> None:
        self.host = host
        self.proposed = False

    def __call__(self, step: Received) -> list[bytes]:
        came = {offer.name: offer for offer in self.host.offers}
        if self.proposed or self.host.has_session or not came.keys() >= set(PLAN.names):
            return []
        self.proposed = True
        return self.host.command(
            ProposeSession(PLAN.proposal([came[name].as_member(seat) for seat, name in enumerate(PLAN.names)]))
        )


class Recorded(LocalTable):
    """A table in this process whose frames are on record."""

    def __init__(self, homes: Sequence[PlayerStore]) -> None:
        host = Participant(host_store(), entropy=Source("host"), host=MARK, parts=partial(resolve_parts, game=GAME))
        self.frames: list[bytes] = []
        self.look: Callable[[int], None] = lambda count: None
        super().__init__([host, *map(participant, homes)])
        self.proposes = Proposes(host)

    def step(self) -> bool:
        if not self._queue:
            return False
        self.frames.append(self._queue[0])
        stepped = super().step()
        self.look(len(self.frames))
        return stepped

    def act(self, one: Participant) -> list[bytes]:
        return BotAgent(GAME, one.store.root).act(one) if one.has_seat else []


def outcome(replica: Replica) -> tuple[Any, ...]:
    """How a game ended, with every card that was shown."""
    shown = sorted((event.card.position, event.face) for event in events_of(replica) if isinstance(event, Opened))
    state = replica.state
    return replica.config.session.id, state.phase, state.results, state.faults, shown


@pytest.fixture(scope="module")
def undisturbed() -> tuple[Any, ...]:
    table = Recorded([MemoryPlayerStore(name, Identity(key_of(name)), root_of(name)) for name in PLAN.names])
    table.run(table.act, table.proposes)
    assert len(table.frames) == FRAMES and table.seats[0].replica.state.phase is Phase.ENDED
    return outcome(table.seats[0].replica)


# --- Processes ---


class Killing(MemoryStore):
    """A relay's store that tells somebody of every frame."""

    def __init__(self, told: Callable[[int], None] = lambda number: None) -> None:
        super().__init__(lambda: 0.0)
        self.told = told
        self.frames: list[bytes] = []

    async def append(self, table: str, frame: bytes) -> None:
        self.frames.append(frame)
        await super().append(table, frame)
        self.told(len(self.frames) - 1)

    def signed(self, seat: int, key: ReadKey) -> dict[int, set[bytes]]:
        """Everything that a seat has signed, by its number: never two things with one."""
        found = dict[int, set[bytes]]()
        for frame in self.frames:
            _, text = key.open(frame)
            if text.startswith(b'{"entry"'):
                arrival = read_entry(text)
                if arrival.entry.seat == seat:
                    found.setdefault(arrival.entry.seq, set()).add(arrival.signed)
        return found


class Bots:
    """The processes of a game, by name."""

    def __init__(self, table: Invitation, homes: Path) -> None:
        self.table = table
        self.homes = homes

    def prepare(self, *names: str) -> None:
        """Homes with the keys and roots of every game here."""
        for name in names:
            FolderStore.create(self.homes / name, name, key_of(name), root_of(name)).close()

    async def start(self, name: str, limit: int | None = None) -> Process:
        """A bot. `limit` is how long a file of its may grow."""
        order = BotConfig(self.table.link, name, PLAN.hands, PLAN.expected, PLACE, str(self.homes / name))
        room = None if limit is None else partial(resource.setrlimit, resource.RLIMIT_FSIZE, (limit, limit))
        # What `make coverage` would write beside does not fit either.
        there = {name: value for name, value in environment().items() if limit is None or "COVERAGE" not in name}
        process = await asyncio.create_subprocess_exec(
            sys.executable, *BOT_PROGRAM, stdin=PIPE, stderr=PIPE, env=there, cwd=TESTS, preexec_fn=room
        )
        assert process.stdin is not None
        process.stdin.write(encode(order) + b"\n")
        process.stdin.close()
        return process


async def ends(process: Process) -> tuple[int | None, str]:
    """How a bot ends, and what it says."""
    _, said = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode, said.decode()


async def watched(table: Invitation) -> Replica:
    convened = convene(PLAN, table, host_store(), SilentUI(), os.urandom, (), USUAL)
    return (await asyncio.wait_for(convened, 60)).replica


async def sits(table: Invitation, name: str) -> None:
    """A bot that is never disturbed: in this process."""
    home = MemoryPlayerStore(name, Identity(key_of(name)), root_of(name))
    seat = LocalSeat(table, GAME, PLAN.expected, PLAN.hands, agent=BotAgent(GAME, home.root))
    await play_local_seat(seat, home, SilentUI(), os.urandom)


def is_clean(replica: Replica, folder: Path) -> bool:
    path = folder / "log.jsonl"
    save_log(path, replica.config.session, replica.entries)
    return verify_file(path, entropy=Source("audit"), game=GAME).verdict == "clean"


# --- Killed ---


@pytest.mark.sample(cases=1)
@pytest.mark.parametrize("frame", range(FRAMES - 1))
def test_killed_at_every_frame(tmp_path: Path, undisturbed: tuple[Any, ...], frame: int) -> None:
    """Kill -9, and the same order again."""
    victim = PLAN.names[frame % len(PLAN.names)]

    async def game() -> None:
        core = Killing()
        async with serve_local_table(MARK, os.urandom, store=core) as table:
            bots = Bots(table, tmp_path)
            bots.prepare(*PLAN.names)
            processes = {name: await bots.start(name) for name in PLAN.names}
            killed = asyncio.Event()

            def kill(number: int) -> None:
                if number == frame and not killed.is_set():
                    os.kill(processes[victim].pid, signal.SIGKILL)
                    killed.set()

            core.told = kill
            told = asyncio.create_task(watched(table))
            await asyncio.wait_for(killed.wait(), 60)
            assert await processes[victim].wait() == -signal.SIGKILL
            processes[victim] = await bots.start(victim)
            replica = await told
            assert outcome(replica) == undisturbed and is_clean(replica, tmp_path)
            assert [await ends(process) for process in processes.values()] == [(0, "")] * len(PLAN.names)
            for seat in range(len(PLAN.names)):
                assert all(len(said) == 1 for said in core.signed(seat, table.read_key()).values())

    asyncio.run(game())


# --- One process, and the others here ---


async def with_others(stack: AsyncExitStack, core: Killing, homes: Path, name: str) -> Bots:
    """A table to which all but one have come, who have no processes of their own. Nobody has proposed anything yet."""
    table = await stack.enter_async_context(serve_local_table(MARK, os.urandom, store=core))
    for other in PLAN.names:
        if other != name:
            stack.callback(asyncio.create_task(sits(table, other)).cancel)
    bots = Bots(table, homes)
    bots.prepare(name)
    return bots


def test_two_processes_on_one_home(tmp_path: Path, undisturbed: tuple[Any, ...]) -> None:
    """The second is refused, and the first does not notice."""

    async def game() -> None:
        core, name, here = Killing(), PLAN.names[1], asyncio.Event()
        core.told = lambda number: here.set() if number == len(PLAN.names) - 1 else None
        async with AsyncExitStack() as stack:
            bots = await with_others(stack, core, tmp_path, name)
            first = await bots.start(name)
            await asyncio.wait_for(here.wait(), 60)
            code, said = await ends(await bots.start(name))
            assert code == 2 and "another program is playing from" in said and said.count("\n") == 1
            assert outcome(await watched(bots.table)) == undisturbed
            assert await ends(first) == (0, "")

    asyncio.run(game())


def played_here(homes: Path, name: str, frames: int) -> list[bytes]:
    """The frames of a game in this process, in which one has its home in a folder, copied when there were so many."""
    others = {other: MemoryPlayerStore(other, Identity(key_of(other)), root_of(other)) for other in PLAN.names}
    with FolderStore.create(homes / name, name, key_of(name), root_of(name)) as home:
        table = Recorded([home if other == name else others[other] for other in PLAN.names])

        def copy_once(count: int) -> None:
            if count == frames:
                shutil.copytree(homes / name, homes / f"{name}, earlier")

        table.look = copy_once
        table.run(table.act, table.proposes)
        assert table.seats[0].replica.state.phase is Phase.ENDED
        return table.frames


def test_an_old_journal_under_a_newer_log(tmp_path: Path) -> None:
    name = PLAN.names[0]
    played_here(tmp_path, name, 20)
    shutil.copy(tmp_path / f"{name}, earlier" / JOURNAL, tmp_path / name / JOURNAL)
    core = Killing()

    async def game() -> tuple[int | None, str]:
        async with serve_local_table(MARK, os.urandom, store=core) as table:
            return await ends(await Bots(table, tmp_path).start(name))

    code, said = asyncio.run(game())
    assert code == 2 and "not in its journal" in said and said.count("\n") == 1 and not core.frames


def test_an_old_home_hears_first_and_signs_nothing(tmp_path: Path) -> None:
    """Journal and log are both old. The table knows better, and is heard before anything is signed."""
    name, core = PLAN.names[0], Killing()
    frames = played_here(tmp_path, name, 20)
    shutil.rmtree(tmp_path / name)
    (tmp_path / f"{name}, earlier").rename(tmp_path / name)
    journal = (tmp_path / name / JOURNAL).read_bytes()

    async def game() -> tuple[int | None, str]:
        async with serve_local_table(MARK, os.urandom, frames, core) as table:
            ended = await ends(await Bots(table, tmp_path).start(name))
            assert all(len(said) == 1 for said in core.signed(0, table.read_key()).values())
            return ended

    code, said = asyncio.run(game())
    assert code == 2 and "not in its journal" in said and said.count("\n") == 1, said
    assert (tmp_path / name / JOURNAL).read_bytes() == journal
    assert (tmp_path / name / LOG).stat().st_size > 0


@pytest.mark.sample(cases=1)
@pytest.mark.parametrize("limit", [2_000, 5_000, 9_000, 11_000, 15_000, 20_000])
def test_a_full_disk(tmp_path: Path, undisturbed: tuple[Any, ...], limit: int) -> None:
    """It says so and ends; with room it goes on where it was, and has signed nothing twice."""

    async def game() -> None:
        core, name = Killing(), PLAN.names[2]
        async with AsyncExitStack() as stack:
            bots = await with_others(stack, core, tmp_path, name)
            told = asyncio.create_task(watched(bots.table))
            code, said = await ends(await bots.start(name, limit))
            assert code == 2 and "File too large" in said and said.count("\n") == 1, said
            again = await bots.start(name)
            replica = await told
            assert outcome(replica) == undisturbed and is_clean(replica, tmp_path)
            assert await ends(again) == (0, "")
            assert all(len(signed) == 1 for signed in core.signed(2, bots.table.read_key()).values())

    asyncio.run(game())
