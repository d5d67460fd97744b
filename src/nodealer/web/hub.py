"""All pages of one person at one table. Each gets the same messages, and the first answer counts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

from nodealer.errors import DecodeError
from nodealer.web.messages import Refused, Said_, ServerMessage, encoded, read_said

#: How many messages and bytes may wait for a page. A page that does not read them is disconnected, and reloads.
WAITING_MAX: Final = 10_000
WAITING_BYTES_MAX: Final = 1 << 28
#: How many pages may be open at once.
PAGES_MAX: Final = 16


class PageQueue(asyncio.Queue[bytes | None]):
    """The messages waiting for one page, and their size in bytes."""

    size = 0

    def _put(self, item: bytes | None) -> None:
        super()._put(item)
        self.size += len(item or b"")

    def _get(self) -> bytes | None:
        item = super()._get()
        self.size -= len(item or b"")
        return item


class Hub:
    """Delivers messages to all pages, and messages from pages to `hear`."""

    def __init__(self) -> None:
        self._pages: set[PageQueue] = set()
        #: Returns what a newly connected page needs.
        self.everything: Callable[[], Iterable[ServerMessage]] = lambda: ()
        #: Handles messages from pages.
        self.hear: Callable[[Said_], None] = lambda said: None
        #: The page whose message is being handled.
        self._speaks: PageQueue | None = None

    def tell(self, document: ServerMessage) -> None:
        """Send a message to every page."""
        if not self._pages:
            return
        data = encoded(document)
        for page in tuple(self._pages):
            self._bring(page, data)

    def answer(self, document: ServerMessage) -> None:
        """Reply to the page whose message is being handled, and to no other."""
        if self._speaks is not None:
            self._bring(self._speaks, encoded(document))

    def _bring(self, page: PageQueue, data: bytes) -> None:
        """Queue a message for one page, or disconnect the page if it does not read what it gets."""
        if page not in self._pages:
            return
        if page.qsize() < WAITING_MAX and page.size < WAITING_BYTES_MAX:
            page.put_nowait(data)
        else:
            self._pages.discard(page)
            page.put_nowait(None)

    def begin_anew(self) -> None:
        """Send everything again to all pages: for another table, or the same one from its start."""
        for document in self.everything():
            self.tell(document)

    def come(self) -> PageQueue:
        """Connect a page and return its queue. A None in the queue means that the page is to be disconnected."""
        page = PageQueue()
        if len(self._pages) >= PAGES_MAX:
            page.put_nowait(None)
            return page
        for document in self.everything():
            page.put_nowait(encoded(document))
        self._pages.add(page)
        return page

    def go(self, page: PageQueue) -> None:
        """Remove a page that has disconnected."""
        self._pages.discard(page)

    def said(self, page: PageQueue, text: str | bytes) -> None:
        """Handle a message from a page. Invalid ones are refused to that page alone; removed pages are ignored."""
        if page not in self._pages:
            return
        try:
            document = read_said(text)
        except DecodeError as error:
            self._bring(page, encoded(Refused(str(error))))
            return
        self._speaks = page
        try:
            self.hear(document)
        finally:
            self._speaks = None

    @property
    def pages(self) -> int:
        """How many pages are connected."""
        return len(self._pages)
