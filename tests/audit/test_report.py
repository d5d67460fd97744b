"""What an audit of odd files and stopped games says. The whole list of bad files is in tests/cli/test_verify.py."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from audit.conftest import HANDS, Game
from nodealer.audit.report_text import PUBLIC_SEEDS
from nodealer.audit.verify import verify_file
from nodealer.engine.replica import Applied, Replica
from nodealer.log.file import save_log


def test_a_clean_report(game: Game, tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    path = game.save(tmp_path / "log")
    report = verify_file(path, entropy=os.urandom, progress=lambda done, size: steps.append((done, size)))
    assert report.verdict == "clean" and report.exit_code == 0 and not report.reason
    assert report.name(0) == "player 0" and report.name(9) is report.name(None) is None
    assert [record.void for record in report.chronicle.records] == [None] * HANDS
    assert not report.faults and not report.gone and not report.unchecked and report.proven
    assert PUBLIC_SEEDS not in report.not_proven
    assert len(steps) == len(game.entries) and steps[-1] == (path.stat().st_size,) * 2


def test_every_prefix_is_incomplete_and_clean_so_far(game: Game, tmp_path: Path) -> None:
    for length in range(0, len(game.entries), 17):
        report = verify_file(game.save(tmp_path / "log", game.entries[:length]), entropy=os.urandom)
        assert (report.verdict, report.exit_code, report.entries) == ("incomplete", 3, length)


@pytest.mark.parametrize("step", ["shuffle", "rekey", "release"])
def test_a_fault_names_the_seat_and_the_others_go_on(game: Game, tmp_path: Path, step: str) -> None:
    number, false = game.falsified(step, 1)
    report = verify_file(game.save(tmp_path / "log", [*game.entries[:number], false]), entropy=os.urandom)
    (fault,) = report.faults
    assert fault.seat is not None
    assert report.verdict == "fault" and report.exit_code == 1
    assert (fault.seat, fault.entry) == (game.entry(number).seat, number)
    assert report.reason.startswith(f"player {fault.seat} (seat {fault.seat}, key ") and report.gone == (fault.seat,)
    # The others have not ended the second hand, and would: the log stops here.
    (first,) = report.as_json()["results"]
    assert first["gone"] == [] and len(report.chronicle.records) == 1


def test_two_versions_of_one_entry_are_a_fault(game: Game, tmp_path: Path) -> None:
    number, false = game.falsified("rekey", 0)
    report = verify_file(game.save(tmp_path / "log", [*game.entries[: number + 1], false]), entropy=os.urandom)
    assert report.verdict == "fault" and "two different entries" in report.reason


def test_watching_does_not_change_the_verdict(game: Game, tmp_path: Path) -> None:
    path = game.save(tmp_path / "log")
    seen: list[bytes] = []

    def watch(replica: Replica) -> Callable[[Applied], None]:
        return lambda applied: seen.append(replica.entries[applied.number])

    assert (
        verify_file(path, entropy=os.urandom, watch=watch).as_json() == verify_file(path, entropy=os.urandom).as_json()
    )
    assert seen == game.entries


def test_a_file_that_is_not_there_any_more(game: Game, tmp_path: Path) -> None:
    path = tmp_path / "log"
    save_log(path, game.session, [])
    path.chmod(0)
    report = verify_file(path, entropy=os.urandom)
    assert report.verdict in ("not-a-log", "incomplete")  # root may read it all the same
