"""A home in a folder: locked while it is open, and on the disk before anybody acts upon it.

home.json   name, key and root; made last, so that a folder with a key has all the rest, and never changed. Where the
            user's own key plays, only its public half is here
lock        held by whoever plays from this home: two of them would sign one number twice
journal     what was signed and chosen, a record a line
lobby       the frames of the lobby, one a line
log.jsonl   the log, once the players have agreed: `nodealer verify` reads it at any time
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

import msgspec

from nodealer.client.durable_files import FILE_MODE, FOLDER_MODE, LineFile, disk, sync_folder, write_whole
from nodealer.client.journal import FileJournal
from nodealer.errors import BadParameter, DecodeError, HomeInUse, HomeUnusable, OtherFormat
from nodealer.keys import KEY_BYTES, Identity
from nodealer.log.names import refuse_bad_name
from nodealer.log.session import FORMAT_VERSION, Head, Label, Session, read_session, refuse_other_version
from nodealer.tape import ROOT_BYTES
from nodealer.wire import Message, decode, encode

FORMAT: Final = "nodealer-home"
HOME: Final = "home.json"
LOCK: Final = "lock"
JOURNAL: Final = "journal"
LOBBY: Final = "lobby"
LOG: Final = "log.jsonl"
HOME_BYTES_MAX: Final = 4096


_Key = Annotated[bytes, msgspec.Meta(min_length=KEY_BYTES, max_length=KEY_BYTES)]


class SavedStore(Message, frozen=True, kw_only=True, omit_defaults=True):
    """What home.json says. It has a key of its own, or says whose key plays here."""

    format: Literal["nodealer-home"]
    version: Label
    name: str | None
    key: _Key | None = None
    root: Annotated[bytes, msgspec.Meta(min_length=ROOT_BYTES, max_length=ROOT_BYTES)]
    #: The public key of the user, who brings the other half.
    user: _Key | None = None

    def __post_init__(self) -> None:
        if (self.key is None) == (self.user is None):
            raise ValueError("a home has a key of its own or that of its user")

    def __repr__(self) -> str:
        return "<Saved>"


class FolderStore:
    """The `Home` of one player at one table, in a folder of its own. Made by `create` and `open`; a context manager."""

    def __init__(self, folder: Path, saved: SavedStore, identity: Identity, held: ExitStack) -> None:
        self._folder = folder
        self.name = saved.name
        self.identity = identity
        self.root = saved.root
        self.session: Session | None = None
        self._log: LineFile | None = None
        # Whoever was killed here may not have come to it.
        sync_folder(folder)
        self._lobby = LineFile(folder / LOBBY)
        held.callback(self._lobby.close)
        self.lobby = [_read_frame(frame, folder / LOBBY) for frame in self._lobby.lines()]
        self.journal = FileJournal(folder / JOURNAL, self._sync_log)
        held.callback(self.journal.close)
        # Not by asking the disk whether the file is there: what it cannot tell is an error, not a no.
        if LOG in _names(folder):
            self._log = LineFile(folder / LOG)
            held.callback(self._log.close)
            self.session = _read_session(next(self._log.lines(), b""), folder / LOG)
        elif self.journal.records:
            raise HomeUnusable(f"{folder} has a journal, and the log that belongs to it is gone")
        self._held = held.pop_all()

    @classmethod
    def create(cls, path: Path, name: str | None, key: bytes | Identity, root: bytes) -> Self:
        """A new home, in a folder that is not there yet or empty, or in which somebody was killed while making one.

        With the bytes of a key, the key is the home's own and is kept in it. An identity is the user's, and the home
        keeps nothing of it that is secret.
        """
        if name is not None:
            refuse_bad_name(name, "the name")
        if not isinstance(root, bytes) or len(root) != ROOT_BYTES:
            raise BadParameter(f"a root has {ROOT_BYTES} bytes")
        if isinstance(key, Identity):
            saved = SavedStore(format=FORMAT, version=FORMAT_VERSION, name=name, root=root, user=key.public)
        elif isinstance(key, bytes) and len(key) == KEY_BYTES:
            saved = SavedStore(format=FORMAT, version=FORMAT_VERSION, name=name, key=key, root=root)
        else:
            raise BadParameter(f"a key has {KEY_BYTES} bytes")
        folder = path.absolute()
        with disk(folder):
            folder.mkdir(FOLDER_MODE, exist_ok=True)
        _refuse_occupied(folder)
        with ExitStack() as held:
            held.callback(os.close, _lock(folder, os.O_CREAT))
            # Somebody may have been quicker.
            _refuse_occupied(folder)
            with disk(folder):
                folder.chmod(FOLDER_MODE)
            sync_folder(folder.parent)
            write_whole(folder / JOURNAL, b"")
            write_whole(folder / LOBBY, b"")
            write_whole(folder / HOME, encode(saved))
            return cls(folder, saved, key if isinstance(key, Identity) else Identity(key), held)

    @classmethod
    def open(cls, path: Path, user: Identity | None = None) -> Self:
        """The home in a folder, as whoever had it last has left it, in whatever way.

        Where the user's own key plays (`user_of`) it must be brought.
        """
        folder = path.absolute()
        saved = _read_saved(folder)
        identity = _brought(folder, saved, user)
        with ExitStack() as held:
            held.callback(os.close, _lock(folder))
            return cls(folder, saved, identity, held)

    def close(self) -> None:
        """Let another one play from here. What is left of this one takes no more."""
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<FolderStore {self._folder}>"

    def heard(self, frame: bytes) -> None:
        try:
            decode(dict[str, Any], frame, what="a frame of the lobby")
        except DecodeError as error:
            raise BadParameter(f"not to be kept: {error}") from None
        self._lobby.write(frame, sync=True)
        self.lobby.append(frame)

    @property
    def entries(self) -> Iterator[bytes]:
        return iter(()) if self._log is None else islice(self._log.lines(), 1, None)

    def begin(self, session: Session) -> None:
        if self._log is not None:
            raise BadParameter("this home is for one table, and its players have agreed already")
        path = self._folder / LOG
        write_whole(path, encode(session) + b"\n")
        self._log = LineFile(path)
        self._held.callback(self._log.close)
        self.session = session

    def append(self, entry: bytes) -> None:
        self._begun().write(entry, sync=False)

    def _sync_log(self) -> None:
        self._begun().sync()

    def _begun(self) -> LineFile:
        if self._log is None:
            raise BadParameter("nothing is said at a table before its players have agreed")
        return self._log


def _brought(folder: Path, saved: SavedStore, user: Identity | None) -> Identity:
    if saved.key is not None:
        return Identity(saved.key)
    if user is None:
        raise BadParameter(f"in {folder} a user's own key plays, and it is not here")
    if user.public != saved.user:
        raise BadParameter(f"in {folder} another key plays than yours")
    return user


def _lock(folder: Path, create: int = 0) -> int:
    """A descriptor that holds the lock. Never closed by chance: a journal may be in use when its home is forgotten."""
    path = folder / LOCK
    with disk(path):
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | create, FILE_MODE)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise HomeInUse(f"another program plays from {folder}") from None
        except OSError:
            os.close(descriptor)
            raise
    return descriptor


def _names(folder: Path) -> set[str]:
    with disk(folder):
        return set(os.listdir(folder))


def _refuse_occupied(folder: Path) -> None:
    """Raise unless the folder holds nothing, or only what `create` leaves when it is killed: no key, nothing signed."""
    names = _names(folder)
    if HOME in names:
        raise HomeUnusable(f"there is a home in {folder} already")
    made = {JOURNAL, LOBBY}
    with disk(folder):
        full = [name for name in made & names if (folder / name).stat().st_size]
    if full or names - made - {LOCK} - {f"{name}.partial" for name in (*made, HOME)}:
        raise HomeUnusable(f"{folder} is not empty, and a home needs a folder of its own")


def _read_saved(folder: Path) -> SavedStore:
    path = folder / HOME
    with disk(path), path.open("rb") as file:
        mine = os.fstat(file.fileno()).st_uid == os.geteuid()
        data = file.read(HOME_BYTES_MAX + 1)
    if not mine:
        raise HomeUnusable(f"{path} belongs to another user, who may have the key in it too")
    try:
        head = msgspec.json.decode(data, type=Head)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise HomeUnusable(f"{path} is damaged: it cannot be read") from None
    if head.format != FORMAT:
        raise HomeUnusable(f"{folder} is not a home: its {HOME} is of something else")
    try:
        refuse_other_version(head.version)
        return decode(SavedStore, data, what=HOME, limit=HOME_BYTES_MAX)
    except OtherFormat as other:
        raise OtherFormat(f"the home {folder} has an {other}") from None
    except DecodeError as error:
        raise HomeUnusable(f"{path} is damaged: {error}") from None


def _read_frame(frame: bytes, path: Path) -> bytes:
    try:
        decode(dict[str, Any], frame, what="a frame")
    except DecodeError as error:
        raise HomeUnusable(f"{path} is damaged: {error}") from None
    return frame


def _read_session(line: bytes, path: Path) -> Session:
    try:
        return read_session(line)
    except DecodeError as error:
        raise HomeUnusable(f"{path} is damaged: {error}") from None


def user_of(path: Path) -> bytes | None:
    """The public key of the user whose own key plays from the home in a folder; None where the home has its own."""
    return _read_saved(path.absolute()).user


def in_use(path: Path) -> bool:
    """Whether somebody plays from the home in a folder now."""
    folder = path.absolute()
    if LOCK not in _names(folder):
        return False
    try:
        os.close(_lock(folder))
    except HomeInUse:
        return True
    return False


def home_in(path: Path, name: str | None, entropy: Callable[[int], bytes], user: Identity | None = None) -> FolderStore:
    """The home in a folder, or a new one where there is none yet: with a key of its own, or for a user's."""
    if path.is_dir() and HOME in _names(path):
        return FolderStore.open(path, user)
    return FolderStore.create(path, name, entropy(KEY_BYTES) if user is None else user, entropy(ROOT_BYTES))
