"""QR codes for terminals, with two modules per character."""

from __future__ import annotations

import io

import segno
from rich.console import Console
from rich.text import Text


def print_qr(console: Console, text: str) -> None:
    """Draw a code in fixed colours: on a white terminal it would be inverted otherwise."""
    for line in qr_lines(text):
        console.print(Text(line, style="bright_white on black"), soft_wrap=True)


def qr_lines(text: str) -> list[str]:
    """Return the lines of a code, all of the same width. A block is light and a space dark."""
    drawn = io.StringIO()
    # The weakest error correction: a screen has no scratches, and a smaller code fits into more windows.
    segno.make_qr(text, error="l", boost_error=False).terminal(drawn, border=2, compact=True)
    return drawn.getvalue().splitlines()
