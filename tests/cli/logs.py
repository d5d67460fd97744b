"""A rehearsed game as lines, and ways to falsify it: its keys are public."""

from __future__ import annotations

from pathlib import Path

import msgspec

from nodealer.client.entropy import rehearsal_entropy
from nodealer.engine.bodies import Cards, read_body
from nodealer.keys import KEY_BYTES, Identity
from nodealer.log.entry import read_entry, sign_entry
from nodealer.log.session import Session, read_session
from nodealer.tape import ROOT_BYTES
from nodealer.wire import encode

#: One with which all three have chips after the first hand. Every version of the format deals other cards.
SEED = 8


class Log:
    def __init__(self, path: Path) -> None:
        self.path = path
        first, *self.entries = path.read_bytes().splitlines()
        self.first = first

    @property
    def session(self) -> Session:
        return read_session(self.first)

    def save(self, path: Path, entries: list[bytes], first: bytes | None = None) -> Path:
        path.write_bytes(b"".join(line + b"\n" for line in (first or self.first, *entries)))
        return path

    def key(self, seat: int) -> Identity:
        """As they are drawn when a rehearsal is set up: a key and a root for each seat."""
        draw = rehearsal_entropy(SEED, "table")
        drawn = [(draw(KEY_BYTES), draw(ROOT_BYTES)) for _ in self.session.proposal.roster.seats]
        return Identity(drawn[seat][0])

    def first_of(self, step: str) -> int:
        """The number of the first entry with a message of this kind."""
        wanted = f'"type":"{step}"'.encode()
        return next(number for number, entry in enumerate(self.entries) if wanted in entry)

    def signed_again(self, number: int, change: bytes, to: bytes) -> bytes:
        """An entry with other words in its card message, signed by its own seat."""
        entry = read_entry(self.entries[number]).entry
        body = read_body(bytes(entry.body))
        assert isinstance(body, Cards) and change in bytes(body.message)
        false = Cards(body.duty, msgspec.Raw(bytes(body.message).replace(change, to)))
        changed = msgspec.structs.replace(entry, body=msgspec.Raw(encode(false)))
        return sign_entry(self.key(entry.seat), changed)
