"""The signal that a front end has ended. Apart from everything else, so that a program can import it quickly."""

from __future__ import annotations


class FrontEndGone(Exception):
    """Raised by a front end whose person or reader has gone: the client stops, and the table can be resumed."""
