"""`nodealer web`: the page for players with nothing installed."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from nodealer.cli.exits import BAD, GOOD
from nodealer.cli.output import err, out, print_json, shown
from nodealer.errors import BadParameter
from nodealer.relay.invitations import page_address

#: The hash of bundle.json of this release; empty between releases. It is no part of what is hashed.
RELEASE: Final = ""
#: The hash of the sources that it was built of: another compiler makes other bytes of them.
RELEASE_SOURCES: Final = ""


def folder_of(wanted: str | None) -> str | None:
    """The folder that this machine is to serve; None where somebody else serves the page, or nobody does."""
    return None if wanted is None or wanted.startswith(("http://", "https://")) else str(Path(wanted).absolute())


@contextmanager
def page_for_guests(wanted: str | None, before: str = "") -> Iterator[str]:
    """The address of a page for those who have nothing installed: one that somebody serves, or a folder that this
    machine serves to its network as long as this lasts. Empty where none is wanted. `before`: the address that guests
    have in their links, and where it is served again."""
    if wanted is None or folder_of(wanted) is None:
        yield "" if wanted is None else page_address(wanted)
        return
    import uvicorn  # late: no other command should wait for it

    from nodealer.cli.host_relay import own_address
    from nodealer.web.bundle.serve import app_of

    app = app_of(Path(wanted))
    port = int(before.rpartition(":")[2]) if before else 0
    try:
        listening = socket.create_server(("", port))
    except OSError as error:
        raise BadParameter(f"the page of your guests cannot be served at {before} again: {error.strerror}") from None
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, server_header=False, access_log=False))
    serving = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    serving.start()
    err().print(
        "The page of your guests is served by this machine, without encryption: for them a reload loses the hand, and "
        "you could see their cards. Their page says so.",
        soft_wrap=True,
    )
    try:
        yield before or page_address(f"http://{own_address()}:{listening.getsockname()[1]}")
    finally:
        server.should_exit = True
        serving.join(5)
        listening.close()


def _is_hash(text: str) -> bool:
    return len(text) == 64 and set(text) <= set("0123456789abcdef")


def serve(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What `make web` has built, or a release has.")],
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where to listen. Behind a proxy with https, as here.")
    ] = "127.0.0.1:8080",
) -> None:
    """Serve the page in which somebody with nothing installed plays.

    Serve it at the root of an address of its own, with https: pages of one address share their storage. Whoever serves
    it could read the cards of those who play in it; the relay need not be, and by itself is not, the same machine.
    """
    import uvicorn  # late: no other command should wait for it

    from nodealer.web.bundle.serve import app_of

    host, _, port = listen.rpartition(":")
    if not host or not port.isdecimal() or int(port) >= 1 << 16:
        raise BadParameter(f"--listen is like 127.0.0.1:8080, not {listen!r}")
    app = app_of(folder)
    err().print(f"The page is at [bold]http://{shown(listen)}/[/bold] (Ctrl-C stops)", soft_wrap=True)
    uvicorn.run(app, host=host.strip("[]"), port=int(port), log_level="warning", server_header=False, access_log=False)


def check(
    url: Annotated[str, typer.Argument(metavar="URL", help="Where the page is served.")],
    against: Annotated[
        str,
        typer.Option(
            metavar="HASH|FILE|DIR",
            help="What the page should be: the SHA-256 of its bundle.json, that file itself, or the folder that you "
            "have built. Default: the hash of this release; a version between releases has none.",
        ),
    ] = RELEASE,
    json: Annotated[bool, typer.Option("--json", help="One JSON document instead of text.")] = False,
) -> None:
    """Compare what a host serves with the hashes of a release.

    A release names one hash, of bundle.json, which names the hash of every file of the page. The same sources give the
    same bytes: `make web` builds the folder, and prints that hash. Ends with 0 when all files are the same, 1 when one
    is another or missing, 2 when there is nothing to compare with, 4 when nobody answers. A host can serve one visitor
    something else than others: this does not find that out.
    """
    from nodealer.web.bundle.check import compare, listed_by
    from nodealer.web.bundle.serve import read_list

    if not against:
        raise BadParameter(
            "this version of nodealer is no release, and has no hash of its own: say with --against what the page "
            "should be, by the hash that a release names, or by the folder of your own `make web`"
        )
    release = listed_by(url, against) if _is_hash(against) else read_list(Path(against))
    found = compare(url, release)
    if json:
        print_json({"same": found.same, "others": found.others, "missing": found.missing, "ok": found.ok})
    else:
        for path in found.others:
            out().print(f"[red bold]✗[/red bold] {shown(path)} is another file", soft_wrap=True)
        for path in found.missing:
            out().print(f"[red bold]✗[/red bold] {shown(path)} is not there", soft_wrap=True)
        told = "[green bold]SAME[/green bold]" if found.ok else "[red bold]OTHER[/red bold]"
        out().print(f"{told}: {len(found.same)} files of {shown(url)} are as they should be.", soft_wrap=True)
    raise typer.Exit(GOOD if found.ok else BAD)
