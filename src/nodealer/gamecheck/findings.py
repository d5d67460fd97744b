"""What a check of a game has found, in words for the one who wrote the game."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Final

#: Our own files, but for the games among them.
_OURS: Final = Path(__file__).parents[1]
#: Those of the language.
_PYTHON: Final = Path(dataclass.__code__.co_filename).parent


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with a game: what was done, what happened, and what to do."""

    #: A word for programs.
    kind: str
    what: str
    #: The author's file and line, where one is known.
    where: str | None = None


class Found(Exception):
    """What is wrong here stops what was tried here."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.what)
        self.finding = finding


@dataclass
class Findings:
    """Everything that was found, each thing once: the first time it was seen, and how often in all."""

    first: dict[tuple[str, str], Finding] = field(default_factory=dict)
    times: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, finding: Finding, about: str = "") -> None:
        """Note a finding. `about` tells apart what is of one kind and stands in no line of the author's."""
        key = finding.kind, finding.where or about
        self.first.setdefault(key, finding)
        self.times[key] = self.times.get(key, 0) + 1

    @contextmanager
    def noted(self) -> Iterator[None]:
        """What is found in here stops what is done in here, and is noted."""
        try:
            yield
        except Found as found:
            self.add(found.finding)

    def __bool__(self) -> bool:
        return bool(self.first)

    def as_json(self) -> list[dict[str, Any]]:
        """For programs."""
        return [
            {"kind": one.kind, "what": one.what, "where": one.where, "times": self.times[key]}
            for key, one in self.first.items()
        ]


@contextmanager
def authors(kind: str, doing: str, remedy: str, may: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Code of the author's. Whatever it raises is a finding, but for what it may raise, and what is found in it."""
    try:
        yield
    # Whatever it is that somebody's code fails with.
    except Exception as error:
        if isinstance(error, (Found, *may)):
            raise
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        what = " ".join(filter(None, (f"{doing} {said.rstrip('.')}.", remedy)))
        raise Found(Finding(kind, what, author_line(error.__traceback__))) from error


def author_line(traceback: TracebackType | None) -> str | None:
    """The innermost line of a traceback that the author of a game has written; else of a library that the game uses."""
    lines = dict[bool, str]()
    while traceback is not None:
        file = Path(traceback.tb_frame.f_code.co_filename)
        installed = "site-packages" in file.parts
        if file.is_file() and not _is_ours(file) and (installed or not file.is_relative_to(_PYTHON)):
            lines[installed] = f"{file.name}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return lines.get(False, lines.get(True))


def _is_ours(file: Path) -> bool:
    """Whether a file is the library's. Games are packages of their own, also those among ours."""
    inside = file.relative_to(_OURS).parts if file.is_relative_to(_OURS) else ("games", "", "")
    return len(inside) < 3 or inside[0] != "games"
