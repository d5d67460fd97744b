"""Logs of every protocol and every released version, which must verify for ever."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from conformance.cases import CASES
from conformance.games import TinyRules
from conformance.harness import Source
from nodealer.errors import NodealerError
from nodealer.group import group
from nodealer.log.file import read_log
from nodealer.play.phases import Phase
from nodealer.play.replica import Outcome, Replica, replay
from nodealer.play.state import Config

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*.jsonl"))


def config_and_entries(path: Path) -> tuple[Config, list[bytes]]:
    with path.open("rb") as file:
        session, lines = read_log(file)
        entries = list(lines)
    name = session.proposal.protocol.name
    case = next(case for case in CASES if case.name == name)
    rules = TinyRules(**json.loads(bytes(session.proposal.game.parameters)))
    return Config(session, case.make(group()), rules), entries


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_protocol_has_one(case: object) -> None:
    """An empty folder is no pass: a protocol in the list without a golden log fails here."""
    name = getattr(case, "name", "")
    assert any(path.name.startswith(f"{name}-") for path in FILES), f"there is no tests/golden/{name}-….jsonl"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_verifies(path: Path) -> None:
    config, entries = config_and_entries(path)
    for eager in (True, False):
        replica = replay(config, entries, entropy=Source(path.name), eager=eager)
        assert replica.state.phase is Phase.ENDED and replica.state.fault is None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_does_not_verify_when_changed(path: Path) -> None:
    """One bit anywhere: an error or a fault, never a clean log."""
    config, entries = config_and_entries(path)
    for number in range(0, len(entries), max(1, len(entries) // 10)):
        at = hashlib.sha256(entries[number]).digest()[0] % len(entries[number])
        changed = entries[number][:at] + bytes([entries[number][at] ^ 1]) + entries[number][at + 1 :]
        replica = Replica(config, entropy=Source(path.name))
        for data in entries[:number]:
            replica.append(data)
        try:
            outcome = replica.append(changed).outcome
        except NodealerError:
            continue
        assert outcome is Outcome.FAULT
