"""What a target is: a function that reads bytes, and what it may raise for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nodealer.errors import Malformed

CORPUS: Final = Path(__file__).parent / "corpus"
#: What bytes from outside may be called.
Errors = tuple[type[BaseException], ...]
MALFORMED: Final[Errors] = (Malformed,)


@dataclass(frozen=True)
class Target:
    """One reader."""

    name: str
    read: Callable[[bytes], object]
    allowed: Errors = MALFORMED
    #: Longer inputs are cut: what is slow is tried less often.
    largest: int = 4096

    def run(self, data: bytes) -> bool:
        """Whether it was accepted. Raises what is a bug."""
        try:
            self.read(data[: self.largest])
        except self.allowed:
            return False
        return True

    @property
    def corpus(self) -> list[bytes]:
        """What it begins with, in the repository."""
        return [path.read_bytes() for path in sorted((CORPUS / self.name).iterdir())]


def text_of(data: bytes) -> str:
    """What a person could paste."""
    return data.decode(errors="replace")
