"""The bundle in Node: what a tab has computes, judges and plays as the same program does natively."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from nodealer.cli.selftest import SELFTESTS
from nodealer.web.bundle.build import ROOT
from nodealer.web.tab.plan import SERVED

HERE = Path(__file__).parent
SITE = "lib/python3.14/site-packages"


def in_node(bundle: Path, program: str, *mounts: str) -> str:
    """What a Python program prints in the bundle."""
    command = ["node", str(HERE / "run.mjs"), str(bundle), *mounts]
    done = subprocess.run(command, input=program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def told(bundle: Path) -> dict[str, Any]:
    selftest = f"{SITE}/nodealer/cli/selftest={ROOT / 'src/nodealer/cli/selftest'}"
    golden = f"golden={ROOT / 'tests/golden'}"
    said: dict[str, Any] = json.loads(in_node(bundle, (HERE / "seat.py").read_text(), golden, selftest))
    return said


def test_it_is_the_native_core_with_asserts_on(told: dict[str, Any]) -> None:
    assert (told["debug"], told["backend"], told["absent"]) == (True, "native", [])


def test_every_selftest_holds(told: dict[str, Any]) -> None:
    assert told["selftests"] == {name: True for name, _ in SELFTESTS}


def test_golden_logs_get_the_verdict_they_have_natively(told: dict[str, Any]) -> None:
    for path in (ROOT / "tests/golden").glob("*.jsonl"):
        expected = json.loads(path.with_suffix(".json").read_text())
        assert told["golden"][path.stem] == expected.get("verdict", "clean"), path


def test_a_hand_on_every_protocol_it_serves(told: dict[str, Any]) -> None:
    assert set(told["hands"]) == set(SERVED) and all(told["hands"].values())


def test_a_hand_of_every_game_that_it_offers(told: dict[str, Any]) -> None:
    assert sorted(told["games"]) == ["hearts", "holdem", "wardens"] and all(told["games"].values())


PANICS = """
import json
from nodealer.group._core import yardstick
from nodealer.web.tab import entry

told = []

class Browser:
    document = staticmethod(lambda text: None)
    fatal = staticmethod(lambda reason, kind: told.append([kind, reason]))

tab = entry.Tab(Browser())

async def seat():
    yardstick("fixed_base", 10, 2, 1)

tab._begin(seat)
await tab._task
print(json.dumps(told))
"""


def test_a_panic_of_the_core_is_told(bundle: Path) -> None:
    ((kind, reason),) = json.loads(in_node(bundle, PANICS).splitlines()[-1])
    assert kind == "crash" and "Panic" in reason
