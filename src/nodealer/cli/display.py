"""Where a person plays: in the browser, at an address that is printed, or in the terminal."""

from __future__ import annotations

import os
import sys
import webbrowser
from enum import Enum
from typing import Annotated

import typer

Terminal = Annotated[bool, typer.Option("--terminal", help="Use the terminal even if a browser is available.")]
NoBrowser = Annotated[
    bool, typer.Option("--no-browser", help="Print the address of the page instead of opening a browser.")
]


class Where(Enum):
    """Where a person's table is."""

    TERMINAL = "terminal"
    #: A page, opened in the browser or with its address printed.
    BROWSER = "browser"
    ADDRESS = "address"


def where(*, terminal: bool, no_browser: bool, by_hand: bool = True) -> Where:
    """What was asked for; else the browser, where there is one. Programs and bots have no page."""
    if terminal or not by_hand:
        return Where.TERMINAL
    if no_browser:
        return Where.ADDRESS
    return Where.BROWSER if has_browser() else Where.TERMINAL


def has_browser() -> bool:
    """Whether a browser can be opened here: there is one, and a display to open it on."""
    seen = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if not seen:
        return False
    try:
        return webbrowser.get() is not None
    except webbrowser.Error:
        return False
