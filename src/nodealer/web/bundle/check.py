"""Compares what a host serves with the hashes of a release, file by file, as any visitor would get them.

This does not detect a host that serves other files to selected visitors.
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
from nodealer.relay.invitations import normalize_page_address
from nodealer.web.bundle.content import BUNDLE, read_file_list

#: The longest file that a release may have.
FILE_BYTES_MAX: Final = 64 << 20
SECONDS: Final = 60.0

#: Returns what is at an address, or None if the host says that there is nothing.
Fetch = Callable[[str], bytes | None]


@dataclass(frozen=True)
class ReleaseCheck:
    """The result of a comparison: which files are the same, which differ, and which are missing."""

    same: tuple[str, ...]
    others: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """True if every file is there and the same."""
        return not (self.others or self.missing)


class _NoRedirects(HTTPRedirectHandler):
    """Follows no redirects: a browser would then be at another address, and trust that one."""

    def redirect_request(self, *of: object) -> None:
        """Refuse every redirect: None makes urllib raise it as an error."""
        return None


_OPENER: Final = build_opener(_NoRedirects)


def fetch(address: str) -> bytes | None:
    """Return what is at an address, or None if nothing is. Raises `RelayError` if the host gives no complete answer."""
    try:
        with _OPENER.open(Request(address, headers={"Cache-Control": "no-cache"}), timeout=SECONDS) as answer:
            return _read_all(answer, address)
    except HTTPError as error:
        if error.code in range(300, 400):
            raise RelayError(f"{address} redirects to another address: check that one instead") from None
        return None
    except HTTPException as error:
        raise RelayError(f"no page at {address}: the host does not speak HTTP ({type(error).__name__})") from None
    except (URLError, OSError, ValueError) as error:
        raise RelayError(f"no page at {address}: {getattr(error, 'reason', error)}") from None


def _read_all(answer: HTTPResponse, address: str) -> bytes:
    """Read a response. Raises `RelayError` if it is too long or takes too long."""
    data, deadline = bytearray(), time.monotonic() + SECONDS
    while piece := answer.read1(1 << 20):
        data += piece
        if len(data) > FILE_BYTES_MAX or time.monotonic() > deadline:
            raise RelayError(f"no page at {address}: the response is too long or too slow")
    return bytes(data)


def release_files(url: str, digest: str, fetch: Fetch = fetch) -> dict[str, str]:
    """Return the files of the release with this hash, by the list that the host itself serves.

    If the host serves a different list, only that list is compared, and it will differ.
    """
    data = fetch(f"{normalize_page_address(url).rstrip('/')}/{BUNDLE}")
    if data is None or hashlib.sha256(data).hexdigest() != digest:
        return {BUNDLE: digest}
    return {BUNDLE: digest, **read_file_list(data, BUNDLE)}


def compare(url: str, release: Mapping[str, str], fetch: Fetch = fetch) -> ReleaseCheck:
    """Compare every file of a release with what a host serves. The start page is also requested at the bare address."""
    base = normalize_page_address(url).rstrip("/")
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
    return ReleaseCheck(tuple(found["same"]), tuple(found["others"]), tuple(found["missing"]))
