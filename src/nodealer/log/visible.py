"""Text from outside, as text that only says something: in a terminal it moves no cursor, on a page it turns no line."""

from __future__ import annotations

import unicodedata
from typing import Final

#: Categories of characters that do something, or nothing that can be seen: controls, marks of direction and joining,
#: halves of pairs, private and unassigned ones, and separators of lines.
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
#: And the letters and signs that are drawn as nothing.
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")


def visible(text: object) -> str:
    """Text from outside as one line that only says something: what is not to be seen stands there as its number."""
    return "".join(f"\\u{{{ord(each):x}}}" if is_unseen(each) else each for each in str(text))


def is_unseen(character: str) -> bool:
    """Whether a character cannot be seen, or does something."""
    return unicodedata.category(character) in _UNSEEN or character in _BLANK
