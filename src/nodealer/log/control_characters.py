"""Making text from outside safe to show: it cannot move a terminal's cursor or reverse a line on a page."""

from __future__ import annotations

import unicodedata
from typing import Final

#: Unicode categories of characters that have an effect or cannot be seen: controls, direction and joining marks,
#: surrogates, private and unassigned characters, and line separators.
_INVISIBLE_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
#: Letters and symbols that are drawn as nothing.
_BLANK_CHARACTERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")


def escape_controls(text: object) -> str:
    r"""Return the text as one line, with control and invisible characters escaped as \u{code point}."""
    return "".join(f"\\u{{{ord(each):x}}}" if is_invisible(each) else each for each in str(text))


def is_invisible(character: str) -> bool:
    """Return whether a character is invisible or has an effect, such as moving the cursor."""
    return unicodedata.category(character) in _INVISIBLE_CATEGORIES or character in _BLANK_CHARACTERS
