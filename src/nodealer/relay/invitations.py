"""Invitation links: everything needed to join a table, in one text. docs/spec/invitations.md specifies the bytes.

A link to play contains the secret of the table, a link to watch only the read key. Neither contains the host's key, but
both contain a mark of it: if someone else proposes in the lobby, it is not the table that was meant. Links are parsed
strictly. Two different texts are two different links, and there is a clear message for a link that was truncated,
changed, or meant for another program.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from typing import Final

from nodealer.errors import BadParameter, DecodeError, OtherFormat
from nodealer.keys import KEY_BYTES, MARK_BYTES
from nodealer.relay.sealing import ReadKey, TableSecret

VERSION: Final = 1
#: Versions that may exist one day. A text that starts with anything else is not a link.
_VERSIONS: Final = range(1, 16)
_TO_PLAY: Final = 0
_TO_WATCH: Final = 1
_TO_PLAY_LATER: Final = 2
SECRET_BYTES: Final = 16
TABLE_BYTES: Final = 16
EPOCH_BYTES: Final = 4
RELAYS_MAX: Final = 4
#: The maximum length of one relay's or one page's address.
ADDRESS_BYTES_MAX: Final = 200
#: No table has this many keys: a relay accepts 100. Spectators look for all earlier keys.
EPOCH_MAX: Final = 1023
#: A link in a letter, with all the space around it. Longer texts are not parsed.
TEXT_CHARACTERS_MAX: Final = 4096
#: Precedes the fragment if there is no page.
SCHEME: Final = "nodealer:"

_HOST: Final = r"(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[1-9][0-9]{0,4})?"
_PATH: Final = r"(?:/[A-Za-z0-9._~%!$&'()*+,;=:@/-]*)?"
_RELAY: Final = re.compile(rf"wss?://{_HOST}{_PATH}")
_PAGE: Final = re.compile(rf"https?://{_HOST}{_PATH}")
_TABLE: Final = re.compile(r"[0-9a-f]{32}")
_FRAGMENT: Final = re.compile(r"[A-Za-z0-9_-]+")
_PORTS: Final = {"ws": ":80", "wss": ":443", "http": ":80", "https": ":443"}


def normalize_relay_address(text: str) -> str:
    """Return a relay's address in its canonical form, because both sides of a pairing code hash it.

    Raise `BadParameter` if it is not an address.
    """
    return _normalize(text, _RELAY, "a relay's address looks like wss://relay.example or ws://192.168.1.7:8765")


def normalize_page_address(text: str) -> str:
    """Return a web page's address in its canonical form. Raise `BadParameter` if it is not an address."""
    return _normalize(text, _PAGE, "a page's address looks like https://cards.example/table")


def _normalize(text: str, pattern: re.Pattern[str], wanted: str) -> str:
    """Return an address in canonical form. Raise `BadParameter` with the sentence `wanted` if it does not fit."""
    scheme, separator, rest = text.strip().partition("://")
    host, slash, path = rest.partition("/")
    host = host.lower().removesuffix(_PORTS.get(scheme.lower(), ""))
    address = scheme.lower() + separator + host + (slash + path if path else "")
    if len(address) > ADDRESS_BYTES_MAX or not pattern.fullmatch(address) or not _has_valid_port(host):
        raise BadParameter(
            f"{wanted}, with at most {ADDRESS_BYTES_MAX} characters, no user and no #: not {text[:80]!r}"
        )
    return address


def _has_valid_port(host: str) -> bool:
    """Return whether a host's port, if any, is in range. The host already matches the pattern, so the port is short."""
    port = host.rpartition(":")[2]
    return not port.isdecimal() or int(port) < 1 << 16


