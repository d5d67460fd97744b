"""Tables in one SQLite file. An acknowledged frame is on the disk, and survives a crash of the process or machine.

One thread writes. What arrives while it waits for the disk is written together next: one wait for many frames. Another
thread reads, so that clients that catch up do not hold up the others.
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
from nodealer.relay.messages import FRAME_BYTES_MAX, PAGE_BYTES, StoredFrame, frame_head
from nodealer.relay.stores.base import FrameListener, FramePage, TableExtent
from nodealer.relay.stores.page_cache import PageCache

T = TypeVar("T")

#: "node", so that no other program's file is mistaken for ours; and the version of the schema.
_APPLICATION: Final = 0x6E6F6465
_VERSION: Final = 1
#: The first version with strict tables.
_SQLITE: Final = (3, 37, 0)
#: A frame's row id is its table's id, shifted, plus its cursor. So the frames of a table are adjacent, and no index is
#: needed. Appending is one statement, and the last row has the table's extent.
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
#: Selects a column of a table's last frame.
_OF_LAST_FRAME: Final = (
    "SELECT {} FROM frames "
    f"WHERE frames.id BETWEEN tables.id << {_SHIFT} AND (tables.id << {_SHIFT}) + {_CURSOR_MAX} "
    "ORDER BY frames.id DESC LIMIT 1"
)
#: A page ends at the latest with a cursor that is a multiple of this, so that readers who start anywhere soon read the
#: same pages as others …
_PAGE_MAX: Final = 128
#: … and is a single value: SQLite assembles it while Python does something else. Concatenation does not change any
#: bytes. Rows come in the order of their ids, because there is no other access path.
_PAGE: Final = f"""
SELECT max(id), count(*), CAST(group_concat(frame, '') AS BLOB) FROM frames WHERE id > :after AND id <= :most
AND (id = :after + 1 OR total <= {PAGE_BYTES} + coalesce((SELECT total FROM frames WHERE id = :after), 0))
"""
#: How many pages are read ahead before other readers get their turn.
_READ_AHEAD: Final = 3
#: The most jobs that are written at once …
_BATCH_MAX: Final = 512
#: … and the most frames that are deleted before others get their turn.
_FORGET_MAX: Final = 500
#: When SQLite's log has this many frames, they are moved into the database as soon as no one has written for this many
#: seconds. The disk is busy then, and writers have to wait for it …
_LOG_FRAMES: Final = 500
_QUIET: Final = 0.2
#: … so if it is never quiet, they are moved rarely, when there are this many: some 50 MB of log. SQLite itself would do
#: this in the middle of writing, and everyone would wait; it still does when its log has this many pages.
_LOG_FRAMES_MAX: Final = 5000
_LOG_PAGES: Final = 80_000
#: How many tables' extents the writer remembers.
_KNOWN_MAX: Final = 10_000


@dataclass(slots=True)
class _TableEnd:
    """A table's id and extent, for the writing thread."""

    id: int
    last: int
    bytes: int


@dataclass(slots=True)
class _Job:
    """Something to write.

    `work` runs in the writing thread, then `then` in the event loop, in the order of the jobs.
    """

    work: Callable[[], Any]
    then: Callable[[Any], None] | None
    future: asyncio.Future[Any]
    #: Whether it only appends a frame.
    frame: bool
    result: Any = None


