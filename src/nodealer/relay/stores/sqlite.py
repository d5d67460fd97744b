"""Tables in one SQLite file. A frame that was acknowledged is on the disk, and outlives the process and the machine.

One thread writes. What comes while it waits for the disk is written together next: one wait for many. Another thread
reads, so that whoever catches up does not hold up the others.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final, TypeVar

from nodealer.errors import RelayError
from nodealer.relay.messages import FRAME_BYTES_MAX, PAGE_BYTES, Stored, head
from nodealer.relay.stores.base import FramePage, Hear, Standing
from nodealer.relay.stores.page_cache import PageCache

T = TypeVar("T")

#: "node", so that nobody takes another program's file for ours; and the version of what follows.
_APPLICATION: Final = 0x6E6F6465
_VERSION: Final = 1
#: The first one with strict tables.
_SQLITE: Final = (3, 37, 0)
#: A frame is in the row of its table's number, shifted, and its cursor. So the frames of a table lie together, and no
#: index is needed. To append is one statement, and what the last row says is how the table stands.
_SHIFT: Final = 32
_CURSOR_MAX: Final = (1 << _SHIFT) - 1
_SCHEMA: Final = f"""
BEGIN IMMEDIATE;
CREATE TABLE tables (
    id INTEGER PRIMARY KEY AUTOINCREMENT,   -- never used again
    name TEXT NOT NULL UNIQUE,
    written REAL NOT NULL,                  -- the last note; frames have times of their own
    expires REAL
) STRICT;
CREATE TABLE notes (tab INTEGER NOT NULL, number INTEGER NOT NULL, note BLOB NOT NULL, PRIMARY KEY (tab, number))
STRICT, WITHOUT ROWID;
CREATE TABLE frames (
    id INTEGER PRIMARY KEY,
    total INTEGER NOT NULL,                 -- bytes of the table's frames, with this one
    written REAL NOT NULL,
    frame BLOB NOT NULL                     -- with the head that it has in a page
) STRICT;
CREATE TABLE forgotten (tab INTEGER PRIMARY KEY) STRICT;    -- whose frames are still to be deleted
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_VERSION};
COMMIT;
"""
#: What the last frame of one of the tables says.
_OF_LAST: Final = (
    "SELECT {} FROM frames "
    f"WHERE frames.id BETWEEN tables.id << {_SHIFT} AND (tables.id << {_SHIFT}) + {_CURSOR_MAX} "
    "ORDER BY frames.id DESC LIMIT 1"
)
#: A page ends at the latest with a cursor that this divides, so that whoever begins anywhere soon reads the same pages
#: as others …
_PAGE_MAX: Final = 128
#: … and is one value: SQLite puts it together, while Python does something else. To concatenate does not change bytes,
#: whatever they are. Rows come in the order of their ids, for there is no other way to them.
_PAGE: Final = f"""
SELECT max(id), count(*), CAST(group_concat(frame, '') AS BLOB) FROM frames WHERE id > :after AND id <= :most
AND (id = :after + 1 OR total <= {PAGE_BYTES} + coalesce((SELECT total FROM frames WHERE id = :after), 0))
"""
#: So many pages are read ahead, before others have their turn.
_AHEAD: Final = 3
#: At most so much is written at once …
_BATCH_MAX: Final = 512
#: … and so many frames are deleted, before others have their turn.
_FORGET_MAX: Final = 500
#: When so many frames stand in SQLite's log they are moved to where they belong, as soon as nobody has written for so
#: many seconds. The disk has much to do then, and whoever writes meanwhile waits for it …
_LOG_FRAMES: Final = 500
_QUIET: Final = 0.2
#: … so where it is never quiet they are moved seldom, when there are so many: some 50 MB of log. By itself SQLite
#: would do so in the middle of writing, and everybody would wait; it still does when its log has so many pages.
_LOG_FRAMES_MAX: Final = 5000
_LOG_PAGES: Final = 80_000
#: Tables whose standing the writer remembers.
_KNOWN_MAX: Final = 10_000


@dataclass(slots=True)
class _Known:
    """How a table stands, for the thread that writes."""

    id: int
    last: int
    bytes: int


@dataclass(slots=True)
class _Job:
    """Something to write: what to do in the thread, and then in the loop, in the order of the jobs."""

    work: Callable[[], Any]
    then: Callable[[Any], None] | None
    future: asyncio.Future[Any]
    #: Whether it only adds a frame.
    frame: bool
    result: Any = None


class SqliteStore:
    """A store in a file. `open_sqlite` makes it."""

    largest = FRAME_BYTES_MAX

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._writing, self._reading, self._moving = (_connected(path) for _ in range(3))
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._known: dict[str, _Known] = {}
        #: Of the tables that are followed: who is told, and their numbers.
        self._hears: dict[str, Hear] = {}
        self._numbers: dict[str, int] = {}
        self._shelf = PageCache(path.parent)
        #: What is to be told when all jobs of a transaction have been looked at.
        self._news: dict[str, list[Stored]] = {}
        self._closed = False
        #: The frames of the jobs at hand, as the columns of their rows, one after the other.
        self._rows: list[Any] = []
        #: Frames in the log of SQLite, and who moves them.
        self._logged = 0
        self._move: Future[None] | None = None
        self._mover = ThreadPoolExecutor(1, thread_name_prefix="relay-mover")
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="relay-reader")
        self._writer = threading.Thread(target=self._write_all, name="relay-writer", daemon=True)
        self._writer.start()

    # --- What a store does ---

    async def note(self, table: str, note: bytes) -> list[bytes]:
        """Put a note down; gives all of them."""
        return await self._write(lambda: self._put_note(table, note))

    async def notes(self, table: str) -> list[bytes]:
        """All notes."""
        return await self._read(lambda: _notes(self._reading, table))

    async def append(self, table: str, frame: bytes) -> None:
        """Put a frame into the order. It is on the disk when this returns."""
        await self._write(
            lambda: self._put_frame(table, frame), lambda cursor: self._tell(table, cursor, frame), frame=True
        )

    async def read(self, table: str, after: int) -> FramePage | None:
        """A page of frames after a cursor."""
        return await self._read(lambda: self._pages(table, after))

    def at_hand(self, table: str, after: int) -> FramePage | None:
        """Who has read it before has left it."""
        number = self._numbers.get(table)
        return None if number is None else self._shelf.find(number, after)

    async def count(self, table: str, after: int) -> int:
        """How many frames stand after a cursor."""
        return max(0, await self._read(lambda: _last(self._reading, _number(self._reading, table))[0]) - after)

    async def follow(self, table: str, hear: Hear) -> Standing:
        """How the table stands. Asked of the writer, so that nothing comes between that and the first news."""

        def begin(known: _Known) -> None:
            self._hears[table], self._numbers[table] = hear, known.id

        known = await self._write(lambda: replace(self._find(table)), begin)
        return Standing(known.last, known.last, known.bytes)

    async def unfollow(self, table: str) -> None:
        """Tell no more."""
        self._hears.pop(table, None)
        self._numbers.pop(table, None)

    async def size(self) -> int:
        """Bytes of all tables."""
        asked = f"SELECT coalesce(sum(({_OF_LAST.format('total')})), 0) FROM tables"
        return int(await self._read(lambda: self._reading.execute(asked).fetchone()[0]))

    async def expire(self, table: str, seconds: float) -> None:
        """Forget it so many seconds from now."""
        await self._write(lambda: self._put_expiry(table, self._clock() + seconds))

    async def sweep(self, idle: float) -> int:
        """Forget what has expired or is idle. Their frames go a few at a time."""

        def unlearn(names: list[str]) -> None:
            for name in names:
                self._numbers.pop(name, None)

        gone = await self._write(lambda: self._forget(idle), unlearn)
        while await self._write(self._delete_some):
            pass
        return len(gone)

    async def close(self) -> None:
        """Write what is still to be written, and let go of the file."""
        if self._closed:
            return
        self._closed = True
        self._jobs.put(None)
        await self._loop.run_in_executor(self._reader, self._writer.join)
        self._reader.shutdown()
        self._mover.shutdown()
        self._shelf.close()
        self._moving.close()
        self._reading.close()
        self._writing.close()

    # --- In the loop ---

    async def _read(self, work: Callable[[], T]) -> T:
        self._refuse_closed()

        def explained() -> T:
            with _explained("read"):
                return work()

        return await self._loop.run_in_executor(self._reader, explained)

    def _write(
        self, work: Callable[[], T], then: Callable[[T], None] | None = None, *, frame: bool = False
    ) -> asyncio.Future[T]:
        self._refuse_closed()
        job = _Job(work, then, self._loop.create_future(), frame)
        self._jobs.put(job)
        return job.future

    def _refuse_closed(self) -> None:
        if self._closed:
            raise RelayError("the store is closed")

    def _tell(self, table: str, cursor: int, frame: bytes) -> None:
        if table in self._hears:
            self._news.setdefault(table, []).append((cursor, frame))

    def _written(self, jobs: Sequence[_Job]) -> None:
        """All of them are on the disk, or have failed."""
        for job in jobs:
            if job.then is not None and not isinstance(job.result, RelayError):
                job.then(job.result)
        news, self._news = self._news, {}
        for table, frames in news.items():
            if (hear := self._hears.get(table)) is not None:
                hear(frames)
        for job in jobs:
            if job.future.done():
                continue
            if isinstance(job.result, RelayError):
                job.future.set_exception(job.result)
            else:
                job.future.set_result(job.result)

    # --- In the thread that writes ---

    def _write_all(self) -> None:
        while (jobs := self._next_jobs()) is not None:
            self._shorten_log(_LOG_FRAMES_MAX)
            if not self._write_together(jobs) and len(jobs) > 1:
                # What fails for one need not for another: to follow a table no disk is needed.
                for job in jobs:
                    self._write_together([job])
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                self._loop.call_soon_threadsafe(self._written, jobs)

    def _shorten_log(self, most: int) -> None:
        """SQLite begins its log anew once all of it is moved. What comes while another thread moves the most of it is
        moved here, and that is little."""
        if self._move is None and self._logged >= most:
            self._move, self._logged = self._mover.submit(_move_most, self._moving), 0
        elif self._move is not None and self._move.done():
            self._move = None
            if self._logged:
                _move(self._writing)
                self._logged = 0

    def _write_together(self, jobs: Sequence[_Job]) -> bool:
        """All or none of them. Whether that went well."""
        try:
            with _explained("written to"):
                self._transaction(jobs)
        except Exception as error:
            # Whatever it was: without this thread everybody would wait for ever.
            told = error if isinstance(error, RelayError) else RelayError(f"the store failed: {type(error).__name__}")
            for job in jobs:
                job.result = told
            # If the disk is full, copies are what it can do without.
            self._reader.submit(self._shelf.close)
            return False
        return True

    def _next_jobs(self) -> list[_Job] | None:
        """All that wait, at least one. None when there will be no more."""
        job = self._next_job()
        jobs: list[_Job] = []
        while job is not None:
            jobs.append(job)
            if self._jobs.empty() or len(jobs) == _BATCH_MAX:
                return jobs
            job = self._jobs.get()
        if jobs:
            self._jobs.put(None)
        return jobs or None

    def _next_job(self) -> _Job | None:
        """Waits for it; and when it is quiet, sees to the log."""
        while self._move is not None or self._logged >= _LOG_FRAMES:
            with suppress(Empty):
                return self._jobs.get(timeout=_QUIET)
            self._shorten_log(_LOG_FRAMES)
        return self._jobs.get()

    def _transaction(self, jobs: Sequence[_Job]) -> None:
        """Frames alone are one statement, which needs no transaction around it: for each statement this thread takes
        turns with the others, and on a busy machine that takes longer than the disk."""
        alone = all(job.frame for job in jobs)
        try:
            if not alone:
                self._writing.execute("BEGIN")
            for job in jobs:
                if not job.frame:
                    self._put_rows()
                try:
                    job.result = job.work()
                except RelayError as error:
                    # Nothing was written for it, and the others go on.
                    job.result = error
            self._put_rows()
            if not alone:
                self._writing.execute("COMMIT")
        except BaseException:
            self._rows.clear()
            self._known.clear()
            if self._writing.in_transaction:
                with suppress(sqlite3.Error):
                    self._writing.execute("ROLLBACK")
            raise

    def _find(self, table: str) -> _Known:
        known = self._known.get(table)
        if known is None:
            number = _number(self._writing, table)
            if number is None:
                raise RelayError("there is no such table")
            if len(self._known) >= _KNOWN_MAX:
                del self._known[next(iter(self._known))]
            known = self._known[table] = _Known(number, *_last(self._writing, number))
        return known

    def _put_frame(self, table: str, frame: bytes) -> int:
        known = self._find(table)
        cursor, size = known.last + 1, len(frame)
        self._rows += (known.id << _SHIFT | cursor, known.bytes + size, self._clock(), head(cursor, size) + frame)
        known.last, known.bytes = cursor, known.bytes + size
        self._logged += 1
        return cursor

    def _put_rows(self) -> None:
        if self._rows:
            rows, self._rows = self._rows, []
            values = ",".join(["(?, ?, ?, ?)"] * (len(rows) // 4))
            self._writing.execute(f"INSERT INTO frames VALUES {values}", rows)

    def _put_note(self, table: str, note: bytes) -> list[bytes]:
        made = "INSERT INTO tables (name, written) VALUES (:name, :now) ON CONFLICT DO UPDATE SET written = :now"
        self._writing.execute(made, {"name": table, "now": self._clock()})
        put = "INSERT INTO notes SELECT :tab, count(*), :note FROM notes WHERE tab = :tab"
        self._writing.execute(put, {"tab": self._find(table).id, "note": note})
        return _notes(self._writing, table)

    def _put_expiry(self, table: str, time: float) -> None:
        self._writing.execute("UPDATE tables SET expires = ? WHERE id = ?", (time, self._find(table).id))

    def _forget(self, idle: float) -> list[str]:
        """From now on nobody finds these tables."""
        now = self._clock()
        written = _OF_LAST.format("frames.written")
        quiet = f"written <= :since AND coalesce(({written}), 0) <= :since"
        asked = f"SELECT id, name FROM tables WHERE expires <= :now OR {quiet}"
        gone = self._writing.execute(asked, {"now": now, "since": now - idle}).fetchall()
        for number, name in gone:
            self._known.pop(name, None)
            self._writing.execute("INSERT INTO forgotten VALUES (?)", (number,))
            self._writing.execute("DELETE FROM notes WHERE tab = ?", (number,))
            self._writing.execute("DELETE FROM tables WHERE id = ?", (number,))
        return [name for _, name in gone]

    def _delete_some(self) -> bool:
        """A few frames of tables that are forgotten. Whether there may be more."""
        some = "DELETE FROM frames WHERE id IN (SELECT id FROM frames WHERE id BETWEEN ? AND ? LIMIT ?)"
        left = _FORGET_MAX
        while left > 0:
            row = self._writing.execute("SELECT tab FROM forgotten LIMIT 1").fetchone()
            if row is None:
                return False
            base = row[0] << _SHIFT
            deleted = self._writing.execute(some, (base, base + _CURSOR_MAX, left)).rowcount
            if deleted < left and self._writing.execute("DELETE FROM forgotten WHERE tab = ?", row).rowcount < 1:
                # What is read there cannot be deleted: it would be read again, for ever.
                raise RelayError("the store cannot be written to: it is damaged")
            left -= deleted + 1
        return True

    # --- In the thread that reads ---

    def _pages(self, table: str, after: int) -> FramePage | None:
        """The page after a cursor. The next ones are put on the shelf, for who reads one will read them all."""
        number = _number(self._reading, table)
        if number is None:
            return None
        first = page = self._page(number, after)
        for _ in range(_AHEAD):
            if page is None or isinstance(page.message, bytes) or self._shelf.find(number, page.last) is not None:
                break
            page = self._page(number, page.last)
        return first

    def _page(self, number: int, after: int) -> FramePage | None:
        base, most = number << _SHIFT, after - after % _PAGE_MAX + _PAGE_MAX
        span = {"after": base + after, "most": base + min(most, _CURSOR_MAX)}
        row, frames, data = self._reading.execute(_PAGE, span).fetchone()
        return self._shelf.keep(number, after, data, last=row - base, frames=frames) if frames else None


def _move(connection: sqlite3.Connection) -> None:
    """Move what stands in the log. A disk that does not let it is met again, by those who write."""
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def _move_most(connection: sqlite3.Connection) -> None:
    """Twice: what came while the most was moved is moved too."""
    _move(connection)
    _move(connection)


def _notes(connection: sqlite3.Connection, table: str) -> list[bytes]:
    asked = "SELECT note FROM notes WHERE tab = (SELECT id FROM tables WHERE name = ?) ORDER BY number"
    return [note for (note,) in connection.execute(asked, (table,))]


def _number(connection: sqlite3.Connection, table: str) -> int | None:
    row = connection.execute("SELECT id FROM tables WHERE name = ?", (table,)).fetchone()
    return None if row is None else int(row[0])


def _last(connection: sqlite3.Connection, number: int | None) -> tuple[int, int]:
    """Cursor of the last frame, and bytes of all."""
    if number is None:
        return 0, 0
    base = number << _SHIFT
    asked = "SELECT id, total FROM frames WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1"
    row = connection.execute(asked, (base, base + _CURSOR_MAX)).fetchone()
    return (0, 0) if row is None else (row[0] - base, row[1])


# --- The file ---


@asynccontextmanager
async def open_sqlite(path: Path, clock: Callable[[], float]) -> AsyncIterator[SqliteStore]:
    """The store in this file, which is made if it is not there. Raises `RelayError`, also when another relay has it."""
    with _locked(path):
        store = SqliteStore(path, clock)
        try:
            yield store
        finally:
            await store.close()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Two relays on one file would not hear of each other's frames."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Nobody else on this machine needs to see when who plays.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        lock = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise RelayError(f"the store {path} cannot be opened: {error.strerror}") from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise RelayError(f"another relay uses the store {path}") from None
        yield
    finally:
        os.close(lock)


def _connected(path: Path) -> sqlite3.Connection:
    if sqlite3.sqlite_version_info < _SQLITE:
        raise RelayError(f"the store needs SQLite {'.'.join(map(str, _SQLITE))}, not {sqlite3.sqlite_version}")
    with _explained("opened"):
        # A statement that is kept for the next time also keeps the frames that were last given to it, and there is one
        # for every number of frames that are written together: of those hundreds of megabytes could come.
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=0)
        try:
            _prepare(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    def said(pragma: str) -> Any:
        return connection.execute(f"PRAGMA {pragma}").fetchone()[0]

    # A frame goes to the end of its table, in the middle of the tree, where pages are filled anew among neighbours: of
    # 8 kB each, a frame of 2 kB has 31 kB written and synced; of these, 10 kB.
    connection.execute("PRAGMA page_size = 2048")
    if said("journal_mode = WAL") != "wal":
        raise RelayError(f"the disk of {path} is not fit for a store: SQLite has no WAL there")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
    # What is committed is synced.
    connection.execute("PRAGMA synchronous = FULL")
    (things,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    kind = (said("application_id"), said("user_version"))
    if (*kind, things) == (0, 0, 0):
        connection.executescript(_SCHEMA)
    elif kind != (_APPLICATION, _VERSION):
        raise RelayError(f"{path} is not a store of this version")


@contextmanager
def _explained(done: str) -> Iterator[None]:
    """What SQLite says, as a sentence."""
    try:
        yield
    except UnicodeDecodeError:
        # SQLite quotes what it stumbles over, and Python cannot read that.
        raise RelayError(f"the store cannot be {done}: it is damaged, or not a store") from None
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        if name == "SQLITE_FULL":
            why = "its disk is full"
        elif name.startswith("SQLITE_READONLY"):
            why = "it is read-only"
        elif name in ("SQLITE_CORRUPT", "SQLITE_NOTADB"):
            why = "it is damaged, or not a store"
        else:
            why = f"{error} ({name})" if name else str(error)
        raise RelayError(f"the store cannot be {done}: {why}") from None
