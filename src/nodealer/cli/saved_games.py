"""Kept games: a folder each, below the folder that the operating system has for what programs leave behind.

game.json   what is played, by whom and since when; never changed
host        the home of the one who proposes and watches; its log is the game's
seat-N      the home of each player, with its keys: only their owner may read any of this
seat-N.txt  what a bot's program had to complain about
ended.json  how the log was verified, once the game has ended

A game that was interrupted goes on from here. Nothing of it is ever deleted by us.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeVar

import msgspec
from platformdirs import user_state_path

from nodealer.cli import text as phrases
from nodealer.client.durable_files import FOLDER_MODE, disk_errors, write_atomically
from nodealer.client.folder_store import HOME, LOG, FolderStore, is_in_use
from nodealer.errors import DecodeError, HomeUnusable, NodealerError, OtherFormat
from nodealer.log.entry import read_entry
from nodealer.log.session import Head, Label, Limits, Session, refuse_other_version
from nodealer.wire import MESSAGE_BYTES_MAX, Message, Natural, decode, encode

FORMAT: Final = "nodealer-game"
GAME: Final = "game.json"
ENDED: Final = "ended.json"
GAME_BYTES_MAX: Final = 1 << 16

T = TypeVar("T", bound=Message)


class Kept(Message, frozen=True):
    """What game.json says."""

    format: Literal["nodealer-game"]
    version: Label
    #: Seconds since 1970.
    begun: Natural
    #: Where the game is found, as the person typed it, and what was set for it.
    place: str
    #: The folder in which a game that is not installed was found.
    folder: str | None
    settings: tuple[tuple[str, str], ...]
    protocol: str
    #: The parameters of the protocol, as canonical JSON.
    parameters: str
    names: tuple[str, ...]
    hands: int
    #: Who of these is the person; None where all are bots.
    person: str | None
    #: After how many seconds a bot would go on without another.
    patience: float
    #: The number that a rehearsal comes from.
    seed: int | None
    #: Where the person wants the log, beside this folder.
    log: str | None
    #: Who of the bots cheats and how, as SEAT:KIND.
    cheat: str | None
    #: The limits of time, where somebody keeps it.
    clock: Limits | None = None


class Ended(Message, frozen=True):
    """What ended.json says."""

    verdict: str
    hands: int


@dataclass(frozen=True)
class Earlier:
    """What a table has said before: what a new relay begins with."""

    lobby: tuple[bytes, ...] = ()
    entries: tuple[bytes, ...] = ()


@dataclass(frozen=True)
class KeptGame:
    """A game in its folder."""

    folder: Path
    what: Kept

    @property
    def name(self) -> str:
        """What the person calls it."""
        return self.folder.name

    @property
    def host(self) -> Path:
        """The home of the one who watches."""
        return self.folder / "host"

    def home(self, seat: int) -> Path:
        """The home of a player."""
        return self.folder / f"seat-{seat}"

    def complaints(self, seat: int) -> Path:
        """What a bot's program writes to its standard error."""
        return self.folder / f"seat-{seat}.txt"

    @property
    def homes(self) -> list[Path]:
        """The homes that are there."""
        sitting = len(self.what.names) + (self.what.clock is not None)
        paths = [self.host, *(self.home(seat) for seat in range(sitting))]
        return [path for path in paths if is_file(path / HOME)]

    @property
    def kept_log(self) -> Path:
        """The log as it is kept here."""
        return self.host / LOG

    @property
    def log(self) -> Path:
        """The log as the person knows it."""
        return self.kept_log if self.what.log is None else Path(self.what.log)

    @property
    def in_use(self) -> bool:
        """Whether somebody plays it now."""
        return any(is_in_use(home) for home in self.homes)

    @property
    def ended(self) -> Ended | None:
        """How it was verified, if it has ended."""
        path = self.folder / ENDED
        return read_kept(Ended, path) if is_file(path) else None

    def end(self, verdict: str, hands: int) -> None:
        """It has ended, and this was found."""
        write_atomically(self.folder / ENDED, encode(Ended(verdict, hands)))

    @property
    def reached(self) -> int | None:
        """The hand that was played last, from 0. None before the first entry."""
        return reached_in(self.kept_log)

    def earlier(self) -> Earlier:
        """What was said at its table, from whichever home has heard most. Nobody plays from them now.

        All heard it in one order, so that each has the beginning of what another has. Raises `HomeUnusable` where that
        is not so.
        """
        lobby, session, entries = tuple[bytes, ...](), list[Session](), tuple[bytes, ...]()
        for path in self.homes:
            with FolderStore.open(path) as home:
                lobby = _longer(lobby, tuple(home.lobby), path)
                entries = _longer(entries, tuple(home.entries), path)
                session += [] if home.session is None else [home.session]
        if any(one != session[0] for one in session):
            raise HomeUnusable(phrases.sessions_differ(self.folder))
        return Earlier(lobby, entries)


def _longer(one: Sequence[bytes], two: tuple[bytes, ...], path: Path) -> tuple[bytes, ...]:
    short, long = sorted((tuple(one), two), key=len)
    if long[: len(short)] != short:
        raise HomeUnusable(phrases.folders_differ(path))
    return long


def reached_in(log: Path) -> int | None:
    """The hand that a log has reached, from 0, as the last entry has it. None before the first entry."""
    last = _last_line(log)
    try:
        return None if last is None else read_entry(last).entry.hand
    except NodealerError:
        # The session, which stands before the entries.
        return None


def _last_line(path: Path) -> bytes | None:
    """The last whole line of a log, if there is a log."""
    if not is_file(path):
        return None
    with disk_errors(path), path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 2 * MESSAGE_BYTES_MAX))
        lines = file.read().rpartition(b"\n")[0].splitlines()
    return lines[-1] if lines else None


# --- The folder of all games ---


def games_folder() -> Path:
    """Where games are kept."""
    return Path(user_state_path("nodealer", appauthor=False)) / "games"


def keep(what: Kept) -> KeptGame:
    """A folder for a new game. Raises `HomeUnusable` where there can be none."""
    made = fresh_folder(what.begun)
    write_atomically(made / GAME, encode(what))
    return KeptGame(made, what)


def fresh_folder(begun: int) -> Path:
    """A folder for a game that begins now. Two games may begin in one second."""
    folder, name = games_folder(), time.strftime("%Y-%m-%d-%H%M%S", time.localtime(begun))
    with disk_errors(folder):
        folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        folder.chmod(FOLDER_MODE)
    for number in range(1, 1000):
        path = folder / (name if number == 1 else f"{name}-{number}")
        with disk_errors(path):
            try:
                path.mkdir(FOLDER_MODE)
            except FileExistsError:
                continue
        return path
    raise HomeUnusable(phrases.too_many_games(folder))


def is_file(path: Path) -> bool:
    """Whether there is a file. What the disk cannot tell is an error, not a no."""
    with disk_errors(path):
        return path.is_file()


def read_kept(kind: type[T], path: Path) -> T:
    """What a file of a kept game says. Raises `HomeUnusable`, or `OtherFormat` for one of another version."""
    with disk_errors(path), path.open("rb") as file:
        data = file.read(GAME_BYTES_MAX + 1)
    try:
        if kind is not Ended:
            refuse_other_version(msgspec.json.decode(data, type=Head).version)
        return decode(kind, data, what=path.name, limit=GAME_BYTES_MAX)
    except OtherFormat as other:
        raise OtherFormat(f"{path} has an {other}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, DecodeError) as error:
        raise HomeUnusable(phrases.damaged(path, error)) from None
