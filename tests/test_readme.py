"""The commands and Python examples in the README and on the pages for players work as printed."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cli.running import called
from figures import (
    BEGIN,
    END,
    FIRST,
    STORE,
    cells,
    in_full,
    in_short,
    pages,
    rows_page,
    taken,
    unmet,
    with_figures,
)
from plots import FOLDER, drawn, written

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(name: str) -> list[str]:
    return BLOCK.findall((ROOT / name).read_text())


@pytest.mark.parametrize(
    ("name", "number"),
    [("README.md", 0), ("docs/build/library.md", 0), ("docs/build/library.md", 1)],
    ids=["table", "queue", "threads"],
)
def test_the_example_runs(
    name: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks(name)[number], f"{name} example {number}", "exec"), {"__name__": "example"})
    if "save" in blocks(name)[number]:
        assert (tmp_path / "table.jsonl").is_file()


def test_all_blocks_are_run_and_the_first_is_short() -> None:
    assert len(blocks("README.md")) == 1 and len(blocks("docs/build/library.md")) == 2
    lines = [line for line in blocks("README.md")[0].splitlines() if line.strip()]
    assert len(lines) <= 15


# --- Commands ---


def typed(page: Path) -> list[list[str]]:
    """Return the commands in the indented blocks of a page."""
    return [shlex.split(line, comments=True) for line in re.findall(r"^    ([^\s-].*)$", page.read_text(), re.M)]


def commands(page: Path) -> list[list[str]]:
    """Return the arguments of the `nodealer` commands of a page."""
    return [command[1:] for command in typed(page) if command[0] == "nodealer"]


README = ROOT / "README.md"
#: Pages whose commands are not run, but must exist.
OTHERS = [ROOT / "docs/index.md", *sorted((ROOT / "docs/play").glob("*.md")), ROOT / "docs/internals/figures.md"]
#: Commands that take long or have nothing to do here. The tests only check that they exist.
NOT_RUN = {"watch", "host", "join", "relay", "demo", "bench", "resume"}


def test_the_first_block_is_enough_to_begin() -> None:
    assert [" ".join(command) for command in typed(README)[:4]] == [
        "make play",
        "source .venv/bin/activate",
        "nodealer demo",
        "nodealer play --name Robin",
    ]


def test_every_make_target_is_there() -> None:
    text, makefile = (ROOT / "README.md").read_text(), (ROOT / "Makefile").read_text()
    for target in set(re.findall(r"(?:`|^ +)make ([a-z]+)", text, re.M)):
        assert f"\n{target}:" in makefile, target


def test_the_commands_run_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As they stand there. The game is a rehearsal, which needs no processes, and nobody is here to be Robin."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    typed_in("bash", tmp_path, monkeypatch)
    for command in commands(README):
        if command[0] in NOT_RUN or "--name" in command:
            continue
        done = called(*command, *(["--seed", "1"] if command[0] == "play" else []))
        assert done.returncode == 0, (command, done.stderr)
    assert (tmp_path / "game.jsonl").is_file() and (tmp_path / "game.phhs").is_file()


def typed_in(shell: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What asks for its shell is told this one, whatever the tests were started by, and it writes into `home`: the
    start-up files of who runs the tests stay as they are."""
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("shellingham.detect_shell", lambda: (shell, f"/bin/{shell}"))


