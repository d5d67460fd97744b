"""`nodealer whoami`: key, words, name and passphrase."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.running import called
from nodealer.cli import identity_prompt as mine
from nodealer.cli import whoami
from nodealer.client import identity
from nodealer.errors import BadParameter
from nodealer.wordlist import key_words


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path / "nodealer"


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> Iterator[str]:
    """What somebody types when asked."""
    left = iter(lines)
    for module in (mine, whoami):
        monkeypatch.setattr(module, "ask_passphrase", lambda question: next(left))
    return left


def test_a_key_is_made_and_told(folder: Path) -> None:
    told = json.loads(called("whoami", "--json").stdout)
    assert told == json.loads(called("whoami", "--json").stdout)
    assert told["words"] == list(key_words(bytes.fromhex(told["key"]))) and len(told["words"]) == 6
    assert told["name"] is None and told["passphrase"] is False and told["file"] == str(folder / "identity.json")
    shown = called("whoami").stdout
    assert all(part in shown for part in (told["key"], " ".join(told["words"]), "not set", "without a passphrase"))


def test_a_name(folder: Path) -> None:
    assert called("whoami", "--name", "Ada").returncode == 0
    assert json.loads(called("whoami", "--json").stdout)["name"] == "Ada" and "Ada" in called("whoami").stdout
    bad = called("whoami", "--name", "A\x1bda")
    assert bad.returncode == 2 and "\x1b" not in bad.stderr and bad.stderr.count("\n") == 1


def test_a_passphrase(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity.change_passphrase, "__defaults__", (14,))
    key = json.loads(called("whoami", "--json").stdout)["key"]
    typed(monkeypatch, "four words of mine", "four words of mine")
    told = json.loads(called("whoami", "--passphrase", "--json").stdout)
    assert told["passphrase"] is True and told["key"] == key
    typed(monkeypatch, "not mine")
    with pytest.raises(BadParameter, match="wrong passphrase"):
        mine.unlock_identity(mine.me())
    typed(monkeypatch, "four words of mine")
    assert mine.unlock_identity(mine.me()).public.hex() == key
    left = typed(monkeypatch, "not mine", "never asked")
    wrong = called("whoami", "--passphrase")
    assert wrong.returncode == 2 and "wrong passphrase" in wrong.stderr and list(left) == ["never asked"]
    left = typed(monkeypatch, "four words of mine", "short", "never asked")
    short = called("whoami", "--passphrase")
    assert short.returncode == 2 and "8 to 1024" in short.stderr and list(left) == ["never asked"]
    typed(monkeypatch, "four words of mine", "one passphrase", "another one")
    differ = called("whoami", "--passphrase")
    assert differ.returncode == 2 and "two passphrases differ" in differ.stderr
    typed(monkeypatch, "four words of mine", "", "")
    assert "without a passphrase" in called("whoami", "--passphrase").stdout
    assert mine.unlock_identity(mine.me()).public.hex() == key


def test_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    done = called("whoami", "--passphrase")
    assert done.returncode == 2 and "a passphrase has to be typed at a terminal" in done.stderr


def test_nothing_is_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    def end(question: str) -> str:
        raise EOFError

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("getpass.getpass", end)
    done = called("whoami", "--passphrase")
    assert done.returncode == 2 and "no passphrase was typed" in done.stderr
