"""The examples for game developers run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(name: str) -> list[str]:
    return BLOCK.findall((ROOT / name).read_text())


@pytest.mark.parametrize(
    ("name", "number"), [("README.md", 0), ("README.md", 1), ("docs/library.md", 0)], ids=["table", "bytes", "threads"]
)
def test_the_example_runs(
    name: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks(name)[number], f"{name} example {number}", "exec"), {"__name__": "example"})
    if "save" in blocks(name)[number]:
        assert (tmp_path / "game.jsonl").is_file()


def test_all_blocks_are_run_and_the_first_is_short() -> None:
    assert len(blocks("README.md")) == 2 and len(blocks("docs/library.md")) == 1
    lines = [line for line in blocks("README.md")[0].splitlines() if line.strip()]
    assert len(lines) <= 15
