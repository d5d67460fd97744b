"""Serves the folder for browser tabs: only the files in its list, with headers that isolate the page.

Whoever serves this page could read the cards of those who play in it. That is why it is not part of a relay.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from nodealer.errors import BadParameter
from nodealer.web.bundle.content import BUNDLE, FILES, PACKED, POLICY, read_file_list

_TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "wasm": "application/wasm",
    "zip": "application/zip",
    "txt": "text/plain; charset=utf-8",
}
_HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Vary": "Accept-Encoding",
}
#: For files with a hash in their name, which never change. Browsers revalidate all others.
_IMMUTABLE: Final = "public, max-age=31536000, immutable"


def read_list(path: Path, part: str = FILES) -> dict[str, str]:
    """Return the files of a folder, or of a release, with their hashes. Raises `BadParameter` if there is no list."""
    file = path / BUNDLE if path.is_dir() else path
    try:
        data = file.read_bytes()
    except OSError:
        raise BadParameter(f"{path} is neither a folder for browser tabs nor its {BUNDLE}: run `make web`") from None
    return read_file_list(data, str(file), part)


def create_app(folder: Path) -> Starlette:
    """Return the web application for a folder.

    Raises `BadParameter` if a file is missing or does not match the list.
    """
    packed = _read_checked(folder, PACKED)
    files = {path: (data, packed.get(f"{path}.br")) for path, data in _read_checked(folder, FILES).items()}
    files[BUNDLE] = (folder / BUNDLE).read_bytes(), None

    async def answer(request: Request) -> Response:
        # Not from request.url, which contains the Host header of the request.
        """Serve one file, compressed if the browser accepts brotli."""
        path: str = request.path_params["path"]
        found = files.get(path) or files.get(f"{path.removesuffix('/')}/index.html".removeprefix("/"))
        if found is None:
            return Response("not found", 404, _HEADERS)
        data, packed = found
        tag = f'"{hashlib.sha256(data).hexdigest()[:32]}"'
        headers = _HEADERS | {"ETag": tag, "Cache-Control": _IMMUTABLE if path.startswith("runtime/") else "no-cache"}
        if request.headers.get("if-none-match") == tag:
            return Response(None, 304, headers)
        accepted = [one.partition(";")[0].strip() for one in request.headers.get("accept-encoding", "").split(",")]
        if packed is not None and "br" in accepted:
            data, headers = packed, headers | {"Content-Encoding": "br"}
        kind = (path or "index.html").rpartition(".")[2]
        return Response(data, 200, headers, media_type=_TYPES.get(kind, _TYPES["html"]))

    return Starlette(routes=[Route("/{path:path}", answer)])


def _read_checked(folder: Path, part: str) -> dict[str, bytes]:
    """Read the files in the list. Raises `BadParameter` if one is missing or has another hash."""
    found = {}
    for path, digest in read_list(folder, part).items():
        try:
            found[path] = (folder / path).read_bytes()
        except OSError:
            raise BadParameter(f"{folder / path} is missing, although it is listed in {BUNDLE}") from None
        if hashlib.sha256(found[path]).hexdigest() != digest:
            raise BadParameter(f"{folder / path} does not match its hash in {BUNDLE}")
    return found
