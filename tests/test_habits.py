"""Names, attributes and prose get no worse than habits.json says, and each check finds what it is for."""

from __future__ import annotations

from pathlib import Path

import pytest

from habits import CHECKS, DOCSTRINGS, LISTED, PATTERNS, new_ones, read_listed, shrunk


@pytest.mark.parametrize("check", CHECKS)
def test_habits_get_no_worse(check: str, capsys: pytest.CaptureFixture[str]) -> None:
    found, listed = CHECKS[check](), read_listed().get(check, {})
    assert not new_ones(found, listed)
    if shrunk(found, listed) != listed:
        with capsys.disabled():
            print(f"\n{check}: fewer than {LISTED.name} allows: run `python tests/habits.py --shrink`")


def test_only_known_checks_and_patterns_are_listed() -> None:
    listed = read_listed()
    assert listed.keys() == CHECKS.keys() and listed["prose"].keys() <= PATTERNS.keys() | DOCSTRINGS.keys()


# --- What each check finds ---


@pytest.fixture(params=["src/nodealer", "lab/src/nodealer_lab"])
def package(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """An empty package in a repository at `tmp_path`."""
    folder = tmp_path / str(request.param)
    folder.mkdir(parents=True)
    return folder


def write(package: Path, path: str, text: str = "") -> None:
    (package / path).parent.mkdir(parents=True, exist_ok=True)
    (package / path).write_text(text)


def test_a_module_named_after_an_activity(package: Path, tmp_path: Path) -> None:
    for name in ("keeping", "grown", "wanted", "two_played", "sealing", "keyring", "king", "seed", "outbox", "dealt_x"):
        write(package, f"room/{name}.py")
    write(package, "hosting/__init__.py")
    assert sorted(CHECKS["activities"](tmp_path)) == ["grown", "hosting", "keeping", "two_played", "wanted"]


def test_a_class_name_defined_twice(package: Path, tmp_path: Path) -> None:
    for path in ("a/one.py", "b/two.py", "c/messages.py", "d/events.py", "e/bodies.py"):
        write(package, path, "class Move: ...\nclass Only_" + path[0] + ": ...")
    write(package, "f/three.py", "class Result: ...")
    write(package, "c/events.py", "class Result: ...")
    found = CHECKS["repeated classes"](tmp_path)
    assert list(found) == ["Move"] and len(found["Move"]) == 2


@pytest.mark.parametrize(
    "line", ["self._a = 1", "self._a += 1", "self._a: int = 1", "self._a[0] = 1", "b, (self._a, *c) = d", "del self._a"]
)
def test_a_property_that_writes(package: Path, tmp_path: Path, line: str) -> None:
    body = f"class A:\n @property\n def b(self):\n  {line}\n  return 1\n def c(self):\n  {line}\n"
    write(package, "room/a.py", f"{body} @property\n def d(self):\n  a = 1\n  return a\n")
    assert list(CHECKS["writing properties"](tmp_path)) == ["A.b"]


def test_an_assignment_to_an_attribute_of_another_room(package: Path, tmp_path: Path) -> None:
    write(package, "engine/a.py", "class A:\n b: int\n def __init__(self):\n  self.c = 1\n  self.d = 1\n")
    write(package, "engine/near.py", "def f(a):\n a.b = a.c = 2\n")
    write(package, "client/far.py", "class F:\n def f(self, a):\n  a.b = a.c = 2\n  a.none = 3\n  self.d = a.d = 1\n")
    found = CHECKS["foreign assignments"](tmp_path)
    assert {name: len(places) for name, places in found.items()} == {"b": 1, "c": 1}


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("It ends. Who leaves has lost.", "headless who"),
        ("a page for who watches", "headless who"),
        ("Nobody knows the order.", "somebody"),
        ("so many seconds for a move", "so many"),
        ("it hangs on\nthe order", "hangs on"),
        ("what stands in the log", "stands"),
        ("see what comes of it", "comes of it"),
        ("the deck is made anew", "anew"),
        ("the means at hand", "at hand"),
        ("the host is told", "is told"),
        ("Where a seat left, it ends.", "where as a condition"),
        ("an error where there is none", "where as a condition"),
        ("this is no release", "is no"),
        ("a message that is not taken", "not taken"),
        ("it has no word any more", "any more"),
        ("the seat is gone", "is gone"),
        ("one; two; three; four", "three semicolons"),
    ],
)
def test_prose_that_we_do_not_write(text: str, pattern: str, package: Path, tmp_path: Path) -> None:
    (tmp_path / "docs" / "play").mkdir(parents=True)
    for name in ("README.md", "docs/play/page.md"):
        (tmp_path / name).write_text(f"# Title\n\n{text}\n")
    write(package, "web/static/text.js", f"export const T = {{ a: {' '.join(text.split())!r} }};\n")
    write(package, "room/a.py", f'"""Do it.\n\n{text}\n"""\nSAID = {text!r}\n')
    write(package, "cli/a.py", f"SAID = {text!r}\n")
    found = CHECKS["prose"](tmp_path)
    start = {"headless who": "Who", "where as a condition": "Where"}.get(pattern, "")
    # In the middle of a line of JavaScript nothing begins.
    assert list(found) == [pattern] and len(found[pattern]) == (4 if text.startswith(start) and start else 5)


@pytest.mark.parametrize(
    "text",
    [
        "Who is at the table? Where is it?",
        "There is no dealer, and it is no longer needed: it stands for itself.",
        "The players who leave are at the end. The page where they sit is theirs.",
        "`somebody` and [a page](nobody.md)\n\n```\nsomebody\n```\n\n<!-- somebody -->",
    ],
)
def test_prose_that_is_fine(text: str, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(text)
    assert not CHECKS["prose"](tmp_path)


def test_a_docstring_says_what_a_function_does(package: Path, tmp_path: Path) -> None:
    write(package, "room/a.py", 'def a():\n """What it found."""\ndef b():\n """Return it.\n\n What else."""\n')
    assert CHECKS["prose"](tmp_path).keys() == {"docstring as a question"}


# --- The ratchet ---


def test_one_more_than_listed_fails_and_says_where() -> None:
    (told,) = new_ones({"somebody": ["a.md:1", "b.md:2"], "anew": ["a.md:1"]}, {"somebody": 1, "anew": 1})
    assert told.startswith("somebody: 2, and at most 1") and "b.md:2" in told and "anyone" in told
    assert new_ones({"Table": ["a.py:1", "b.py:1"]}, {})


def test_shrinking_never_adds() -> None:
    found = {"more": ["a"] * 5, "fewer": ["a"], "new": ["a"]}
    assert shrunk(found, {"more": 3, "fewer": 2, "none": 1}) == {"more": 3, "fewer": 1}
