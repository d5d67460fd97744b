"""`bench web`: its rows, in Node and in Chromium. The figures of a tiny run mean nothing."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path

import pytest

from cli.running import nodealer
from nodealer.errors import BadParameter
from nodealer_lab.bench import tab
from nodealer_lab.bench.rounds import BenchEffort
from nodealer_lab.cli import bench

CHROMIUM = [f"{name}, in Chromium" for name in (tab.READY, tab.HAND, tab.MEMORY)] + [tab.SLOW]


def test_without_a_browser_its_rows_say_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def none() -> None:
        raise BadParameter("no browser is here")

    monkeypatch.setattr("nodealer_lab.bench.tab.launch_browser", none)
    rows = list(tab._in_chromium(BenchEffort(), tmp_path, 1.0, nullcontext()))
    assert [row.name for row in rows] == CHROMIUM
    assert {(row.note, row.ok, row.seconds, row.value) for row in rows} == {("no browser is here", None, None, None)}
    assert [row.required for row in rows] == [tab.READY_MAX, tab.HAND_MAX, tab.MEMORY_MAX, None]


def test_a_folder_that_is_older_than_the_program_is_not_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tab, "BUNDLE", tmp_path)
    monkeypatch.setattr(tab, "LIST", tmp_path / "bundle.json")
    tab.LIST.write_text(json.dumps({"sources": "of yesterday"}))
    with pytest.raises(BadParameter, match="older than the program; build it with `make web`"):
        bench._measure(bench.Suite.WEB, None, None)
    tab.LIST.unlink()
    with pytest.raises(BadParameter, match="there is no folder"):
        bench._measure(bench.Suite.WEB, None, None)


@pytest.mark.deep
@pytest.mark.timeout(900)
def test_all_rows_are_measured(bundle: Path) -> None:
    done = nodealer("bench", "web", "--json", NODEALER_BENCH_QUICK="1")
    assert done.returncode == 0, done.stderr
    rows = {row["name"]: row for row in json.loads(done.stdout)["rows"]}
    assert list(rows) == ["download, compressed", tab.READY, tab.HAND, tab.MEMORY, *CHROMIUM]
    assert rows["download, compressed"]["ok"] is True
    for name, row in rows.items():
        assert name in (tab.MEMORY, CHROMIUM[2]) or row["seconds"] or row["value"], row
    assert "control loop" in rows[tab.SLOW]["note"]
