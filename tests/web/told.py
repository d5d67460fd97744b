"""A page that a test tells documents, as a seat would: no process, no relay, and the same picture each time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, Route, WebSocketRoute

from nodealer.games.registry import find_game
from nodealer.web.server import game_file, static_files

from .browser import open_page

ADDRESS = "http://127.0.0.1:9/"
TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}

Document = dict[str, Any]


class Told:
    """The page, and the end of the link that a seat would have."""

    def __init__(self) -> None:
        self.said: list[Document] = []
        self.sockets: list[WebSocketRoute] = []
        #: What a page gets that has just come.
        self.everything: list[Document] = []
        self._files = static_files()

    def tell(self, *documents: Document) -> None:
        """Say this to the page."""
        for document in documents:
            self.sockets[-1].send(json.dumps(document))

    def talk(self, socket: WebSocketRoute) -> None:
        """A page has come."""
        self.sockets.append(socket)
        socket.on_message(lambda text: self.said.append(json.loads(text)))
        self.tell(*self.everything)

    def file(self, route: Route) -> None:
        """A file of the page, or of a game."""
        path = urlsplit(route.request.url).path.lstrip("/")
        data = self._files.get({"": "index.html", "how": "how.html"}.get(path, path.removeprefix("static/")))
        if path.startswith("game/"):
            _, name, file = path.split("/")
            data = game_file(find_game(name), file)
        if data is None:
            route.fulfill(status=404, body="nothing")
        else:
            route.fulfill(body=data, content_type=TYPES.get(path.rpartition(".")[2], "text/html"))


@contextmanager
def told_page(browser: Browser, *everything: Document, **context: Any) -> Iterator[tuple[Page, Told]]:
    """A page that is told this first."""
    told = Told()
    told.everything = list(everything)

    def prepare(page: Page) -> None:
        page.route("**/*", told.file)
        page.route_web_socket("**/documents", told.talk)

    with open_page(browser, ADDRESS, prepare=prepare, **context) as page:
        yield page, told
