"""QR codes: what is drawn is the code that `segno` makes of the text."""

from __future__ import annotations

import io

import segno
from rich.console import Console

from nodealer.cli.terminal.qr import print_qr, qr_lines

TEXT = "nodealer:#" + 96 * "A"
#: Upper and lower module of a letter, light as True.
HALVES = {"█": (True, True), "▀": (True, False), "▄": (False, True), " ": (False, False)}


def test_the_modules_are_those_of_the_code() -> None:
    lines = qr_lines(TEXT)
    rows = [[HALVES[letter][half] for letter in line] for line in lines for half in (0, 1)]
    code = segno.make_qr(TEXT, error="l", boost_error=False)
    wanted = [[not module for module in row] for row in code.matrix_iter(border=2)]
    assert rows[: len(wanted)] == wanted
    assert max(map(len, lines)) <= 80 and len(lines) <= 24


def test_it_has_its_own_colours() -> None:
    written = io.StringIO()
    print_qr(Console(file=written, force_terminal=True, color_system="standard", width=20), TEXT)
    first, *_ = written.getvalue().splitlines()
    assert first.startswith("\x1b[97;40m█") and len(written.getvalue().splitlines()) == len(qr_lines(TEXT))
