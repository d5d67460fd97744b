"""Where words go: results to standard output, everything else to standard error.

A log, a file's name, a peer's proposal: whatever comes from outside and is printed goes through `shown`, or through
`visible` where no markup is read. Otherwise a text could move the cursor and write another verdict over ours.
"""

from __future__ import annotations

import json
import os
import sys
import unicodedata
from contextlib import suppress
from typing import Any, Final, NoReturn

import msgspec
from rich.console import Console
from rich.markup import escape

from nodealer.games.words import Line, Mark, Text

#: Categories of characters that do something, or nothing that can be seen: controls, marks of direction and joining,
#: halves of pairs, private and unassigned ones, and separators of lines.
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
#: And the letters and signs that are drawn as nothing.
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")

#: How a terminal shows what a game marks.
_STYLES: Final[dict[Mark, str]] = {
    "strong": "bold",
    "dim": "dim",
    "card": "bold",
    "red card": "bold",
    "mine": "green",
    "rival": "red",
    "number": "cyan",
}


class PipeClosed(Exception):
    """Nobody reads the output any more."""


def _nobody_reads() -> NoReturn:
    with suppress(OSError, ValueError):
        # Or Python would try once more at its end, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise PipeClosed


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Not for rich to decide what that means."""
        self.quiet = True
        _nobody_reads()


def out() -> Console:
    """For results that people read."""
    return _Console(highlight=False, emoji=False)


def err() -> Console:
    """For everything else: progress, warnings, errors."""
    return _Console(stderr=True, highlight=False, emoji=False)


def visible(text: object) -> str:
    """Text from outside as one line that only says something: what is not to be seen stands there as its number."""
    return "".join(f"\\u{{{ord(each):x}}}" if _is_unseen(each) else each for each in str(text))


def _is_unseen(character: str) -> bool:
    return unicodedata.category(character) in _UNSEEN or character in _BLANK


def shown(text: object) -> str:
    """Text from outside among markup of ours."""
    return escape(visible(text))


def rendered(text: Text) -> str:
    """A game's text among markup of ours: filtered like everything from outside, with its marks as styles."""
    if not isinstance(text, Line):
        return shown(text)
    return "".join(
        shown(span.text) if span.mark is None else f"[{_STYLES[span.mark]}]{shown(span.text)}[/]" for span in text.spans
    )


def print_json(document: Any) -> None:
    """The one document of a `--json` command."""
    _write(json.dumps(msgspec.to_builtins(document), indent=2, ensure_ascii=False))


def print_json_line(event: dict[str, Any]) -> None:
    """One of many documents, a line each."""
    _write(json.dumps(msgspec.to_builtins(event), separators=(",", ":"), ensure_ascii=False))


def _write(document: str) -> None:
    """JSON as it is, but for what a terminal would obey: that is written as JSON escapes, which mean the same."""
    try:
        for line in document.split("\n"):
            safe = (json.dumps(each)[1:-1] if _is_unseen(each) else each for each in line)
            sys.stdout.write("".join(safe) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        _nobody_reads()
