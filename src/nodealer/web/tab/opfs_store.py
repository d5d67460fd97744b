"""The home of a seat in a tab: one file that only grows, which one tab has open.

Its first line says name, key, root and link; then comes what a home keeps, a line each, as it came. One file has one
order: whatever a record of the journal has seen stands before it, and one flush brings both to the disk.
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
from nodealer.relay.invitations import RELAYS_MAX, Invitation, read_link
from nodealer.relay.sealing import ReadKey, TableSecret
from nodealer.tape import ROOT_BYTES
from nodealer.wire import MESSAGE_BYTES_MAX, Message, decode, encode

FORMAT: Final = "nodealer-tab"
#: A line is a letter, and an entry in base64 with a little more.
LINE_BYTES_MAX: Final = 2 * MESSAGE_BYTES_MAX
_RECORD, _FRAME, _SESSION, _ENTRY = b"j", b"l", b"s", b"e"

_Secret = Annotated[bytes, msgspec.Meta(min_length=KEY_BYTES, max_length=KEY_BYTES)]


class ExclusiveFile(Protocol):
    """A file that nobody else has open. What fails raises `OSError`, and says why."""

    def read(self) -> bytes:
        """All of it."""

    def write(self, data: bytes, at: int) -> None:
        """Put bytes there: all of them, or it raises."""

    def flush(self) -> None:
        """What was written survives a crash from here on."""

    def truncate(self, size: int) -> None:
        """Cut it."""

    def close(self) -> None:
        """Let another one open it."""


class HostedTable(Message, frozen=True, kw_only=True, omit_defaults=True):
    """What a host proposes, so that one who comes back to a lobby proposes the same."""

    game: str
    settings: dict[str, str]
    seats: int
    hands: int
    #: The card protocol and its parameters; None for the game's own.
    protocol: str | None = None
    parameters: str | None = None
    #: The limits of time, where somebody may keep it, and whether the host waits for one who does.
    clock: Limits | None = None
    awaits_keeper: bool = False


class SavedTab(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The first line. A name of null is one who watches."""

    format: Literal["nodealer-tab"]
    version: Label
    name: str | None
    link: str
    key: _Secret
    root: Annotated[bytes, msgspec.Meta(min_length=ROOT_BYTES, max_length=ROOT_BYTES)]
    hosted: HostedTable | None = None

    def __repr__(self) -> str:
        return "<SavedTab>"


class TabJournal:
    """What was signed and chosen; on the disk before `write` returns."""

    def __init__(self, home: TabStore) -> None:
        self._home = home
        self._records: list[Record] = []

    @property
    def records(self) -> tuple[Record, ...]:
        return tuple(self._records)

    def write(self, record: Record) -> None:
        self._home.keep(_RECORD, encode(record), flush=True)
        self._records.append(record)

    def recall(self, record: Record) -> None:
        """One that was written before."""
        self._records.append(record)


