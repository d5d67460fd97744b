"""Which characters are printable: a fixed table, so that every version of Python agrees about a text.

`str.isprintable` changes between versions of Python, because each knows more of Unicode. This table of unprintable
characters is frozen: controls, direction and joining marks, spaces other than the plain one, surrogates and private
characters of Unicode 14. Unassigned characters count as printable: a program can show one without knowing it.
"""

from __future__ import annotations

from typing import Final

#: The first and the last of each range, as docs/build/library.md lists them.
_UNPRINTABLE: Final = (
    *((0x0000, 0x001F), (0x007F, 0x00A0), (0x00AD, 0x00AD), (0x0600, 0x0605), (0x061C, 0x061C), (0x06DD, 0x06DD)),
    *((0x070F, 0x070F), (0x0890, 0x0891), (0x08E2, 0x08E2), (0x1680, 0x1680), (0x180E, 0x180E), (0x2000, 0x200F)),
    *((0x2028, 0x202F), (0x205F, 0x2064), (0x2066, 0x206F), (0x3000, 0x3000), (0xD800, 0xF8FF), (0xFEFF, 0xFEFF)),
    *((0xFFF9, 0xFFFB), (0x110BD, 0x110BD), (0x110CD, 0x110CD), (0x13430, 0x13438), (0x1BCA0, 0x1BCA3)),
    *((0x1D173, 0x1D17A), (0xE0001, 0xE0001), (0xE0020, 0xE007F), (0xF0000, 0xFFFFD), (0x100000, 0x10FFFD)),
)


def is_printable(text: str) -> bool:
    """Return whether all characters of a text are printable."""
    # All versions of Python agree about ASCII.
    return text.isprintable() if text.isascii() else not any(map(_is_unprintable, map(ord, text)))


def _is_unprintable(code: int) -> bool:
    """Return whether a code point is in the fixed list of unprintable ones."""
    return any(first <= code <= last for first, last in _UNPRINTABLE)
