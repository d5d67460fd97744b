"""What may be printed on a card: a table of its own, so that a log is judged alike by every Python.

What Python itself calls printable is another set in each version, for each knows more of Unicode. Here stand the
controls, marks of direction and joining, spaces but for the plain one, halves of pairs and private characters of
Unicode 14, and never others. Characters that nobody has given a meaning yet may stand on a card: whoever shows one does
not have to know it.
"""

from __future__ import annotations

from typing import Final

#: Characters (code points) on a card.
FACE_MAX: Final = 64
#: The first and the last of each range, as docs/library.md lists them.
_NEVER: Final = tuple(
    (int(first, 16), int(last or first, 16))
    for first, _, last in (
        one.partition("-")
        for one in [
            "0000-001F",
            "007F-00A0",
            "00AD",
            "0600-0605",
            "061C",
            "06DD",
            "070F",
            "0890-0891",
            "08E2",
            "1680",
            "180E",
            "2000-200F",
            "2028-202F",
            "205F-2064",
            "2066-206F",
            "3000",
            "D800-F8FF",
            "FEFF",
            "FFF9-FFFB",
            "110BD",
            "110CD",
            "13430-13438",
            "1BCA0-1BCA3",
            "1D173-1D17A",
            "E0001",
            "E0020-E007F",
            "F0000-FFFFD",
            "100000-10FFFD",
        ]
    )
)


def is_face(text: str) -> bool:
    """Whether this can stand on a card."""
    if not 1 <= len(text) <= FACE_MAX:
        return False
    # Of ASCII every Python says the same.
    return text.isprintable() if text.isascii() else not any(map(_is_never, map(ord, text)))


def _is_never(code: int) -> bool:
    return any(first <= code <= last for first, last in _NEVER)
