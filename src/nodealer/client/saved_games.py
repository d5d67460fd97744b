"""Saved local games: a folder each, in the user's state directory.

game.json   the game, its players and its start; never changed
host        the home of the host, who proposes and watches; its log is the game's log
seat-N      the home of each player, with its keys: only the owner may read any of this
seat-N.txt  the standard error of a bot's program
ended.json  the verdict, once the game has ended

An interrupted game is resumed from here. nodealer never deletes any of it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeVar

import msgspec
from platformdirs import user_state_path

from nodealer.client.durable_files import FOLDER_MODE, disk_errors, write_atomically
from nodealer.client.folder_store import HOME, LOG, FolderStore, is_in_use
from nodealer.client.game_loader import load_game
from nodealer.client.setup import TableSetup, table_setup
from nodealer.errors import DecodeError, HomeUnusable, NodealerError, OtherFormat
from nodealer.log.entry import read_entry
from nodealer.log.session import FORMAT_VERSION, Head, Label, Limits, Session, refuse_other_version
from nodealer.wire import MESSAGE_BYTES_MAX, Message, Natural, decode, encode

FORMAT: Final = "nodealer-game"
GAME: Final = "game.json"
ENDED: Final = "ended.json"
GAME_BYTES_MAX: Final = 1 << 16

T = TypeVar("T", bound=Message)


class GameRecord(Message, frozen=True):
    """The contents of game.json."""

    format: Literal["nodealer-game"]
    version: Label
    #: Seconds since 1970.
    begun: Natural
    #: Where the game is found, as the person typed it, and its settings.
    place: str
    #: The folder in which a game that is not installed was found.
    folder: str | None
    settings: tuple[tuple[str, str], ...]
    protocol: str
    #: The parameters of the protocol, as canonical JSON.
    parameters: str
    names: tuple[str, ...]
    hands: int
    #: Which of these is the person; None if all are bots.
    person: str | None
    #: After how many seconds a bot votes to go on without another.
    patience: float
    #: The seed of a rehearsal.
    seed: int | None
    #: The file to which the person wants the log copied.
    log: str | None
    #: Which bot cheats and how, as SEAT:KIND.
    cheat: str | None
    #: The time limits, or None without a clock.
    clock: Limits | None = None


def game_record(
    setup: TableSetup,
    *,
    person: str | None,
    patience: float,
    seed: int | None = None,
    log: Path | None = None,
    cheat: str | None = None,
) -> GameRecord:
    """Return the record of a game that begins now. It is saved before the game begins."""
    return GameRecord(
        format=FORMAT,
        version=FORMAT_VERSION,
        begun=int(time.time()),
        place=setup.place,
        folder=str(Path.cwd()) if ":" in setup.place else None,
        settings=tuple(sorted(setup.settings.items())),
        protocol=setup.protocol.claims.name,
        parameters=setup.protocol.parameters.decode(),
        names=setup.names,
        hands=setup.hands,
        person=person,
        patience=patience,
        seed=seed,
        log=None if log is None else str(log.absolute()),
        cheat=cheat,
        clock=setup.clock,
    )


def recorded_setup(record: GameRecord) -> TableSetup:
    """Return the setup of a saved game. Raise `BadParameter` if it can no longer be played."""
    game = load_game(record.place)
    return table_setup(
        game,
        game.settled(dict(record.settings)),
        place=record.place,
        protocol=record.protocol,
        parameters=record.parameters.encode(),
        seats=len(record.names),
        hands=record.hands,
        clock=record.clock,
    ).with_names(record.names)


class Ended(Message, frozen=True):
    """The contents of ended.json."""

    verdict: str
    hands: int


@dataclass(frozen=True)
class Earlier:
    """The earlier frames of a table, lobby and log, which a new relay delivers first when a game is resumed."""

    lobby: tuple[bytes, ...] = ()
    entries: tuple[bytes, ...] = ()


@dataclass(frozen=True)
class GameFolder:
    """The folder of a saved game, local or on the network."""

    folder: Path

    @property
    def name(self) -> str:
        """Return the name of the folder, by which the person refers to the game."""
        return self.folder.name

    @property
    def kept_log(self) -> Path:
        """Return the log in this folder."""
        raise NotImplementedError

    @property
    def ended(self) -> Ended | None:
        """Return the verdict, or None if the game has not ended."""
        path = self.folder / ENDED
        return read_record(Ended, path) if is_file(path) else None

    def end(self, verdict: str, hands: int) -> None:
        """Record that the game has ended, with the verdict."""
        write_atomically(self.folder / ENDED, encode(Ended(verdict, hands)))

    @property
    def reached(self) -> int | None:
        """Return the hand that was played last, counted from 0, or None before the first entry."""
        return reached_in(self.kept_log)


@dataclass(frozen=True)
class SavedGame(GameFolder):
    """A saved local game in its folder."""

    record: GameRecord

    @property
    def host(self) -> Path:
        """Return the home of the host, who watches."""
        return self.folder / "host"

    def home(self, seat: int) -> Path:
        """Return the home of a player."""
        return self.folder / f"seat-{seat}"

    def error_file(self, seat: int) -> Path:
        """Return the file for a bot's standard error."""
        return self.folder / f"seat-{seat}.txt"

    @property
    def homes(self) -> list[Path]:
        """Return the homes that exist."""
        sitting = len(self.record.names) + (self.record.clock is not None)
        paths = [self.host, *(self.home(seat) for seat in range(sitting))]
        return [path for path in paths if is_file(path / HOME)]

    @property
    def kept_log(self) -> Path:
        """Return the log in this folder."""
        return self.host / LOG

    @property
    def log(self) -> Path:
        """Return the log that the person asked for, or the one in this folder."""
        return self.kept_log if self.record.log is None else Path(self.record.log)

    @property
    def in_use(self) -> bool:
        """Return whether it is being played now."""
        return any(is_in_use(home) for home in self.homes)

    @property
    def is_hosted(self) -> bool:
        """Return whether its table runs now. The bots of a killed table may live a moment longer."""
        return is_file(self.host / HOME) and is_in_use(self.host)

    def earlier(self) -> Earlier:
        """Return the earlier messages, from whichever home has received most. No one may be playing from the homes now.

        All received the messages in the same order, so the shorter record is the beginning of the longer. Raises
        `HomeUnusable` if it is not.
        """
        lobby, session, entries = tuple[bytes, ...](), list[Session](), tuple[bytes, ...]()
        for path in self.homes:
            with FolderStore.open(path) as home:
                lobby = _longer(lobby, tuple(home.lobby), path)
                entries = _longer(entries, tuple(home.entries), path)
                session += [] if home.session is None else [home.session]
        if any(one != session[0] for one in session):
            raise HomeUnusable(f"the players in {self.folder} have not agreed on one session")
        return Earlier(lobby, entries)


