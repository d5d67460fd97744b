"""A host of the page inside the test: what it serves can change under the same address, as a host's can.

The light folder is the page whole, with a runtime that never comes: what a page does before a seat is there costs no
seat.
"""

from __future__ import annotations

import hashlib
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from nodealer.web.bundle.content import BUNDLE, page_files
from nodealer.web.bundle.serve import create_app

RUNTIME = "runtime/none"


def light(folder: Path, mark: str) -> Path:
    """A version of the page, with a title that tells which one."""
    files = page_files(RUNTIME) | {
        f"{RUNTIME}/pyodide.mjs": b"export const loadPyodide = () => new Promise(() => {});",
        f"{RUNTIME}/seat.zip": b"",
    }
    files["index.html"] = files["index.html"].replace(b"<title>nodealer", f"<title>{mark}".encode())
    listed = {path: hashlib.sha256(data).hexdigest() for path, data in files.items()}
    files[BUNDLE] = json.dumps({"version": mark, "files": listed, "packed": {}}).encode()
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


def name_of(folder: Path) -> str:
    """The hash that names a whole folder."""
    return hashlib.sha256((folder / BUNDLE).read_bytes()).hexdigest()


class Site:
    """Where the page is served. `folder` may change; `lies` are bytes served in the place of a file; `more` are headers
    beside those of an honest host, and `bare` one that sends none of those."""

    def __init__(self, folder: Path, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}"
        self.port = port
        self.lies: dict[str, bytes] = {}
        self.more: list[tuple[bytes, bytes]] = []
        self.bare = False
        #: All paths that anybody asked for.
        self.asked: list[str] = []
        self.serve(folder)

    def serve(self, folder: Path) -> None:
        """From here on this one."""
        self._app = create_app(folder)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked.append(scope.get("path", ""))
        lie = self.lies.get(scope.get("path", ""))
        if lie is None:

            async def sent(message: Any) -> None:
                if message["type"] == "http.response.start":
                    told = [one for one in message["headers"] if one[0] == b"content-type" or not self.bare]
                    message = message | {"headers": [*told, *self.more]}
                await send(message)

            await self._app(scope, receive, sent)
            return
        kind = b"text/html" if lie.startswith(b"<") else b"text/javascript"
        headers = [(b"content-type", kind), (b"cache-control", b"no-cache")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": lie})


@contextmanager
def served(folder: Path) -> Iterator[Site]:
    """A host, on this machine."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        site = Site(folder, listening.getsockname()[1])
        server = uvicorn.Server(uvicorn.Config(site, lifespan="off", log_config=None, access_log=False))
        serving = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        serving.start()
        try:
            yield site
        finally:
            server.should_exit = True
            serving.join()
