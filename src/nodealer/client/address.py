"""Addresses to listen on, as people type them: HOST:PORT."""

from __future__ import annotations

from nodealer.errors import BadParameter


def parse_address(text: str, *, refusal: str, least: int = 0) -> tuple[str, int]:
    """Return host and port of HOST:PORT, an IPv6 host without its brackets.

    Raise `BadParameter` with the sentence `refusal` if the text is not such an address or the port is below `least`.
    """
    host, _, port = text.rpartition(":")
    if not (host and port.isascii() and port.isdigit() and len(port) <= 5 and least <= int(port) < 1 << 16):
        raise BadParameter(refusal)
    return host.removeprefix("[").removesuffix("]"), int(port)
