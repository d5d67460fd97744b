"""What stands on a disk and may be damaged: kept games and tables, and the file of a relay."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from fuzz.target import Target
from nodealer.client.folder_store import LOG
from nodealer.client.processes import describe_exit
from nodealer.client.saved_games import ENDED, GAME, Ended, GameRecord, SavedGame, reached_in, read_record
from nodealer.client.table_folders import LATER, TABLE, TableFolder, TableRecord
from nodealer.errors import HomeUnusable, Malformed, OtherFormat, RelayError
from nodealer.relay.permissions import MadeRecord, encode_record, permissions_of
from nodealer.relay.stores.sqlite import SqliteStore, open_sqlite

# --- Kept games and tables ---

#: What is damaged: the first byte of an input says which.
FILES: Final = (GAME, TABLE, ENDED, LATER, LOG, "complaints")


def look_into(folder: Path) -> None:
    """All that is read of a folder. What is damaged is called so."""
    looks: tuple[Callable[[], object], ...] = (
        lambda: _game(folder),
        lambda: _table(folder),
        lambda: read_record(Ended, folder / ENDED),
    )
    for look in looks:
        with suppress(HomeUnusable, OtherFormat):
            look()
    reached = reached_in(folder / LOG)
    assert reached is None or reached >= 0
    assert "\n" not in describe_exit(1, folder / "complaints")


def _game(folder: Path) -> None:
    game = SavedGame(folder, read_record(GameRecord, folder / GAME))
    assert game.ended is None or game.ended.verdict is not None
    assert game.log and game.homes == []


def _table(folder: Path) -> None:
    table = TableFolder(folder, read_record(TableRecord, folder / TABLE))
    assert table.ended is None or table.ended.verdict is not None
    assert repr(table.record) == "<TableRecord>" and not table.in_use
    with suppress(Malformed):
        assert table.invitation.table
    assert all(key.table for key in table.later_keys)
    # The log is where it would be in a home.
    table.home.mkdir()
    (table.home / LOG).write_bytes((folder / LOG).read_bytes())
    assert all(table.names) and (table.reached is None or table.reached >= 0)


def read_kept_files(data: bytes) -> None:
    with TemporaryDirectory() as place:
        folder = Path(place)
        for name in FILES:
            (folder / name).touch()
        (folder / FILES[data[0] % len(FILES) if data else 0]).write_bytes(data[1:])
        look_into(folder)


# --- The file of a relay ---

_TABLE: Final = "0" * 32


async def _fill(store: SqliteStore) -> None:
    await store.add_note(_TABLE, encode_record(MadeRecord(bytes(64))))
    for number in range(40):
        await store.append(_TABLE, b"frame %d" % number * 20)


@cache
def whole_file() -> bytes:
    """A store with a table, closed as it should be."""

    async def made(path: Path) -> None:
        async with open_sqlite(path, lambda: 0.0) as store:
            await _fill(store)

    with TemporaryDirectory() as folder:
        path = Path(folder) / "relay.db"
        asyncio.run(made(path))
        return path.read_bytes()


def damaged(data: bytes) -> bytes:
    """The file with other bytes at some places: two bytes say where, one how many, and then they come."""
    file = bytearray(whole_file())
    while len(data) > 3:
        at, count = int.from_bytes(data[:2], "big") % len(file), 1 + data[2] % 32
        new = data[3 : 3 + count]
        file[at : at + len(new)] = new
        data = data[3 + count :]
    return bytes(file)


def use_store(data: bytes) -> None:
    """A file that a disk has damaged: what a relay asks of it is answered, or the store says what is wrong."""

    async def use(path: Path) -> None:
        with suppress(RelayError):
            async with open_sqlite(path, lambda: 0.0) as store:
                await _ask_all(store)

    with TemporaryDirectory() as folder:
        path = Path(folder) / "relay.db"
        path.write_bytes(damaged(data))
        asyncio.run(use(path))


async def _ask_all(store: SqliteStore) -> None:
    async def read() -> None:
        permissions_of(await store.notes(_TABLE))
        page = await store.read(_TABLE, 0)
        assert page is None or page.last > 0

    for ask in (
        read,
        store.size,
        lambda: store.count(_TABLE, 0),
        lambda: store.subscribe(_TABLE, lambda frames: None),
        lambda: store.append(_TABLE, b"one more"),
        lambda: store.add_note(_TABLE, encode_record(MadeRecord(bytes(64)))),
        lambda: store.expire(_TABLE, 1.0),
        lambda: store.sweep(1.0),
    ):
        with suppress(RelayError):
            await ask()


STORED: Final = (
    Target("kept game", read_kept_files, ()),
    Target("store", use_store, (), largest=256),
)