@pytest.mark.parametrize(
    ("shell", "folder"), [("bash", ".bash_completions"), ("zsh", ".zfunc"), ("fish", ".config/fish/completions")]
)
def test_a_shell_is_told_how_to_complete(
    shell: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed_in(shell, tmp_path, monkeypatch)
    done = called("--install-completion")
    [script] = (tmp_path / folder).iterdir()
    assert done.returncode == 0 and f"{shell} completion installed in {script}" in done.stdout
    assert f"complete_{shell}" in script.read_text()


def test_completion_without_a_shell_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed_in("make", tmp_path, monkeypatch)
    done = called("--install-completion")
    assert done.returncode == 1 and "Shell make is not supported" in done.stdout and not [*tmp_path.iterdir()]


@pytest.mark.parametrize("page", [README, *OTHERS], ids=lambda page: page.name)
def test_the_commands_exist(page: Path) -> None:
    for command in commands(page):
        if page != README or command[0] in NOT_RUN or "--name" in command:
            check_help(command)


def check_help(command: list[str]) -> None:
    done = called(*command, "--help")
    assert done.returncode == 0, (command, done.stderr)
    assert all(word in done.stdout for word in command[1:] if word.startswith("--")), command


# --- The picture, and the figures ---


def test_the_pictures_are_there_and_fetch_nothing() -> None:
    pictures = [
        page.parent / name for page in (README, *OTHERS) for name in re.findall(r"!\[.*?\]\((.*?)\)", page.read_text())
    ]
    for picture in pictures:
        if picture.suffix == ".svg":
            drawn = picture.read_text()
            assert "url(" not in drawn.replace("url(#", "") and "href" not in drawn
        else:
            assert picture.suffix == ".jpg" and picture.stat().st_size < 300_000
    screen = ROOT / "docs/play/screen.svg"
    assert {screen, ROOT / "docs/play/table.jpg"} <= set(pictures)
    assert "CLEAN" in screen.read_text() and "you&#160;are" in screen.read_text()


def test_figures_are_as_they_were_measured() -> None:
    for path, text in pages().items():
        assert path.read_text() == text, f"run `make figures`, or `python figures.py` in tests/ ({path.name})"
    assert {*FOLDER.iterdir()} == {*written(json.loads(STORE.read_text()))}


def test_the_benchmarks_page_has_every_row() -> None:
    results, page = json.loads(STORE.read_text()), rows_page()
    for suite, found in results.items():
        section = page.partition(f"\n## {suite}\n")[2].partition("\n## ")[0]
        assert all(f"\n{cells(row)}\n" in f"{section}\n" for row in found.get("rows", ())), suite
        assert "rows" not in found or found["machine"]["date"] in section


def test_the_summary_has_the_important_rows_and_what_is_not_met() -> None:
    results = json.loads(STORE.read_text())
    assert all(f"| {one.means} | " in in_short(results) for one in FIRST)
    rows = [row for found in results.values() for row in found.get("rows", ())]
    missed = [row for row in rows if row["ok"] is False]
    assert unmet(results).count("\n- ") == len(missed)
    assert "all meet it" in unmet({"one": {"rows": [row for row in rows if row["ok"]]}})


def test_plots_are_drawn_of_what_was_measured() -> None:
    results = json.loads(STORE.read_text())
    (machine,) = {json.dumps(found["machine"]) for suite, found in results.items() if suite == "proofs"}
    plot = drawn(results)["cards"]
    assert json.loads(machine)["date"] in plot and json.loads(machine)["cpu"] in plot and "prefers-color-scheme" in plot
    ElementTree.fromstring(plot)
    others = {**results, "proofs": {**results["proofs"], "rows": results["proofs"]["rows"][:5]}}
    assert "cards" not in drawn(others), "a plot without its figures is none"


def test_other_results_are_other_figures(tmp_path: Path) -> None:
    results = json.loads(STORE.read_text())
    (suite, found), *_ = results.items()
    changed = {**found, "machine": {**found["machine"], "date": "2001-01-01"}, "suite": suite}
    file = tmp_path / "hand.json"
    file.write_text(json.dumps(changed))
    other = taken(results, [file])
    for text in (in_full, in_short):
        assert "2001-01-01" in text(other) and "2001-01-01" not in text(results)
    file.write_text(json.dumps({**changed, "machine": {**found["machine"], "quick": True}}))
    with pytest.raises(ValueError, match="quick"):
        taken(results, [file])


@pytest.mark.parametrize("page", ["", BEGIN, f"{END} {BEGIN}"])
def test_a_page_without_markers(page: str) -> None:
    with pytest.raises(ValueError, match="markers"):
        with_figures(page, "")
