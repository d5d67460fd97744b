"""QR codes for terminals: two modules a letter, by blocks of half its height."""

from __future__ import annotations

import io

import segno
from rich.console import Console
from rich.text import Text


def print_qr(console: Console, text: str) -> None:
    """Draw a code in colours of its own: on a white terminal it would be a negative of itself."""
    for line in qr_lines(text):
        console.print(Text(line, style="bright_white on black"), soft_wrap=True)


def qr_lines(text: str) -> list[str]:
    """The lines of a code. A block is light and a space dark, and each line is as wide as the others."""
    drawn = io.StringIO()
    # The weakest correction: a screen has no scratches, and a smaller code fits more windows.
    segno.make_qr(text, error="l", boost_error=False).terminal(drawn, border=2, compact=True)
    return drawn.getvalue().splitlines()
