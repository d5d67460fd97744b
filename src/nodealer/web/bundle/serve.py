"""Serves the folder of a tab: the files that its list names and no others, with the headers that keep them apart.

Whoever serves this could read the cards of those who play in it. So it is no part of a relay.
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
from nodealer.web.bundle.content import BUNDLE, FILES, PACKED, POLICY, files_of

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
#: What has its hash in its name never changes; of all else a browser asks whether it is the same.
_FOR_EVER: Final = "public, max-age=31536000, immutable"


def read_list(path: Path, part: str = FILES) -> dict[str, str]:
    """The files of a folder, or of a release, with their hashes. Raises `BadParameter`."""
    file = path / BUNDLE if path.is_dir() else path
    try:
        data = file.read_bytes()
    except OSError:
        raise BadParameter(f"{path} is no folder for a tab, nor its {BUNDLE}: `make web` builds one") from None
    return files_of(data, str(file), part)


def app_of(folder: Path) -> Starlette:
    """What a server runs. Raises `BadParameter` where a file is missing, or is not the one that the list names."""
    packed = _all(folder, PACKED)
    files = {path: (data, packed.get(f"{path}.br")) for path, data in _all(folder, FILES).items()}
    files[BUNDLE] = (folder / BUNDLE).read_bytes(), None

    async def answer(request: Request) -> Response:
        # Not of request.url, in which somebody's Host is.
        path: str = request.path_params["path"]
        found = files.get(path) or files.get(f"{path.removesuffix('/')}/index.html".removeprefix("/"))
        if found is None:
            return Response("nothing is here", 404, _HEADERS)
        data, packed = found
        tag = f'"{hashlib.sha256(data).hexdigest()[:32]}"'
        headers = _HEADERS | {"ETag": tag, "Cache-Control": _FOR_EVER if path.startswith("runtime/") else "no-cache"}
        if request.headers.get("if-none-match") == tag:
            return Response(None, 304, headers)
        accepted = [one.partition(";")[0].strip() for one in request.headers.get("accept-encoding", "").split(",")]
        if packed is not None and "br" in accepted:
            data, headers = packed, headers | {"Content-Encoding": "br"}
        kind = (path or "index.html").rpartition(".")[2]
        return Response(data, 200, headers, media_type=_TYPES.get(kind, _TYPES["html"]))

    return Starlette(routes=[Route("/{path:path}", answer)])


def _all(folder: Path, part: str) -> dict[str, bytes]:
    """The files that the list names, each compared with its hash."""
    found = {}
    for path, digest in read_list(folder, part).items():
        try:
            found[path] = (folder / path).read_bytes()
        except OSError:
            raise BadParameter(f"{folder / path} is missing, and {BUNDLE} names it") from None
        if hashlib.sha256(found[path]).hexdigest() != digest:
            raise BadParameter(f"{folder / path} is not the one that {BUNDLE} names")
    return found
