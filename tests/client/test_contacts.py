"""Known players: a key identifies a person, a name does not, and users are told the difference."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nodealer.cli.identity_prompt import contacts_in
from nodealer.client import contacts
from nodealer.client.contacts import PLAYERS, Contacts
from nodealer.client.events import KeyStatus
from nodealer.errors import BadParameter, HomeUnusable
from nodealer.keys import Identity
from nodealer.wire import encode
from nodealer.wordlist import key_words

ADA, BO, EVE = (Identity(bytes([place]) * 32).public for place in range(3))


@pytest.fixture
def players(tmp_path: Path) -> Contacts:
    return contacts_in(tmp_path / "state" / "nodealer")


def test_somebody_new(players: Contacts) -> None:
    checked = players.check("Ada", ADA)
    assert checked.status is KeyStatus.NEW and " ".join(key_words(ADA)) in checked.text
    # Checking a player does not save them.
    assert players.check("Ada", ADA).status is KeyStatus.NEW and players.all == ()


def test_somebody_known(players: Contacts, tmp_path: Path) -> None:
    players.remember([("Ada", ADA), ("Bo", BO)], 1000)
    players.remember([("Ada", ADA)], 2000)
    again = contacts_in(tmp_path / "state" / "nodealer")
    assert [again.check(name, key).status for name, key in (("Ada", ADA), ("aDA", ADA), ("Bo", BO))] == 3 * [
        KeyStatus.KNOWN
    ]
    assert [(met.name, met.key, met.first, met.last) for met in again.all] == [
        ("Ada", ADA, 1000, 2000),
        ("Bo", BO, 1000, 1000),
    ]


def test_a_name_that_has_another_key_now(players: Contacts) -> None:
    players.remember([("Ada", ADA), ("Bo", BO)], 1000)
    checked = players.check("ADA", EVE)
    assert (
        checked.status is KeyStatus.OTHER_KEY
        and "ANOTHER KEY" in checked.text
        and " ".join(key_words(EVE)) in checked.text
    )
    checked = players.check("Ada", BO)
    assert checked.status is KeyStatus.OTHER_KEY and "You know this key as Bo's" in checked.text


def test_two_who_were_called_the_same(players: Contacts) -> None:
    """A player who once used another's name, perhaps at a table of bots, is not taken for them ever after."""
    players.remember([("Ada", ADA)], 1000)
    players.remember([("ada", EVE)], 2000)
    for key in (ADA, EVE):
        checked = players.check("Ada", key)
        assert (
            checked.status is KeyStatus.TWO_KEYS
            and "ANOTHER KEY" in checked.text
            and " ".join(key_words(key)) in checked.text
        )


def test_a_known_key_under_another_name(players: Contacts) -> None:
    players.remember([("Ada", ADA)], 1000)
    checked = players.check("Lovelace", ADA)
    assert checked.status is KeyStatus.RENAMED and checked.text == "Lovelace has the key that you know as Ada's."
    players.remember([("Lovelace", ADA)], 2000)
    assert (
        players.check("Lovelace", ADA).status is KeyStatus.KNOWN and players.check("Ada", EVE).status is KeyStatus.NEW
    )


def test_it_has_a_bound(players: Contacts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contacts, "PLAYERS_MAX", 2)
    for place, key in enumerate((ADA, BO, EVE, BO)):
        players.remember([(f"Player {place}", key)], place)
    assert [met.key for met in players.all] == [BO, EVE]


def test_the_bound_fits_the_file(players: Contacts) -> None:
    largest = contacts.Contact(ADA, 64 * "x", 2**53 - 1, 2**53 - 1)
    saved = contacts.SavedContacts(contacts.FORMAT, contacts.VERSION, contacts.PLAYERS_MAX * (largest,))
    assert len(encode(saved)) <= contacts.PLAYERS_BYTES_MAX


@pytest.mark.parametrize(("name", "key"), [("A\nda", ADA), ("Ada", bytes(32)), ("Ada", b"short")])
def test_what_is_not_remembered(players: Contacts, name: str, key: bytes) -> None:
    with pytest.raises(BadParameter, match="cannot remember this player"):
        players.remember([("Bo", BO), (name, key)], 0)
    assert players.all == ()


def test_only_its_owner_may_look(players: Contacts, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        players.remember([("Ada", ADA)], 0)
    finally:
        os.umask(before)
    assert (tmp_path / "state" / "nodealer").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "state" / "nodealer" / PLAYERS).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("data", [b"", b"{}", b"[]"])
def test_a_damaged_file(players: Contacts, tmp_path: Path, data: bytes) -> None:
    players.remember([("Ada", ADA)], 0)
    (tmp_path / "state" / "nodealer" / PLAYERS).write_bytes(data)
    with pytest.raises(HomeUnusable, match=r"is damaged: .*; delete it to start over"):
        players.check("Ada", ADA)
