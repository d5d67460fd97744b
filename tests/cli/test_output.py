"""One filter for everything that is printed from outside."""

from __future__ import annotations

import ast
import io
import json
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import Raw
from msgspec.structs import replace
from rich.console import Console

from cli.logs import Log
from cli.running import nodealer
from conformance.harness import agree_session
from nodealer.cli import main, output
from nodealer.cli.terminal.event_lines import event_lines
from nodealer.client.events import Word
from nodealer.log.control_characters import escape_controls
from nodealer.log.session import FORMAT_VERSION, Part, Proposal
from nodealer.wire import encode

Capture = pytest.CaptureFixture[str]
CLI = Path(output.__file__).parent
#: Up, erase the line, and a green verdict where ours stood; other ways to do it; and markup.
EVIL = "\r\x1b[1A\x1b[2K\x1b[32mCLEAN\x1b[0m"
TEXTS = [EVIL, "\x9b2J", "\u202eNAELC", "\u2066x\u2069", "a\u2028b", "a\nCLEAN", "\x1b]8;;http://x\x07", "\ufeff\u200b"]
TEXTS += [
    "[green bold]CLEAN[/green bold]",
    "[/red]",
    "[link=http://x]y",
    "\\[bold]",
    "\ud800",
    "\U000e0041",
    ":warning:",
]


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_shown_only_says_something(text: str) -> None:
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, color_system=None, highlight=False, emoji=False, width=200)
    console.print(f"[red]{output.escape_markup(text)}[/red]", end="")
    printed = file.getvalue()
    assert printed == escape_controls(text)
    assert not any(unicodedata.category(each)[0] == "C" or each in "\u2028\u2029" for each in printed)


@pytest.mark.parametrize("text", TEXTS)
def test_json_says_the_same_and_does_nothing(text: str, capsys: Capture) -> None:
    output.print_json({text: [text]})
    output.print_json_line({"text": text})
    *document, line = capsys.readouterr().out.splitlines()
    assert json.loads("\n".join(document)) == {text: [text]} and json.loads(line) == {"text": text}
    assert not any(unicodedata.category(each)[0] == "C" for each in "".join((*document, line)))


def test_ordinary_words_stay_as_they_are() -> None:
    assert output.escape_markup("Zoë 李 A♠, 5 > 3") == "Zoë 李 A♠, 5 > 3"


PLACES: dict[str, Callable[[Proposal, str], Proposal]] = {
    "version": lambda p, text: replace(p, versions=(("pokerkit", text),)),
    "versions": lambda p, text: replace(p, versions=((text, "1"),)),
    "game": lambda p, text: replace(p, game=Part(text, 0, p.game.parameters)),
    "protocol": lambda p, text: replace(p, protocol=Part(text, 0)),
    "parameters of the game": lambda p, text: replace(p, game=Part("holdem", 0, Raw(encode({text: text})))),
    "parameters of the protocol": lambda p, text: replace(p, protocol=Part("mask", 0, Raw(encode({text: text})))),
    "the protocol's mode": lambda p, text: replace(p, protocol=Part("duel", 0, Raw(encode({"mode": text})))),
}


def printed(code: int, *arguments: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> str:
    monkeypatch.setattr("sys.argv", ["nodealer", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr()
    assert ended.value.code == code
    assert not any(unicodedata.category(each) in ("Cc", "Cf") for each in (told.out + told.err).replace("\n", ""))
    return told.out + told.err


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("command", ["verify", "show", "export"])
def test_no_log_writes_its_own_verdict(
    log: Log,
    target: Path,
    place: str,
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    """An escape sequence in `versions` once replaced UNVERIFIABLE by a green CLEAN."""
    session = agree_session(PLACES[place](log.session.proposal, EVIL), os.urandom)
    target.write_bytes(encode(session) + b"\n")
    text = printed(2, command, str(target), monkeypatch=monkeypatch, capsys=capsys)
    assert "UNVERIFIABLE" in text.strip().splitlines()[0] and text.strip().count("\n") == 0


def test_the_first_line_itself(target: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    for line in (
        encode({"format": "nodealer-log", "version": EVIL}),
        encode({EVIL: EVIL}),
        encode({"format": "nodealer-log", "version": FORMAT_VERSION, EVIL: EVIL}),
    ):
        target.write_bytes(line + b"\n")
        assert "UNVERIFIABLE" in printed(2, "verify", str(target), monkeypatch=monkeypatch, capsys=capsys)


def test_names_of_files(log: Log, tmp_path: Path) -> None:
    """Also those that are no text at all."""
    evil, broken = tmp_path / f"a{EVIL}.jsonl", tmp_path / "b\udcff.jsonl"
    evil.write_bytes(log.path.read_bytes()[:100])
    broken.write_bytes(b"")
    for arguments in ((str(evil),), (str(broken),), (str(evil), str(broken)), (str(tmp_path / f"none{EVIL}"),)):
        for options in ((), ("--json",)):
            done = nodealer("verify", *arguments, *options)
            assert done.returncode == 2 and "\x1b" not in done.stdout + done.stderr and "\r" not in done.stdout
            assert "Traceback" not in done.stderr
    said = nodealer("play", "--auto", "--log", str(tmp_path / EVIL / "x"))
    assert said.returncode == 2 and "\x1b" not in said.stderr


def test_nothing_else_prints() -> None:
    """Consoles, markup and `print` are made in one file, so that nobody goes around the filter by accident."""
    found = []
    for path in sorted(CLI.rglob("*.py")):
        if path.name == "output.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module == "rich.markup":
                found.append(f"{path.name}: markup")
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("Console", "print"):
                found.append(f"{path.name}: {node.func.id}")
    assert found == []


@pytest.mark.parametrize("blank", [" ", "\u00a0", "\u3000", "\u2800", "\u3164", "\u115f", "\u1160", "\uffa0"])
def test_what_a_player_says_does_not_look_like_a_line_of_ours(blank: str) -> None:
    """A terminal goes on in the next line where one is full: blanks would put anything at its beginning."""
    (line,) = event_lines(Word("Ben", f"ok{blank * 66}CLEAN"))
    assert blank * 2 not in line.removeprefix("  ")
    assert line.startswith("  Ben says: ok") and line.endswith("CLEAN")
