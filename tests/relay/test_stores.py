"""Memory and SQLite: the contract of all stores, and what a disk adds to it."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest

from nodealer.errors import RelayError
from nodealer.relay.messages import parse_page
from nodealer.relay.stores import sqlite
from nodealer.relay.stores.base import Store
from nodealer.relay.stores.memory import MemoryStore
from nodealer.relay.stores.sqlite import SqliteStore, open_sqlite
from relay.store_contract import CONTRACT, Ears, Promise, made, whole

KINDS = ["memory", "sqlite"]


class Clock:
    """A clock that advances on demand."""

    def __init__(self) -> None:
        self.now = 1e9

    def __call__(self) -> float:
        return self.now

    async def later(self, seconds: float) -> None:
        self.now += seconds


@asynccontextmanager
async def opened(kind: str, folder: Path, clock: Clock) -> AsyncIterator[Store]:
    if kind == "memory":
        yield MemoryStore(clock)
    else:
        async with open_sqlite(folder / "relay.db", clock) as store:
            yield store


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("promise", CONTRACT, ids=lambda promise: promise.__name__)
def test_what_every_store_promises(kind: str, promise: Promise, tmp_path: Path) -> None:
    async def run() -> None:
        clock = Clock()
        async with asyncio.timeout(60), opened(kind, tmp_path, clock) as store:
            await promise(store, clock.later)

    asyncio.run(run())


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_note_there_is_no_table(kind: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with opened(kind, tmp_path, Clock()) as store:
            for refused in (store.append("t", b"x"), store.subscribe("t", Ears()), store.expire("t", 1)):
                with pytest.raises(RelayError, match="no such table"):
                    await refused
            assert (await store.notes("t"), await store.read("t", 0), await store.count("t", 0)) == ([], None, 0)

    asyncio.run(run())


# --- A file ---


def on_file(path: Path, work: Callable[[SqliteStore], Awaitable[None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(60), open_sqlite(path, Clock()) as store:
            await work(store)

    asyncio.run(run())


def test_what_was_written_is_there_again(tmp_path: Path) -> None:
    names: list[str] = []

    async def write(store: SqliteStore) -> None:
        names.append(await made(store))
        await asyncio.gather(*(store.append(names[0], b"%d" % number) for number in range(50)))

    async def read(store: SqliteStore) -> None:
        assert await whole(store, names[0]) == [(number + 1, b"%d" % number) for number in range(50)]
        assert (await store.subscribe(names[0], Ears())).frames == 50 and await store.size() == 90
        await store.append(names[0], b"more")
        assert await whole(store, names[0], 50) == [(51, b"more")]

    on_file(tmp_path / "new" / "relay.db", write)
    on_file(tmp_path / "new" / "relay.db", read)
    assert oct((tmp_path / "new" / "relay.db").stat().st_mode & 0o777) == "0o600"


def test_what_is_written_at_once_is_synced_once(tmp_path: Path) -> None:
    """While one job waits for the disk, others queue and are written together."""
    batches: list[int] = []

    async def write(store: SqliteStore) -> None:
        table = await made(store)
        together = store._write_together

        def counted(jobs: list[object]) -> bool:
            batches.append(len(jobs))
            return together(jobs)  # type: ignore[arg-type]

        store._write_together = counted  # type: ignore[method-assign,assignment]
        await asyncio.gather(*(store.append(table, b"%d" % number) for number in range(100)))

    on_file(tmp_path / "relay.db", write)
    assert sum(batches) == 100 and len(batches) < 50


def resident() -> int:
    """Return the resident memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_what_was_written_together_does_not_stay_in_memory(tmp_path: Path) -> None:
    """There is one statement for every number of frames written at once, and none keeps its parameters."""

    async def write(store: SqliteStore) -> None:
        table, most, size = await made(store), 60, 32 << 10

        async def together(count: int) -> None:
            gate = threading.Event()
            waiting = store._write(gate.wait)
            frames = asyncio.gather(*(store.append(table, bytes(size)) for _ in range(count)))
            await asyncio.sleep(0)  # all of them are in the queue
            gate.set()
            await asyncio.gather(waiting, frames)

        await together(most)
        before = resident()
        for count in range(1, most):
            await together(count)
        # Together they are 58 MB, and each is at most 2 MB.
        assert resident() - before < 15e6

    on_file(tmp_path / "relay.db", write)


def test_the_log_of_sqlite_is_begun_anew_when_it_is_quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "_LOG_FRAMES", 10)
    monkeypatch.setattr(sqlite, "_QUIET", 0.01)

    async def work(store: SqliteStore) -> None:
        table, sizes = await made(store), []
        for _ in range(5):
            await asyncio.gather(*(store.append(table, bytes(2000)) for _ in range(20)))
            async with asyncio.timeout(60):
                while store._logged or store._checkpointing is not None:
                    await asyncio.sleep(0.01)
            sizes.append((tmp_path / "relay.db-wal").stat().st_size)
        # Later writes have not made it grow.
        assert sizes[-1] <= 2 * sizes[0] and len(await whole(store, table)) == 100

    on_file(tmp_path / "relay.db", work)


