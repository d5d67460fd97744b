"""Kept games: what is on the disk, what is made of it again, and what is refused."""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from msgspec.structs import replace

from cli.running import called
from conformance.clear import ClearProtocol
from conformance.games import TinyRules
from conformance.harness import Source
from nodealer.client.events import LogCopyStopped
from nodealer.client.folder_store import FolderStore, open_or_create_store
from nodealer.client.game_catalogue import find_game, list_saved_games
from nodealer.client.local_table import LocalTable, seat_players
from nodealer.client.log_export import LogCopy, copy_log
from nodealer.client.saved_games import ENDED, FORMAT, GAME, GameRecord, SavedGame, create_game_folder, games_folder
from nodealer.engine.commands import MakeMove, ProposeSession
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.resolve import create_proposal
from nodealer.errors import BadParameter, HomeUnusable
from nodealer.group import group
from nodealer.keys import host_mark
from nodealer.log.session import FORMAT_VERSION

NAMES = ("Ada", "Ben")
WHAT = GameRecord(
    format=FORMAT,
    version=FORMAT_VERSION,
    begun=int(time.time()),
    place="holdem",
    folder=None,
    settings=(("blinds", "1/2"),),
    protocol="mask",
    parameters="{}",
    names=NAMES,
    hands=1,
    person=None,
    patience=30.0,
    seed=None,
    log=None,
    cheat=None,
)


@pytest.fixture(autouse=True)
def nothing_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


# --- The folder of all games ---


