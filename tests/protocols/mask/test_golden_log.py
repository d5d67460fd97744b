"""The golden log: made again it is the same, byte by byte; read, it verifies to what was recorded."""

from __future__ import annotations

import json

import pytest

from conformance.harness import Source
from nodealer.group import Group
from nodealer.log.file import read_log
from nodealer.play.phases import Phase
from nodealer.play.replica import replay
from nodealer.play.state import Config
from nodealer.protocols.mask import Mask
from nodealer.wire import encode

from ..script import ScriptRules
from .make_golden import EXPECTED, LOG, SCRIPT, make, outcome

STEPS = ("shuffle", "rekey", "gather", "mask", "reshuffle", "release")


@pytest.mark.parametrize("eager", [True, False])
def test_verifies_to_what_was_recorded(group: Group, eager: bool) -> None:
    with LOG.open("rb") as file:
        session, entries = read_log(file)
        config = Config(session, Mask(on=group), ScriptRules(SCRIPT))
        replica = replay(config, list(entries), entropy=Source("weights"), eager=eager)
    assert replica.state.phase is Phase.ENDED and replica.state.fault is None
    assert outcome(replica) == json.loads(EXPECTED.read_text())


def test_made_again_it_is_the_same(group: Group) -> None:
    """Both backends and every run give the same bytes: secrets come from the tape alone."""
    table = make(group)
    lines = [encode(table.seats[0].replica.config.session), *table.log]
    assert b"".join(line + b"\n" for line in lines) == LOG.read_bytes()


def test_has_every_message() -> None:
    text = LOG.read_text()
    assert all(f'"type":"{step}"' in text for step in STEPS)
