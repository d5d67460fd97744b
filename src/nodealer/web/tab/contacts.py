"""The contacts of this browser: the players this person has met, in a list that all its tabs share."""

from __future__ import annotations

from collections.abc import Callable

from nodealer.client.contacts import Contacts
from nodealer.errors import HomeUnusable

#: Returns the new list, given the stored one, or None if there is none.
UpdateContacts = Callable[[bytes | None], bytes]


def _discard(update: UpdateContacts) -> None:
    """Store nothing: for a page without storage."""


class BrowserContacts:
    """The contacts as this tab last saw them.

    `save` changes the stored list, to which other tabs may have added players, and passes it back through `load`.
    """

    location = "the list of players in this browser"

    def __init__(self, save: Callable[[UpdateContacts], None] = _discard) -> None:
        """Start without contacts, until `load`."""
        self._save = save
        self._data: bytes | None = None

    def load(self, data: bytes) -> None:
        """Take over the stored list. A list damaged by a crash in the middle of a write is ignored."""
        before, self._data = self._data, data or None
        try:
            _ = Contacts(self).all
        except HomeUnusable:
            self._data = before

    def read(self) -> bytes | None:
        """Return the list, or None if there is none yet."""
        return self._data

    def change(self, update: UpdateContacts) -> None:
        """Change the list here, and then in the browser's storage."""
        self._data = update(self._data)

        def update_stored(data: bytes | None) -> bytes:
            """Take over the stored list, apply the update, and return the list to store."""
            self.load(data or b"")
            self._data = update(self._data)
            return self._data

        self._save(update_stored)