def test_games_are_for_their_owner_only(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        one, two = create_game_folder(WHAT), create_game_folder(WHAT)
    finally:
        os.umask(before)
    assert one.folder.parent == games_folder() == tmp_path / "state" / "nodealer" / "games"
    assert one.folder != two.folder and two.name == f"{one.name}-2"
    modes = {path.stat().st_mode & 0o777 for path in (games_folder(), one.folder, two.folder)}
    assert modes == {0o700} and (one.folder / GAME).stat().st_mode & 0o777 == 0o600
    assert list(list_saved_games()) == [two, one]


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("not a folder")
    done = called("play", "--auto")
    assert done.returncode == 2 and "cannot use" in done.stderr and str(tmp_path / "state") in done.stderr


def test_a_game_is_found_by_the_beginning_of_its_name() -> None:
    one = create_game_folder(replace(WHAT, begun=0))
    two, three = create_game_folder(WHAT), create_game_folder(WHAT)
    assert find_game(one.name[:4]) == one and find_game(two.name) == two and find_game(three.name) == three
    assert find_game(None) == three
    three.end("clean", 1)
    assert find_game(None) == two
    with pytest.raises(BadParameter, match="matches several"):
        find_game(two.name[:6])
    with pytest.raises(BadParameter, match="no saved game 'chess'"):
        find_game("chess")


def test_a_game_is_verified_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of that name comes first, and what is neither is a file that does not exist."""
    monkeypatch.chdir(tmp_path)
    kept = create_game_folder(WHAT)
    for command, name in (("verify", kept.name), ("verify", kept.name[:7]), ("show", kept.name)):
        done = called(command, name)
        assert done.returncode == 2 and str(kept.kept_log) in done.stdout
    (tmp_path / kept.name).write_text("not a log")
    assert str(kept.kept_log) not in called("verify", kept.name).stdout
    other = create_game_folder(WHAT)
    assert "matches several" in called("verify", other.name[:7]).stderr
    assert "none.jsonl does not exist" in called("verify", "none.jsonl").stdout


def test_what_cannot_go_on() -> None:
    assert "no game was interrupted" in called("resume").stderr
    ended, rehearsed = create_game_folder(WHAT), create_game_folder(replace(WHAT, seed=7))
    ended.end("clean", 1)
    for game, said in ((ended, "has ended (clean)"), (rehearsed, "--seed 7")):
        done = called("resume", game.name)
        assert done.returncode == 2 and said in done.stderr and game.name in done.stderr
    mine = create_game_folder(replace(WHAT, person="Ada"))
    assert "with --auto" in called("resume", mine.name).stderr


def test_a_game_that_is_not_installed_goes_on_where_it_was_found(tmp_path: Path) -> None:
    """Elsewhere there may be another file of that name, and it would be loaded."""
    game = create_game_folder(replace(WHAT, place="mine:GAME", folder=str(tmp_path / "there")))
    done = called("resume", game.name)
    assert done.returncode == 2 and "resume it there" in done.stderr.replace("\n", " ")


def test_a_game_that_is_played_is_not_played_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nodealer.cli.local_game.ENDING", 0)
    game = create_game_folder(WHAT)
    with open_or_create_store(game.home(1), "Ben", os.urandom):
        assert "is being played" in called("resume", game.name).stderr
        assert "is being played" in called("resume").stderr
        (row,) = json.loads(called("games", "--json").stdout)
        assert row["state"].startswith("being played")
        assert find_game(None) == game, "the bots of a killed table end soon, and resuming waits for them"
    with open_or_create_store(game.host, None, os.urandom), pytest.raises(BadParameter, match="is being played"):
        find_game(None)
    assert find_game(None) == game


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data[:-2], "damaged"),
        (lambda data: data.replace(b'"hands":1', b'"hands":1,"more":1'), "damaged"),
        (lambda data: data.replace(b'"hands":1', b'"hands": 1'), "canonical"),
        (lambda data: data.replace(f'"version":"{FORMAT_VERSION}"'.encode(), b'"version":"0"'), "other format"),
    ],
)
def test_a_game_that_cannot_be_read(change: object, said: str) -> None:
    path = create_game_folder(WHAT).folder / GAME
    assert callable(change)
    path.write_bytes(change(path.read_bytes()))
    (row,) = json.loads(called("games", "--json").stdout)
    assert row["state"] == "unreadable" and said in row["reason"] and row["game"] == path.parent.name
    assert said in called("games").stdout.replace("\n", "") or said in row["reason"]
    done = called("resume", path.parent.name)
    assert done.returncode == 2 and said in done.stderr


@pytest.mark.parametrize("what", ["ended.json", "folder", "host"])
def test_one_that_cannot_be_looked_into_hides_no_other(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A damaged file; or a folder of somebody else, such as one made by the same person as root."""
    other, bad = create_game_folder(replace(WHAT, begun=0)), create_game_folder(WHAT)
    closed = {"folder": bad.folder, "host": bad.host}.get(what)
    if closed is None:
        (bad.folder / ENDED).write_bytes(b"{")
    look = Path.stat

    def stat(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        if closed is not None and closed in path.parents:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return look(path, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(Path, "stat", stat)
    rows = json.loads(called("games", "--json").stdout)
    assert [(row["game"], row["state"].split(",")[0]) for row in rows] == [
        (bad.name, "unreadable"),
        (other.name, "interrupted"),
    ]
    assert str(bad.folder) in rows[0]["reason"] and find_game(None) == other
    done = called("resume", bad.name)
    assert done.returncode == 2 and str(bad.folder) in done.stderr


def test_the_list() -> None:
    assert "There are no saved games" in called("games").stdout
    begun, ended = create_game_folder(replace(WHAT, begun=0)), create_game_folder(replace(WHAT, seed=3))
    ended.end("fault", 1)
    (games_folder() / "half-made").mkdir()
    newest, oldest = json.loads(called("games", "--json").stdout)
    assert (newest["game"], newest["verdict"], newest["hands"], newest["what"]) == (
        ended.name, "fault", 1, "holdem (rehearsal)",
    )  # fmt: skip
    assert (oldest["game"], oldest["verdict"], oldest["state"]) == (
        begun.name, None, "interrupted, before the first hand",
    )  # fmt: skip
    assert oldest["begun"] == "1970-01-01T00:00:00Z" and oldest["players"] == list(NAMES)
    said = called("games").stdout
    assert ended.name in said and str(games_folder()) in said.replace("\n", "")


# --- Homes that were left at different moments ---


def people(homes: Sequence[FolderStore]) -> list[Participant]:
    """The one who watches and proposes, and the players."""
    parts = (ClearProtocol(group()), TinyRules(), None)
    host = host_mark(homes[0].identity.public)
    return [
        Participant(
            home,
            entropy=Source(f"kept {seat}"),
            accept=lambda proposal: None,
            stay_policy=stay_for_hands(1),
            host=host,
            parts=lambda proposal: parts,
        )
        for seat, home in enumerate(homes)
    ]


def carry(frames: list[bytes], table: Sequence[Participant], stops: Sequence[int]) -> None:
    """One order for all, of which each hears so much."""
    waiting = [frame for one in table for frame in one.resend(len(frames))]
    number = 0
    while number < min(len(frames) + len(waiting), max(stops)):
        if number == len(frames):
            frames.append(waiting.pop(0))
        for one, stop in zip(table, stops, strict=True):
            if number < stop:
                waiting += one.receive(frames[number], number).send
        number += 1
        host = table[0]
        if (
            number == len(frames)
            and not host.has_session
            and host.lobby.proposal is None
            and len(host.offers) == len(NAMES)
        ):
            came = {offer.name: offer for offer in host.offers}
            members = [came[name].as_member(seat) for seat, name in enumerate(NAMES)]
            waiting += host.command(ProposeSession(create_proposal(TinyRules(), ClearProtocol(group()), members)))
        for one in table[1:]:
            if one.options().move is not None and not waiting:
                waiting += one.command(MakeMove({"show": True}))


def played(game: SavedGame, stops: Sequence[int]) -> list[Participant]:
    """Go on with a game as `resume` does, until each has heard so much."""
    earlier = game.earlier()
    frames = [*earlier.lobby, *earlier.entries]
    with ExitStack() as stack:
        homes = [stack.enter_context(open_or_create_store(game.host, None, Source("host")))]
        homes += [
            stack.enter_context(open_or_create_store(game.home(n), name, Source(name))) for n, name in enumerate(NAMES)
        ]
        table = people(homes)
        carry(frames, table, stops)
        return table


@pytest.mark.parametrize("shift", [0, *(pytest.param(shift, marks=pytest.mark.deep) for shift in range(1, 12))])
def test_killed_at_different_moments(shift: int) -> None:
    """After each frame of the lobby and the log, one of the three somewhat earlier: it goes on, and what was said stays
    said."""
    heard, length = 1, 100
    while heard < length:
        game, case = create_game_folder(WHAT), heard + shift
        played(game, [heard - case % 4 if seat == case % 3 else heard for seat in range(3)])
        before = game.earlier()
        table = played(game, [1000] * 3)
        logs = [one.replica.entries for one in table]
        assert all(one.replica.state.phase is Phase.ENDED and not one.replica.state.faults for one in table)
        assert logs[0] == logs[1] == logs[2] and tuple(logs[0][: len(before.entries)]) == before.entries
        after = game.earlier()
        assert after.lobby[: len(before.lobby)] == before.lobby
        length = len(after.lobby) + len(after.entries)
        heard += 1
    assert length > 20


def test_homes_that_have_parted() -> None:
    game, other = create_game_folder(WHAT), create_game_folder(WHAT)
    played(game, [1000] * 3)
    played(other, [1000] * 3)
    lobby = other.home(1) / "lobby"
    lines = lobby.read_bytes().splitlines(keepends=True)
    (game.home(1) / "lobby").write_bytes(b"".join(reversed(lines)))
    with pytest.raises(HomeUnusable, match="different messages"):
        game.earlier()


# --- The person's own file ---


def finished() -> LocalTable:
    table = seat_players(NAMES, ClearProtocol(group()), TinyRules(), Source("copy"), stays=stay_for_hands(1))
    table.run(lambda one: [] if one.options().move is None else one.command(MakeMove({"show": True})))
    return table


def test_a_file_that_is_there_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("mine")
    done = called("play", "--auto", "--log", str(path))
    assert done.returncode == 2 and f"{path}: the file already exists" in done.stderr and not done.stdout
    assert path.read_text() == "mine" and not games_folder().exists()
    assert "it is a folder" in called("play", "--auto", "--log", str(tmp_path)).stderr


def test_a_copy_of_the_log_goes_on(tmp_path: Path) -> None:
    path, replica = tmp_path / "log", finished().participants[0].replica
    with LogCopy.new(path) as copy:
        copy.follow(replica)
    whole = path.read_bytes()
    assert len(whole.splitlines()) == 1 + len(replica.entries)
    for there in (whole, whole[:-7], whole[: len(whole) // 2], b""):
        path.write_bytes(there)
        with LogCopy.again(path) as copy:
            copy.follow(replica)
            copy.follow(replica)
        assert path.read_bytes() == whole and copy.left is None
    path.unlink()
    with LogCopy.again(path) as copy:
        copy.follow(replica)
    assert path.read_bytes() == whole


def test_a_file_that_somebody_has_changed_is_left_alone(tmp_path: Path) -> None:
    path, replica = tmp_path / "log", finished().participants[0].replica
    path.write_bytes(b"something else")
    with LogCopy.again(path) as copy:
        copy.follow(replica)
    assert path.read_bytes() == b"something else" and copy.left is not None


def test_a_copy_that_stops_is_told_of_once(tmp_path: Path) -> None:
    path, replica, shown = tmp_path / "log", finished().participants[0].replica, list[LogCopyStopped]()
    path.write_bytes(b"something else")
    with LogCopy.again(path) as changed, LogCopy.new(tmp_path / "other") as good:
        for _ in range(3):
            copy_log([changed, good], tmp_path / "whole", shown.append, replica)
    assert changed.left is not None and good.left is None
    assert shown == [LogCopyStopped(str(path), changed.left, str(tmp_path / "whole"))]
    assert len((tmp_path / "other").read_bytes().splitlines()) == 1 + len(replica.entries)


def test_a_file_that_cannot_be_written_any_more_does_not_stop_the_game(tmp_path: Path) -> None:
    replica = finished().participants[0].replica
    with LogCopy.again(tmp_path / "gone" / "log") as copy:
        copy.follow(replica)
    assert copy.left == "No such file or directory"


def test_a_file_in_which_nothing_came_is_gone(tmp_path: Path) -> None:
    with LogCopy.new(tmp_path / "log"):
        assert (tmp_path / "log").exists()
    assert not (tmp_path / "log").exists()


def test_a_file_that_another_has_written_to_stays(tmp_path: Path) -> None:
    """Two who resume one game at once open the same file; only one of them comes to play."""
    path, table = tmp_path / "log", finished()
    path.touch()
    with LogCopy.again(path) as late:
        with LogCopy.again(path) as first:
            first.follow(table.participants[0].replica)
        assert late.left is None
    assert path.stat().st_size > 0
