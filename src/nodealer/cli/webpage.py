"""`nodealer web`: the page for players who have nothing installed."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from nodealer.cli import text as phrases
from nodealer.cli.exits import BAD, GOOD
from nodealer.cli.options import JsonDocument
from nodealer.cli.output import err, escape_markup, out, print_json
from nodealer.client.address import parse_address
from nodealer.errors import BadParameter
from nodealer.relay.invitations import normalize_page_address

#: The hash of bundle.json of this release; empty between releases. It is not part of what is hashed.
RELEASE: Final = ""
#: The hash of the sources of the bundle: another compiler makes different bytes from them.
RELEASE_SOURCES: Final = ""


def folder_of(wanted: str | None) -> str | None:
    """Return the folder that this machine is to serve, or None if the page is served elsewhere or not wanted."""
    return None if wanted is None or wanted.startswith(("http://", "https://")) else str(Path(wanted).absolute())


@contextmanager
def serve_guest_page(wanted: str | None, before: str = "") -> Iterator[str]:
    """Yield the address of a page for guests with nothing installed, or an empty string if none is wanted.

    A folder is served to the local network as long as this lasts. `before` is the address that guests already have in
    their links, at which it is served again.
    """
    if wanted is None or folder_of(wanted) is None:
        yield "" if wanted is None else normalize_page_address(wanted)
        return
    import uvicorn  # late: no other command should wait for it

    from nodealer.client.host_relay import own_address
    from nodealer.web.bundle.serve import create_app

    app = create_app(Path(wanted))
    port = int(before.rpartition(":")[2]) if before else 0
    try:
        listening = socket.create_server(("", port))
    except OSError as error:
        raise BadParameter(phrases.guests_page_taken(before, error.strerror)) from None
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, server_header=False, access_log=False))
    serving = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    serving.start()
    err().print(phrases.GUESTS_PAGE, soft_wrap=True)
    try:
        yield before or normalize_page_address(f"http://{own_address()}:{listening.getsockname()[1]}")
    finally:
        server.should_exit = True
        serving.join(5)
        listening.close()


def _is_hash(text: str) -> bool:
    """Return whether the text is a SHA-256 hash in lowercase hex."""
    return len(text) == 64 and set(text) <= set("0123456789abcdef")


def serve(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder built by `make web`, or from a release.")],
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Address to listen on. For HTTPS, put a proxy in front.")
    ] = "127.0.0.1:8080",
) -> None:
    """Serve the page on which people play without installing anything.

    Serve it over HTTPS, at the root of its own address, because pages of one address share their storage. Whoever
    serves the page could read its players' cards. The relay can be, and by default is, a different machine.
    """
    import uvicorn  # late: no other command should wait for it

    from nodealer.web.bundle.serve import create_app

    host, port = parse_address(listen, refusal=phrases.bad_listen(listen, "127.0.0.1:8080"))
    app = create_app(folder)
    err().print(phrases.serving_page(escape_markup(listen)), soft_wrap=True)
    uvicorn.run(app, host=host, port=port, log_level="warning", server_header=False, access_log=False)


def check(
    url: Annotated[str, typer.Argument(metavar="URL", help="Address of the page.")],
    against: Annotated[
        str,
        typer.Option(
            metavar="HASH|FILE|DIR",
            help="What to compare with: the SHA-256 of bundle.json, that file, or a folder that you built. "
            "Default: the hash of this release (development versions have none).",
        ),
    ] = RELEASE,
    json: JsonDocument = False,
) -> None:
    """Compare a served page with the hashes of a release.

    A release names one hash, that of bundle.json, which lists the hash of every file. The same sources give the same
    bytes: `make web` builds the folder and prints the hash. This cannot detect a server that gives one visitor
    different files than others.

    Exit codes: 0 all files match, 1 a file differs or is missing, 2 there is nothing to compare with, 4 the server does
    not answer.
    """
    from nodealer.web.bundle.check import compare, release_files
    from nodealer.web.bundle.serve import read_list

    if not against:
        raise BadParameter(phrases.NO_RELEASE_HASH)
    release = release_files(url, against) if _is_hash(against) else read_list(Path(against))
    found = compare(url, release)
    if json:
        print_json({"same": found.same, "others": found.others, "missing": found.missing, "ok": found.ok})
    else:
        for path in found.others:
            out().print(phrases.file_differs(escape_markup(path)), soft_wrap=True)
        for path in found.missing:
            out().print(phrases.file_missing(escape_markup(path)), soft_wrap=True)
        out().print(phrases.page_verdict(escape_markup(url), len(found.same), ok=found.ok), soft_wrap=True)
    raise typer.Exit(GOOD if found.ok else BAD)
