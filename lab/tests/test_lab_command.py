"""`nodealer lab list` and `nodealer lab run`: output and exit codes."""

from __future__ import annotations

import json

import pytest

from cli.running import called
from nodealer.protocols import make_protocol
from nodealer_lab.attacks import ATTACKS, matrix
from nodealer_lab.attacks.comparison import AttackComparison
from nodealer_lab.attacks.outcome import AttackOutcome


def test_the_list() -> None:
    done = called("lab", "list", "--json")
    assert done.returncode == 0 and not done.stderr
    listed = json.loads(done.stdout)
    assert [one["attack"] for one in listed["attacks"]] == list(ATTACKS)
    assert {one["of"]: one["comes"] for one in listed["beyond"]}["A50"] == "cannot be seen"
    shown = called("lab", "list")
    assert (
        shown.returncode == 0 and "leak: a reader of the log reads the order" in shown.stdout and "A4" in shown.stdout
    )


def test_one_attack_with_and_without_its_defence() -> None:
    done = called("lab", "run", "fragments")
    assert done.returncode == 0
    assert "with shuffle.OpeningFragments.apply removed: it reads every card of the deck" in done.stdout
    assert "with all defences: caught at once, Cleo named" in done.stdout
    rows = json.loads(called("lab", "run", "fragments", "--protocol", "lock", "--json").stdout)
    assert [(row["protocol"], row["comes"], row["named"]) for row in rows] == [("lock", "at once", True)]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("steal",), "unknown attack 'steal'; did you mean 'stall'?"),
        (("fragments", "--protocol", "mask"), "fragments is not written for mask, only for lock"),
        (("--protocol", "paper"), "no attack is written for 'paper'"),
    ],
)
def test_unknown_attacks_and_protocols_are_refused(arguments: tuple[str, ...], reason: str) -> None:
    done = called("lab", "run", *arguments)
    assert done.returncode == 2 and reason in done.stderr and not done.stdout


def test_an_attack_that_works_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    attack, protocol = ATTACKS["double"], make_protocol("mask")
    works = AttackOutcome("never", gain="has a card in the deck twice")
    both = AttackComparison(attack, "mask", "{}", 2, attack.on(protocol), works, works)
    monkeypatch.setattr(matrix, "carry_out", lambda *_, **__: iter([both]))
    done = called("lab", "run", "double")
    assert done.returncode == 1
    assert "expected: at once; result: cannot be seen" in done.stdout
