"""All pages of one person at one table. Each is told the same; whichever answers first has answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

from nodealer.errors import DecodeError
from nodealer.web.messages import Refused, Said_, ServerMessage, encoded, read_said

#: How many documents, and how many bytes, may wait for a page. One that takes none is sent away: it loads again.
WAITING_MAX: Final = 10_000
WAITING_BYTES_MAX: Final = 1 << 28
#: How many pages may be open at once.
PAGES_MAX: Final = 16


class PageQueue(asyncio.Queue[bytes | None]):
    """What a page has not taken yet, and how many bytes that is."""

    size = 0

    def _put(self, item: bytes | None) -> None:
        super()._put(item)
        self.size += len(item or b"")

    def _get(self) -> bytes | None:
        item = super()._get()
        self.size -= len(item or b"")
        return item


class Hub:
    """Brings documents to pages, and what they say to whoever hears."""

    def __init__(self) -> None:
        self._pages: set[PageQueue] = set()
        #: What a page needs that has just come.
        self.everything: Callable[[], Iterable[ServerMessage]] = lambda: ()
        #: Hears what pages say.
        self.hear: Callable[[Said_], None] = lambda said: None
        #: The page whose words are heard now.
        self._speaks: PageQueue | None = None

    def tell(self, document: ServerMessage) -> None:
        """Tell every page."""
        if not self._pages:
            return
        data = encoded(document)
        for page in tuple(self._pages):
            self._bring(page, data)

    def answer(self, document: ServerMessage) -> None:
        """Tell the page whose words are heard now, and no other: the person has asked for it there."""
        if self._speaks is not None:
            self._bring(self._speaks, encoded(document))

    def _bring(self, page: PageQueue, data: bytes) -> None:
        """To one page, where it is still there and takes what it gets."""
        if page not in self._pages:
            return
        if page.qsize() < WAITING_MAX and page.size < WAITING_BYTES_MAX:
            page.put_nowait(data)
        else:
            self._pages.discard(page)
            page.put_nowait(None)

    def begin_anew(self) -> None:
        """Another table, or the same one from its beginning: pages get everything again."""
        for document in self.everything():
            self.tell(document)

    def come(self) -> PageQueue:
        """A new page. What it is told comes in the queue; None ends it."""
        page = PageQueue()
        if len(self._pages) >= PAGES_MAX:
            page.put_nowait(None)
            return page
        for document in self.everything():
            page.put_nowait(encoded(document))
        self._pages.add(page)
        return page

    def go(self, page: PageQueue) -> None:
        """A page has gone."""
        self._pages.discard(page)

    def said(self, page: PageQueue, text: str | bytes) -> None:
        """What a page says. What is nothing is told to that page alone; and who was sent away says nothing more."""
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
        """How many there are."""
        return len(self._pages)