class SqliteStore:
    """A store in a file. Use `open_sqlite` to open it."""

    largest = FRAME_BYTES_MAX

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        """Open the database and start its threads. `clock` returns seconds."""
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._writing, self._reading, self._checkpoint_connection = (_connect(path) for _ in range(3))
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._known: dict[str, _TableEnd] = {}
        #: The listeners and ids of the subscribed tables.
        self._listeners: dict[str, FrameListener] = {}
        self._numbers: dict[str, int] = {}
        self._cache = PageCache(path.parent)
        #: Frames to pass to the listeners when all jobs of a transaction are done.
        self._notifications: dict[str, list[StoredFrame]] = {}
        self._closed = False
        #: The columns of the frame rows of the current jobs, one row after the other.
        self._rows: list[Any] = []
        #: The number of frames in SQLite's log, and the checkpoint that is running.
        self._logged = 0
        self._checkpointing: Future[None] | None = None
        self._checkpointer = ThreadPoolExecutor(1, thread_name_prefix="relay-mover")
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="relay-reader")
        self._writer = threading.Thread(target=self._write_all, name="relay-writer", daemon=True)
        self._writer.start()

    # --- The store's interface ---

    async def add_note(self, table: str, note: bytes) -> list[bytes]:
        """Add a note, and return all notes."""
        return await self._write(lambda: self._put_note(table, note))

    async def notes(self, table: str) -> list[bytes]:
        """Return all notes of a table."""
        return await self._read(lambda: _notes(self._reading, table))

    async def append(self, table: str, frame: bytes) -> None:
        """Append a frame. It is on the disk when this returns."""
        await self._write(
            lambda: self._put_frame(table, frame),
            lambda cursor: self._queue_notification(table, cursor, frame),
            frame=True,
        )

    async def read(self, table: str, after: int) -> FramePage | None:
        """Return a page of frames after a cursor."""
        return await self._read(lambda: self._page_and_next(table, after))

    def cached_page(self, table: str, after: int) -> FramePage | None:
        """Return the page if an earlier reader has left it in the cache."""
        number = self._numbers.get(table)
        return None if number is None else self._cache.find(number, after)

    async def count(self, table: str, after: int) -> int:
        """Return the number of frames after a cursor."""
        return max(0, await self._read(lambda: _end_of(self._reading, _table_id(self._reading, table))[0]) - after)

    async def subscribe(self, table: str, listener: FrameListener) -> TableExtent:
        """Return the table's extent, and pass later frames to `listener`.

        The writing thread reads the extent, so that no frame is missed between it and the first notification.
        """

        def begin(known: _TableEnd) -> None:
            """Register the listener, and remember the table's row number."""
            self._listeners[table], self._numbers[table] = listener, known.id

        known = await self._write(lambda: replace(self._table_end(table)), begin)
        return TableExtent(known.last, known.last, known.bytes)

    async def unsubscribe(self, table: str) -> None:
        """Stop passing frames to the listener."""
        self._listeners.pop(table, None)
        self._numbers.pop(table, None)

    async def size(self) -> int:
        """Return the total bytes of all tables."""
        asked = f"SELECT coalesce(sum(({_OF_LAST_FRAME.format('total')})), 0) FROM tables"
        return int(await self._read(lambda: self._reading.execute(asked).fetchone()[0]))

    async def expire(self, table: str, seconds: float) -> None:
        """Let the table be deleted this many seconds from now."""
        await self._write(lambda: self._put_expiry(table, self._clock() + seconds))

    async def sweep(self, idle: float) -> int:
        """Delete tables that are expired or idle, their frames a few at a time; return how many."""

        def forget_ids(names: list[str]) -> None:
            """Remove the deleted tables from the cache of row numbers."""
            for name in names:
                self._numbers.pop(name, None)

        gone = await self._write(lambda: self._delete_tables(idle), forget_ids)
        while await self._write(self._delete_some):
            pass
        return len(gone)

    async def close(self) -> None:
        """Write what is still queued, and close the file."""
        if self._closed:
            return
        self._closed = True
        self._jobs.put(None)
        await self._loop.run_in_executor(self._reader, self._writer.join)
        self._reader.shutdown()
        self._checkpointer.shutdown()
        self._cache.close()
        self._checkpoint_connection.close()
        self._reading.close()
        self._writing.close()

    # --- In the event loop ---

    async def _read(self, work: Callable[[], T]) -> T:
        """Run `work` in the reading thread, and return its result."""
        self._refuse_closed()

        def checked_work() -> T:
            """Do the work, and raise SQLite's errors as the store's errors."""
            with _sqlite_errors("read"):
                return work()

        return await self._loop.run_in_executor(self._reader, checked_work)

    def _write(
        self, work: Callable[[], T], then: Callable[[T], None] | None = None, *, frame: bool = False
    ) -> asyncio.Future[T]:
        """Queue `work` for the writing thread. `then` receives its result in the event loop, before the caller does."""
        self._refuse_closed()
        job = _Job(work, then, self._loop.create_future(), frame)
        self._jobs.put(job)
        return job.future

    def _refuse_closed(self) -> None:
        """Raise `RelayError` if the store is closed."""
        if self._closed:
            raise RelayError("the store is closed")

    def _queue_notification(self, table: str, cursor: int, frame: bytes) -> None:
        """Note a stored frame for the table's listener, if it has one."""
        if table in self._listeners:
            self._notifications.setdefault(table, []).append((cursor, frame))

    def _on_written(self, jobs: Sequence[_Job]) -> None:
        """Notify listeners and callers: all jobs are on the disk or have failed."""
        for job in jobs:
            if job.then is not None and not isinstance(job.result, RelayError):
                job.then(job.result)
        notifications, self._notifications = self._notifications, {}
        for table, frames in notifications.items():
            if (listener := self._listeners.get(table)) is not None:
                listener(frames)
        for job in jobs:
            if job.future.done():
                continue
            if isinstance(job.result, RelayError):
                job.future.set_exception(job.result)
            else:
                job.future.set_result(job.result)

    # --- In the writing thread ---

    def _write_all(self) -> None:
        """Run the jobs until the store is closed: the writing thread's main loop."""
        while (jobs := self._next_jobs()) is not None:
            self._shrink_log(_LOG_FRAMES_MAX)
            if not self._write_together(jobs) and len(jobs) > 1:
                # One job's failure need not affect another: subscribing needs no disk.
                for job in jobs:
                    self._write_together([job])
            with suppress(RuntimeError):  # the loop is closed: no one is waiting
                self._loop.call_soon_threadsafe(self._on_written, jobs)

    def _shrink_log(self, most: int) -> None:
        """Checkpoint the log when it has `most` frames.

        SQLite restarts its log once all of it is moved. What arrives while another thread moves most of it is moved
        here, and that is little.
        """
        if self._checkpointing is None and self._logged >= most:
            self._checkpointing, self._logged = (
                self._checkpointer.submit(_checkpoint_twice, self._checkpoint_connection),
                0,
            )
        elif self._checkpointing is not None and self._checkpointing.done():
            self._checkpointing = None
            if self._logged:
                _checkpoint(self._writing)
                self._logged = 0

    def _write_together(self, jobs: Sequence[_Job]) -> bool:
        """Run all jobs in one transaction, or none of them; return whether that worked."""
        try:
            with _sqlite_errors("written to"):
                self._transaction(jobs)
        except Exception as error:
            # Whatever the error was: without this thread everyone would wait for ever.
            failure = (
                error if isinstance(error, RelayError) else RelayError(f"the store failed: {type(error).__name__}")
            )
            for job in jobs:
                job.result = failure
            # If the disk is full, it can do without the copies.
            self._reader.submit(self._cache.close)
            return False
        return True

    def _next_jobs(self) -> list[_Job] | None:
        """Return all waiting jobs, at least one; None when there will be no more."""
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
        """Wait for a job; checkpoint the log while it is quiet."""
        while self._checkpointing is not None or self._logged >= _LOG_FRAMES:
            with suppress(Empty):
                return self._jobs.get(timeout=_QUIET)
            self._shrink_log(_LOG_FRAMES)
        return self._jobs.get()

    def _transaction(self, jobs: Sequence[_Job]) -> None:
        """Run jobs in a transaction.

        Frames alone are a single statement, which needs no explicit transaction: for each statement this thread takes
        turns with the others, which on a busy machine takes longer than the disk.
        """
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
                    # Nothing was written for this job, and the others continue.
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

    def _table_end(self, table: str) -> _TableEnd:
        """Return a table's id and extent. Raise `RelayError` if there is no such table."""
        known = self._known.get(table)
        if known is None:
            number = _table_id(self._writing, table)
            if number is None:
                raise RelayError("there is no such table")
            if len(self._known) >= _KNOWN_MAX:
                del self._known[next(iter(self._known))]
            known = self._known[table] = _TableEnd(number, *_end_of(self._writing, number))
        return known

    def _put_frame(self, table: str, frame: bytes) -> int:
        """Prepare a frame's row for the next `_put_rows`, and return its cursor."""
        known = self._table_end(table)
        cursor, size = known.last + 1, len(frame)
        self._rows += (known.id << _SHIFT | cursor, known.bytes + size, self._clock(), frame_head(cursor, size) + frame)
        known.last, known.bytes = cursor, known.bytes + size
        self._logged += 1
        return cursor

    def _put_rows(self) -> None:
        """Insert all prepared frame rows with one statement."""
        if self._rows:
            rows, self._rows = self._rows, []
            values = ",".join(["(?, ?, ?, ?)"] * (len(rows) // 4))
            self._writing.execute(f"INSERT INTO frames VALUES {values}", rows)

    def _put_note(self, table: str, note: bytes) -> list[bytes]:
        """Insert a note, creating the table if necessary, and return all notes."""
        statement = "INSERT INTO tables (name, written) VALUES (:name, :now) ON CONFLICT DO UPDATE SET written = :now"
        self._writing.execute(statement, {"name": table, "now": self._clock()})
        put = "INSERT INTO notes SELECT :tab, count(*), :note FROM notes WHERE tab = :tab"
        self._writing.execute(put, {"tab": self._table_end(table).id, "note": note})
        return _notes(self._writing, table)

    def _put_expiry(self, table: str, time: float) -> None:
        """Set when a table expires."""
        self._writing.execute("UPDATE tables SET expires = ? WHERE id = ?", (time, self._table_end(table).id))

    def _delete_tables(self, idle: float) -> list[str]:
        """Delete expired and idle tables, so that they are no longer found; return their names.

        Their frames remain for now.
        """
        now = self._clock()
        written = _OF_LAST_FRAME.format("frames.written")
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
        """Delete a few frames of deleted tables; return whether there may be more."""
        some = "DELETE FROM frames WHERE id IN (SELECT id FROM frames WHERE id BETWEEN ? AND ? LIMIT ?)"
        left = _FORGET_MAX
        while left > 0:
            row = self._writing.execute("SELECT tab FROM forgotten LIMIT 1").fetchone()
            if row is None:
                return False
            base = row[0] << _SHIFT
            deleted = self._writing.execute(some, (base, base + _CURSOR_MAX, left)).rowcount
            if deleted < left and self._writing.execute("DELETE FROM forgotten WHERE tab = ?", row).rowcount < 1:
                # A row that can be read but not deleted would be read again for ever.
                raise RelayError("the store cannot be written to: it is damaged")
            left -= deleted + 1
        return True

    # --- In the reading thread ---

    def _page_and_next(self, table: str, after: int) -> FramePage | None:
        """Return the page after a cursor, and cache the next ones: a client that reads one will read them all."""
        number = _table_id(self._reading, table)
        if number is None:
            return None
        first = page = self._page(number, after)
        for _ in range(_READ_AHEAD):
            if page is None or isinstance(page.message, bytes) or self._cache.find(number, page.last) is not None:
                break
            page = self._page(number, page.last)
        return first

    def _page(self, number: int, after: int) -> FramePage | None:
        """Return the page of frames after a cursor, cached if possible; None if there are none."""
        base, most = number << _SHIFT, after - after % _PAGE_MAX + _PAGE_MAX
        span = {"after": base + after, "most": base + min(most, _CURSOR_MAX)}
        row, frames, data = self._reading.execute(_PAGE, span).fetchone()
        return self._cache.add(number, after, data, last=row - base, frames=frames) if frames else None


def _checkpoint(connection: sqlite3.Connection) -> None:
    """Move the log into the database. If the disk does not allow it, the next write will report that."""
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def _checkpoint_twice(connection: sqlite3.Connection) -> None:
    """Checkpoint twice, so that what arrives during the first time is moved too."""
    _checkpoint(connection)
    _checkpoint(connection)


def _notes(connection: sqlite3.Connection, table: str) -> list[bytes]:
    """Return a table's notes in order."""
    asked = "SELECT note FROM notes WHERE tab = (SELECT id FROM tables WHERE name = ?) ORDER BY number"
    return [note for (note,) in connection.execute(asked, (table,))]


def _table_id(connection: sqlite3.Connection, table: str) -> int | None:
    """Return a table's id; None if there is no such table."""
    row = connection.execute("SELECT id FROM tables WHERE name = ?", (table,)).fetchone()
    return None if row is None else int(row[0])


def _end_of(connection: sqlite3.Connection, number: int | None) -> tuple[int, int]:
    """Return the cursor of a table's last frame, and the bytes of all its frames."""
    if number is None:
        return 0, 0
    base = number << _SHIFT
    asked = "SELECT id, total FROM frames WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1"
    row = connection.execute(asked, (base, base + _CURSOR_MAX)).fetchone()
    return (0, 0) if row is None else (row[0] - base, row[1])


# --- The file ---


@asynccontextmanager
async def open_sqlite(path: Path, clock: Callable[[], float]) -> AsyncIterator[SqliteStore]:
    """Open the store in this file, creating it if necessary. Raise `RelayError`, also if another relay uses it."""
    with _exclusive_lock(path):
        store = SqliteStore(path, clock)
        try:
            yield store
        finally:
            await store.close()


@contextmanager
def _exclusive_lock(path: Path) -> Iterator[None]:
    """Lock the file: two relays on one file would not see each other's frames."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # No other user of this machine needs to see who plays when.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        lock = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise RelayError(f"cannot open the store {path}: {error.strerror}") from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise RelayError(f"another relay is using the store {path}") from None
        yield
    finally:
        os.close(lock)


def _connect(path: Path) -> sqlite3.Connection:
    """Open a connection to the database, and prepare it."""
    if sqlite3.sqlite_version_info < _SQLITE:
        raise RelayError(f"the store needs SQLite {'.'.join(map(str, _SQLITE))}, not {sqlite3.sqlite_version}")
    with _sqlite_errors("opened"):
        # A cached statement also keeps the frames that were last bound to it, and there is one statement for every
        # number of frames written together: that could add up to hundreds of megabytes.
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=0)
        try:
            _prepare(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Set the connection's options, and create or check the schema."""

    def pragma(setting: str) -> Any:
        """Execute a PRAGMA, and return the value that SQLite reports for it."""
        return connection.execute(f"PRAGMA {setting}").fetchone()[0]

    # A frame goes to the end of its table, in the middle of the tree, where pages are rewritten: with pages of 8 kB, a
    # frame of 2 kB causes 31 kB to be written and synced; with these, 10 kB.
    connection.execute("PRAGMA page_size = 2048")
    if pragma("journal_mode = WAL") != "wal":
        raise RelayError(f"the file system of {path} cannot hold a store: SQLite's WAL does not work there")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
    # Every commit is synced.
    connection.execute("PRAGMA synchronous = FULL")
    (things,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    kind = (pragma("application_id"), pragma("user_version"))
    if (*kind, things) == (0, 0, 0):
        connection.executescript(_SCHEMA)
    elif kind != (_APPLICATION, _VERSION):
        raise RelayError(f"{path} is not a store of this version")


@contextmanager
def _sqlite_errors(done: str) -> Iterator[None]:
    """Turn SQLite's errors into `RelayError` with a readable sentence; `done` completes "the store cannot be …"."""
    try:
        yield
    except UnicodeDecodeError:
        # SQLite quotes the bytes that it fails on, and Python cannot decode them.
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
