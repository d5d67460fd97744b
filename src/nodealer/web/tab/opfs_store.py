"""The store of a seat in a tab: one append-only file, which only one tab has open.

Its first line has the name, key, root and link. Each further line is one thing to remember, in the order it came.
Because there is only one file, everything that a journal record refers to is before it, and one flush writes both to
the disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated, Any, Final, Literal, Protocol, Self

import msgspec

from nodealer.errors import BadParameter, DecodeError, HomeUnusable, OtherFormat
from nodealer.keys import KEY_BYTES, Identity
from nodealer.log.journal import Record
from nodealer.log.names import refuse_bad_name
from nodealer.log.session import FORMAT_VERSION, Head, Label, Limits, Session, read_session, refuse_other_version
from nodealer.relay.invitations import RELAYS_MAX, Invitation, parse_link
from nodealer.relay.sealing import ReadKey, TableSecret
from nodealer.tape import ROOT_BYTES
from nodealer.wire import MESSAGE_BYTES_MAX, Message, decode, encode

FORMAT: Final = "nodealer-tab"
#: A line is a letter followed by, at most, an entry in base64 and a little more.
LINE_BYTES_MAX: Final = 2 * MESSAGE_BYTES_MAX
_RECORD, _FRAME, _SESSION, _ENTRY = b"j", b"l", b"s", b"e"

_Secret = Annotated[bytes, msgspec.Meta(min_length=KEY_BYTES, max_length=KEY_BYTES)]


class ExclusiveFile(Protocol):
    """A file that no one else has open. Failures raise `OSError` with a reason."""

    def read(self) -> bytes:
        """Return the whole content."""

    def write(self, data: bytes, at: int) -> None:
        """Write all bytes at this position, or raise."""

    def flush(self) -> None:
        """Make what was written survive a crash."""

    def truncate(self, size: int) -> None:
        """Cut the file to this size."""

    def close(self) -> None:
        """Release the file, so that another tab can open it."""


class StoredTable(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The table a host proposes, stored so that a host who returns to the lobby proposes the same."""

    game: str
    settings: dict[str, str]
    seats: int
    hands: int
    #: The card protocol and its parameters. None means the game's own.
    protocol: str | None = None
    parameters: str | None = None
    #: The time limits, if a timekeeper may join, and whether the host waits for one.
    clock: Limits | None = None
    awaits_keeper: bool = False


