"""Games that were played, and moments of them, for what a fuzzer says next. Each is made once, the same every time."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from conformance.games import TinyRules
from conformance.harness import Game, Source, forked
from nodealer.cards import Deal, NewDeck, Portion, Show
from nodealer.drive.files import SmallFile
from nodealer.drive.homes import FolderHome
from nodealer.drive.identity import my_identity
from nodealer.drive.known import PLAYERS, PLAYERS_BYTES_MAX, KnownPlayers
from nodealer.games.base import Rules
from nodealer.games.package import GamePackage
from nodealer.games.words import Words
from nodealer.keys import Identity, host_mark
from nodealer.log.entry import read_entry
from nodealer.play.bodies import Cards, read_body
from nodealer.play.frames import _signed_words
from nodealer.play.home import MemoryHome
from nodealer.play.participant import Participant
from nodealer.play.replica import Replica
from nodealer.protocols import make_protocol
from nodealer.protocols.base import Deck, Duty
from nodealer.relay.codes import GuestExchange, HostExchange, read_code
from nodealer.relay.links import Invitation
from nodealer.relay.sealing import TableSecret
from nodealer.wire import encode
from play.circle import Circle
from protocols.kit import duty_of
from protocols.script import LastingRules

#: Everything that mask can be asked in a tiny game; the others as much as they can.
RULES: Final[dict[str, Rules]] = {
    "mask": TinyRules(prove=True, discard=True),
    "lock": TinyRules(prove=True),
    "offset": TinyRules(),
    "chain": TinyRules(),
    "duel": LastingRules.of(
        (
            (NewDeck(0, 5, 0), NewDeck(1, 4, 1)),
            (Deal(0, (Portion(0, 2),)), Deal(1, (Portion(1, 2),))),
            (Show(0, 0, ()),),
        )
    ),
}
TINY: Final = GamePackage(
    name="tiny",
    version=0,
    rules=lambda raw: RULES["mask"],
    from_settings=lambda settings: RULES["mask"],
    words=Words(),
)


@cache
def game(protocol: str) -> Game:
    """A whole game."""
    return Game(make_protocol(protocol), RULES[protocol], seats=2, seed="fuzz").play()


@cache
def replicas(protocol: str) -> list[Replica]:
    """Somebody who looks on, after each entry."""
    found = game(protocol)
    one = found.replica(0)
    after = [forked(one)]
    for data in found.log:
        one.append(data)
        after.append(forked(one))
    return after


def at_moment(byte: int) -> tuple[Game, Replica]:
    """A moment of a game on `mask`, for somebody who may do anything with it."""
    after = replicas("mask")
    return game("mask"), forked(after[byte % len(after)])


@cache
def moments(protocol: str) -> list[tuple[Deck, Duty, bytes]]:
    """Every message about cards of a game, with the deck and the duty that it was for."""
    found = list[tuple[Deck, Duty, bytes]]()
    for before, data in zip(replicas(protocol), game(protocol).log, strict=False):
        duty, body = duty_of(before.state, data), read_body(bytes(read_entry(data).entry.body))
        if duty is not None and duty.deck is not None and isinstance(body, Cards):
            found.append((before.state.hand.decks[duty.deck], duty, bytes(body.message)))
    return found


_SEAT: Final = re.compile(rb'"seat":([0-9])')
_ENTRY: Final = b'{"entry":'
_SIGNATURE: Final = b',"signature":'


def signed_again(table: Game, data: bytes) -> bytes:
    """An entry, or whatever stands where one should, signed by the seat that it names."""
    raw = data.removeprefix(_ENTRY).rpartition(_SIGNATURE)[0] if data.startswith(_ENTRY) else data
    named = _SEAT.search(raw)
    person = table.persons[int(named[1]) % len(table.persons) if named else 0]
    return _ENTRY + raw + _SIGNATURE + encode(person.key.sign(raw)) + b"}"


def signed_frame(table: str, words: bytes) -> bytes:
    """A frame of the lobby that somebody has signed, whatever it says."""
    key = Identity(b"\x07" * 32)
    signature = encode(key.sign(_signed_words(table, words)))
    return b'{"lobby":' + words + b',"key":' + encode(key.public) + _SIGNATURE + signature + b"}"


# --- People at a table ---


@cache
def circle() -> Circle:
    """A game without cryptography, with somebody who watches."""
    return Circle(2, hands=1).play()


def listener(which: bytes) -> Participant:
    """One of them, at some moment."""
    table = circle()
    place, height = which[0] % len(table.homes), which[0] * len(table.frames) // 256
    home = table.homes[place]
    one = table.sit(MemoryHome(home.name, home.identity, home.root))
    for number, frame in enumerate(table.frames[:height]):
        one.receive(frame, number)
    return one


@cache
def home_files() -> dict[str, bytes]:
    """The files of a home after a game, and of a user who knows somebody."""
    table = circle()
    home, session = table.homes[0], table.people[0].replica.config.session
    with TemporaryDirectory() as place:
        folder = Path(place) / "home"
        with FolderHome.create(folder, "Ada", bytes(32), bytes(32)) as made:
            for frame in home.lobby:
                made.heard(frame)
            made.begin(session)
            for entry in home.entries[:3]:
                made.append(entry)
            for record in home.journal.records[:3]:
                made.journal.write(record)
        my_identity(folder, Source("user"))
        KnownPlayers(SmallFile(folder / PLAYERS, PLAYERS_BYTES_MAX)).met([("Bo", home.identity.public)], 0)
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def exchanges() -> tuple[HostExchange, GuestExchange]:
    """Both sides of a spoken code, which have not heard each other."""
    host, relay = Identity(b"\x01" * 32), "wss://relay.example"
    invitation = Invitation((relay,), TableSecret(bytes(16), "5a" * 16, 0), host_mark(host.public))
    code = read_code("7-apple-river")
    return (
        HostExchange(code, relay, invitation, host, Source("host"), 0.0),
        GuestExchange(code, relay, Identity(b"\x02" * 32), "Bo", Source("guest"), 0.0),
    )
