"""The choice of display: the browser, a page at a printed address, or the terminal."""

from __future__ import annotations

import os
import sys
import webbrowser
from enum import Enum


class Display(Enum):
    """The place where a person's table is shown."""

    TERMINAL = "terminal"
    #: A page, opened in the browser or with its address printed.
    BROWSER = "browser"
    ADDRESS = "address"


def choose_display(*, terminal: bool, no_browser: bool, by_hand: bool = True) -> Display:
    """Return where to show the table: what the options say, or else the browser if there is one.

    Without `by_hand`, a program or bot plays, which needs no page.
    """
    if terminal or not by_hand:
        return Display.TERMINAL
    if no_browser:
        return Display.ADDRESS
    return Display.BROWSER if has_browser() else Display.TERMINAL


def has_browser() -> bool:
    """Return whether a browser can be opened here: it needs a display too."""
    seen = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if not seen:
        return False
    try:
        return webbrowser.get() is not None
    except webbrowser.Error:
        return False
