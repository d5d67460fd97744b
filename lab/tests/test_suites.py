"""What the suites measure is what they say: real shuffles, a real log."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.replica import replay
from nodealer.errors import BadParameter, IllegalMove, NodealerError
from nodealer.games.base import Done, Turn
from nodealer.group import group
from nodealer.tape import Tape
from nodealer_lab.bench import seat, shuffles
from nodealer_lab.bench.log import LogGame
from nodealer_lab.bench.rounds import BenchEffort
from nodealer_lab.bench.tally import NoCards, Tally, TallyRules

kinds = pytest.mark.parametrize("kind", shuffles.KINDS, ids=lambda kind: kind.name)


@kinds
def test_a_shuffle_verifies_and_a_false_one_does_not(kind: shuffles.ShuffleKind) -> None:
    sent = kind.shuffle(shuffles.start(group(backend="reference"), kind, 4), Tape(bytes(32)))
    shuffles.verify(sent)
    first = sent.outputs[0]
    with pytest.raises(NodealerError):
        shuffles.verify(replace(sent, outputs=(first[32:64] + first[:32] + first[64:], *sent.outputs[1:])))


@kinds
def test_a_chain_hands_on_its_decks(kind: shuffles.ShuffleKind) -> None:
    steps = shuffles.chain(kind, shuffles.start(group(backend="reference"), kind, 3), 3)
    shuffles.verify_as_one(steps)
    shuffles.verify_each(steps)
    for before, after in pairwise(steps):
        # As objects: only then does a batch count the deck between them once.
        named = {id(points) for points in after.relation.statement}
        assert all(id(points) in named for points in before.after.deck)
    with pytest.raises(NodealerError):
        shuffles.verify_as_one([steps[0], replace(steps[1], proof=steps[2].proof)])


def test_the_game_of_the_log_is_played_to_its_end_and_replays() -> None:
    game = LogGame(BenchEffort(shrink=8))
    again = replay(game.config, game.entries, entropy=os.urandom)
    assert again.state.phase is Phase.ENDED and again.state.fault is None
    assert again.digest() == game.seats[0].replica.digest() == game.seats[1].replica.digest()
    assert len(again.state.results) == 4 and again.state.results[0] == {"total": 7 * 6}
    assert game.making > 0 and game.taking > 0


def test_a_tally_is_a_game() -> None:
    tally = TallyRules(2).begin(0, (0, 1), None, {0: 0, 1: 0})
    assert tally.wants == Turn((0,))
    with pytest.raises(IllegalMove):
        tally.moved(1, b"3")
    over = tally.moved(0, b"3").moved(1, b"4")
    assert over.wants == Done({"total": 7}) and over.players == (0, 1) and over.default(0) is None
    assert tally.left((1,), cards=False).wants == Done({"total": 0})
    with pytest.raises(BadParameter):
        Tally((0, 1), 1).told(())
    protocol = NoCards()
    assert protocol.claims.operations == frozenset() and protocol.group.name == "ristretto255"


def test_who_hears_a_game_on_record_says_the_same_and_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seat, "SEATS", 3)
    path, hands = tmp_path / "frames", list[int]()
    recording = seat.Recording().play(2)
    recording.save(path)
    log = [frame for frame in recording.frames if frame.startswith(b'{"entry"')]

    def look(one: Participant) -> bool:
        hands.append(one.replica.state.hand.number if one.has_session else 0)
        return one.has_session and one.has_seat and one.replica.entries == log[: one.replica.height] and hands[-1] == 2

    seat._replay_frames(path, tmp_path / "heard", look)
    assert set(hands) == {0, 1, 2}
    row = seat._restart_row(BenchEffort(pairs=1, seconds=0.0, most=1), path, tmp_path / "back", 2)
    assert row.ratio is not None and row.required == 1.0 and row.seconds
    # It means to stay, and those on record did not: what it signs then is not theirs.
    with pytest.raises(BadParameter, match="not in its journal"):
        seat._replay_frames(path, tmp_path / "again", lambda one: False)
    short = replace(recording, frames=recording.frames[:9])
    short.save(path)
    with pytest.raises(BadParameter, match="too short"):
        seat._replay_frames(path, tmp_path / "short", lambda one: False)
    game = seat.DealtRules().begin(0, (0, 1), None, {})
    with pytest.raises(BadParameter):
        game.moved(0, b"{}")
    assert game.left((1,), cards=False).wants == Done({})
