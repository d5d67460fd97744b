"""A player store in a folder: locked while it is open, and on the disk before anyone acts on it.

home.json   name, key and root; written last, so that a folder with a key has everything else too, and never changed.
            If the user's own key plays, only its public half is here
lock        held by the program that plays from this folder: two programs would sign one number twice
journal     what was signed and chosen, one record per line
lobby       the frames of the lobby, one per line
log.jsonl   the log, once the players have agreed; `nodealer verify` can read it at any time
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

from nodealer.client.durable_files import FILE_MODE, FOLDER_MODE, LineFile, disk_errors, sync_folder, write_atomically
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
    """The contents of home.json: either a key of its own, or the public key of the user who plays from it."""

    format: Literal["nodealer-home"]
    version: Label
    name: str | None
    key: _Key | None = None
    root: Annotated[bytes, msgspec.Meta(min_length=ROOT_BYTES, max_length=ROOT_BYTES)]
    #: The user's public key; the user supplies the private half.
    user: _Key | None = None

    def __post_init__(self) -> None:
        """Check that exactly one of `key` and `user` is set. Raises `ValueError`."""
        if (self.key is None) == (self.user is None):
            raise ValueError("a home has either its own key or its user's public key")

    def __repr__(self) -> str:
        """Leave out all fields: they include secrets."""
        return "<Saved>"


class FolderStore:
    """The store of one player at one table, in its own folder.

    Construct it with `create` or `open`; a context manager.
    """

    def __init__(self, folder: Path, saved: SavedStore, identity: Identity, held: ExitStack) -> None:
        """Use an open, locked folder. `held` has the lock and is closed with the store."""
        self._folder = folder
        self.name = saved.name
        self.identity = identity
        self.root = saved.root
        self.session: Session | None = None
        self._log: LineFile | None = None
        # The process that created the folder may have been killed before syncing it.
        sync_folder(folder)
        self._lobby = LineFile(folder / LOBBY)
        held.callback(self._lobby.close)
        self.lobby = [_read_frame(frame, folder / LOBBY) for frame in self._lobby.lines()]
        self.journal = FileJournal(folder / JOURNAL, self._sync_log)
        held.callback(self.journal.close)
        # `Path.exists` would return False on a disk error; listing the folder raises it.
        if LOG in _file_names(folder):
            self._log = LineFile(folder / LOG)
            held.callback(self._log.close)
            self.session = _read_session(next(self._log.lines(), b""), folder / LOG)
        elif self.journal.records:
            raise HomeUnusable(f"{folder} has a journal, but its log is missing")
        self._held = held.pop_all()

    @classmethod
    def create(cls, path: Path, name: str | None, key: bytes | Identity, root: bytes) -> Self:
        """Create a store in a new or empty folder, or in one that a killed `create` left behind.

        If `key` is bytes, the store has its own key and saves it. If it is an `Identity`, the user's key plays, and
        nothing secret of it is saved.
        """
        if name is not None:
            refuse_bad_name(name, "the name")
        if not isinstance(root, bytes) or len(root) != ROOT_BYTES:
            raise BadParameter(f"a root must have {ROOT_BYTES} bytes")
        if isinstance(key, Identity):
            saved = SavedStore(format=FORMAT, version=FORMAT_VERSION, name=name, root=root, user=key.public)
        elif isinstance(key, bytes) and len(key) == KEY_BYTES:
            saved = SavedStore(format=FORMAT, version=FORMAT_VERSION, name=name, key=key, root=root)
        else:
            raise BadParameter(f"a key must have {KEY_BYTES} bytes")
        folder = path.absolute()
        with disk_errors(folder):
            folder.mkdir(FOLDER_MODE, exist_ok=True)
        _refuse_occupied(folder)
        with ExitStack() as held:
            held.callback(os.close, _lock(folder, os.O_CREAT))
            # Another process may have been faster.
            _refuse_occupied(folder)
            with disk_errors(folder):
                folder.chmod(FOLDER_MODE)
            sync_folder(folder.parent)
            write_atomically(folder / JOURNAL, b"")
            write_atomically(folder / LOBBY, b"")
            write_atomically(folder / HOME, encode(saved))
            return cls(folder, saved, key if isinstance(key, Identity) else Identity(key), held)

    @classmethod
    def open(cls, path: Path, user: Identity | None = None) -> Self:
        """Open the store in a folder, in whatever state the last process left it.

        If the user's own key plays (see `user_key_of`), pass it as `user`. Raise `BadParameter` if it is missing or
        another one, `HomeInUse` if another program has the store open, and `HomeUnusable` if it is damaged.
        """
        folder = path.absolute()
        saved = _read_saved(folder)
        identity = _select_identity(folder, saved, user)
        with ExitStack() as held:
            held.callback(os.close, _lock(folder))
            return cls(folder, saved, identity, held)

    def close(self) -> None:
        """Release the lock and close the files. Later writes are refused."""
        self._held.close()

    def __enter__(self) -> Self:
        """Return the store itself; it is already open."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the store."""
        self.close()

    def __repr__(self) -> str:
        """Show only the folder: the store has secrets."""
        return f"<FolderStore {self._folder}>"

    def append_lobby_frame(self, frame: bytes) -> None:
        """Save a frame of the lobby. It is on the disk when this returns."""
        try:
            decode(dict[str, Any], frame, what="a frame of the lobby")
        except DecodeError as error:
            raise BadParameter(f"cannot save this frame: {error}") from None
        self._lobby.write(frame, sync=True)
        self.lobby.append(frame)

    @property
    def entries(self) -> Iterator[bytes]:
        """Iterate over the log entries that were there when the log was opened."""
        return iter(()) if self._log is None else islice(self._log.lines(), 1, None)

    def save_session(self, session: Session) -> None:
        """Start the log with a session. Raise `BadParameter` if there already is one."""
        if self._log is not None:
            raise BadParameter("a home is for one table, and the players of this one have already agreed")
        path = self._folder / LOG
        write_atomically(path, encode(session) + b"\n")
        self._log = LineFile(path)
        self._held.callback(self._log.close)
        self.session = session

    def append(self, entry: bytes) -> None:
        """Append an entry to the log. It reaches the disk with the next journal record."""
        self._open_log().write(entry, sync=False)

    def _sync_log(self) -> None:
        """Wait until the log is on the disk."""
        self._open_log().sync()

    def _open_log(self) -> LineFile:
        """Return the log file. Raise `BadParameter` if the game has not begun."""
        if self._log is None:
            raise BadParameter("there is no log before the players have agreed")
        return self._log


