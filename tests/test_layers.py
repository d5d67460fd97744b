"""Who imports whom, what the pure rooms may not touch, and two things that no source file has."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src" / "nodealer"

#: The arrows of the design; an arrow includes all that its target may import. Two more than there: cards → tape, wire;
#: and the library.
ARROWS: dict[str, set[str]] = {
    "errors": set(),
    "wire": {"errors"},
    "tape": {"errors"},
    "cards": {"errors", "tape", "wire"},
    "group": {"wire"},
    "proofs": {"group", "tape"},
    "protocols": {"proofs", "cards"},
    "log": {"tape", "wire"},
    "games": {"cards"},
    "play": {"protocols", "games", "log"},
    "audit": {"play"},
    "relay": {"wire"},
    "table": {"play", "relay"},
    "lab": {"*"},
    "cli": {"*"},
    # Not in the design: the library for developers, which the package opens when somebody asks for it.
    "api": {"audit"},
    "__init__": {"api"},
    "__main__": {"cli"},
}
NOT_FOR = {"lab": {"cli", "table"}, "cli": set[str]()}

#: Rooms in which time and entropy are arguments. The journal and the file of a log are where bytes meet the disk.
PURE = {"protocols", "proofs", "log", "games", "play", "cards", "tape", "wire", "errors"}
IMPURE_FILES = {("log", "journal.py"), ("log", "file.py")}
IO_MODULES = {"asyncio", "os", "random", "secrets", "select", "selectors", "socket", "ssl", "subprocess", "threading"}
IO_MODULES |= {"time", "datetime", "tempfile", "urllib", "http", "uuid"}


def reach(room: str, arrows: dict[str, set[str]] = ARROWS) -> set[str]:
    """All rooms that a room may import."""
    seen: set[str] = set()
    todo = [room]
    while todo:
        for target in arrows[todo.pop()]:
            if target == "*":
                return set(arrows) - NOT_FOR.get(room, set())
            if target not in seen:
                seen.add(target)
                todo.append(target)
    return seen


def imports(path: Path, src: Path) -> Iterator[tuple[str, ...]]:
    package = ("nodealer", *path.relative_to(src).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            name = (*base, *(node.module.split(".") if node.module else ()))
            yield name
            if name == ("nodealer",):
                yield from ((*name, alias.name) for alias in node.names)


def violations(src: Path) -> Iterator[str]:
    for path in sorted(src.rglob("*.py")):
        here = path.relative_to(src).parts[0].removesuffix(".py")
        if here not in ARROWS:
            yield f"{path.name}: {here} is not a room of the design"
            continue
        pure = here in PURE and path.relative_to(src).parts not in IMPURE_FILES
        for name in imports(path, src):
            if name[0] == "nodealer" and len(name) > 1 and name[1] not in {here, "__version__", *reach(here)}:
                yield f"{path.relative_to(src)}: {here} may not import {name[1]}"
            elif pure and name[0] in IO_MODULES:
                yield f"{path.relative_to(src)}: {here} is pure and may not import {name[0]}"


def bad_style(src: Path) -> Iterator[str]:
    """`assert` is gone under -O, so it checks nothing; a bare `except` hides what it should show."""
    for path in sorted(src.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Assert):
                yield f"{path.relative_to(src)}:{node.lineno}: assert"
            if isinstance(node, ast.ExceptHandler) and node.type is None:
                yield f"{path.relative_to(src)}:{node.lineno}: bare except"


def test_layers() -> None:
    assert list(violations(SRC)) == []


def test_no_asserts_and_no_bare_excepts() -> None:
    assert list(bad_style(SRC)) == []


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        ("tape.py", "from nodealer.log import keys", "tape may not import log"),
        ("proofs/a.py", "from nodealer import cards", "proofs may not import cards"),
        ("proofs/a.py", "from ..play import seat", "proofs may not import play"),
        ("games/a.py", "import nodealer.protocols.base", "games may not import protocols"),
        ("play/a.py", "import time", "play is pure"),
        ("play/a.py", "from os import urandom", "play is pure"),
        ("log/keys.py", "import secrets", "log is pure"),
        ("protocols/mask/a.py", "def f() -> None:\n    import random", "protocols is pure"),
        ("lab/a.py", "import nodealer.cli", "lab may not import cli"),
        ("room/a.py", "", "not a room"),
    ],
)
def test_the_test_finds(tmp_path: Path, file: str, text: str, found: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    assert any(found in violation for violation in violations(tmp_path))


@pytest.mark.parametrize("text", ["assert True", "try:\n    pass\nexcept:\n    pass"])
def test_the_style_test_finds(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.py").write_text(text)
    assert len(list(bad_style(tmp_path))) == 1


def test_what_is_allowed_is_allowed(tmp_path: Path) -> None:
    allowed = {
        "log/journal.py": "import os",
        "play/a.py": "from nodealer.wire import encode",
        "lab/a.py": "import time",
    }
    for file, text in allowed.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    assert list(violations(tmp_path)) == []
