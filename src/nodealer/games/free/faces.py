"""What may stand on a card."""

from __future__ import annotations

from typing import Final

from nodealer.printable import is_printable

#: Characters (code points) on a card.
FACE_MAX: Final = 64


def is_face(text: str) -> bool:
    """Whether this can stand on a card. Each seat says the same, whatever Unicode its Python knows."""
    return 1 <= len(text) <= FACE_MAX and is_printable(text)
