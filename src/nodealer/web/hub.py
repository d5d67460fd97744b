"""All pages of one person at one table. Each gets the same messages, and the first answer counts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

from nodealer.errors import DecodeError
from nodealer.web.messages import AnyClientMessage, Refused, ServerMessage, encode_message, read_client_message

#: How many messages and bytes may wait for a page. A page that does not read them is disconnected, and reloads.
WAITING_MAX: Final = 10_000
WAITING_BYTES_MAX: Final = 1 << 28
#: How many pages may be open at once.
PAGES_MAX: Final = 16


class PageQueue(asyncio.Queue[bytes | None]):
    """The messages waiting for one page, and their size in bytes."""

    size = 0

    def _put(self, item: bytes | None) -> None:
        """Add an item and its bytes to `size`. None, which ends the queue, counts as zero bytes."""
        super()._put(item)
        self.size += len(item or b"")

    def _get(self) -> bytes | None:
        """Remove the oldest item and subtract its bytes from `size`."""
        item = super()._get()
        self.size -= len(item or b"")
        return item


class Hub:
    """Delivers messages to all pages, and messages from pages to `on_message`."""

    def __init__(
        self,
        snapshot: Callable[[], Iterable[ServerMessage]] = lambda: (),
        on_message: Callable[[AnyClientMessage], None] = lambda message: None,
    ) -> None:
        """Start without pages. `snapshot` returns what a newly connected page needs; `on_message` handles messages."""
        self._pages: set[PageQueue] = set()
        self.snapshot = snapshot
        self.on_message = on_message
        #: The page whose message is being handled.
        self._current_page: PageQueue | None = None

    def broadcast(self, message: ServerMessage) -> None:
        """Send a message to every page."""
        if not self._pages:
            return
        data = encode_message(message)
        for page in tuple(self._pages):
            self._enqueue(page, data)

    def reply(self, message: ServerMessage) -> None:
        """Reply to the page whose message is being handled, and to no other."""
        if self._current_page is not None:
            self._enqueue(self._current_page, encode_message(message))

    def _enqueue(self, page: PageQueue, data: bytes) -> None:
        """Queue a message for one page, or disconnect the page if it does not read what it gets."""
        if page not in self._pages:
            return
        if page.qsize() < WAITING_MAX and page.size < WAITING_BYTES_MAX:
            page.put_nowait(data)
        else:
            self._pages.discard(page)
            page.put_nowait(None)

    def resend_snapshot(self) -> None:
        """Send everything again to all pages: for another table, or the same one from its start."""
        for message in self.snapshot():
            self.broadcast(message)

    def connect(self, page: PageQueue | None = None) -> PageQueue:
        """Connect a page and return its queue. A None in the queue means that the page is to be disconnected."""
        page = PageQueue() if page is None else page
        if len(self._pages) >= PAGES_MAX:
            page.put_nowait(None)
            return page
        for message in self.snapshot():
            page.put_nowait(encode_message(message))
        self._pages.add(page)
        return page

    def disconnect(self, page: PageQueue) -> None:
        """Remove a page that has disconnected."""
        self._pages.discard(page)

    def receive(self, page: PageQueue, text: str | bytes) -> None:
        """Handle a message from a page. Invalid ones are refused to that page alone; removed pages are ignored."""
        if page not in self._pages:
            return
        try:
            message = read_client_message(text)
        except DecodeError as error:
            self._enqueue(page, encode_message(Refused(str(error))))
            return
        self._current_page = page
        try:
            self.on_message(message)
        finally:
            self._current_page = None

    @property
    def page_count(self) -> int:
        """The number of connected pages."""
        return len(self._pages)
