"""All pages of one person at one table. Each is told the same; whichever answers first has answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

from nodealer.errors import DecodeError
from nodealer.web.documents import Document, Refused, Said_, encoded, read_said

#: How many documents may wait for a page. One that takes none is sent away: it loads again.
WAITING_MAX: Final = 10_000
#: How many pages may be open at once.
PAGES_MAX: Final = 16


class Hub:
    """Brings documents to pages, and what they say to whoever hears."""

    def __init__(self) -> None:
        self._pages: set[asyncio.Queue[bytes | None]] = set()
        #: What a page needs that has just come.
        self.everything: Callable[[], Iterable[Document]] = lambda: ()
        #: Hears what pages say.
        self.hear: Callable[[Said_], None] = lambda said: None

    def tell(self, document: Document) -> None:
        """Tell every page."""
        if not self._pages:
            return
        data = encoded(document)
        for page in tuple(self._pages):
            if page.qsize() >= WAITING_MAX:
                self._pages.discard(page)
                page.put_nowait(None)
            else:
                page.put_nowait(data)

    def begin_anew(self) -> None:
        """Another table, or the same one from its beginning: pages get everything again."""
        for document in self.everything():
            self.tell(document)

    def come(self) -> asyncio.Queue[bytes | None]:
        """A new page. What it is told comes in the queue; None ends it."""
        page: asyncio.Queue[bytes | None] = asyncio.Queue()
        if len(self._pages) >= PAGES_MAX:
            page.put_nowait(None)
            return page
        for document in self.everything():
            page.put_nowait(encoded(document))
        self._pages.add(page)
        return page

    def go(self, page: asyncio.Queue[bytes | None]) -> None:
        """A page has gone."""
        self._pages.discard(page)

    def said(self, page: asyncio.Queue[bytes | None], text: str | bytes) -> None:
        """What a page says. What is nothing is told to that page alone."""
        try:
            document = read_said(text)
        except DecodeError as error:
            page.put_nowait(encoded(Refused(str(error))))
            return
        self.hear(document)

    @property
    def pages(self) -> int:
        """How many there are."""
        return len(self._pages)
