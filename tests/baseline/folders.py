"""Games interrupted in the middle of a hand, in the layout on disk of today, and how to go on with them.

local       `nodealer play`, killed when the first seat was asked for a move
host        a hosted table with the host's own relay, killed when Cleo was asked for a move
guest       a joined table: Ben's, of the same game
timekeeper  the timekeeper of the same game
tab         the saved file of a browser tab: Cleo's, of the same game

All but the last are archives of the folders that programs keep for a user: `state` and `config`.
"""

from __future__ import annotations

import asyncio
import fcntl
import gzip
import io
import json
import os
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from cli.test_network import LONG, Somebody
from nodealer.relay.invitations import parse_link
from nodealer.web.tab.opfs_store import TabStore, new_saved, rejoin_invitation
from ports import free_port
from web.tab.test_opfs_store import MemoryStore
from web.tab.test_table import Tab

HERE: Final = Path(__file__).parent
PEOPLE: Final = ("local", "host", "guest", "timekeeper")
TAB: Final = HERE / "folders" / "tab.gz"


def archive_of(who: str) -> Path:
    """Return where someone's folders are."""
    return HERE / "folders" / f"{who}.tar.gz"


def pack(one: Somebody) -> None:
    """Write someone's folders into the archive of their name."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name in ("state", "config"):
            if (one.folder / name).exists():
                archive.add(one.folder / name, name, filter=_anonymous)
    archive_of(one.name).parent.mkdir(exist_ok=True)
    archive_of(one.name).write_bytes(gzip.compress(data.getvalue(), mtime=0))


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


def unpack(who: str, folder: Path) -> Somebody:
    """Return someone with their folders of the recording, below `folder`."""
    one = Somebody(folder, who)
    with tarfile.open(archive_of(who)) as archive:
        archive.extractall(one.folder, filter="fully_trusted")
    return one


def log_of(one: Somebody) -> bytes:
    """Return the log as someone keeps it."""
    homes = ("games/*/host", "games/*/seat", "timekeeper/*")
    (path,) = (path for home in homes for path in one.folder.glob(f"state/nodealer/{home}/log.jsonl"))
    return path.read_bytes()


def moved(link: str, port: int) -> str:
    """Return the link of the same table at another port of this machine."""
    return replace(parse_link(link), relays=(f"ws://127.0.0.1:{port}",)).link


def move(one: Somebody, port: int) -> str:
    """Change the port of the relay in someone's folders, because another program may use the recorded one. Return the
    link."""
    (path,) = one.folder.glob("state/nodealer/games/*/table.json")
    table = json.loads(path.read_bytes())
    table["link"] = moved(table["link"], port)
    if table["hosted"] is not None:
        table["hosted"]["listen"] = f"127.0.0.1:{port}"
    path.write_text(json.dumps(table, ensure_ascii=False, separators=(",", ":")))
    return str(table["link"])


class Cleo(Tab):
    """A person in a tab, who folds when asked for a move, if at all."""

    def __init__(self, folder: Path, *, plays: bool) -> None:
        super().__init__("Cleo", folder)
        self.plays = plays

    def hear(self, text: str) -> None:
        super().hear(text)
        document = json.loads(text)
        if document["type"] == "ask" and self.plays:
            self.say({"type": "move", "ask": document["ask"], "move": {"type": "fold"}, "sure": True})

    async def sit(self, store: MemoryStore, link: str, until: Callable[[Cleo], Any]) -> None:
        """Come back to a table with what the tab has saved, and stay until something has happened."""
        home = TabStore.open(store)
        invitation, more = rejoin_invitation(home.saved, parse_link(link))
        playing = asyncio.ensure_future(self.table.play(home, invitation, None, more))
        async with asyncio.timeout(LONG):
            while not playing.done() and not until(self):
                await asyncio.sleep(0.02)
        if playing.done():
            playing.result()
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)


# --- Recording ---


def record_local(folder: Path) -> None:
    """Play on this machine until the person is asked, and kill the program."""
    one = Somebody(folder, "local").start("play", "--seats", "3", "--hands", "1")
    one.event("ask")
    one.kill()
    (game,) = one.folder.glob("state/nodealer/games/*")
    one.wait_until(lambda: _is_free(game))
    pack(one)


def _is_free(game: Path) -> bool:
    """Whether the bots have noticed that their table has gone."""
    for lock in game.glob("*/lock"):
        with lock.open("rb+") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return False
    return True


def record_network(folder: Path) -> None:
    """Play over a host's own relay until the tab is asked for a move and the timekeeper has ticked. Kill everyone."""
    host, guest, keeper = (Somebody(folder, name) for name in ("host", "guest", "timekeeper"))
    host.start(
        *("host", "--seats", "3", "--hands", "1", "--name", "Ada", "--auto", "--timekeeper"),
        *("--listen", f"127.0.0.1:{free_port()}"),
    )
    link = host.event("table")["link"]
    guest.start("join", link, "--name", "Ben", "--auto")
    keeper.start("timekeeper", link)
    cleo, store = Cleo(folder, plays=False), MemoryStore()
    TabStore.create(store, new_saved("Cleo", link, os.urandom(32), os.urandom(32)))

    def has_ticked(one: Cleo) -> bool:
        journals = keeper.folder.glob("state/nodealer/timekeeper/*/journal")
        return bool(one.all("ask")) and any(journal.stat().st_size for journal in journals)

    asyncio.run(cleo.sit(store, link, has_ticked))
    for one in (keeper, guest, host):
        one.kill()
    for one in (host, guest, keeper):
        pack(one)
    TAB.write_bytes(gzip.compress(bytes(store.data), mtime=0))
