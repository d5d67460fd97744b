"""What happens where the package cannot be had: the driver says why, and the benchmark judges nothing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from nodealer.group import default_backend
from nodealer_lab import npm
from nodealer_lab.bench import BenchEffort
from nodealer_lab.bench import npm as race
from nodealer_lab.npm import NodeError, NodeSeat, NpmMissing, install

needs_core = pytest.mark.skipif(default_backend() != "native", reason="measures the native core")
QUICK = BenchEffort(pairs=1, seconds=0.0, shrink=13)


def script(path: Path, text: str) -> str:
    path.write_text(f"#!{sys.executable}\nimport sys\n{text}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("package.json", "package-lock.json"):
        (tmp_path / name).write_text("{}")
    return tmp_path


def test_without_a_checkout(tmp_path: Path) -> None:
    with pytest.raises(NpmMissing, match="only available in a checkout"):
        install(tmp_path)


@pytest.mark.parametrize("missing", ["node", "npm"])
def test_without_node_or_npm(folder: Path, missing: str) -> None:
    with pytest.raises(NpmMissing, match=f"^{missing} is not installed"):
        install(folder, find=lambda name: None if name == missing else name)


def test_it_is_installed_once_and_again_for_another_node(folder: Path, tmp_path: Path) -> None:
    count = 'open("count", "a").write("x"); __import__("os").makedirs("node_modules", exist_ok=True)'
    node, npm = script(tmp_path / "node", 'print("v1")'), script(tmp_path / "npm", count)
    for _ in range(3):
        assert install(folder, find=lambda name: {"node": node, "npm": npm}[name]) == folder
    assert (folder / "count").read_text() == "x"
    script(tmp_path / "node", 'print("v2")')
    install(folder, find=lambda name: {"node": node, "npm": npm}[name])
    assert (folder / "count").read_text() == "xx"


def test_a_registry_that_is_away(folder: Path, tmp_path: Path) -> None:
    node = script(tmp_path / "node", 'print("v1")')
    npm = script(tmp_path / "npm", 'print("npm error code ENOTFOUND"); sys.exit(7)')
    with pytest.raises(NpmMissing, match="failed with 7: npm error code ENOTFOUND"):
        install(folder, find=lambda name: {"node": node, "npm": npm}[name])
    assert not (folder / "node_modules" / ".nodealer").exists()


def test_an_install_that_hangs_is_ended(tmp_path: Path) -> None:
    with pytest.raises(NpmMissing, match="did not finish within"):
        npm._run_or_kill([sys.executable, "-c", "import time; time.sleep(60)"], tmp_path, {}, 0.1)


# --- The benchmark ---


class FakeNode:
    """A Node in which the addon was not built."""

    def __enter__(self) -> FakeNode:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def ask(self, request: str) -> dict[str, Any]:
        assert request == "about"
        return {"native": False}


@needs_core
def test_the_race_is_not_judged_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> Path:
        raise NpmMissing("npm is not installed")

    monkeypatch.setattr(race, "install", away)
    rows = list(race.run(QUICK))
    assert [(row.required, row.ok, row.seconds, row.note) for row in rows] == [
        (1.0, None, None, "npm is not installed"),
        (2.0, None, None, "npm is not installed"),
        (3.0, None, None, "npm is not installed"),
    ]


@needs_core
def test_the_race_is_not_judged_against_the_slow_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(race, "install", lambda: None)
    monkeypatch.setattr(race, "NodeSeat", lambda folder: FakeNode())
    rows = list(race.run(QUICK))
    assert len(rows) == 3 and all(row.ok is None and "without its native addon" in str(row.note) for row in rows)


@needs_core
@pytest.mark.timeout(600)
def test_the_race_is_run(package: Path) -> None:
    rows = list(race.run(QUICK))
    assert [row.required for row in rows] == [1.0, 2.0, 3.0]
    with NodeSeat(package) as node:
        native = node.ask("about")["native"]
    assert all((row.ratio is not None) == native for row in rows)


@pytest.mark.timeout(600)
def test_a_process_that_has_ended_is_told(package: Path) -> None:
    with NodeSeat(package) as node:
        node._process.kill()
        with pytest.raises(NodeError, match="ended"):
            node.ask("about")
    with NodeSeat(package) as node:
        node._process.kill()
        node._process.wait()
        assert node._process.stdin is not None
        # Not on its way yet: it goes when the pipe is closed, and nobody is there.
        node._process.stdin.write("{}")
    assert node._process.returncode is not None
