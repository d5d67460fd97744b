"""Logs of everything that people play, which must verify as they did when they were made, in this and all releases."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import get_args

import pytest

from cli.running import called
from nodealer.engine.bodies import Body, read_body
from nodealer.games.registry import OURS
from nodealer.log.entry import read_entry
from nodealer.log.file import read_log
from nodealer.log.session import FORMAT_VERSION
from nodealer.protocols import PROTOCOLS

from .make import CLAIM, HERE, NAMES, PLAYED, SIZE_MAX, SUMS, digest_of, held, log_of, missing, report_of


@pytest.mark.parametrize("name", sorted({*OURS, *PROTOCOLS}))
def test_every_game_and_every_protocol_has_one(name: str) -> None:
    assert any(name in log.split("-") for log in NAMES), f"there is no golden log of {name}: tests/golden/make.py"


@pytest.mark.parametrize("name", NAMES)
def test_verifies_as_it_did(name: str) -> None:
    done = called("verify", "--json", str(log_of(name)))
    said = json.loads(report_of(name).read_text())
    assert json.loads(done.stdout) == said
    assert done.returncode == (1 if said["faults"] else 0), done.stdout
    assert log_of(name).stat().st_size <= SIZE_MAX


def cheated(name: str) -> bool:
    return name == CLAIM or "--cheat" in PLAYED.get(name, ())


def test_the_logs_of_cheats_name_who_cheated() -> None:
    cheats = [name for name in NAMES if cheated(name)]
    reports = {name: json.loads(report_of(name).read_text()) for name in NAMES}
    assert [name for name in NAMES if reports[name]["faults"]] == cheats
    assert all({fault["seat"] for fault in reports[name]["faults"]} == {2} for name in cheats)


def _entries(name: str) -> list[bytes]:
    with log_of(name).open("rb") as file:
        return list(read_log(file)[1])


def test_they_have_every_body_that_an_entry_can_have() -> None:
    said = {type(read_body(bytes(read_entry(data).entry.body))) for name in NAMES for data in _entries(name)}
    assert said == set(get_args(Body))


def test_none_was_made_again() -> None:
    """Format 1 is frozen: these bytes verify in every release. A change that breaks one is a change of the format."""
    assert {log.stem: digest_of(log) for log in HERE.glob("*.jsonl")} == held(HERE / SUMS)
    assert sorted(NAMES) == sorted(held(HERE / SUMS))


def test_some_have_the_format_that_is_written_now() -> None:
    versions = {json.loads(log_of(name).read_text().splitlines()[0])["version"] for name in NAMES}
    assert FORMAT_VERSION in versions, "a new format has golden logs of its own: tests/golden/make.py"


def test_a_log_that_was_made_is_not_made_again(tmp_path: Path) -> None:
    log = tmp_path / "old.jsonl"
    log.write_bytes(b"as it was\n")
    (tmp_path / SUMS).write_text(f"{digest_of(log)}  {log.name}\n")
    assert missing(["old", "new"], tmp_path) == ["new"]
    log.write_bytes(b"otherwise\n")
    with pytest.raises(FileExistsError, match=r"old.jsonl was made before"):
        missing(["old", "new"], tmp_path)
    log.unlink()
    with pytest.raises(FileExistsError, match=r"old.jsonl was made before"):
        missing(["old"], tmp_path)


@pytest.mark.parametrize("name", [name for name in NAMES if not cheated(name)])
def test_does_not_verify_when_changed(name: str, tmp_path: Path) -> None:
    """One bit anywhere: never a clean log."""
    lines = log_of(name).read_bytes().splitlines(keepends=True)
    number = hashlib.sha256(name.encode()).digest()[0] % len(lines)
    at = hashlib.sha256(lines[number]).digest()[0] % (len(lines[number]) - 1)
    lines[number] = lines[number][:at] + bytes([lines[number][at] ^ 1]) + lines[number][at + 1 :]
    (tmp_path / "log").write_bytes(b"".join(lines))
    assert called("verify", str(tmp_path / "log")).returncode in (1, 2)
