"""Findings: problems that a check found in a game, in words for the game's author."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Final

#: The folder of our own files. The games in it count as an author's.
_OURS: Final = Path(__file__).parents[1]
#: The folder of the standard library.
_PYTHON: Final = Path(dataclass.__code__.co_filename).parent


@dataclass(frozen=True)
class Finding:
    """A problem with a game: what was done, what happened, and how to fix it."""

    #: A word for programs, such as "turn" or "chips".
    kind: str
    what: str
    #: The author's file and line, if known.
    where: str | None = None


class Found(Exception):
    """Raised with a finding that ends the current attempt."""

    def __init__(self, finding: Finding) -> None:
        """Store the finding."""
        super().__init__(finding.what)
        self.finding = finding


@dataclass
class Findings:
    """All findings. Each is kept once, as it was first seen, with how often it was seen."""

    first: dict[tuple[str, str], Finding] = field(default_factory=dict)
    times: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, finding: Finding, about: str = "") -> None:
        """Add a finding. `about` distinguishes findings of one kind that have no line in the author's code."""
        key = finding.kind, finding.where or about
        self.first.setdefault(key, finding)
        self.times[key] = self.times.get(key, 0) + 1

    @contextmanager
    def collect(self) -> Iterator[None]:
        """Catch `Found` in this block, which ends the block, and add its finding."""
        try:
            yield
        except Found as found:
            self.add(found.finding)

    def __bool__(self) -> bool:
        """Return whether anything was found."""
        return bool(self.first)

    def as_json(self) -> list[dict[str, Any]]:
        """Return the findings as JSON data."""
        return [
            {"kind": one.kind, "what": one.what, "where": one.where, "times": self.times[key]}
            for key, one in self.first.items()
        ]


@contextmanager
def author_code(kind: str, doing: str, remedy: str, may: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Run the author's code in this block. Any exception except `may` and `Found` is raised as a `Found`."""
    try:
        yield
    # The author's code may fail with anything.
    except Exception as error:
        if isinstance(error, (Found, *may)):
            raise
        message = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        what = " ".join(filter(None, (f"{doing} {message.rstrip('.')}.", remedy)))
        raise Found(Finding(kind, what, author_line(error.__traceback__))) from error


def author_line(traceback: TracebackType | None) -> str | None:
    """Return the innermost line of a traceback in the author's code, or else in a library that the game uses."""
    lines = dict[bool, str]()
    while traceback is not None:
        file = Path(traceback.tb_frame.f_code.co_filename)
        installed = "site-packages" in file.parts
        if file.is_file() and not _is_ours(file) and (installed or not file.is_relative_to(_PYTHON)):
            lines[installed] = f"{file.name}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return lines.get(False, lines.get(True))


def _is_ours(file: Path) -> bool:
    """Return whether a file belongs to nodealer. Game packages do not count, not even our own."""
    inside = file.relative_to(_OURS).parts if file.is_relative_to(_OURS) else ("games", "", "")
    return len(inside) < 3 or inside[0] != "games"
