"""Logs of everything that people play, which must verify as they did when they were made."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from cli.running import called
from nodealer.games.found import OURS
from nodealer.log.session import FORMAT_VERSION
from nodealer.protocols import PROTOCOLS

from .make import BARE, FREE, LEFT, PLAYED, SIZE_MAX, TIMED, UNSEEN, log_of, report_of

NAMES = (*PLAYED, FREE, LEFT, BARE, UNSEEN, TIMED)


@pytest.mark.parametrize("name", sorted({*OURS, *PROTOCOLS}))
def test_every_game_and_every_protocol_has_one(name: str) -> None:
    assert any(name in log.split("-") for log in NAMES), f"there is no golden log of {name}: tests/golden/make.py"


@pytest.mark.parametrize("name", NAMES)
def test_verifies_as_it_did(name: str) -> None:
    done = called("verify", "--json", str(log_of(name)))
    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout) == json.loads(report_of(name).read_text())
    assert log_of(name).stat().st_size <= SIZE_MAX


@pytest.mark.parametrize("name", NAMES)
def test_has_the_format_of_this_program(name: str) -> None:
    """Another format is another set of logs: whoever changes signed bytes raises the number and runs `make golden`."""
    assert json.loads(log_of(name).read_text().splitlines()[0])["version"] == FORMAT_VERSION


@pytest.mark.parametrize("name", NAMES)
def test_does_not_verify_when_changed(name: str, tmp_path: Path) -> None:
    """One bit anywhere: never a clean log."""
    lines = log_of(name).read_bytes().splitlines(keepends=True)
    number = hashlib.sha256(name.encode()).digest()[0] % len(lines)
    at = hashlib.sha256(lines[number]).digest()[0] % (len(lines[number]) - 1)
    lines[number] = lines[number][:at] + bytes([lines[number][at] ^ 1]) + lines[number][at + 1 :]
    (tmp_path / "log").write_bytes(b"".join(lines))
    assert called("verify", str(tmp_path / "log")).returncode in (1, 2)
