"""A saved log that somebody brings into a tab, without a browser: what the page is told of it."""

from __future__ import annotations

import json
from pathlib import Path
from secrets import token_bytes
from typing import Any

import pytest

from nodealer.web.bundle.build import ROOT
from nodealer.web.tab.table import TabEnvironment, TabTable


def told(log: Path) -> list[dict[str, Any]]:
    """All documents."""
    documents: list[dict[str, Any]] = []
    world = TabEnvironment(
        token_bytes, lambda url: pytest.fail(url), lambda: 0, lambda text: documents.append(json.loads(text))
    )
    TabTable(world).show_log(log)
    return documents


def test_a_log_is_verified_and_shown() -> None:
    documents = told(ROOT / "tests/golden/holdem-mask.jsonl")
    kinds = [one["type"] for one in documents]
    assert documents[0]["role"] == "replay" and {"table", "view", "hand"} <= set(kinds)
    assert [one["verdict"] for one in documents if one["type"] == "verdict"] == ["clean"] and "over" not in kinds


def test_what_is_no_log_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"{}\n")
    documents = {one["type"]: one for one in told(tmp_path / "log")}
    assert documents["verdict"]["verdict"] != "clean" and documents["over"]["reason"] and "table" not in documents