def _longer(one: Sequence[bytes], two: tuple[bytes, ...], path: Path) -> tuple[bytes, ...]:
    """Return the longer of two records, of which one must begin with the other. Raises `HomeUnusable`."""
    short, long = sorted((tuple(one), two), key=len)
    if long[: len(short)] != short:
        raise HomeUnusable(
            f"{path} contradicts the other players' folders of this game: they received different messages"
        )
    return long


def reached_in(log: Path) -> int | None:
    """Return the hand of a log's last entry, counted from 0, or None if the log has no entry."""
    last = _last_line(log)
    try:
        return None if last is None else read_entry(last).entry.hand
    except NodealerError:
        # It is the session, which precedes the entries.
        return None


def _last_line(path: Path) -> bytes | None:
    """Return the last whole line of a log, or None if there is none."""
    if not is_file(path):
        return None
    with disk_errors(path), path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 2 * MESSAGE_BYTES_MAX))
        lines = file.read().rpartition(b"\n")[0].splitlines()
    return lines[-1] if lines else None


# --- The folder of all games ---


def games_folder() -> Path:
    """Return the folder of all saved games."""
    return Path(user_state_path("nodealer", appauthor=False)) / "games"


def create_game_folder(record: GameRecord) -> SavedGame:
    """Create the folder of a new game and write its record. Raises `HomeUnusable` if that fails."""
    folder = create_folder(record.begun)
    write_atomically(folder / GAME, encode(record))
    return SavedGame(folder, record)


def create_folder(begun: int) -> Path:
    """Create a folder for a game that begins now. Two games may begin in the same second."""
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
    raise HomeUnusable(f"{folder} has too many games that began in the same second")


def is_file(path: Path) -> bool:
    """Return whether the file exists. A disk error is raised, not taken for a no."""
    with disk_errors(path):
        return path.is_file()


def read_record(kind: type[T], path: Path) -> T:
    """Read a file of a saved game. Raises `HomeUnusable`, or `OtherFormat` for another version."""
    with disk_errors(path), path.open("rb") as file:
        data = file.read(GAME_BYTES_MAX + 1)
    try:
        if kind is not Ended:
            refuse_other_version(msgspec.json.decode(data, type=Head).version)
        return decode(kind, data, what=path.name, limit=GAME_BYTES_MAX)
    except OtherFormat as other:
        raise OtherFormat(f"{path} has an {other}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, DecodeError) as error:
        raise HomeUnusable(f"{path} is damaged: {error}") from None
