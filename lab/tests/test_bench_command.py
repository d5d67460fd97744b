"""`nodealer bench`: the document, and what `--strict` and `--plot` do. The runs are tiny and their figures nonsense."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.running import nodealer
from nodealer.cli.app import app
from nodealer.group import default_backend
from nodealer_lab.bench import BenchRow
from nodealer_lab.cli import bench

QUICK = {"NODEALER_BENCH_QUICK": "1"}
FIELDS = {"name", "n", "seconds", "value", "unit", "yardstick", "ratio", "required", "sense", "ok", "note"}
FIELDS |= {"spread", "cpu"}
OPERATIONS = {"fixed base", "elementwise", "msm", "vartime_msm", "decode", "encode"}
needs_core = pytest.mark.skipif(default_backend() != "native", reason="measures the native core")


def document(suite: str) -> list[dict[str, Any]]:
    done = nodealer("bench", suite, "--json", **QUICK)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found) == {"suite", "machine", "rows"}
    assert found["suite"] == suite and found["machine"]["quick"] is True
    for row in found["rows"]:
        assert set(row) == FIELDS
        assert row["sense"] in ("max", "min") and row["ok"] in (True, False, None)
        assert row["seconds"] is not None or row["value"] is not None or row["note"]
        assert (row["required"] is None) <= (row["ok"] is None)
    return list(found["rows"])


@needs_core
def test_core() -> None:
    rows = document("core")
    one = [row for row in rows if row["required"] == 1.1]
    assert len(one) == 18 and {row["name"] for row in one} == OPERATIONS
    assert {row["name"] for row in rows if row["required"] == 0.85} == OPERATIONS
    assert {row["name"] for row in rows if row["yardstick"] == "reference"} > OPERATIONS
    assert [row["unit"] for row in rows if row["required"] == 200] == ["bytes a point"]


@pytest.mark.deep
@needs_core
def test_proofs() -> None:
    rows = document("proofs")
    for kind in ("pairs", "addmask", "scalar"):
        required = [row["required"] for row in rows if row["name"].startswith(f"{kind}:")]
        in_U = {"pairs": (4.5, 1.85), "addmask": (5.0, 2.0), "scalar": (4.0, 1.3)}[kind]
        in_S = {"pairs": 1.75, "addmask": 1.8, "scalar": 1.15}[kind]
        in_a_chain = 0.7 if kind == "pairs" else None
        a_card = [1.15, 1.15, 1.15, 1.15, 1.3]
        assert required == [in_U[0], None, in_U[1], in_S, 0.6, in_a_chain, 3700, *a_card]
    assert [row["required"] for row in rows if row["name"].startswith("re-key:")] == [None, None, None, None, 1900]
    assert {row["cpu"] for row in rows} <= {"avx2", "avx512", "serial"}
    # A chain stands against U alone.
    alone = [row for row in rows if "chain" not in row["name"]]
    beside = [row for row in alone if (row["yardstick"] or "")[:3] in ("U =", "S =")]
    for at_U, at_S in zip(beside[::2], beside[1::2], strict=True):
        assert (at_U["name"], at_U["seconds"], at_U["spread"]) == (at_S["name"], at_S["seconds"], at_S["spread"])


@needs_core
def test_tables() -> None:
    rows = document("tables")
    assert [row["name"].partition(":")[0] for row in rows[::3]] == ["mask", "lock", "offset", "chain", "duel"]
    assert all(row["ok"] is None for row in rows) and {row["n"]["seats"] for row in rows} == {2}


@needs_core
def test_cards() -> None:
    rows = document("cards")
    assert [row["required"] for row in rows if row["unit"] == "bytes"] == [2000, 1700, 1500, 300_000]
    terms = [row for row in rows if row["unit"] == "terms"]
    assert len(terms) == 2
    for row in terms:
        faces, cards = row["n"]["faces"], row["n"]["cards"]
        assert row["required"] == 2 * faces + 5 * cards + 8 == row["value"] + 3
    times = [(row["name"].partition(": ")[2], row["required"]) for row in rows if row["seconds"]]
    assert times[:4] == [("prove", 2.0), ("verify", None), ("prove", None), ("verify", None)]
    # What they cost in whole hands of a game.
    assert times[4:] == [("proofs about hidden cards", 0.5)] and rows[-1]["n"]["proofs"] > 0


def test_log() -> None:
    rows = document("log")
    assert [row["required"] for row in rows if row["required"]] == [2]
    assert all(row["unit"] == "entries/s" for row in rows)


@pytest.mark.deep
@needs_core
def test_seat() -> None:
    rows = document("seat")
    assert [(row["required"], row["sense"]) for row in rows] == [(1.5, "max"), (1.0, "max")]
    assert rows[0]["ratio"] > 1 and rows[0]["ok"] is None, "a log this short is mostly the start of a process"


@pytest.mark.deep
@needs_core
def test_recovery() -> None:
    rows = document("recovery")
    assert {row["n"]["leavers"] for row in rows} == {1, 2, 3} and {row["n"]["open"] for row in rows} == {0, 5}
    assert all(row["required"] == 3 for row in rows if "broken off" not in row["name"])
    assert all(row["ratio"] < 3 for row in rows if row["unit"] == "bytes" and row["required"])


def test_people_see_a_table() -> None:
    done = nodealer("bench", "log", **QUICK)
    assert done.returncode == 0
    assert "append and" in done.stdout and "≤ 2" in done.stdout


@pytest.mark.parametrize(
    ("ok", "strict", "code"), [(False, True, 1), (False, False, 0), (True, True, 0), (None, True, 0)]
)
def test_strict(monkeypatch: pytest.MonkeyPatch, ok: bool | None, strict: bool, code: int) -> None:
    row = BenchRow("x", {"n": 1}, seconds=1.0, yardstick="y", ratio=1.0, required=2.0, ok=ok)
    monkeypatch.setattr(bench, "SUITES", {"log": lambda effort: iter([row])})
    done = CliRunner().invoke(app, ["bench", "log", "--json", *(["--strict"] if strict else [])])
    assert done.exit_code == code
    assert json.loads(done.stdout)["rows"][0]["ok"] is ok


def test_the_document_is_saved_beside_the_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    row = BenchRow("x", {"n": 1}, seconds=1.0, yardstick="y", ratio=1.0, required=2.0, ok=True)
    monkeypatch.setattr(bench, "SUITES", {"log": lambda effort: iter([row])})
    printed = CliRunner().invoke(app, ["bench", "log", "--json", "--save", str(tmp_path / "one")])
    assert json.loads((tmp_path / "one").read_bytes()) == json.loads(printed.stdout)
    table = CliRunner().invoke(app, ["bench", "log", "--save", str(tmp_path / "two")])
    assert "nodealer bench log" in table.stdout and (tmp_path / "two").read_bytes() == (tmp_path / "one").read_bytes()
    assert nodealer("bench", "log", "--save", str(tmp_path / "no" / "x"), **QUICK).returncode == 2


@pytest.mark.skipif(find_spec("matplotlib") is not None, reason="matplotlib is here")
def test_a_plot_without_matplotlib_is_refused_before_measuring(tmp_path: Path) -> None:
    done = nodealer("bench", "log", "--plot", str(tmp_path / "x.png"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "nodealer: a plot needs matplotlib: pip install matplotlib\n"


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not here")
def test_a_plot_is_a_picture(tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    assert nodealer("bench", "log", "--plot", str(path), **QUICK).returncode == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    assert nodealer("bench", "log", "--plot", str(tmp_path / "no" / "x.png"), **QUICK).returncode == 2
