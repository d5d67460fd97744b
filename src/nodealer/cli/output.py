"""Standard output for results, standard error for everything else.

Everything that comes from outside, such as a log, a file name or a peer's proposal, is printed through `escape_markup`,
or through `escape_controls` if markup is not read. Otherwise a text could move the cursor and overwrite our verdict.
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

from nodealer.client.front_end import FrontEndGone
from nodealer.games.text import Line, Mark, Text
from nodealer.log.control_characters import escape_controls, is_invisible

#: Replacements for our symbols on terminals that only have letters.
_PLAIN: Final = {
    "♣": "c", "♦": "d", "♥": "h", "♠": "s", "–": "-", "—": "-", "…": "...", "×": "x", "·": "*", "−": "-", "≤": "<=",
    "≥": ">=", "→": "->", "µ": "u", "“": '"', "”": '"', "‘": "'", "’": "'",
}  # fmt: skip

#: The styles of a game's marks, in colours that are readable on black and on white.
_STYLES: Final[dict[Mark, str]] = {
    "strong": "bold",
    "dim": "dim",
    "card": "bold",
    "red card": "bold red",
    "mine": "green",
    "rival": "red",
    "number": "cyan",
}


def replace_unprintable() -> None:
    """Replace characters that the terminal lacks, on all streams, so that no text raises an encoding error."""
    codecs.register_error("nodealer", _encode_error)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="nodealer")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")


def _encode_error(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that the stream cannot encode. An error handler for `codecs`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_spell, error.object[error.start : error.end])), error.end


def _spell(character: str) -> str:
    """Return plain letters to print in place of a character that the terminal cannot show."""
    return _PLAIN.get(character, f"\\u{{{ord(character):x}}}")


def _lacks(encoding: str, character: str) -> bool:
    """Return whether the encoding lacks the character."""
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return True
    return False


class PipeClosed(FrontEndGone):
    """The reader of the output has gone. It is not an error of the code that printed."""


def _close_output() -> NoReturn:
    """Redirect standard output to nowhere and raise `PipeClosed`."""
    with suppress(OSError, ValueError):
        # Otherwise Python would try again when it exits, and print an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise PipeClosed


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Raise `PipeClosed`, instead of rich's own reaction."""
        self.quiet = True
        _close_output()


def out() -> Console:
    """Return the console for results."""
    return _Console(highlight=False, emoji=False)


def err() -> Console:
    """Return the console for everything else: progress, warnings, errors."""
    return _Console(stderr=True, highlight=False, emoji=False)


def escape_markup(text: object) -> str:
    """Escape text from outside for use in markup."""
    return escape(escape_controls(text))


def to_markup(text: Text) -> str:
    """Return a game's text as markup: filtered like everything from outside, with its marks as styles."""
    if not isinstance(text, Line):
        return escape_markup(text)
    return "".join(
        escape_markup(span.text) if span.mark is None else f"[{_STYLES[span.mark]}]{escape_markup(span.text)}[/]"
        for span in text.spans
    )


def print_lines(console: Console, lines: Iterable[Text]) -> None:
    """Print a game's lines. On a terminal, a long line continues indented below its beginning."""
    for line in lines:
        print_line(console, to_markup(line))


def print_line(console: Console, markup: str) -> None:
    """Print one line of markup. On a terminal, a long line is wrapped and keeps its indentation."""
    written = "".join(_spell(each) if _lacks(console.encoding, each) else each for each in markup)
    for line in Styled.from_markup(written, emoji=False).split("\n", allow_blank=True):
        _print_wrapped(console, line)


def _print_wrapped(console: Console, text: Styled) -> None:
    """Print one line, wrapped on a terminal."""
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
    """Split a line between words.

    A word that is longer than a line, such as a path, is left to the terminal so that it can be copied.
    """
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
    """Return the width of the console, also of a dumb terminal."""
    if console.is_dumb_terminal:
        with suppress(OSError, ValueError):
            return os.get_terminal_size(console.file.fileno()).columns or console.width
    return console.width


def print_json(document: Any) -> None:
    """Print the one document of a `--json` command."""
    _write(json.dumps(msgspec.to_builtins(document), indent=2, ensure_ascii=False))


def print_json_line(event: dict[str, Any]) -> None:
    """Print one of many JSON documents, one per line."""
    _write(json.dumps(msgspec.to_builtins(event), separators=(",", ":"), ensure_ascii=False))


def _write(document: str) -> None:
    """Write JSON, with characters that a terminal would interpret as JSON escapes of the same meaning."""
    try:
        for line in document.split("\n"):
            safe = (json.dumps(each)[1:-1] if _is_escaped(each) else each for each in line)
            sys.stdout.write("".join(safe) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        _close_output()


def _is_escaped(character: str) -> bool:
    """Return whether a terminal would interpret the character, or cannot show it."""
    return is_invisible(character) or _lacks(sys.stdout.encoding or "utf-8", character)
