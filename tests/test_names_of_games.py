"""Nobody outside `games` knows a game by name: a third one is a package and nothing else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src" / "nodealer"
ROOMS = ("play", "cli", "audit", "drive", "web", "../../lab/src/nodealer_lab/bench/game.py")
PACKAGES = {path.parent.name for path in (SRC / "games").glob("*/package.py")}
#: Also in sentences. "free" is an ordinary word: that game is found by its imports.
NAMES = re.compile(r"hold'?em|warden|poker|hearts|freehand", re.IGNORECASE)


def found(path: Path) -> Iterator[str]:
    text = path.read_text()
    yield from (match.group() for match in NAMES.finditer(text))
    for node in ast.walk(ast.parse(text)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
        for name in names:
            parts = f"{module}.{name}".strip(".").split(".")
            if parts[:2] == ["nodealer", "games"] and parts[2:3] and parts[2] in PACKAGES:
                yield ".".join(parts)
        if isinstance(node, ast.Constant) and node.value in PACKAGES:
            yield str(node.value)


def test_the_games_are_these() -> None:
    assert {"free", "hearts", "holdem", "wardens"} <= PACKAGES


@pytest.mark.parametrize("room", ROOMS)
def test_no_game_is_named(room: str) -> None:
    paths = [SRC / room] if room.endswith(".py") else sorted((SRC / room).rglob("*.py"))
    assert {str(path): list(found(path)) for path in paths if list(found(path))} == {}


@pytest.mark.parametrize(
    "text",
    [
        "# as in Hold'em",
        "class WardensView: ...",
        "import pokerkit",
        "from nodealer.games import free",
        "from nodealer.games.free import Free",
        "import nodealer.games.free.rules as rules",
        "if name == 'free': ...",
    ],
)
def test_the_test_finds(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.py"
    path.write_text(text)
    assert list(found(path))


def test_what_every_room_may_say(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("from nodealer.games.registry import find\nfrom nodealer.games import base  # on a free port\n")
    assert list(found(path)) == []
