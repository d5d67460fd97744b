"""Compares what a host serves with the hashes of a release: file by file, as any visitor gets them.

A host that serves one visitor something else than others is not found out this way.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from typing import Final
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import HTTPRedirectHandler, Request, build_opener

from nodealer.errors import RelayError
from nodealer.relay.invitations import page_address
from nodealer.web.bundle.content import BUNDLE, files_of

#: No file of a release is longer.
FILE_BYTES_MAX: Final = 64 << 20
SECONDS: Final = 60.0

#: Gives what is at an address, or None where the host says that nothing is.
Fetch = Callable[[str], bytes | None]


@dataclass(frozen=True)
class Compared:
    """What a host serves: which files are as they should be, which are others, and which it has not."""

    same: tuple[str, ...]
    others: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not (self.others or self.missing)


class _Staying(HTTPRedirectHandler):
    """Follows nobody elsewhere: a browser would be at another address then, and trust that one."""

    def redirect_request(self, *of: object) -> None:
        return None


_OPENER: Final = build_opener(_Staying)


def fetch(address: str) -> bytes | None:
    """What is at an address. Raises `RelayError` where nobody answers, or not to the end."""
    try:
        with _OPENER.open(Request(address, headers={"Cache-Control": "no-cache"}), timeout=SECONDS) as answer:
            return _all_of(answer, address)
    except HTTPError as error:
        if error.code in range(300, 400):
            raise RelayError(f"{address} sends its visitors to another address: check that one") from None
        return None
    except HTTPException as error:
        raise RelayError(f"no page at {address}: its host does not speak HTTP ({type(error).__name__})") from None
    except (URLError, OSError, ValueError) as error:
        raise RelayError(f"no page at {address}: {getattr(error, 'reason', error)}") from None


def _all_of(answer: HTTPResponse, address: str) -> bytes:
    """A file, as long as it comes: neither for ever, nor without end."""
    data, until = bytearray(), time.monotonic() + SECONDS
    while piece := answer.read1(1 << 20):
        data += piece
        if len(data) > FILE_BYTES_MAX or time.monotonic() > until:
            raise RelayError(f"no page at {address}: what it serves there does not come to an end")
    return bytes(data)


def listed_by(url: str, digest: str, fetch: Fetch = fetch) -> dict[str, str]:
    """The files of the release with this hash, by the list that the host itself serves. One that serves another list is
    compared with nothing else: that list is another file."""
    data = fetch(f"{page_address(url).rstrip('/')}/{BUNDLE}")
    if data is None or hashlib.sha256(data).hexdigest() != digest:
        return {BUNDLE: digest}
    return {BUNDLE: digest, **files_of(data, BUNDLE)}


def compare(url: str, release: Mapping[str, str], fetch: Fetch = fetch) -> Compared:
    """Every file of a release, as a host serves it; the first page as it is served for the bare address too."""
    base = page_address(url).rstrip("/")
    found: dict[str, list[str]] = {"same": [], "others": [], "missing": []}
    for path, wanted in sorted(release.items()):
        served = [fetch(f"{base}/{quote('' if path == 'index.html' else path)}")]
        if path == "index.html":
            served.append(fetch(f"{base}/index.html"))
        if any(data is None for data in served):
            found["missing"].append(path)
        else:
            same = all(hashlib.sha256(data).hexdigest() == wanted for data in served if data is not None)
            found["same" if same else "others"].append(path)
    return Compared(tuple(found["same"]), tuple(found["others"]), tuple(found["missing"]))
