"""The local server of the page: files without secrets, a token that works once, and a WebSocket for messages.

Other programs on this machine, other users of it and other pages in the browser can reach the port too. Therefore:

- The port is on loopback only.
- `Host` and `Origin` must be the server's own. This stops DNS rebinding and other pages.
- Connections of other users are refused, on systems that tell whose a connection is.
- Messages need a cookie, which is given once, in exchange for the token in the address that this program printed or
  opened. The token is in the fragment of the address, which browsers do not send to any server. The cookie is named
  after the table, because cookies do not distinguish ports.
"""

from __future__ import annotations

import asyncio
import hmac
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext, suppress
from importlib import resources
from typing import Any, Final

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from nodealer.errors import BadParameter
from nodealer.games.package import GamePackage
from nodealer.web.hub import Hub
from nodealer.web.messages import CLIENT_MESSAGE_BYTES_MAX
from nodealer.web.socket_owner import is_other_user

LOOPBACK: Final = "127.0.0.1"
TOKEN_BYTES: Final = 32

_TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
#: Paths that only this user may request.
_PRIVATE_PATHS: Final = ("/enter", "/documents")
#: The files a game may have for its table.
_GAME_FILES: Final = ("table.js", "table.css")

Entropy = Callable[[int], bytes]


def static_files() -> dict[str, bytes]:
    """Return the files of the page, by path. Nothing else is served."""
    found: dict[str, bytes] = {}
    todo = [("", resources.files("nodealer.web") / "static")]
    while todo:
        path, folder = todo.pop()
        for item in folder.iterdir():
            if item.is_dir():
                todo.append((f"{path}{item.name}/", item))
            elif item.name.rpartition(".")[2] in _TYPES:
                found[path + item.name] = item.read_bytes()
    return found


def game_file(game: GamePackage, name: str) -> bytes | None:
    """Return a file of a game's own table, or None if the game has no such file."""
    if game.table is None or name not in _GAME_FILES:
        return None
    with suppress(OSError, ModuleNotFoundError):
        return (resources.files(game.table) / name).read_bytes()
    return None


class TokenGate:
    """Exchanges the token for a cookie, once.

    Wrong tokens are not counted: 32 random bytes cannot be guessed, and a limit would let anyone lock the person out.
    """

    def __init__(self, table: str, entropy: Entropy) -> None:
        """Create a gate with a new token. `table` becomes part of the cookie's name."""
        self.cookie = f"nodealer-{table}"
        self._entropy = entropy
        self.token: str | None = None
        self._keys: set[str] = set()
        self.new_token()

    def new_token(self) -> str:
        """Replace the token and return the new one. The old one no longer works."""
        self.token = self._entropy(TOKEN_BYTES).hex()
        return self.token

    def exchange(self, token: str) -> str | None:
        """Return a cookie in exchange for the token, or None if the token is wrong or already used."""
        if self.token is None:
            return None
        if not hmac.compare_digest(token.encode(errors="replace"), self.token.encode()):
            return None
        self.token = None
        key = self._entropy(TOKEN_BYTES).hex()
        self._keys.add(key)
        return key

    def is_admitted(self, cookies: Mapping[str, str]) -> bool:
        """Return whether these cookies include one that was given out here."""
        cookie = cookies.get(self.cookie, "").encode(errors="replace")
        return any(hmac.compare_digest(cookie, key.encode()) for key in self._keys)


