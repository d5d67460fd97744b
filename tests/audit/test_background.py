"""Settling a hand while the next ones are read finds exactly what settling each proof at once finds."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from conformance.clear import ClearProtocol, bad_proof
from conformance.games import TinyRules
from conformance.harness import Game
from nodealer.audit.background import in_background
from nodealer.audit.verify import verify_file
from nodealer.engine import replica as replicas
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Replica
from nodealer.errors import BadParameter, EntryRefused
from nodealer.group import group
from nodealer.proofs.checks import Check, Entropy

HANDS = 4


@pytest.fixture
def believed(monkeypatch: pytest.MonkeyPatch) -> Game:
    """A game of several hands in which seat 1 lies and everybody believes it to the end."""
    lying = ClearProtocol(group(), lies={(1, "key"): bad_proof})
    game = Game(ClearProtocol(group()), TinyRules(), hands=HANDS, liars={1: lying})
    with monkeypatch.context() as patch:
        patch.setattr(replicas, "settle", lambda checks, entropy: None)
        return game.play()


def taken(replica: Replica, log: Sequence[bytes]) -> int:
    """Give a replica a whole log, and count what it refuses."""
    refused = 0
    for data in log:
        try:
            replica.append(data)
        except EntryRefused as error:
            assert replica.state.faults, error
            refused += 1
    return refused


def test_what_builds_on_a_false_proof_is_undone_however_late_it_is_found(believed: Game) -> None:
    game = believed
    assert game.state.phase is Phase.ENDED, "everybody believed it"
    eager = Replica(game.config, entropy=os.urandom)
    refused = taken(eager, game.log)
    assert eager.state.fault is not None and eager.state.fault.seat == 1
    with in_background() as begin:
        late = Replica(game.config, entropy=os.urandom, eager=False, check_runner=begin)
        refused_late = taken(late, game.log)
        late.settle()
    assert late.digest() == eager.digest() and eager.state.expelled == {1}
    assert eager.undone == 0 < late.undone and refused == refused_late + late.undone
    assert late.state.fault == eager.state.fault and late.state.results == eager.state.results == ()


def test_hands_are_not_kept_without_end(believed: Game) -> None:
    game = believed
    running: list[int] = []

    def begin(checks: Sequence[Check], entropy: Entropy) -> Callable[[], None]:
        running.append(len(checks))
        return lambda: running.remove(len(checks))

    replica = Replica(game.config, entropy=os.urandom, eager=False, check_runner=begin)
    for data in game.log:
        replica.append(data)
        assert len(running) <= replicas.BATCHES_AHEAD + 1
    assert len(running) == replicas.BATCHES_AHEAD


def test_a_source_of_entropy_that_fails_settles_nothing(believed: Game) -> None:
    game, broken = believed, True

    def entropy(size: int) -> bytes:
        return b"" if broken else os.urandom(size)

    with in_background() as begin:
        replica = Replica(game.config, entropy=entropy, eager=False, check_runner=begin)
        with pytest.raises(BadParameter, match="source of entropy"):
            for data in game.log:
                replica.append(data)
            replica.settle()
        assert not replica.state.faults and replica.checks_settled == 0
        broken = False
        replica.settle()
    found = replica.state.fault
    assert found is not None and found.seat == 1


def test_an_audit_leaves_no_thread(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"no log\n")
    assert verify_file(tmp_path / "log", entropy=os.urandom).verdict == "not-a-log"
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("settle")]
