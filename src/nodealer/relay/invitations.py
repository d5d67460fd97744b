"""Links: all that somebody needs to come to a table, in one text. docs/spec/invitations.md has the bytes.

A link to play has the secret of the table, a link to watch only what reads. Neither has the host's key, but its mark:
a lobby in which another one proposes is not the one that was meant. A link is read strictly. Two texts that differ are
two links, and what was cut, changed or meant for another program is said in a sentence.
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
#: Versions that there may be one day. A text that begins with something else is no link.
_VERSIONS: Final = range(1, 16)
_TO_PLAY: Final = 0
_TO_WATCH: Final = 1
_TO_PLAY_LATER: Final = 2
SECRET_BYTES: Final = 16
TABLE_BYTES: Final = 16
EPOCH_BYTES: Final = 4
RELAYS_MAX: Final = 4
#: Of one relay's address, and of a page's.
ADDRESS_BYTES_MAX: Final = 200
#: No table has had so many keys: a relay of ours takes 100. Who watches looks for all that came before.
EPOCH_MAX: Final = 1023
#: A link in a letter, with all the space around it. Longer is not looked at.
TEXT_CHARACTERS_MAX: Final = 4096
#: Before the fragment, where there is no page.
SCHEME: Final = "nodealer:"

_HOST: Final = r"(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[1-9][0-9]{0,4})?"
_PATH: Final = r"(?:/[A-Za-z0-9._~%!$&'()*+,;=:@/-]*)?"
_RELAY: Final = re.compile(rf"wss?://{_HOST}{_PATH}")
_PAGE: Final = re.compile(rf"https?://{_HOST}{_PATH}")
_TABLE: Final = re.compile(r"[0-9a-f]{32}")
_FRAGMENT: Final = re.compile(r"[A-Za-z0-9_-]+")
_PORTS: Final = {"ws": ":80", "wss": ":443", "http": ":80", "https": ":443"}


def relay_address(text: str) -> str:
    """The address of a relay in the one way in which everybody writes it: both sides of a spoken code hash it.

    Raises `BadParameter` for what is none.
    """
    return _address(text, _RELAY, "a relay's address is like wss://relay.example or ws://192.168.1.7:8765")


def page_address(text: str) -> str:
    """The same for the address of a page."""
    return _address(text, _PAGE, "a page's address is like https://cards.example/table")


def _address(text: str, pattern: re.Pattern[str], wanted: str) -> str:
    scheme, separator, rest = text.strip().partition("://")
    host, slash, path = rest.partition("/")
    host = host.lower().removesuffix(_PORTS.get(scheme.lower(), ""))
    address = scheme.lower() + separator + host + (slash + path if path else "")
    if len(address) > ADDRESS_BYTES_MAX or not pattern.fullmatch(address) or not _port_fits(host):
        raise BadParameter(f"{wanted}, with at most {ADDRESS_BYTES_MAX} letters, no user and no #: not {text[:80]!r}")
    return address


def _port_fits(host: str) -> bool:
    """Of a host that fits its pattern: so its port is short."""
    port = host.rpartition(":")[2]
    return not port.isdecimal() or int(port) < 1 << 16


@dataclass(frozen=True)
class Invitation:
    """What a link says. Its secrets are in `key`, which does not show them."""

    #: The relays that have this table; one is as good as another.
    relays: tuple[str, ...]
    #: What the invited has: the table's secret, to play; or what reads, to watch.
    key: TableSecret | ReadKey
    #: The mark of the host's key.
    host: bytes
    #: A page on which one can play in a browser, if there is one.
    page: str = ""

    def __post_init__(self) -> None:
        if not 1 <= len(self.relays) <= RELAYS_MAX or len(set(self.relays)) < len(self.relays):
            raise BadParameter(f"an invitation names 1 to {RELAYS_MAX} relays, each once")
        for address in self.relays:
            if relay_address(address) != address:
                raise BadParameter(f"the relay's address is written {relay_address(address)}, not {address}")
        if self.page and page_address(self.page) != self.page:
            raise BadParameter(f"the page's address is written {page_address(self.page)}, not {self.page}")
        if len(self.host) != MARK_BYTES:
            raise BadParameter(f"the mark of a host's key has {MARK_BYTES} bytes")
        if not _TABLE.fullmatch(self.key.table):
            raise BadParameter(f"a table is named by {TABLE_BYTES} bytes in hex")
        if not 0 <= self.key.epoch <= EPOCH_MAX:
            raise BadParameter(f"a link names a key epoch of at most {EPOCH_MAX}")
        if isinstance(self.key, TableSecret):
            if len(self.key.secret) != (KEY_BYTES if self.key.epoch else SECRET_BYTES):
                raise BadParameter(
                    f"a link to play has a secret of {SECRET_BYTES} bytes, or a later one of {KEY_BYTES}"
                )
        elif len(self.key.key) != KEY_BYTES:
            raise BadParameter(f"a link to watch has a key of {KEY_BYTES} bytes")

    @property
    def table(self) -> str:
        """What the relay calls the table."""
        return self.key.table

    @property
    def to_play(self) -> bool:
        """Whether who has it may write."""
        return isinstance(self.key, TableSecret)

    def table_secret(self) -> TableSecret:
        """The table's secret. Raises `BadParameter` where the link is one to watch."""
        if not isinstance(self.key, TableSecret):
            raise BadParameter("this link is one to watch; to play, ask the host for one to play")
        return self.key

    def rekeyed(self, key: TableSecret) -> Invitation:
        """The invitation for those who come in another key epoch."""
        return Invitation(self.relays, key, self.host, self.page)

    def reading(self) -> ReadKey:
        """What reads, which is in both kinds."""
        return self.key.reading if isinstance(self.key, TableSecret) else self.key

    # defence: forged-link
    def is_false_beside(self, came_by: Invitation) -> bool:
        """Whether one of two links of one number of a table is false: who knows the number, such as its relay, can make
        a link of it, with a key and a host of its own. Of a link with a later key only the host is known."""
        other_key = self.key.epoch == came_by.key.epoch and self.reading() != came_by.reading()
        return self.table != came_by.table or self.host != came_by.host or other_key

    def to_watch(self) -> Invitation:
        """The invitation for those who may look on and not write."""
        return Invitation(self.relays, self.reading(), self.host, self.page)

    # --- Writing ---

    @property
    def fragment(self) -> str:
        """What stands behind the #, and what browsers do not send to anybody."""
        return base64.urlsafe_b64encode(self._bytes()).rstrip(b"=").decode()

    @property
    def link(self) -> str:
        """The text to send to somebody, or to draw."""
        return f"{self.page or SCHEME}#{self.fragment}"

    def _bytes(self) -> bytes:
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


