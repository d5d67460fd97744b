"""A game to audit: long enough for several scripts, small enough to be quick."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from nodealer.games.holdem import Call, Holdem, Muck
from nodealer.games.holdem.hand import Hand
from nodealer.keys import Identity
from nodealer.log.entry import Entry, read_entry, sign_entry
from nodealer.log.file import save_log
from nodealer.log.journal import MemoryJournal
from nodealer.log.roster import Roster, member_of
from nodealer.log.session import Part, Proposal, Session
from nodealer.play.bodies import Cards, read_body
from nodealer.play.config import config_of
from nodealer.play.local import LocalTable, agree_session
from nodealer.play.seat import Seat
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
    protocol, rules = make_protocol("mask"), Holdem(1000)
    keys = [Identity(os.urandom(32)) for _ in range(3)]
    roster = Roster(tuple(member_of(key, seat, f"player {seat}") for seat, key in enumerate(keys)))
    game, cards = Part("holdem", rules.version, msgspec.Raw(rules.parameters)), Part("mask", protocol.claims.version)
    cards = msgspec.structs.replace(cards, parameters=msgspec.Raw(protocol.parameters))
    session = agree_session(Proposal(game, cards, rules.versions, roster), os.urandom)
    config = config_of(session)
    seats = {
        seat: Seat(config, seat, root=os.urandom(32), key=key, journal=MemoryJournal(), entropy=os.urandom)
        for seat, key in enumerate(keys)
    }
    table = LocalTable(seats)

    def decide(seat: Seat) -> bool:
        hand = seat.replica.state.hand.game
        if not isinstance(hand, Hand) or not any(duty.kind == "move" for duty in seat.open_duties):
            return False
        table.order(seat.move(Call() if hand.legal(seat.number).call is not None else Muck()))
        return True

    busy = True
    while busy:
        for seat in seats.values():
            seat.stays = seat.replica.state.hand.number < HANDS
        busy = table.step() or any(decide(seat) for seat in seats.values())
    return Game(session, table.log, keys)
