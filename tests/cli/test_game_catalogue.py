"""Which kept table a link leads to."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from cli.running import called
from games.outside import GAME as OUTSIDE
from nodealer.cli import network
from nodealer.cli.network import Presence
from nodealer.client.folder_store import FolderStore
from nodealer.client.game_catalogue import create_folder_once, find_table, is_saved_game
from nodealer.client.saved_games import read_record
from nodealer.client.setup import table_setup
from nodealer.client.table_folders import FORMAT, Hosted, TableFolder, TableRecord, with_game_place, with_relays
from nodealer.client.time_limits import limits_for_people
from nodealer.errors import BadParameter, HomeUnusable
from nodealer.games.holdem.package import GAME as HOLDEM
from nodealer.log.session import FORMAT_VERSION
from nodealer.relay.invitations import Invitation
from nodealer.relay.sealing import TableSecret
from nodealer.wire import decode, encode

INVITATION = Invitation(("ws://relay.example",), TableSecret(bytes(16), "ab" * 16, 0), bytes(16))


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def came(invitation: Invitation, name: str | None) -> TableRecord:
    return TableRecord(FORMAT, FORMAT_VERSION, 0, name, invitation.link, None, None, None, True, None)


@pytest.mark.parametrize(
    "other",
    [
        Invitation(("ws://relay.example",), TableSecret(bytes(15) + b"x", "ab" * 16, 0), bytes(16)),
        Invitation(("ws://relay.example",), TableSecret(bytes(16), "ab" * 16, 0), bytes(15) + b"x"),
    ],
    ids=["key", "host"],
)
def test_a_link_for_a_table_of_that_number_is_not_the_link(other: Invitation) -> None:
    """A relay knows the numbers of its tables. It sends somebody a link for one, with itself as the host; and when the
    host's own link comes, that must not lead to the relay's table."""
    create_folder_once(came(other, "Ben"))
    with pytest.raises(BadParameter, match="another link"):
        find_table(INVITATION, "Ben")


def test_two_windows_at_once() -> None:
    """Both have looked before one of them was there, while passphrases were typed."""
    assert find_table(INVITATION, "Ben") is None
    kept = create_folder_once(came(INVITATION, "Ben"))
    with pytest.raises(BadParameter, match="another window"):
        create_folder_once(came(INVITATION, "Ben"))
    found = find_table(INVITATION, None)
    assert found is not None and found.folder == kept.folder


def test_who_has_watched_may_sit_down() -> None:
    create_folder_once(came(INVITATION.for_spectators(), None))
    create_folder_once(came(INVITATION.for_spectators(), None))
    assert find_table(INVITATION, None) is None


def test_another_name_as_long_as_nobody_plays_under_the_first() -> None:
    """Somebody may have taken it. But one key at two seats, or in two homes that play, is never right."""
    kept = create_folder_once(came(INVITATION, "Ben"))
    assert find_table(INVITATION, "Cleo") is None and find_table(INVITATION, "ben") is not None
    with FolderStore.create(kept.home, "Ben", bytes(32), bytes(32)), pytest.raises(BadParameter, match="as Ben"):
        find_table(INVITATION, "Cleo")


LATER = INVITATION.with_key(TableSecret(bytes(32), "ab" * 16, 2))


def test_a_link_of_a_later_key_leads_to_the_same_seat() -> None:
    """Who was taken out, and asks for its seat again, has its number and its home, and one more key."""
    kept = create_folder_once(came(INVITATION, "Ben"))
    assert not kept.later_keys
    found = find_table(LATER, "Ben")
    assert found is not None and found.folder == kept.folder
    found.save_later_link(LATER)
    assert list(kept.later_keys) == [LATER.key] and (kept.folder / "link.txt").stat().st_mode & 0o077 == 0
    kept.save_later_link(INVITATION)
    kept.save_later_link(LATER)
    assert list(kept.later_keys) == [LATER.key], "no more than there is"
    other = Invitation(LATER.relays, LATER.key, bytes(15) + b"x")
    with pytest.raises(BadParameter, match="another link"):
        find_table(other, "Ben")
    (kept.folder / "link.txt").write_text("nodealer:#x")
    with pytest.raises(HomeUnusable, match=r"link\.txt is damaged"):
        assert kept.later_keys


def test_a_false_link_of_a_later_key_does_not_keep_a_true_one_out() -> None:
    """Who sends it names a key of an epoch that no table reaches, so that no true one is later. And a link that was
    kept before is not lost with one from an older letter."""
    kept = create_folder_once(came(INVITATION, "Ben"))
    false, older, another = (
        INVITATION.with_key(TableSecret(bytes([fill]) * 32, "ab" * 16, epoch))
        for fill, epoch in ((7, 1023), (8, 1), (9, 1023))
    )
    for link in (false, LATER, older):
        kept.save_later_link(link)
        assert link.key in kept.later_keys
    assert list(kept.later_keys) == [false.key, LATER.key, older.key]
    kept.save_later_link(another)
    assert list(kept.later_keys) == [LATER.key, older.key, another.key], "of one epoch the last one"
    for epoch in range(100, 120):
        kept.save_later_link(INVITATION.with_key(TableSecret(bytes(32), "ab" * 16, epoch)))
    assert [key.epoch for key in kept.later_keys] == list(range(112, 120)), "not without end"


def test_a_false_link_of_a_later_key_does_not_lead_away_from_the_table() -> None:
    """Nothing that was kept says whether its key is one of the table: the relays that are known come first."""
    kept = create_folder_once(came(INVITATION, "Ben"))
    moved = with_relays(kept, replace(LATER, relays=("ws://elsewhere.example",)))
    assert moved.invitation.relays == (*INVITATION.relays, "ws://elsewhere.example")
    assert moved.invitation.key == INVITATION.key
    again = with_relays(moved, replace(LATER, relays=tuple(f"ws://{number}.example" for number in range(4))))
    assert again.invitation.relays == (*moved.invitation.relays, "ws://0.example", "ws://1.example")[:4]


def test_a_newer_link_says_where_the_table_is_now() -> None:
    """Its relays may have moved; everything else of the link was compared before."""
    kept = create_folder_once(came(INVITATION, "Ben"))
    newer = replace(INVITATION, relays=("ws://elsewhere.example",))
    moved = with_relays(kept, newer)
    assert moved.invitation == newer
    assert TableFolder(kept.folder, read_record(TableRecord, kept.folder / "table.json")) == moved
    with FolderStore.create(kept.home, "Ben", bytes(32), bytes(32)):
        assert with_relays(kept, INVITATION) is kept, "another window is at it"


def test_a_hosts_own_table_stays_where_it_is() -> None:
    what = msgspec.structs.replace(came(INVITATION, "Ada"), hosted=Hosted((), "mask", "{}", 2, 1, None))
    table = create_folder_once(what)
    assert with_relays(table, replace(INVITATION, relays=("ws://elsewhere.example",))) is table


def test_what_a_game_is_called() -> None:
    kept = create_folder_once(came(INVITATION, "Ben"))
    assert is_saved_game(kept.name) and is_saved_game(kept.name[:6]) and not is_saved_game("no such game")


GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.mark.parametrize(
    ("log", "hands", "said"), [("holdem-mask-false-key", 2, "2 of 2"), ("holdem-mask", None, "1")], ids=["two", "any"]
)
def test_the_list_says_what_is_played_at_a_table_that_one_has_joined(log: str, hands: int | None, said: str) -> None:
    """Its host alone has typed it; all others find it in the session. Some play as many hands as they like."""
    kept = create_folder_once(came(INVITATION, "Ben"))
    (row,) = json.loads(called("games", "--json").stdout)
    assert (row["what"], row["hands"], row["of_hands"]) == ("joined", None, None)
    kept.home.mkdir()
    kept.kept_log.write_bytes((GOLDEN / f"{log}.jsonl").read_bytes())
    (row,) = json.loads(called("games", "--json").stdout)
    assert (row["what"], row["of_hands"]) == ("holdem (joined)", hands)
    assert "Ada" in row["players"] and "Clock" not in row["players"], "who keeps the time is no player"
    (line,) = [line for line in called("games").stdout.splitlines() if kept.name[:10] in line]
    assert line.split("│")[4].strip() == said


def test_who_came_without_the_game_says_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its program declined what was proposed, and told it to say where the game is: the next time it does."""
    kept = create_folder_once(came(INVITATION, "Ben"))
    back: list[TableFolder] = []

    def returned(table: TableFolder, presence: Presence) -> int:
        back.append(table)
        return 0

    monkeypatch.setattr(network, "resume_table", returned)
    monkeypatch.chdir(tmp_path)
    for game in ("ohwell:GAME", None):
        network.join_table(INVITATION.link, relay=None, name="Ben", game=game, presence=Presence(), log=None)
    for one in (*back, TableFolder(kept.folder, read_record(TableRecord, kept.folder / "table.json"))):
        assert (one.record.place, one.record.folder) == ("ohwell:GAME", str(tmp_path)), "and without a word it stays so"
        assert msgspec.structs.replace(one.record, place=None, folder=None) == kept.record