# --- Reading ---


def read_link(text: str) -> Invitation:
    """The invitation in a text: a link with or without a page, or what stands behind its #.

    Raises `DecodeError`, with a sentence for whoever has pasted it.
    """
    if len(text) > TEXT_CHARACTERS_MAX:
        raise DecodeError(f"this is no invitation: it has {len(text)} letters")
    before, sign, fragment = text.strip().rpartition("#")
    # Letters and terminals break long lines.
    fragment = "".join(fragment.split())
    if not fragment:
        raise DecodeError("this is no invitation: there is nothing behind the #" if sign else "this is no invitation")
    found = _read_fragment(fragment)
    if before not in ("", SCHEME, found.page):
        raise DecodeError(
            f"somebody has changed this link: it belongs behind {found.page or SCHEME}, not {before[:80]!r}"
        )
    return found


def _read_fragment(fragment: str) -> Invitation:
    data = _decoded(fragment)
    reader = _LinkReader(data[1:])
    kind = reader.number()
    if kind not in (_TO_PLAY, _TO_WATCH, _TO_PLAY_LATER):
        raise DecodeError("the link is neither one to play nor one to watch")
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
    reader.end()
    try:
        return Invitation(relays, key, host, page)
    except BadParameter as error:
        raise DecodeError(f"the link is damaged: {error}") from None


def _decoded(fragment: str) -> bytes:
    if not _FRAGMENT.fullmatch(fragment):
        raise DecodeError("this is no invitation: a link has letters, digits, - and _ behind its #")
    try:
        data = base64.urlsafe_b64decode(fragment + "=" * (-len(fragment) % 4))
    except binascii.Error:
        begins = base64.urlsafe_b64decode(fragment[: len(fragment) // 4 * 4])
        if begins[:1] and begins[0] in _VERSIONS:
            raise DecodeError("the link is cut: a part of it is missing") from None
        raise DecodeError("this is no invitation of nodealer") from None
    if data[0] not in _VERSIONS:
        raise DecodeError("this is no invitation of nodealer")
    if data[0] != VERSION:
        raise OtherFormat(f"the link is of version {data[0]}, and this program reads version {VERSION}")
    # The last letter may have bits that are of no byte. They are zero, or some of the link is missing.
    if base64.urlsafe_b64encode(data).rstrip(b"=").decode() != fragment:
        raise DecodeError("the link is cut: it ends in the middle of something")
    return data


class _LinkReader:
    """Takes a link apart from the left."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def take(self, count: int) -> bytes:
        if len(self._data) < count:
            raise DecodeError("the link is cut: a part of it is missing")
        taken, self._data = self._data[:count], self._data[count:]
        return taken

    def number(self) -> int:
        return self.take(1)[0]

    def text(self) -> str:
        try:
            return self.take(self.number()).decode("ascii")
        except UnicodeDecodeError:
            raise DecodeError("the link is damaged: an address in it is not written in letters") from None

    def end(self) -> None:
        if self._data:
            raise DecodeError("the link is damaged: there is something behind its end")
