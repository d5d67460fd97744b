"""A user's key on the disk: created once, closed to other users, and sealed with a passphrase if wanted."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from client.test_folder_store import killed_at
from nodealer.client.identity import (
    IDENTITY,
    Sealed,
    UserIdentity,
    change_name,
    change_passphrase,
    load_or_create_identity,
)
from nodealer.errors import BadParameter, HomeUnusable
from nodealer.keys import Identity
from nodealer.wire import encode

SEED = bytes(range(32))
#: The lowest work factor allowed: the tests are not about slowness.
LIGHT = 14
WORDS = "Grüße aus Köln"


def draw(size: int) -> bytes:
    return SEED[:size]


def locked(folder: Path) -> UserIdentity:
    load_or_create_identity(folder, draw)
    return change_passphrase(folder, None, WORDS, draw, LIGHT)


def changed(folder: Path, change: dict[str, Any]) -> None:
    path = folder / IDENTITY
    path.write_text(json.dumps(json.loads(path.read_text()) | change, separators=(",", ":"), ensure_ascii=False))


def test_it_is_made_once(tmp_path: Path) -> None:
    me = load_or_create_identity(tmp_path / "a" / "b", draw)
    assert me == load_or_create_identity(tmp_path / "a" / "b", os.urandom) and me.name is None and not me.has_passphrase
    assert me.unlock().public == me.public == Identity(SEED).public
    assert me != load_or_create_identity(tmp_path / "other", os.urandom)


def test_a_name_is_remembered(tmp_path: Path) -> None:
    load_or_create_identity(tmp_path, draw)
    me = change_name(tmp_path, "Ada")
    assert (
        me == load_or_create_identity(tmp_path, draw)
        and me.name == "Ada"
        and me.unlock().public == Identity(SEED).public
    )
    with pytest.raises(BadParameter, match="the name"):
        change_name(tmp_path, "A\tda")
    with pytest.raises(HomeUnusable, match="no identity found in"):
        change_name(tmp_path.parent, "Ada")


def test_only_its_owner_may_look(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        load_or_create_identity(tmp_path / "new", draw)
    finally:
        os.umask(before)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "new" / IDENTITY).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    load_or_create_identity(tmp_path, draw)
    (tmp_path / IDENTITY).chmod(mode)
    with pytest.raises(HomeUnusable, match=f"Run `chmod 600 {tmp_path / IDENTITY}`"):
        load_or_create_identity(tmp_path, draw)
    (tmp_path / IDENTITY).chmod(0o600)
    load_or_create_identity(tmp_path, draw)


@pytest.mark.parametrize("mode", [0o770, 0o702])
def test_a_folder_that_others_can_change_is_refused(tmp_path: Path, mode: int) -> None:
    (tmp_path / "me").mkdir()
    (tmp_path / "me").chmod(mode)
    with pytest.raises(HomeUnusable, match=f"Run `chmod 700 {tmp_path / 'me'}`"):
        load_or_create_identity(tmp_path / "me", draw)


def test_another_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_or_create_identity(tmp_path, draw)
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    with pytest.raises(HomeUnusable, match="belongs to another user"):
        load_or_create_identity(tmp_path, draw)


def test_a_passphrase(tmp_path: Path) -> None:
    me = locked(tmp_path)
    assert me == load_or_create_identity(tmp_path, draw) and me.has_passphrase
    # As another keyboard would encode it.
    for typed in (WORDS, "Gru\u0308ße aus Ko\u0308ln"):
        assert me.unlock(typed).public == me.public
    for wrong in ("grüße aus Köln", "", "\udcff"):
        with pytest.raises(BadParameter, match="wrong passphrase"):
            me.unlock(wrong)
    with pytest.raises(BadParameter, match="enter it to sign"):
        me.unlock()
    saved = (tmp_path / IDENTITY).read_text()
    assert encode(SEED).decode().strip('"') not in saved and "clear" not in saved
    assert SEED.hex() not in repr(me)


def test_changing_it_needs_the_old_one(tmp_path: Path) -> None:
    locked(tmp_path)
    change_name(tmp_path, "Ada")
    for old in (None, "not this one"):
        with pytest.raises(BadParameter, match="passphrase"):
            change_passphrase(tmp_path, old, "another one", os.urandom, LIGHT)
    assert change_passphrase(tmp_path, WORDS, "another one", os.urandom, LIGHT).unlock("another one")
    me = change_passphrase(tmp_path, "another one", None, os.urandom)
    assert (
        me == load_or_create_identity(tmp_path, draw)
        and me.unlock().public == Identity(SEED).public
        and me.name == "Ada"
    )


@pytest.mark.parametrize("new", ["", "seven77", 1025 * "x"])
def test_a_bad_passphrase(tmp_path: Path, new: str) -> None:
    load_or_create_identity(tmp_path, draw)
    with pytest.raises(BadParameter, match="8 to 1024 characters"):
        change_passphrase(tmp_path, None, new, draw)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": "nodealer-home"}, "cannot be read"),
        ({"version": 2}, "cannot be read"),
        ({"name": "A\u200bda"}, "name"),
        ({"public": encode(bytes(32)).decode().strip('"')}, "public and secret key do not match"),
        ({"more": 1}, "cannot be read"),
    ],
)
def test_a_damaged_file(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    load_or_create_identity(tmp_path, draw)
    changed(tmp_path, change)
    with pytest.raises(HomeUnusable, match=f"is damaged: .*{said}"):
        load_or_create_identity(tmp_path, draw)


def test_half_a_file(tmp_path: Path) -> None:
    load_or_create_identity(tmp_path, draw)
    (tmp_path / IDENTITY).write_bytes((tmp_path / IDENTITY).read_bytes()[:-1])
    with pytest.raises(HomeUnusable, match="is damaged"):
        load_or_create_identity(tmp_path, draw)


@pytest.mark.parametrize("work", [13, 21, 63])
def test_parameters_are_limited(tmp_path: Path, work: int) -> None:
    """Larger parameters would exhaust the memory, smaller ones give no protection."""
    me = locked(tmp_path)
    assert isinstance(me._secret, Sealed)
    changed(tmp_path, {"secret": json.loads(encode(me._secret)) | {"work": work}})
    with pytest.raises(HomeUnusable, match="is damaged"):
        load_or_create_identity(tmp_path, draw)


def test_a_sealed_key_of_somebody_else(tmp_path: Path) -> None:
    """The sealed key is bound to its public key: the two cannot be exchanged."""
    locked(tmp_path)
    changed(tmp_path, {"public": encode(Identity(bytes(32)).public).decode().strip('"')})
    with pytest.raises(BadParameter, match="wrong passphrase"):
        load_or_create_identity(tmp_path, draw).unlock(WORDS)


def test_killed_anywhere_while_it_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is a complete identity or none."""
    kept = []
    for count in range(1, 100):
        folder = tmp_path / str(count)
        if not killed_at(count, monkeypatch, lambda: load_or_create_identity(folder, draw)):
            break
        kept.append(load_or_create_identity(folder, lambda size: bytes(size)).public == Identity(SEED).public)
    assert kept == sorted(kept) and set(kept) == {False, True}


def test_two_who_make_it_at_once(tmp_path: Path) -> None:
    """Both get the key that is on the disk."""
    told, tells = os.pipe()
    child = os.fork()
    if not child:
        os.write(tells, load_or_create_identity(tmp_path, os.urandom).public)
        os._exit(0)
    mine = load_or_create_identity(tmp_path, os.urandom)
    os.waitpid(child, 0)
    assert os.read(told, 32) == mine.public == load_or_create_identity(tmp_path, draw).public
    os.close(told)
    os.close(tells)