def test_where_the_game_of_a_table_is_stays_with_its_host() -> None:
    hosted = Hosted((), "mask", "{}", 2, 0, None)
    kept = create_folder_once(msgspec.structs.replace(came(INVITATION, "Ada"), place="holdem", hosted=hosted))
    assert with_game_place(kept, "ohwell:GAME", None) is kept


def test_what_a_host_wants_to_play_is_the_same_after_a_restart() -> None:
    """Everything that the host chose is kept, and nothing is added."""
    clock = limits_for_people(20)
    for wanted in (
        table_setup(
            OUTSIDE, OUTSIDE.settled({"cards": "9"}), place="games.outside:GAME", seats=4, hands=7, clock=clock
        ),
        table_setup(HOLDEM, HOLDEM.settled({}), protocol="lock", seats=2),
    ):
        kept = Hosted.from_setup(wanted, listen="127.0.0.1:7777", page_folder="/pages")
        assert decode(Hosted, encode(kept), what="hosted") == kept
        again = kept.setup(wanted.game, wanted.place)
        assert encode(again.expected) == encode(wanted.expected)
        for name in ("place", "settings", "seats", "hands", "clock"):
            assert getattr(again, name) == getattr(wanted, name), name
        assert kept.keeps_time is (wanted.clock is not None)
    two = table_setup(HOLDEM, HOLDEM.settled({}), seats=2, clock=clock)
    assert not Hosted.from_setup(two).keeps_time, "not on the machine of one of two players"
    three = table_setup(HOLDEM, HOLDEM.settled({}), seats=3, clock=clock)
    assert not Hosted.from_setup(three, invites_keeper=True).keeps_time, "the host has invited another one"
