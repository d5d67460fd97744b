"""A game to audit: long enough for several scripts, small enough to be quick."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from nodealer.client.local_table import seat_players
from nodealer.engine.bodies import Cards, read_body
from nodealer.engine.commands import MakeMove
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant
from nodealer.games.holdem import Call, Holdem, Muck
from nodealer.games.holdem.hand import Hand
from nodealer.keys import Identity
from nodealer.log.entry import Entry, read_entry, sign_entry
from nodealer.log.file import save_log
from nodealer.log.session import Session
from nodealer.protocols import make_protocol
from nodealer.wire import encode

HANDS = 3


@dataclass
class Game:
    session: Session
    entries: list[bytes]
    keys: list[Identity]

    def save(self, path: Path, entries: list[bytes] | None = None) -> Path:
        save_log(path, self.session, self.entries if entries is None else entries)
        return path

    def entry(self, number: int) -> Entry:
        return read_entry(self.entries[number]).entry

    def falsified(self, step: str, hand: int) -> tuple[int, bytes]:
        """The last entry of a hand with a message of this kind, one byte of it false, signed by its own seat."""
        wanted = f'"type":"{step}"'.encode()
        number = max(n for n, data in enumerate(self.entries) if wanted in data and self.entry(n).hand == hand)
        entry = self.entry(number)
        body = read_body(bytes(entry.body))
        assert isinstance(body, Cards)
        field = b'"keys":"' if step == "release" else b'"proof":"'
        before, _, rest = bytes(body.message).partition(field)
        text, _, after = rest.partition(b'"')
        raw = bytearray(base64.b64decode(text))
        raw[-32] ^= 1
        message = before + field + base64.b64encode(raw) + b'"' + after
        false = Cards(body.duty, msgspec.Raw(message))
        return number, self.signed(number, msgspec.structs.replace(entry, body=msgspec.Raw(encode(false))))

    def signed(self, number: int, entry: Entry) -> bytes:
        return sign_entry(self.keys[entry.seat], entry)


@pytest.fixture(scope="session")
def game() -> Game:
    names = [f"player {seat}" for seat in range(3)]
    table = seat_players(names, make_protocol("mask"), Holdem(1000), os.urandom, stays=stay_for_hands(HANDS))

    def decide(one: Participant) -> list[bytes]:
        hand = one.replica.state.hand.game
        if not isinstance(hand, Hand) or one.options().move is None:
            return []
        return one.command(MakeMove(Call() if hand.legal(one.seat.number).call is not None else Muck()))

    table.run(decide)
    return Game(table.participants[0].session, table.log, [one.store.identity for one in table.participants])