def _select_identity(folder: Path, saved: SavedStore, user: Identity | None) -> Identity:
    """Return the identity that plays: the store's own, or the user's. Raise `BadParameter` if it does not match."""
    if saved.key is not None:
        return Identity(saved.key)
    if user is None:
        raise BadParameter(f"{folder} is played with a user's own key; that key is needed to open it")
    if user.public != saved.user:
        raise BadParameter(f"{folder} belongs to another key than yours")
    return user


def _lock(folder: Path, create: int = 0) -> int:
    """Return a descriptor that holds the lock.

    The caller must close it explicitly: closing it on garbage collection could release the lock while a journal is
    still in use.
    """
    path = folder / LOCK
    with disk_errors(path):
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | create, FILE_MODE)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise HomeInUse(f"another program is playing from {folder}") from None
        except OSError:
            os.close(descriptor)
            raise
    return descriptor


def _file_names(folder: Path) -> set[str]:
    """Return the names of the files in the folder. Raises the error of `disk_errors` if it cannot be read."""
    with disk_errors(folder):
        return set(os.listdir(folder))


def _refuse_occupied(folder: Path) -> None:
    """Raise `HomeUnusable` unless the folder is empty or holds what a killed `create` leaves.

    It then holds no key and nothing signed.
    """
    names = _file_names(folder)
    if HOME in names:
        raise HomeUnusable(f"there is already a home in {folder}")
    made = {JOURNAL, LOBBY}
    with disk_errors(folder):
        full = [name for name in made & names if (folder / name).stat().st_size]
    if full or names - made - {LOCK} - {f"{name}.partial" for name in (*made, HOME)}:
        raise HomeUnusable(f"{folder} is not empty; a home needs its own folder")


def _read_saved(folder: Path) -> SavedStore:
    """Read home.json. Raise `HomeUnusable` if it is missing, damaged or another user's."""
    path = folder / HOME
    with disk_errors(path), path.open("rb") as file:
        mine = os.fstat(file.fileno()).st_uid == os.geteuid()
        data = file.read(HOME_BYTES_MAX + 1)
    if not mine:
        raise HomeUnusable(f"{path} belongs to another user, who may have a copy of its key")
    try:
        head = msgspec.json.decode(data, type=Head)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise HomeUnusable(f"{path} is damaged: it cannot be read") from None
    if head.format != FORMAT:
        raise HomeUnusable(f"{folder} is not a home: its {HOME} belongs to something else")
    try:
        refuse_other_version(head.version)
        return decode(SavedStore, data, what=HOME, limit=HOME_BYTES_MAX)
    except OtherFormat as other:
        raise OtherFormat(f"the home {folder} has an {other}") from None
    except DecodeError as error:
        raise HomeUnusable(f"{path} is damaged: {error}") from None


def _read_frame(frame: bytes, path: Path) -> bytes:
    """Return a saved lobby frame. Raise `HomeUnusable` if it is damaged."""
    try:
        decode(dict[str, Any], frame, what="a frame")
    except DecodeError as error:
        raise HomeUnusable(f"{path} is damaged: {error}") from None
    return frame


def _read_session(line: bytes, path: Path) -> Session:
    """Parse the session in the first line of the log. Raise `HomeUnusable` if it is damaged."""
    try:
        return read_session(line)
    except DecodeError as error:
        raise HomeUnusable(f"{path} is damaged: {error}") from None


def is_in_use(path: Path) -> bool:
    """Return whether a program has the store in this folder open."""
    folder = path.absolute()
    if LOCK not in _file_names(folder):
        return False
    try:
        os.close(_lock(folder))
    except HomeInUse:
        return True
    return False


def open_or_create_store(
    path: Path, name: str | None, entropy: Callable[[int], bytes], user: Identity | None = None
) -> FolderStore:
    """Open the store in a folder, or create one if there is none: with its own new key, or for the user's key."""
    if path.is_dir() and HOME in _file_names(path):
        return FolderStore.open(path, user)
    return FolderStore.create(path, name, entropy(KEY_BYTES) if user is None else user, entropy(ROOT_BYTES))
