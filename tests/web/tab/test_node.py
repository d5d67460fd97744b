"""The bundle in Node: what a tab has computes, judges and plays as the same program does natively."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from nodealer.cli.selftest import SELFTESTS
from nodealer.web.bundle.build import ROOT
from nodealer.web.tab.setup import SUPPORTED_PROTOCOLS

#: One run of Node is behind several tests, and counts for the first of them.
pytestmark = pytest.mark.timeout(600)

HERE = Path(__file__).parent
SITE = "lib/python3.14/site-packages"


def in_node(bundle: Path, program: str, *mounts: str) -> str:
    """What a Python program prints in the bundle."""
    command = ["node", str(HERE / "run.mjs"), str(bundle), *mounts]
    done = subprocess.run(command, input=program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def told(bundle: Path) -> dict[str, Any]:
    selftest = f"{SITE}/nodealer/cli/selftest={ROOT / 'src/nodealer/cli/selftest'}"
    golden = f"golden={ROOT / 'tests/golden'}"
    said: dict[str, Any] = json.loads(in_node(bundle, (HERE / "seat.py").read_text(), golden, selftest))
    return said


def test_it_is_the_native_core_with_asserts_on(told: dict[str, Any]) -> None:
    assert (told["debug"], told["backend"], told["absent"]) == (True, "native", [])


def test_every_selftest_holds(told: dict[str, Any]) -> None:
    assert told["selftests"] == {name: True for name, _ in SELFTESTS}


def test_golden_logs_get_the_verdict_they_have_natively(told: dict[str, Any]) -> None:
    for path in (ROOT / "tests/golden").glob("*.jsonl"):
        expected = json.loads(path.with_suffix(".json").read_text())
        assert told["golden"][path.stem] == expected.get("verdict", "clean"), path


def test_a_hand_on_every_protocol_it_serves_and_of_every_game_it_offers(told: dict[str, Any]) -> None:
    played = [one.split() for one, entries in told["hands"].items() if entries]
    assert len(played) == len(told["hands"])
    assert {on for _, on in played} == set(SUPPORTED_PROTOCOLS)
    assert {game for game, _ in played} == {
        "hearts",
        "holdem",
        "wardens",
    }


#: The only module that knows a browser, with a browser that is none.
ENTRY = """
import asyncio, json
from nodealer.errors import NodealerError
from nodealer.web.tab import worker

told, kept, made = [], {}, []

class Bytes(bytes):
    def to_bytes(self):
        return bytes(self)

class Handle:
    def __init__(self):
        self.data, self.open = bytearray(), True
    def all(self):
        return Bytes(self.data)
    def put(self, data, at):
        data = data.to_bytes()
        self.data[at : at + len(data)] = data
    def truncate(self, size):
        del self.data[size:]
    def empty(self):
        return not self.data
    def flush(self):
        pass
    def close(self):
        self.open = False

class Browser:
    document = staticmethod(lambda text: None)
    fatal = staticmethod(lambda reason, kind: told.append([kind, reason]))
    dial = staticmethod(lambda url: None)
    players = staticmethod(lambda make: made.append(make(Bytes(b"")).to_bytes()))

key, tabs = Handle(), []
for _ in range(2):
    tabs.append(worker.Tab(Browser()))
    tabs[-1].load_key(key)
tab = tabs[0]
kept["one key"] = len(key.data) == 32 and tabs[0]._key == tabs[1]._key == bytes(key.data)

# Whom somebody has met is kept, and known when the page is loaded again.
tab._table._contacts.remember([("Ada", worker.Identity(bytes(32)).public)], 7)
tabs[1].load_contacts(Bytes(made[0]))
kept["known again"] = [met.name for met in tabs[1]._table._contacts.all]

wish = {"name": "Wirtin", "relay": "wss://a", "page": "https://b", "game": "hearts", "seats": 4, "hands": 1}
link = tab.new_table(json.dumps(wish))
home = Handle()
worker.TabStore.create(worker.OpfsStore(home), worker.new_saved("Ada", link, tab._key, bytes(32)))
tab._link = link
tab.rename("Ben", home)
await asyncio.sleep(0)
kept["renamed"] = json.loads(home.data.split(b"\\n")[0])["name"]
tab._task.cancel()
home.data.clear()
worker.TabStore.create(worker.OpfsStore(home), worker.new_saved("Ada", link, tab._key, bytes(32), tab._hosted))
try:
    tab.rename("Ben", home)
except NodealerError as error:
    kept["a host keeps its name"] = str(error)

# Whatever does not come to a seat lets go of its file: the next try would find it open, and in this very tab.
async def tried(what):
    handle = Handle()
    await what(handle)
    if tab._task is not None:
        await asyncio.wait([tab._task])
    return [told[-1][0] if told else None, handle.open]

async def bad_name(handle):
    tab.join(link, "<b>Ada</b>", handle)

async def bad_rename(handle):
    try:
        tab.rename("Ada\\u202e", handle)
    except NodealerError:
        told.append(["refused", ""])

async def false_link(handle):
    worker.TabStore.create(worker.OpfsStore(handle), worker.new_saved("Ada", link, tab._key, bytes(32)))
    # Of the same number, as a relay knows it, with a key of its own.
    came_by = worker.parse_link(link)
    false = worker.TableSecret(b"e" * 16, came_by.table, 0)
    tab.join(worker.Invitation(("wss://evil",), false, came_by.host).link, None, handle)

kept["lets go"] = [await tried(what) for what in (bad_name, bad_rename, false_link)]

# Who has only watched sits down by a link to play.
home.data.clear()
watched = worker.new_saved(None, worker.parse_link(link).for_spectators().link, tab._key, bytes(32))
worker.TabStore.create(worker.OpfsStore(home), watched)
tab.join(link, "Cleo", home)
await asyncio.sleep(0)
kept["sits down"] = json.loads(home.data.split(b"\\n")[0])["name"]
tab._task.cancel()
kept["offers"] = [one["game"]["name"] for one in json.loads(tab.offers())["games"]]

class PanicException(BaseException):
    pass

async def seat():
    raise PanicException("index out of bounds")

tab._start(seat)
await tab._task
print(json.dumps([told, kept]))
"""


@pytest.fixture(scope="module")
def entered(bundle: Path) -> tuple[list[list[str]], dict[str, Any]]:
    told, kept = json.loads(in_node(bundle, ENTRY).splitlines()[-1])
    return told, kept


def test_a_panic_of_the_core_is_told(entered: tuple[list[list[str]], dict[str, Any]]) -> None:
    kind, reason = entered[0][-1]
    assert kind == "crash" and "Panic" in reason


def test_a_browser_has_one_key_knows_whom_it_met_and_a_host_keeps_its_name(
    entered: tuple[list[list[str]], dict[str, Any]],
) -> None:
    kept = entered[1]
    assert (
        kept["one key"]
        and kept["renamed"] == "Ben"
        and kept["known again"] == ["Ada"]
        and "cannot change your name" in kept["a host keeps its name"]
    )
    assert kept["lets go"] == [["error", False], ["refused", False], ["error", False]]
    assert kept["sits down"] == "Cleo"
    assert kept["offers"] == ["hearts", "holdem", "wardens"]
