"""Which texts may be printed on a card."""

from __future__ import annotations

from typing import Final

from nodealer.printable import is_printable

#: The most characters (code points) on a card.
FACE_MAX: Final = 64


def is_face(text: str) -> bool:
    """Return whether this text may be on a card. Independent of the Unicode version of a seat's Python."""
    return 1 <= len(text) <= FACE_MAX and is_printable(text)
