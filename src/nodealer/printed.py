"""Which characters can be printed: a table of its own, so that every Python says the same of a text.

What Python itself calls printable is another set in each version, for each knows more of Unicode. Here stand the
controls, marks of direction and joining, spaces but for the plain one, halves of pairs and private characters of
Unicode 14, and never others. Characters that nobody has given a meaning yet can be printed: whoever shows one does not
have to know it.
"""

from __future__ import annotations

from typing import Final

#: The first and the last of each range, as docs/build/library.md lists them.
_NEVER: Final = (
    *((0x0000, 0x001F), (0x007F, 0x00A0), (0x00AD, 0x00AD), (0x0600, 0x0605), (0x061C, 0x061C), (0x06DD, 0x06DD)),
    *((0x070F, 0x070F), (0x0890, 0x0891), (0x08E2, 0x08E2), (0x1680, 0x1680), (0x180E, 0x180E), (0x2000, 0x200F)),
    *((0x2028, 0x202F), (0x205F, 0x2064), (0x2066, 0x206F), (0x3000, 0x3000), (0xD800, 0xF8FF), (0xFEFF, 0xFEFF)),
    *((0xFFF9, 0xFFFB), (0x110BD, 0x110BD), (0x110CD, 0x110CD), (0x13430, 0x13438), (0x1BCA0, 0x1BCA3)),
    *((0x1D173, 0x1D17A), (0xE0001, 0xE0001), (0xE0020, 0xE007F), (0xF0000, 0xFFFFD), (0x100000, 0x10FFFD)),
)


def is_printed(text: str) -> bool:
    """Whether all of these characters can be printed."""
    # Of ASCII every Python says the same.
    return text.isprintable() if text.isascii() else not any(map(_is_never, map(ord, text)))


def _is_never(code: int) -> bool:
    return any(first <= code <= last for first, last in _NEVER)