@dataclass(frozen=True)
class Invitation:
    """The contents of a link. Its secrets are in `key`, whose repr does not show them."""

    #: The relays that have this table. They are interchangeable.
    relays: tuple[str, ...]
    #: The table's secret, to play; or the read key, to watch.
    key: TableSecret | ReadKey
    #: The mark of the host's key.
    host: bytes
    #: The address of a web page for playing in a browser; empty if there is none.
    page: str = ""

    def __post_init__(self) -> None:
        """Check the relays, the page and the host's mark. Raises `BadParameter`."""
        if not 1 <= len(self.relays) <= RELAYS_MAX or len(set(self.relays)) < len(self.relays):
            raise BadParameter(f"an invitation must name 1 to {RELAYS_MAX} different relays")
        for address in self.relays:
            if normalize_relay_address(address) != address:
                raise BadParameter(
                    f"the relay's address must be written {normalize_relay_address(address)}, not {address}"
                )
        if self.page and normalize_page_address(self.page) != self.page:
            raise BadParameter(
                f"the page's address must be written {normalize_page_address(self.page)}, not {self.page}"
            )
        if len(self.host) != MARK_BYTES:
            raise BadParameter(f"the mark of a host's key must have {MARK_BYTES} bytes")
        if not _TABLE.fullmatch(self.key.table):
            raise BadParameter(f"a table's name must be {TABLE_BYTES} bytes in hex")
        if not 0 <= self.key.epoch <= EPOCH_MAX:
            raise BadParameter(f"a link's key epoch must be at most {EPOCH_MAX}")
        if isinstance(self.key, TableSecret):
            if len(self.key.secret) != (KEY_BYTES if self.key.epoch else SECRET_BYTES):
                raise BadParameter(
                    f"a link to play must have a secret of {SECRET_BYTES} bytes, or a later one of {KEY_BYTES}"
                )
        elif len(self.key.key) != KEY_BYTES:
            raise BadParameter(f"a link to watch must have a key of {KEY_BYTES} bytes")

    @property
    def table(self) -> str:
        """Return the relay's name of the table."""
        return self.key.table

    @property
    def can_play(self) -> bool:
        """Return whether this is a link to play, which allows writing."""
        return isinstance(self.key, TableSecret)

    def table_secret(self) -> TableSecret:
        """Return the table's secret. Raise `BadParameter` for a link to watch."""
        if not isinstance(self.key, TableSecret):
            raise BadParameter("this is a spectator link; to play, ask the host for a player link")
        return self.key

    def with_key(self, key: TableSecret) -> Invitation:
        """Return the same invitation with the key of another epoch."""
        return Invitation(self.relays, key, self.host, self.page)

    def read_key(self) -> ReadKey:
        """Return the read key, which both kinds of link provide."""
        return self.key.read_key if isinstance(self.key, TableSecret) else self.key

    # defence: forged-link
    def contradicts(self, came_by: Invitation) -> bool:
        """Return whether one of two links with the same table number must be false.

        Anyone who knows the number, such as its relay, can make up a link with another key and host. If the key epochs
        differ, only the hosts can be compared.
        """
        other_key = self.key.epoch == came_by.key.epoch and self.read_key() != came_by.read_key()
        return self.table != came_by.table or self.host != came_by.host or other_key

    def for_spectators(self) -> Invitation:
        """Return the invitation for spectators, who can read but not write."""
        return Invitation(self.relays, self.read_key(), self.host, self.page)

    # --- Encoding ---

    @property
    def fragment(self) -> str:
        """Return the part after the #, which browsers do not send to any server."""
        return base64.urlsafe_b64encode(self._bytes()).rstrip(b"=").decode()

    @property
    def link(self) -> str:
        """Return the link as text, to send or to draw as a QR code."""
        return f"{self.page or SCHEME}#{self.fragment}"

    def _bytes(self) -> bytes:
        """Return the invitation in its binary form."""
        epoch = self.key.epoch.to_bytes(EPOCH_BYTES, "big")
        if not isinstance(self.key, TableSecret):
            kind, secret = _TO_WATCH, epoch + self.key.key
        elif self.key.epoch:
            kind, secret = _TO_PLAY_LATER, epoch + self.key.secret
        else:
            kind, secret = _TO_PLAY, self.key.secret
        addresses = (*(address.encode() for address in self.relays), self.page.encode())
        texts = b"".join(bytes([len(address)]) + address for address in addresses)
        head = bytes([VERSION, kind]) + bytes.fromhex(self.table) + secret + self.host
        return head + bytes([len(self.relays)]) + texts