def test_the_log_of_sqlite_is_begun_anew_while_others_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "_LOG_FRAMES_MAX", 10)

    async def work(store: SqliteStore) -> None:
        table = await made(store)
        for _ in range(300):
            await store.append(table, bytes(2000))
        # All of it would take at least two pages of 2 kB per frame.
        assert (tmp_path / "relay.db-wal").stat().st_size < 300 * 2 * 2048 / 2
        assert len(await whole(store, table)) == 300

    on_file(tmp_path / "relay.db", work)


def test_frames_of_forgotten_tables_go_a_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "_FORGET_MAX", 10)

    async def work(store: SqliteStore) -> None:
        kept, gone = await made(store), await made(store)
        for table in (kept, gone):
            await asyncio.gather(*(store.append(table, b"x") for _ in range(35)))
        await store.expire(gone, -1)
        assert await store.sweep(1000) == 1 and await store.size() == 35
        assert store._reading.execute("SELECT count(*) FROM frames").fetchone() == (35,)
        assert store._reading.execute("SELECT count(*) FROM forgotten").fetchone() == (0,)
        assert len(await whole(store, kept)) == 35

    on_file(tmp_path / "relay.db", work)


# --- Pages that were read before ---


def test_who_reads_later_finds_what_others_have_read(tmp_path: Path) -> None:
    async def work(store: SqliteStore) -> None:
        table = await made(store)
        await asyncio.gather(*(store.append(table, b"%04d" % number * 500) for number in range(400)))
        frames = await whole(store, table)
        assert store.cached_page(table, 0) is None
        await store.subscribe(table, Ears())
        found, after = [], 0
        while (page := store.cached_page(table, after)) is not None:
            found += parse_page(page.data)
            after = page.last
        # The last page may still grow.
        assert found == frames[:384] and await whole(store, table) == frames
        # Readers that start anywhere soon read the same pages.
        odd = await store.read(table, 200)
        assert odd is not None and odd.last == 256 and store.cached_page(table, 256) is not None
        await store.unsubscribe(table)
        assert store.cached_page(table, 0) is None

    on_file(tmp_path / "relay.db", work)


def test_a_table_of_the_same_name_has_other_pages(tmp_path: Path) -> None:
    async def work(store: SqliteStore) -> None:
        table = await made(store)
        await store.subscribe(table, Ears())
        for content in (b"old", b"new"):
            await store.add_note(table, b"made")
            await asyncio.gather(*(store.append(table, content * 700) for _ in range(128)))
            assert {frame for _, frame in await whole(store, table)} == {content * 700}
            assert (store.cached_page(table, 0) is None) == (content == b"new")
            await store.expire(table, -1)
            assert await store.sweep(1000) == 1 and store.cached_page(table, 0) is None
        await store.add_note(table, b"made")
        await store.subscribe(table, Ears())
        assert store.cached_page(table, 0) is None

    on_file(tmp_path / "relay.db", work)


def test_one_file_one_relay(tmp_path: Path) -> None:
    async def work(_: SqliteStore) -> None:
        with pytest.raises(RelayError, match="another relay is using"):
            async with open_sqlite(tmp_path / "relay.db", Clock()):
                pass

    on_file(tmp_path / "relay.db", work)


def test_a_closed_store(tmp_path: Path) -> None:
    async def work(store: SqliteStore) -> None:
        await store.close()
        for refused in (store.append("t", b"x"), store.read("t", 0)):
            with pytest.raises(RelayError, match="closed"):
                await refused

    on_file(tmp_path / "relay.db", work)


@pytest.mark.parametrize("content", ["", "CREATE TABLE other (x)", "PRAGMA user_version = 7", "garbage"])
def test_a_file_that_is_something_else(tmp_path: Path, content: str) -> None:
    path = tmp_path / "relay.db"
    if content == "garbage":
        path.write_bytes(b"no database, but long enough to look like one" * 100)
    else:
        with sqlite3.connect(path) as other:
            other.execute(content)
        other.close()

    async def work(store: SqliteStore) -> None:
        await made(store)

    if content == "":
        on_file(path, work)
    else:
        with pytest.raises(RelayError, match="not a store"):
            on_file(path, work)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RelayError, match="cannot open"):
        on_file(tmp_path / "file" / "relay.db", lambda store: asyncio.sleep(0))


def test_a_disk_or_a_library_that_is_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RelayError, match="WAL does not work there"):
        sqlite._connect(Path(":memory:"))
    monkeypatch.setattr(sqlite, "_SQLITE", (99, 0, 0))
    with pytest.raises(RelayError, match=r"needs SQLite 99\.0\.0"):
        sqlite._connect(Path(":memory:"))


