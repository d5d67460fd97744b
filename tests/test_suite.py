"""The suite itself: what `make test` leaves to `make deep`, and what it says of its cost."""

from __future__ import annotations

import itertools
from pathlib import Path

from budget import BUDGET, HERE, LAB, LIMIT, STARTING, folder, table, too_dear
from sampling import Values, sample

CASES: dict[str, Values] = {
    f"test_cheats[{cheat}-{seat}-{index}]": frozenset(
        {(("cheat",), (cheat,)), (("seat",), (seat,)), (("at",), (index,))}
    )
    for cheat, seat, index in itertools.product(range(7), range(3), range(4))
}


def test_a_sample_has_every_value_and_few_cases() -> None:
    chosen = list(sample(CASES))
    assert frozenset().union(*(CASES[name] for name in chosen)) == frozenset().union(*CASES.values())
    assert len(chosen) == len(set(chosen)) == 7


def test_a_sample_is_the_same_for_everybody() -> None:
    assert list(sample(dict(reversed(CASES.items())))) == list(sample(CASES))


def test_a_test_without_parameters_is_its_own_sample() -> None:
    assert list(sample({"test_alone": frozenset()})) == ["test_alone"]


def test_every_folder_has_a_budget() -> None:
    folders = {folder(path) for place in (HERE, LAB) for path in place.rglob("test_*.py")}
    assert folders | {STARTING} == BUDGET.keys()
    assert sum(BUDGET.values()) <= LIMIT
    assert folder(HERE / "protocols" / "mask" / "test_x.py") == "protocols" and folder(Path(__file__)) == "tests"


def test_what_is_too_dear_is_named() -> None:
    cpu = dict.fromkeys(BUDGET, 0.5)
    assert too_dear(cpu) == []
    assert too_dear(cpu | {"cli": BUDGET["cli"] + 1}) == ["cli"]
    assert too_dear(cpu | {"new": 0.1}) == ["new"]
    assert too_dear({name: seconds + 0.5 for name, seconds in BUDGET.items()})[-1] == "the whole suite"
    assert f"3.0 {BUDGET['cli']:6}  cli" in table({"cli": 3.0})[0] and "in all" in table({"cli": 3.0})[-1]