class Enter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a POST to /enter."""

    token: str


class TableServer:
    """The web application that serves the page of one person at one table."""

    def __init__(self, hub: Hub, gate: TokenGate, games: Callable[[str], GamePackage | None], port: int) -> None:
        """Serve the pages of this hub. `games` finds a game's own files by its name, or returns None."""
        self._hub = hub
        self._gate = gate
        self._games = games
        self._hosts = {f"{LOOPBACK}:{port}", f"localhost:{port}"}
        # Files for a seat in a browser tab are not part of this page.
        self._files = {path: data for path, data in static_files().items() if not path.startswith("tab/")}
        self._headers = _headers(port)
        routes = [
            Route("/", self._index),
            Route("/how", self._how),
            Route("/static/{path:path}", self._static),
            Route("/game/{name}/{file}", self._game),
            Route("/enter", self._enter, methods=["POST"]),
            WebSocketRoute("/documents", self._messages),
        ]
        self._starlette = Starlette(routes=routes)

    @property
    def app(self) -> ASGIApp:
        """The ASGI application."""
        return self._guard

    async def _guard(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse requests that do not come from this page, and pass the others on."""
        refusal = self._refusal_reason(scope)
        if refusal is None:
            await self._starlette(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocket(scope, receive, send).close(1008, refusal)
        else:
            await Response(refusal, 403, self._headers)(scope, receive, send)

    def _refusal_reason(self, scope: Scope) -> str | None:
        """Return why a request is refused, or None if it comes from this page and this user."""
        headers = [(name.lower(), value) for name, value in scope["headers"]]
        hosts = [value.decode("latin-1") for name, value in headers if name == b"host"]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return "wrong host"
        origins = [value.decode("latin-1") for name, value in headers if name == b"origin"]
        needs_origin = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if (origins or needs_origin) and origins != [f"http://{hosts[0]}"]:
            return "wrong origin"
        if scope["path"] in _PRIVATE_PATHS and is_other_user(scope["client"], scope["server"]):
            return "wrong user"
        return None

    # --- Files ---

    async def _index(self, request: Request) -> Response:
        """Serve the page itself."""
        return self._file("index.html")

    async def _how(self, request: Request) -> Response:
        """Serve the page that explains how the game works."""
        return self._file("how.html")

    async def _static(self, request: Request) -> Response:
        """Serve the file that the URL names."""
        return self._file(str(request.path_params["path"]))

    def _file(self, path: str) -> Response:
        """Return the page's file of this path, or 404."""
        data = self._files.get(path)
        return self._not_found() if data is None else self._file_response(path, data)

    async def _game(self, request: Request) -> Response:
        """Serve a file of the page from a game package, or 404."""
        name, file = str(request.path_params["name"]), str(request.path_params["file"])
        game = self._games(name)
        data = None if game is None else game_file(game, file)
        return self._not_found() if data is None else self._file_response(file, data)

    def _file_response(self, path: str, data: bytes) -> Response:
        """Return the data with the security headers, and the media type of the path's suffix."""
        return Response(data, 200, self._headers, media_type=_TYPES[path.rpartition(".")[2]])

    def _not_found(self) -> Response:
        """Return a 404 response with the security headers."""
        return Response("not found", 404, self._headers)

    # --- The token ---

    async def _enter(self, request: Request) -> Response:
        """Exchange the posted token for a cookie."""
        data = b""
        async for chunk in request.stream():
            data += chunk
            if len(data) > 1024:
                return Response("too long", 413, self._headers)
        try:
            body = msgspec.json.decode(data, type=Enter)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return Response("invalid token", 400, self._headers)
        key = self._gate.exchange(body.token)
        if key is None:
            return Response("this address has already been used", 403, self._headers)
        response = Response(status_code=204, headers=self._headers)
        response.set_cookie(self._gate.cookie, key, path="/", httponly=True, samesite="strict")
        return response

    # --- Messages ---

    async def _messages(self, websocket: WebSocket) -> None:
        """Exchange messages with a page over a WebSocket, if it has the cookie."""
        if not self._gate.is_admitted(websocket.cookies):
            await websocket.close(1008, "no valid cookie")
            return
        await websocket.accept()
        page = self._hub.connect()
        sending = asyncio.ensure_future(_send_queue(websocket, page))
        try:
            while True:
                message = await websocket.receive()
                if message["type"] == "websocket.disconnect":
                    break
                self._hub.receive(page, message.get("text") or message.get("bytes") or "")
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            self._hub.disconnect(page)
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)


async def _send_queue(websocket: WebSocket, page: asyncio.Queue[bytes | None]) -> None:
    """Send the messages of a queue until it ends."""
    while (data := await page.get()) is not None:
        await websocket.send_text(data.decode())
    await websocket.close(1013, "too many messages or pages")


def _headers(port: int) -> dict[str, str]:
    """Return the response headers. They let the page load only what this server serves."""
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        f"connect-src 'self' ws://{LOOPBACK}:{port} ws://localhost:{port}; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "no-cache",
    }


class _Server(uvicorn.Server):
    """A server that leaves signals to the program around it."""

    def capture_signals(self) -> Any:
        """Leave the process's signal handlers alone; uvicorn would replace them."""
        return nullcontext()


@asynccontextmanager
async def serve(
    hub: Hub, gate: TokenGate, games: Callable[[str], GamePackage | None], port: int = 0
) -> AsyncIterator[str]:
    """Serve the page on a loopback port as long as the context lasts.

    Yields the address, with the token in its fragment. Raises `BadParameter` if the port cannot be used.
    """
    listener = socket.socket()
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        # Listen before the address is known: a browser that connects at once then waits and is not refused.
        listener.listen(64)
    except OSError as error:
        listener.close()
        raise BadParameter(f"cannot serve the page on port {port}: {error.strerror}") from None
    port = listener.getsockname()[1]
    config = uvicorn.Config(
        TableServer(hub, gate, games, port).app,
        log_config=None,
        interface="asgi3",
        proxy_headers=False,
        lifespan="off",
        ws="websockets-sansio",
        ws_max_size=CLIENT_MESSAGE_BYTES_MAX,
        server_header=False,
        access_log=False,
        timeout_graceful_shutdown=1,
    )
    server = _Server(config)
    running = asyncio.ensure_future(server.serve(sockets=[listener]))
    try:
        yield f"http://{LOOPBACK}:{port}/#{gate.token}"
    finally:
        server.should_exit = True
        await asyncio.gather(running, return_exceptions=True)
        listener.close()
