"""Games that were interrupted with an earlier version go on from what it left on the disk."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from baseline.folders import PEOPLE, TAB, Cleo, log_of, move, unpack
from cli.test_network import Somebody, called_as
from ports import free_port, is_open
from web.tab.test_opfs_store import MemoryStore


@dataclass(frozen=True)
class Resumed:
    """The table across the network, gone on with by everyone."""

    people: dict[str, Somebody]
    #: What everyone had in their log before.
    before: dict[str, bytes]
    cleo: Cleo


@pytest.fixture(scope="module")
def resumed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resumed]:
    folder, port = tmp_path_factory.mktemp("resumed"), free_port()
    people = {who: unpack(who, folder) for who in PEOPLE if who != "local"}
    before = {who: log_of(one) for who, one in people.items()}
    try:
        link = move(people["host"], port)
        assert move(people["guest"], port) == link
        people["host"].start("resume").wait_until(lambda: is_open(port))
        people["guest"].start("resume")
        people["timekeeper"].start("timekeeper", link)
        cleo, store = Cleo(folder, plays=True), MemoryStore(gzip.decompress(TAB.read_bytes()))
        asyncio.run(cleo.sit(store, link, lambda one: one.all("over")))
        for one in people.values():
            one.ends_with(0)
        yield Resumed(people, before, cleo)
    finally:
        for one in people.values():
            one.stop()


def interrupted(one: Somebody) -> dict[str, object]:
    """Return the row of someone's only game, which was interrupted."""
    (row,) = json.loads(called_as(one, "games", "--json"))
    assert (row["state"], row["verdict"], row["reason"]) == ("interrupted", None, None)
    return {key: row[key] for key in ("what", "players", "person", "hands", "of_hands")}


def test_games_are_listed(tmp_path: Path) -> None:
    rows = {who: interrupted(unpack(who, tmp_path)) for who in ("local", "host", "guest")}
    local = {"what": "holdem", "players": ["Ada", "Ben", "Cleo"], "person": "Ada", "hands": 0, "of_hands": 1}
    players = rows["host"]["players"]
    assert isinstance(players, list) and sorted(players) == ["Ada", "Ben", "Cleo"]
    across = {"players": players, "hands": 0, "of_hands": 1}
    assert rows == {
        "local": local,
        "host": {"what": "holdem (hosted)", "person": "Ada", **across},
        "guest": {"what": "holdem (joined)", "person": "Ben", **across},
    }


def test_a_local_game_goes_on(tmp_path: Path) -> None:
    one = unpack("local", tmp_path)
    before = log_of(one)
    try:
        one.start("resume", "--auto").ends_with(0)
    finally:
        one.stop()
    assert one.event("verified")["verdict"] == "clean"
    assert log_of(one).startswith(before) and len(log_of(one)) > len(before)


@pytest.mark.parametrize("who", ["host", "guest"])
def test_a_player_of_a_table_across_the_network_goes_on(resumed: Resumed, who: str) -> None:
    one, before = resumed.people[who], resumed.before[who]
    verified = one.event("verified")
    assert (verified["verdict"], verified["hands"]) == ("clean", 1)
    assert log_of(one).startswith(before) and len(log_of(one)) > len(before)


def test_a_timekeeper_goes_on(resumed: Resumed) -> None:
    one, before = resumed.people["timekeeper"], resumed.before["timekeeper"]
    assert one.event("begun")["players"] and not any(event["event"] == "late" for event in one.events)
    assert log_of(one).startswith(before) and len(log_of(one)) > len(before)


def test_a_tab_goes_on(resumed: Resumed) -> None:
    (verdict,) = resumed.cleo.all("verdict")
    assert verdict["verdict"] == "clean" and resumed.cleo.all("ask")
    assert verdict["report"]["entries"] == resumed.people["host"].event("verified")["entries"]