# --- Parsing ---


def parse_link(text: str) -> Invitation:
    """Return the invitation in a text: a link with or without a page, or only the part after the #.

    Raise `DecodeError` with a sentence for the person who pasted it.
    """
    if len(text) > TEXT_CHARACTERS_MAX:
        raise DecodeError(f"this is not an invitation: it has {len(text)} characters")
    before, sign, fragment = text.strip().rpartition("#")
    # E-mails and terminals break long lines.
    fragment = "".join(fragment.split())
    if not fragment:
        raise DecodeError(
            "this is not an invitation: there is nothing after the #" if sign else "this is not an invitation"
        )
    found = _parse_fragment(fragment)
    if before not in ("", SCHEME, found.page):
        raise DecodeError(f"this link was changed: it should start with {found.page or SCHEME}, not {before[:80]!r}")
    return found


def _parse_fragment(fragment: str) -> Invitation:
    """Return the invitation in a fragment. Raise `DecodeError` if it is invalid."""
    data = _decode_fragment(fragment)
    reader = _LinkReader(data[1:])
    kind = reader.number()
    if kind not in (_TO_PLAY, _TO_WATCH, _TO_PLAY_LATER):
        raise DecodeError("the link is neither a player link nor a spectator link")
    table = reader.take(TABLE_BYTES).hex()
    key: TableSecret | ReadKey
    if kind == _TO_PLAY:
        key = TableSecret(reader.take(SECRET_BYTES), table, 0)
    else:
        epoch = int.from_bytes(reader.take(EPOCH_BYTES), "big")
        made = ReadKey if kind == _TO_WATCH else TableSecret
        key = made(reader.take(KEY_BYTES), table, epoch)
    host = reader.take(MARK_BYTES)
    relays = tuple(reader.text() for _ in range(reader.number()))
    page = reader.text()
    reader.expect_end()
    try:
        return Invitation(relays, key, host, page)
    except BadParameter as error:
        raise DecodeError(f"the link is damaged: {error}") from None


def _decode_fragment(fragment: str) -> bytes:
    """Decode a fragment's base64 strictly. Raise `DecodeError`, or `OtherFormat` for another version."""
    if not _FRAGMENT.fullmatch(fragment):
        raise DecodeError("this is not an invitation: a link has only letters, digits, - and _ after its #")
    try:
        data = base64.urlsafe_b64decode(fragment + "=" * (-len(fragment) % 4))
    except binascii.Error:
        begins = base64.urlsafe_b64decode(fragment[: len(fragment) // 4 * 4])
        if begins[:1] and begins[0] in _VERSIONS:
            raise DecodeError("the link is incomplete: part of it is missing") from None
        raise DecodeError("this is not a nodealer invitation") from None
    if data[0] not in _VERSIONS:
        raise DecodeError("this is not a nodealer invitation")
    if data[0] != VERSION:
        raise OtherFormat(f"the link has version {data[0]}; this program reads version {VERSION}")
    # The last character may have bits that belong to no byte. They must be zero; otherwise part of the link is missing.
    if base64.urlsafe_b64encode(data).rstrip(b"=").decode() != fragment:
        raise DecodeError("the link is incomplete: it ends too early")
    return data


class _LinkReader:
    """Parses the bytes of a link from the left. Its methods raise `DecodeError`."""

    def __init__(self, data: bytes) -> None:
        """Start at the first byte."""
        self._data = data

    def take(self, count: int) -> bytes:
        """Return the next bytes."""
        if len(self._data) < count:
            raise DecodeError("the link is incomplete: part of it is missing")
        taken, self._data = self._data[:count], self._data[count:]
        return taken

    def number(self) -> int:
        """Return the next byte as a number."""
        return self.take(1)[0]

    def text(self) -> str:
        """Return the next text, which is preceded by its length."""
        try:
            return self.take(self.number()).decode("ascii")
        except UnicodeDecodeError:
            raise DecodeError("the link is damaged: it contains an invalid address") from None

    def expect_end(self) -> None:
        """Raise `DecodeError` if anything is left."""
        if self._data:
            raise DecodeError("the link is damaged: there is something after its end")
