"""The content of the folder for browser tabs: the page, the modules of a seat, and a list of all files."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from nodealer.errors import BadParameter
from nodealer.games.registry import OURS
from nodealer.web.server import static_files

#: The list of all files with their hashes. Its own hash identifies the whole folder.
BUNDLE: Final = "bundle.json"
#: Its two parts: the files, and their versions for browsers that accept brotli.
FILES: Final = "files"
PACKED: Final = "packed"
#: No part of a path may start with a dot, so that nothing outside the folder can be named.
_PATH: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")
PACKAGE: Final = Path(__file__).parents[2]
#: Modules that a tab does not use, because they need a disk, a terminal, a socket or a compiler.
NOT_IN_A_TAB: Final = (
    "api/", "cheats/", "cli/", "gamecheck/", "group/cpu.py", "relay/stores/",
    "relay/client.py", "relay/server/",
    "client/durable_files.py", "client/folder_store.py",
    "client/address.py", "client/host_relay.py", "client/identity.py", "client/journal.py",
    "client/saved_games.py", "client/table_folders.py",
    "client/bot_process.py", "client/entropy.py", "client/game_catalogue.py", "client/game_loader.py",
    "client/local_host.py", "client/local_relay.py", "client/local_seats.py", "client/log_export.py",
    "client/processes.py", "client/rehearsal.py", "client/timekeeper_process.py",
    "web/server.py", "web/socket_owner.py", "web/bundle/",
)  # fmt: skip
#: What the page may load and do: WebAssembly and sockets to relays, but nothing inline, from elsewhere, or by `eval`.
POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self' wss: ws:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
#: The placeholder in the page for the path of the runtime.
RUNTIME_MARK: Final = b"@RUNTIME@"


def seat_modules() -> dict[str, bytes]:
    """Return the modules of this package that a tab needs, by path."""
    found = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.py")}
    return {
        f"nodealer/{name}": path.read_bytes()
        for name, path in sorted(found.items())
        if not name.startswith(NOT_IN_A_TAB)
    }


def page_files(runtime: str) -> dict[str, bytes]:
    """Return the files of the page for a tab. They differ from the local page in the link to the seat and the start."""
    static = static_files()
    tab = {path.removeprefix("tab/"): data for path, data in static.items() if path.startswith("tab/")}
    files = {f"static/{path}": data for path, data in static.items() if not path.startswith("tab/")}
    files["index.html"], files["how/index.html"] = _index(files.pop("static/index.html")), files.pop("static/how.html")
    files["service.js"] = tab.pop("service.js")
    # The only module of the page that is replaced.
    files["static/js/link.js"] = tab.pop("link.js")
    files |= {f"static/tab/{path}": data for path, data in tab.items()}
    for game in OURS:
        for name in ("table.js", "table.css"):
            path = PACKAGE / "games" / game / name
            if path.is_file():
                files[f"game/{game}/{name}"] = path.read_bytes()
    return {path: data.replace(RUNTIME_MARK, runtime.encode()) for path, data in files.items()}


def read_file_list(data: bytes, where: str, part: str = FILES) -> dict[str, str]:
    """Return the files in a list, with their hashes: those of the page, or those that are `PACKED`.

    Raises `BadParameter` if it is not such a list.
    """
    try:
        files = json.loads(data)[part]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BadParameter(f"{where} is not a file list of the page for browser tabs") from None
    if not isinstance(files, dict) or not all(isinstance(one, str) for pair in files.items() for one in pair):
        raise BadParameter(f"{where} does not list files with their hashes")
    for path in files:
        if not _PATH.fullmatch(path):
            raise BadParameter(f"{where} lists {path[:80]!r}, which is not a file below its folder")
    return files


def _index(page: bytes) -> bytes:
    """Add the content security policy to the start page, because a static host may send no headers."""
    head = b'<meta charset="utf-8">\n'
    policy = POLICY.replace("; frame-ancestors 'none'", "").encode()
    more = b'<meta http-equiv="Content-Security-Policy" content="%s">\n' % policy
    html = page.replace(head, head + more + b'<link rel="stylesheet" href="/static/tab/tab.css">\n')
    if html == page:
        raise BadParameter("the start page has an unexpected beginning, so its security policy could not be added")
    return html


def content_hash(files: Mapping[str, bytes]) -> str:
    """Return one SHA-256 hash of several files, over each name and content, with their lengths."""
    digest = hashlib.sha256()
    for name, data in sorted(files.items()):
        for part in (name.encode(), data):
            digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()