class SavedTab(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The first line of the file. A name of null means a spectator."""

    format: Literal["nodealer-tab"]
    version: Label
    name: str | None
    link: str
    key: _Secret
    root: Annotated[bytes, msgspec.Meta(min_length=ROOT_BYTES, max_length=ROOT_BYTES)]
    hosted: StoredTable | None = None

    def __repr__(self) -> str:
        """Return a text without the secrets."""
        return "<SavedTab>"


class TabJournal:
    """The record of everything this seat signed and chose. `write` returns once a record is on the disk."""

    def __init__(self, home: TabStore) -> None:
        """Start without records; they are written to the file of this store."""
        self._home = home
        self._records: list[Record] = []

    @property
    def records(self) -> tuple[Record, ...]:
        """All records, in order."""
        return tuple(self._records)

    def write(self, record: Record) -> None:
        """Store a record on the disk."""
        self._home.append_line(_RECORD, encode(record), flush=True)
        self._records.append(record)

    def restore(self, record: Record) -> None:
        """Restore a record that was written earlier."""
        self._records.append(record)


class TabStore:
    """The player store of a seat in a tab. Use `create` or `open`."""

    def __init__(self, store: ExclusiveFile, saved: SavedTab, lines: Iterable[bytes], size: int) -> None:
        """Restore a store from the lines of its file. Raises `HomeUnusable` if one is damaged."""
        self._store = store
        self._size = size
        self._in_doubt = False
        self.saved = saved
        self.name = saved.name
        self.identity = Identity(saved.key)
        self.root = saved.root
        self.session: Session | None = None
        self.lobby: list[bytes] = []
        self.entries: list[bytes] = []
        self.journal = TabJournal(self)
        for number, line in enumerate(lines, start=2):
            try:
                self._restore_line(line)
            except DecodeError as error:
                raise HomeUnusable(f"the stored seat is damaged: line {number}: {error}") from None

    @classmethod
    def create(cls, store: ExclusiveFile, saved: SavedTab) -> Self:
        """Create a new store in an empty file."""
        if saved.name is not None:
            refuse_bad_name(saved.name, "your name")
        home = cls(store, saved, (), 0)
        home._write(encode(saved) + b"\n", flush=True)
        return home

    @classmethod
    def open(cls, store: ExclusiveFile) -> Self:
        """Open the store in a file. An incomplete last line was never acted on, and is cut off."""
        with _storage_errors():
            data = store.read()
            size = data.rfind(b"\n") + 1
            if size < len(data):
                store.truncate(size)
            # A tab that was killed before a flush leaves lines that only seem to be on the disk.
            store.flush()
        first, *lines = data[: max(size - 1, 0)].split(b"\n")
        return cls(store, read_saved(first), lines, size)

    def close(self) -> None:
        """Release the file for another tab. This store accepts nothing more."""
        self._in_doubt = True
        self._store.close()

    def append_lobby_frame(self, frame: bytes) -> None:
        """Store a frame of the lobby."""
        self.append_line(_FRAME, _checked_frame(frame), flush=True)
        self.lobby.append(frame)

    def save_session(self, session: Session) -> None:
        """Store the session that the players agreed on. Raises `BadParameter` if there is one already."""
        if self.session is not None:
            raise BadParameter("this seat already has a table: its players have agreed")
        self.append_line(_SESSION, encode(session), flush=True)
        self.session = session

    def append(self, entry: bytes) -> None:
        """Store a log entry. It is flushed together with the next journal record."""
        if self.session is None:
            raise BadParameter("there are no log entries before the players have agreed")
        self.append_line(_ENTRY, entry, flush=False)

    def append_line(self, kind: bytes, data: bytes, *, flush: bool) -> None:
        """Append one line. Raises `BadParameter` if it is too long or contains a line break."""
        line = kind + data
        if len(line) > LINE_BYTES_MAX or b"\n" in line:
            raise BadParameter(f"only single lines of at most {LINE_BYTES_MAX} bytes can be stored")
        self._write(line + b"\n", flush=flush)

    def _write(self, data: bytes, *, flush: bool) -> None:
        """Append bytes. If that fails, the store accepts nothing more."""
        if self._in_doubt:
            raise HomeUnusable("nothing more can be stored for this seat: it was closed, or a write failed")
        # If this is interrupted, it is unknown what was written. Writing something else in its place could mean that
        # the seat has signed two contradictory things.
        self._in_doubt = True
        with _storage_errors():
            self._store.write(data, self._size)
            if flush:
                self._store.flush()
        self._size += len(data)
        self._in_doubt = False

    def _restore_line(self, line: bytes) -> None:
        """Restore one line of the file. Raises `DecodeError` if it is not valid there."""
        kind, data = line[:1], line[1:]
        if kind == _RECORD:
            self.journal.restore(decode(Record, data, what="a record", limit=LINE_BYTES_MAX))
        elif kind == _FRAME:
            self.lobby.append(_checked_frame(data))
        elif kind == _SESSION and self.session is None:
            self.session = read_session(data)
        elif kind == _ENTRY and self.session is not None:
            self.entries.append(data)
        else:
            raise DecodeError("it is not a valid line of a stored seat")


@contextmanager
def _storage_errors() -> Iterator[None]:
    """Turn errors of the browser's storage into `HomeUnusable`."""
    try:
        yield
    except OSError as error:
        raise HomeUnusable(f"this browser could not store what your seat signed: {error}") from error


def rejoin_invitation(saved: SavedTab, opened: Invitation) -> tuple[Invitation, tuple[TableSecret | ReadKey, ...]]:
    """Return how a seat comes back to its table when a link is opened again: the invitation, and further keys to try.

    The seat uses the key of the link it came by first, plus what a later link adds. Raises `BadParameter` if the link
    does not belong to the same table.
    """
    first = parse_link(saved.link)
    if opened.contradicts(first):
        raise BadParameter(
            "you have already used a different link to this table, with a different key or host. One of the two links "
            "is fake. If it was the first one, forget that table and open this link again"
        )
    if saved.hosted is not None or opened.key.epoch == first.key.epoch:
        relays = first.relays if saved.hosted is not None else opened.relays
        return replace(first, relays=relays), ()
    # A made-up link can only add a relay after the known ones.
    relays = tuple(dict.fromkeys((*first.relays, *opened.relays)))[:RELAYS_MAX]
    return replace(first, relays=relays), (opened.key,)


def read_saved(line: bytes) -> SavedTab:
    """Decode the first line. Raises `HomeUnusable`, or `OtherFormat` if it has another version."""
    try:
        head = msgspec.json.decode(line, type=Head)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise HomeUnusable("this is not a stored seat: its first line cannot be read") from None
    if head.format != FORMAT:
        raise HomeUnusable("this is not a stored seat: it is a different kind of file")
    try:
        refuse_other_version(head.version)
        saved = decode(SavedTab, line, what="the first line")
        if saved.name is not None:
            refuse_bad_name(saved.name, "the name in it")
        return saved
    except OtherFormat as other:
        raise OtherFormat(f"the stored seat has an {other}") from None
    except DecodeError as error:
        raise HomeUnusable(f"the stored seat is damaged: {error}") from None


def new_saved(name: str | None, link: str, key: bytes, root: bytes, hosted: StoredTable | None = None) -> SavedTab:
    """Return the first line of a new store."""
    return SavedTab(format=FORMAT, version=FORMAT_VERSION, name=name, link=link, key=key, root=root, hosted=hosted)


def _checked_frame(frame: bytes) -> bytes:
    """Return a lobby frame if it can be stored as one line. Raises `DecodeError` otherwise."""
    try:
        decode(dict[str, Any], frame, what="a frame of the lobby")
    except DecodeError as error:
        raise DecodeError(f"it cannot be stored: {error}") from None
    return frame