# --- A disk that fails ---


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    """Limit the size of this process's files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_disk_that_is_full_loses_nothing_and_can_be_read(tmp_path: Path) -> None:
    async def work(store: SqliteStore) -> None:
        table, ears = await made(store), Ears()
        await store.subscribe(table, ears)
        await store.append(table, b"kept")
        with files_up_to(100_000):
            kept = 1
            with pytest.raises(RelayError, match="the store cannot be written to"):
                while kept < 100:
                    await store.append(table, bytes(10_000))
                    kept += 1
            # Many jobs at once, one of which needs no disk.
            results = await asyncio.gather(
                *(store.append(table, bytes(10_000)) for _ in range(5)),
                store.subscribe(table, ears),
                return_exceptions=True,
            )
            assert [type(result).__name__ for result in results] == ["RelayError"] * 5 + ["TableExtent"]
            assert len(await whole(store, table)) == kept == len(ears.heard)
        await store.append(table, b"there is room again")
        assert await whole(store, table) == ears.heard
        assert [cursor for cursor, _ in ears.heard] == list(range(1, kept + 2))

    on_file(tmp_path / "relay.db", work)


def test_where_nothing_can_be_written_copies_make_room(tmp_path: Path) -> None:
    async def work(store: SqliteStore) -> None:
        table = await made(store)
        for _ in range(3):
            await store.append(table, bytes(100_000))
        await store.subscribe(table, Ears())
        await store.read(table, 0)
        assert store.cached_page(table, 0) is not None
        store._writing.execute("PRAGMA query_only = 1")
        with pytest.raises(RelayError):
            await store.append(table, b"x")
        await store.notes(table)
        assert store.cached_page(table, 0) is None and len(await whole(store, table)) == 3

    on_file(tmp_path / "relay.db", work)


def test_whatever_fails_the_thread_that_writes_goes_on(tmp_path: Path) -> None:
    async def run() -> None:
        clock = Clock()
        async with asyncio.timeout(60), open_sqlite(tmp_path / "relay.db", lambda: 1 / clock.now) as store:
            table = await made(store)
            clock.now = 0
            with pytest.raises(RelayError, match="the store failed: ZeroDivisionError"):
                await store.append(table, b"lost")
            clock.now = 1
            await store.append(table, b"kept")
            assert await whole(store, table) == [(1, b"kept")]

    asyncio.run(run())


def test_a_database_that_is_full_or_read_only(tmp_path: Path) -> None:
    async def work(store: SqliteStore) -> None:
        table = await made(store)
        (pages,) = store._writing.execute("PRAGMA page_count").fetchone()
        store._writing.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(RelayError, match="its disk is full"):
            await store.append(table, bytes(100_000))
        store._writing.execute("PRAGMA query_only = 1")
        with pytest.raises(RelayError, match="it is read-only"):
            await store.append(table, b"x")
        assert await whole(store, table) == []

    on_file(tmp_path / "relay.db", work)


# --- Killed ---

WRITES = """
import asyncio, sys, time
from pathlib import Path
from nodealer.relay.stores.sqlite import open_sqlite

async def run():
    async with open_sqlite(Path(sys.argv[1]), time.time) as store:
        await store.add_note("t", b"made")
        async def write(who):
            for number in range(10**6):
                frame = b"%d %d" % (who, number)
                await store.append("t", frame)
                print(frame.decode(), flush=True)
        await asyncio.gather(*map(write, range(5)))

asyncio.run(run())
"""


def killed_while_it_writes(path: Path, frames: int) -> list[bytes]:
    """Return what a process acknowledged before it was killed."""
    with subprocess.Popen([sys.executable, "-c", WRITES, str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(frames)]
        os.kill(process.pid, signal.SIGKILL)
        said += process.stdout.readlines()
    return [line.rstrip(b"\n") for line in said if line.endswith(b"\n")]


def check_killed(path: Path, said: list[bytes]) -> None:
    async def work(store: SqliteStore) -> None:
        stored = [frame for _, frame in await whole(store, "t")]
        assert set(said) <= set(stored) and len(set(stored)) == len(stored)
        for who in range(5):
            mine = [frame for frame in stored if frame.startswith(b"%d " % who)]
            assert mine == [b"%d %d" % (who, number) for number in range(len(mine))]
        # It continues where it was.
        await store.append("t", b"more")
        assert (await whole(store, "t"))[-1] == (len(stored) + 1, b"more")

    on_file(path, work)


def test_a_process_that_is_killed_while_it_writes(tmp_path: Path) -> None:
    check_killed(tmp_path / "relay.db", killed_while_it_writes(tmp_path / "relay.db", 200))


@pytest.mark.deep
@pytest.mark.parametrize("frames", range(1, 2000, 97))
def test_a_process_that_is_killed_anywhere(tmp_path: Path, frames: int) -> None:
    check_killed(tmp_path / "relay.db", killed_while_it_writes(tmp_path / "relay.db", frames))
