"""The players whom somebody has met in this browser: a list that all its tabs share."""

from __future__ import annotations

from collections.abc import Callable

from nodealer.client.contacts import Contacts
from nodealer.errors import HomeUnusable

#: Makes the list anew from the one that is kept, or from none.
Make = Callable[[bytes | None], bytes]


def _nowhere(make: Make) -> None:
    """A page without storage: what is known is gone with it."""


class BrowserShelf:
    """The list as this tab has last seen it. `keep` changes the one in the browser's storage, which may have grown by
    what other tabs have met, and brings it back to `saw`."""

    where = "the list of players in this browser"

    def __init__(self, keep: Callable[[Make], None] = _nowhere) -> None:
        self._keep = keep
        self._data: bytes | None = None

    def saw(self, data: bytes) -> None:
        """What is kept now. What is damaged, by a crash in the middle of a write, is begun anew."""
        before, self._data = self._data, data or None
        try:
            _ = Contacts(self).all
        except HomeUnusable:
            self._data = before

    def read(self) -> bytes | None:
        """The list."""
        return self._data

    def change(self, make: Make) -> None:
        """Change it here, and then where it is kept."""
        self._data = make(self._data)

        def again(data: bytes | None) -> bytes:
            self.saw(data or b"")
            self._data = make(self._data)
            return self._data

        self._keep(again)
