"""The second verifier (verifier/) and ours say the same of every mutant of a log: a difference is a bug in one of them.

One Node process makes the mutants and judges them; ours judges them in this one. Compared are the verdict, the code
that the commands end with, who is named, of which entry, and how many entries are good.
"""

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import pytest

import nodealer

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parent.parent
GOLDEN: Final = HERE.parent / "golden"
WITH_KEYS: Final = (HERE / "free.jsonl", HERE / "holdem.jsonl")
#: What the second verifier judges of the golden logs; of the others it says that it does not.
JUDGED: Final = sorted(
    log
    for log in (*GOLDEN.glob("free-*.jsonl"), *GOLDEN.glob("holdem-*.jsonl"))
    if "chain" not in log.name and "server" not in log.name
)
#: As docs/spec/log.md and `nodealer verify --help` say.
EXIT: Final = {"clean": 0, "fault": 1, "broken": 1, "not-a-log": 2, "incomplete": 3}


def mutants(folder: Path, logs: Iterable[Path], count: int, seed: str) -> list[dict[str, Any]]:
    """So many of each log, written into the folder, with what the second verifier says of them."""
    options = ["--count", str(count), "--seed", seed, "--out", str(folder)]
    command = ["node", str(ROOT / "verifier" / "mutants.mjs"), *options, *map(str, logs)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def differences(folder: Path, said: Iterable[dict[str, Any]]) -> list[str]:
    """The mutants of which the two do not say the same, each with both verdicts."""
    found = []
    for theirs in said:
        report = nodealer.verify(folder / theirs["mutant"]).as_json()
        faults = [[fault["seat"], fault["entry"]] for fault in report["faults"]]
        ours = (report["verdict"], EXIT[report["verdict"]], faults, report["entries"])
        if ours != (theirs["verdict"], theirs["exit"], theirs["faults"], theirs["entries"]):
            found.append(f"{theirs['mutant']}, {theirs['kind']}: {ours} {report['reason']}; the second: {theirs}")
        else:
            (folder / theirs["mutant"]).unlink()
    return found


@pytest.mark.timeout(600)
def test_both_say_the_same_of_mutants(tmp_path: Path) -> None:
    said = mutants(tmp_path, WITH_KEYS, 150, "1")
    assert len(said) == 300
    assert {one["verdict"] for one in said} >= {"clean", "fault", "broken", "incomplete"}
    assert sum(one["kind"].startswith("signed") for one in said) == 200
    assert differences(tmp_path, said) == []


def test_both_say_the_same_of_crafted_logs() -> None:
    """What few mutants reach: each was judged otherwise by the second verifier once. Signed with the keys of `free`."""
    expected = {
        "body-with-more": ("broken", 16),
        "contradicts-twice": ("fault", 5),
        "face-unassigned": ("incomplete", 5),
        "face-unprinted": ("broken", 3),
        "operations-doubled": ("not-a-log", 0),
        "operations-none": ("not-a-log", 0),
        "operations-without-decks": ("not-a-log", 0),
        "roll-among-envelopes": ("broken", 7),
        "seal-after-nobody-sealed": ("incomplete", 6),
    }
    logs = sorted((HERE / "crafted").glob("*.jsonl"))
    assert [log.stem for log in logs] == sorted(expected)
    for log in logs:
        command = ["node", str(ROOT / "verifier" / "main.mjs"), str(log), "--json"]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        theirs = json.loads(done.stdout)
        ours = nodealer.verify(log)
        assert (ours.verdict, ours.as_json()["entries"]) == expected[log.stem], log.stem
        assert (theirs["verdict"], theirs["entries"]) == expected[log.stem], log.stem
        assert done.returncode == EXIT[ours.verdict]


@pytest.mark.deep
@pytest.mark.timeout(14400)
@pytest.mark.parametrize(("logs", "count"), [(WITH_KEYS, 3000), (JUDGED, 270)], ids=["signed", "golden"])
def test_both_say_the_same_of_many_mutants(tmp_path: Path, logs: tuple[Path, ...], count: int) -> None:
    assert differences(tmp_path, mutants(tmp_path, logs, count, "deep")) == []
