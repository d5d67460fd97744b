"""`nodealer export`: hands that pokerkit reads and plays to the same stacks."""

from __future__ import annotations

import json
from pathlib import Path

from pokerkit import HandHistory

import nodealer as api
from cli.logs import Log
from cli.running import called


def test_pokerkit_plays_the_hands_again(log: Log, tmp_path: Path) -> None:
    out = tmp_path / "game.phhs"
    done = called("export", str(log.path), "--format", "phh", "--out", str(out))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    results = json.loads(called("verify", str(log.path), "--json").stdout)["results"]
    hands = list(HandHistory.loads_all(out.read_text()))
    assert len(hands) == len(results) == 2
    for hand, result in zip(hands, results, strict=True):
        assert hand.seats is not None and hand.players is not None
        *_, last = hand
        after = {stack["seat"]: stack["after"] for stack in result["stacks"]}
        assert list(last.stacks) == [after[seat - 1] for seat in hand.seats]
        assert set(hand.players) == {"Ada", "Ben", "Cleo"}


def test_to_standard_output(log: Log) -> None:
    done = called("export", str(log.path))
    assert done.returncode == 0 and len(list(HandHistory.loads_all(done.stdout))) == 2


def test_what_is_not_clean(log: Log, target: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.phhs"
    log.save(target, log.entries[:-1])
    done = called("export", str(target), "--out", str(out))
    assert done.returncode == 3 and "INCOMPLETE" in done.stderr
    assert len(list(HandHistory.loads_all(out.read_text()))) == 2
    out.unlink()
    log.save(target, [*log.entries[:5], *log.entries[6:]])
    done = called("export", str(target), "--out", str(out))
    assert done.returncode == 1 and "BROKEN" in done.stderr and not out.exists()
    assert called("export", str(tmp_path), "--out", str(out)).returncode == 2


def test_another_game_and_a_place_that_cannot_be_written(log: Log, tmp_path: Path) -> None:
    path = tmp_path / "free.jsonl"
    table = api.table(["Ada", "Ben"])
    table.shuffle(4)
    table.save(path)
    done = called("export", str(path))
    assert done.returncode == 2 and "no export format" in done.stderr and not done.stdout
    done = called("export", str(log.path), "--format", "pgn")
    assert done.returncode == 2 and "exported as phh" in done.stderr and not done.stdout
    done = called("export", str(log.path), "--out", str(tmp_path / "no" / "x"))
    assert done.returncode == 2 and "cannot write" in done.stderr and "Traceback" not in done.stderr