class TabStore:
    """The `Home` of a seat in a tab. Made by `create` and `open`."""

    def __init__(self, store: ExclusiveFile, saved: SavedTab, lines: Iterable[bytes], size: int) -> None:
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
                self._recall(line)
            except DecodeError as error:
                raise HomeUnusable(f"the home of this seat is damaged: line {number}: {error}") from None

    @classmethod
    def create(cls, store: ExclusiveFile, saved: SavedTab) -> Self:
        """A new home, in an empty file."""
        if saved.name is not None:
            refuse_bad_name(saved.name, "your name")
        home = cls(store, saved, (), 0)
        home._write(encode(saved) + b"\n", flush=True)
        return home

    @classmethod
    def open(cls, store: ExclusiveFile) -> Self:
        """The home in a file, as whoever had it last has left it. Half a line was never acted upon, and is cut away."""
        with _disk():
            data = store.read()
            size = data.rfind(b"\n") + 1
            if size < len(data):
                store.truncate(size)
            # Whoever was killed before a flush leaves lines that only look as if they were on the disk.
            store.flush()
        first, *lines = data[: max(size - 1, 0)].split(b"\n")
        return cls(store, read_saved(first), lines, size)

    def close(self) -> None:
        """Let another one play from here. This one takes no more."""
        self._in_doubt = True
        self._store.close()

    def heard(self, frame: bytes) -> None:
        self.keep(_FRAME, _one_line(frame), flush=True)
        self.lobby.append(frame)

    def begin(self, session: Session) -> None:
        if self.session is not None:
            raise BadParameter("this home is for one table, and its players have agreed already")
        self.keep(_SESSION, encode(session), flush=True)
        self.session = session

    def append(self, entry: bytes) -> None:
        if self.session is None:
            raise BadParameter("nothing is said at a table before its players have agreed")
        self.keep(_ENTRY, entry, flush=False)

    def keep(self, kind: bytes, data: bytes, *, flush: bool) -> None:
        """One more line."""
        line = kind + data
        if len(line) > LINE_BYTES_MAX or b"\n" in line:
            raise BadParameter(f"what is not one line of at most {LINE_BYTES_MAX} bytes cannot be kept")
        self._write(line + b"\n", flush=flush)

    def _write(self, data: bytes, *, flush: bool) -> None:
        if self._in_doubt:
            raise HomeUnusable("the home of this seat takes no more: it was closed, or a write to it failed")
        # Whatever ends this early leaves it in doubt: who wrote another line in its place would have said two things.
        self._in_doubt = True
        with _disk():
            self._store.write(data, self._size)
            if flush:
                self._store.flush()
        self._size += len(data)
        self._in_doubt = False

    def _recall(self, line: bytes) -> None:
        kind, data = line[:1], line[1:]
        if kind == _RECORD:
            self.journal.recall(decode(Record, data, what="a record", limit=LINE_BYTES_MAX))
        elif kind == _FRAME:
            self.lobby.append(_one_line(data))
        elif kind == _SESSION and self.session is None:
            self.session = read_session(data)
        elif kind == _ENTRY and self.session is not None:
            self.entries.append(data)
        else:
            raise DecodeError("what stands there is nothing that a home keeps")


@contextmanager
def _disk() -> Iterator[None]:
    """What the browser's storage has against it, as a sentence."""
    try:
        yield
    except OSError as error:
        raise HomeUnusable(f"the storage of this browser does not keep what this seat says: {error}") from error


def way_back(saved: SavedTab, given: Invitation) -> tuple[Invitation, tuple[TableSecret | ReadKey, ...]]:
    """How a seat comes back to its table when a link is opened again: by the key that it came by first, and with what a
    later link has beside it. Raises `BadParameter` for a link that is not of the same table."""
    came_by = read_link(saved.link)
    if given.is_false_beside(came_by):
        raise BadParameter(
            "you have come to a table of this number by another link, with another key or another host: one of the two "
            "links is false. If it was the first one, forget that table here"
        )
    if saved.hosted is not None or given.key.epoch == came_by.key.epoch:
        relays = came_by.relays if saved.hosted is not None else given.relays
        return replace(came_by, relays=relays), ()
    # Whoever has made this one up has no more than a relay behind those that are known.
    relays = tuple(dict.fromkeys((*came_by.relays, *given.relays)))[:RELAYS_MAX]
    return replace(came_by, relays=relays), (given.key,)


def read_saved(line: bytes) -> SavedTab:
    """The first line of a home. Raises `HomeUnusable`, and `OtherFormat` for one of another version."""
    try:
        head = msgspec.json.decode(line, type=Head)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise HomeUnusable("this is no home of a seat in a tab: its first line cannot be read") from None
    if head.format != FORMAT:
        raise HomeUnusable("this is no home of a seat in a tab: it is of something else")
    try:
        refuse_other_version(head.version)
        saved = decode(SavedTab, line, what="the first line")
        if saved.name is not None:
            refuse_bad_name(saved.name, "the name in it")
        return saved
    except OtherFormat as other:
        raise OtherFormat(f"the home of this seat has an {other}") from None
    except DecodeError as error:
        raise HomeUnusable(f"the home of this seat is damaged: {error}") from None


def new_saved(name: str | None, link: str, key: bytes, root: bytes, hosted: HostedTable | None = None) -> SavedTab:
    """What a new home begins with."""
    return SavedTab(format=FORMAT, version=FORMAT_VERSION, name=name, link=link, key=key, root=root, hosted=hosted)


def _one_line(frame: bytes) -> bytes:
    try:
        decode(dict[str, Any], frame, what="a frame of the lobby")
    except DecodeError as error:
        raise DecodeError(f"not to be kept: {error}") from None
    return frame
