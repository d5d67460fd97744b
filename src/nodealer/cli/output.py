"""Where words go: results to standard output, everything else to standard error.

A log, a file's name, a peer's proposal: whatever comes from outside and is printed goes through `shown`, or through
`visible` where no markup is read. Otherwise a text could move the cursor and write another verdict over ours.
"""

from __future__ import annotations

import codecs
import io
import json
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final, NoReturn

import msgspec
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.text import Text as Styled

from nodealer.games.text import Line, Mark, Text
from nodealer.log.control_characters import escape_controls, is_invisible

#: Signs of ours, for terminals that have letters only.
_PLAIN: Final = {
    "♣": "c", "♦": "d", "♥": "h", "♠": "s", "–": "-", "—": "-", "…": "...", "×": "x", "·": "*", "−": "-", "≤": "<=",
    "≥": ">=", "→": "->", "µ": "u", "“": '"', "”": '"', "‘": "'", "’": "'",
}  # fmt: skip

#: How a terminal shows what a game marks: in colours that can be read on black and on white.
_STYLES: Final[dict[Mark, str]] = {
    "strong": "bold",
    "dim": "dim",
    "card": "bold",
    "red card": "bold red",
    "mine": "green",
    "rival": "red",
    "number": "cyan",
}


def speak_plainly() -> None:
    """What a terminal has no sign for is written with the letters it has, here and everywhere: no text is an error."""
    codecs.register_error("nodealer", _in_letters)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="nodealer")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")


def _in_letters(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_spelt, error.object[error.start : error.end])), error.end


def _spelt(character: str) -> str:
    return _PLAIN.get(character, f"\\u{{{ord(character):x}}}")


def _lacks(encoding: str, character: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return True
    return False


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


def shown(text: object) -> str:
    """Text from outside among markup of ours."""
    return escape(escape_controls(text))


def rendered(text: Text) -> str:
    """A game's text among markup of ours: filtered like everything from outside, with its marks as styles."""
    if not isinstance(text, Line):
        return shown(text)
    return "".join(
        shown(span.text) if span.mark is None else f"[{_STYLES[span.mark]}]{shown(span.text)}[/]" for span in text.spans
    )


def print_lines(console: Console, lines: Iterable[Text]) -> None:
    """A game's lines. On a terminal a long one goes on below its own beginning."""
    for line in lines:
        print_line(console, rendered(line))


def print_line(console: Console, markup: str) -> None:
    """A line of ours, as long as it is, or on a terminal in several that are indented as it is."""
    written = "".join(_spelt(each) if _lacks(console.encoding, each) else each for each in markup)
    for line in Styled.from_markup(written, emoji=False).split("\n", allow_blank=True):
        _print_wrapped(console, line)


def _print_wrapped(console: Console, text: Styled) -> None:
    indent = len(text.plain) - len(text.plain.lstrip(" "))
    width, hanging = _width(console), indent + 2
    if not console.is_terminal or len(text.plain) < width or hanging + 20 > width:
        console.print(text, soft_wrap=True)
        return
    first, *rest = _parts(text, width - hanging)
    first.rstrip()
    console.print(first, soft_wrap=True)
    for more in rest:
        more.rstrip()
        console.print(Styled(" " * hanging).append_text(more), soft_wrap=True)


def _parts(line: Styled, width: int) -> Iterable[Styled]:
    """A line in parts of whole words. One that is longer than a line, such as a path, is left to the terminal, which
    lets it be copied."""
    breaks: list[int] = []
    used = at = 0
    for word in line.plain.split(" "):
        wide = cell_len(word)
        if word and line.plain[:at].strip() and used + wide > width >= wide:
            breaks.append(at)
            used = 0
        used, at = used + wide + 1, at + len(word) + 1
    return line.divide(breaks)


def _width(console: Console) -> int:
    """A terminal without abilities has a width all the same."""
    if console.is_dumb_terminal:
        with suppress(OSError, ValueError):
            return os.get_terminal_size(console.file.fileno()).columns or console.width
    return console.width


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
            safe = (json.dumps(each)[1:-1] if _is_escaped(each) else each for each in line)
            sys.stdout.write("".join(safe) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        _nobody_reads()


def _is_escaped(character: str) -> bool:
    """What a terminal obeys, and what it has no sign for."""
    return is_invisible(character) or _lacks(sys.stdout.encoding or "utf-8", character)
