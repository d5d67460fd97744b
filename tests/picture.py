"""The picture of the screen in docs/: a hand that is really played, in a terminal. `make pictures` runs this.

The cards are others each time. What is typed is always the same: check, call, show.
"""

from __future__ import annotations

import os
import pty
import re
import select
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

PICTURE: Final = Path(__file__).parents[1] / "docs" / "play" / "screen.svg"
COMMAND: Final = ("play", "--seats", "3", "--hands", "1", "--name", "Robin")
COLUMNS: Final = 80
#: What stands for lines that are not in the picture.
LEFT_OUT: Final = ("", "  …", "")
#: After so many seconds something is wrong.
PATIENCE: Final = 120.0

PROMPT: Final = re.compile(rb"\n> $")
TOKEN: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r|\n|[^\x1b\r\n]+")


def played() -> str:
    """All that a terminal was sent."""
    with tempfile.TemporaryDirectory() as kept:
        pid, terminal = pty.fork()
        if pid == 0:
            changes = {"COLUMNS": str(COLUMNS), "LINES": "50", "TERM": "xterm-256color", "XDG_STATE_HOME": kept}
            command = [sys.executable, "-P", "-m", "nodealer.cli", *COMMAND]
            os.execve(sys.executable, command, {**os.environ, **changes})
        try:
            return _talk(terminal).decode()
        finally:
            os.close(terminal)
            os.waitpid(pid, 0)


def _talk(terminal: int) -> bytes:
    said, answered, deadline = b"", 0, time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 0.5)[0]:
            if PROMPT.search(said[answered:].replace(b"\r", b"")):
                answered = len(said)
                os.write(terminal, _answer(said) + b"\r")
            continue
        try:
            more = os.read(terminal, 1 << 16)
        except OSError:
            return said
        if not more:
            return said
        said += more
    raise TimeoutError("the game did not end")


def _answer(said: bytes) -> bytes:
    asked = said.rsplit(b"\n", 2)[-2].lower()
    return next((word for word in (b"check", b"call", b"show") if word in asked), b"fold")


def lines(sent: str) -> list[str]:
    """What stood on the screen: a line that was wiped did not."""
    rows, at = [""], 0
    for token in TOKEN.findall(sent):
        if token == "\n":
            at += 1
            rows += [""] * (at + 1 - len(rows))
        elif token.endswith("A") and token.startswith("\x1b"):
            at = max(0, at - int(token[2:-1] or 1))
        elif token.endswith("K") and token.startswith("\x1b"):
            rows[at] = ""
        elif token.endswith("m") or not token.startswith(("\x1b", "\r")):
            rows[at] += token
    return rows


def drawn(rows: list[str]) -> str:
    """Lines of a terminal, as a picture."""
    with open(os.devnull, "w") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere, force_terminal=True, color_system="truecolor")
        for row in rows:
            console.print(Text.from_ansi(row), soft_wrap=True)
        picture = console.export_svg(title="nodealer play", theme=MONOKAI, unique_id="screen")
    # Whoever looks at it should not fetch letters from elsewhere.
    return re.sub(r" *@font-face \{.*?\}\n", "", picture, flags=re.DOTALL)


def chosen(rows: list[str]) -> list[str]:
    """The first decision, the last one and what came of it, and the verdict."""
    plain = [Text.from_ansi(row).plain for row in rows]
    begin, result, clean = (_where(plain, text)[0] for text in ("Hand 1", "  result", "CLEAN"))
    typed, last = _where(plain, "> ")[0] + 1, _where(plain, "  you are ")[-1]
    middle = rows[typed : result + 1] if last < typed else [*LEFT_OUT, *rows[last : result + 1]]
    return [*rows[begin:typed], *middle, *LEFT_OUT, *rows[clean : clean + 2]]


def _where(plain: list[str], text: str) -> list[int]:
    return [number for number, row in enumerate(plain) if row.startswith(text)]


if __name__ == "__main__":
    sent = played()
    PICTURE.write_text("\n".join(line.rstrip() for line in drawn(chosen(lines(sent))).splitlines()) + "\n")
