"""Games that were played, and moments of them, for what a fuzzer says next. Each is made once, the same every time."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from conformance.bids import BidRules
from conformance.games import TinyRules
from conformance.harness import Game, Source, forked
from engine.circle import Circle
from nodealer.cards.operations import Close, Deal, Look, NewDeck, Peek, Portion, Show
from nodealer.client.contacts import PLAYERS, PLAYERS_BYTES_MAX, Contacts
from nodealer.client.durable_files import SmallFile
from nodealer.client.folder_store import FolderStore
from nodealer.client.identity import load_or_create_identity
from nodealer.client.lobby import Guest, Host, LobbyRole, Onlooker, ask_first
from nodealer.client.lobby import Show as ShowEvent
from nodealer.engine.bodies import Cards, read_body
from nodealer.engine.frame_result import Received
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.lobby_messages import _bytes_to_sign
from nodealer.engine.participant import Participant
from nodealer.engine.prompts import Question
from nodealer.engine.replica import Replica
from nodealer.engine.resolve import create_proposal
from nodealer.engine.store import MemoryPlayerStore, PlayerStore
from nodealer.games.base import Rules
from nodealer.games.package import GamePackage
from nodealer.games.registry import find_game
from nodealer.games.text import Words
from nodealer.keys import Identity, host_mark
from nodealer.log.entry import read_entry
from nodealer.log.journal import Sent
from nodealer.log.roster import Member
from nodealer.log.session import Proposal
from nodealer.protocols import make_protocol
from nodealer.protocols.base import Deck, Duty
from nodealer.relay.invitations import Invitation
from nodealer.relay.pairing import GuestExchange, HostExchange, parse_code
from nodealer.relay.sealing import TableSecret
from nodealer.web.messages import encode_message
from nodealer.web.page_ui import PageUI
from nodealer.wire import encode
from protocols.kit import duty_of
from protocols.script import LastingRules
from web.tables import Screen

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
    # Cards that a person looks at and chooses about; a game at whose end all open their books; and no cards at all.
    "choices": TinyRules(peek=Look.REORDER, reveal=False),
    "books": LastingRules.of(
        (
            (NewDeck(0, 5, 0), NewDeck(1, 4, 1)),
            (Deal(0, (Portion(0, 2),)), Deal(1, (Portion(1, 2),))),
            (Peek(0, 0, 2, Look.REORDER),),
            (Show(0, 0, ()),),
            (Close(0), Close(1)),
        )
    ),
    "dice and envelopes": BidRules(),
}
#: What is played on a protocol of another name, or in another mode.
MORE: Final[dict[str, tuple[str, bytes]]] = {
    "choices": ("mask", b"{}"),
    "books": ("duel", b'{"mode":"committed"}'),
    "dice and envelopes": ("mask", b"{}"),
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
    made = make_protocol(*MORE.get(protocol, (protocol, b"{}")))
    return Game(made, RULES[protocol], seats=2, seed="fuzz").play()


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


def at_moment(protocol: str, byte: int) -> tuple[Game, Replica]:
    """A moment of a game, for somebody who may do anything with it."""
    after = replicas(protocol)
    return game(protocol), forked(after[byte % len(after)])


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


#: Who speaks in a lobby, and has not been there before.
SOMEBODY: Final = Identity(b"\x07" * 32)


def signed_frame(table: str, words: bytes) -> bytes:
    """A frame of the lobby that somebody has signed, whatever it says."""
    signature = encode(SOMEBODY.sign(_bytes_to_sign(table, words)))
    return b'{"lobby":' + words + b',"key":' + encode(SOMEBODY.public) + _SIGNATURE + signature + b"}"


# --- People at a table ---


@cache
def circle() -> Circle:
    """A game without cryptography, with somebody who watches."""
    return Circle(2, hands=1).play()


def listener(which: bytes) -> Participant:
    """One of them, at some moment."""
    return _brought(circle().sit(_home(which)), which)


def with_page(which: bytes) -> tuple[Screen, Participant]:
    """One of them with a page, at some moment."""
    home = _home(which)
    one = Participant(home, entropy=Source("page"), stay_policy=stay_for_hands(1), parts=circle().parts, by_person=True)
    screen = Screen(_brought(one, which), silent_page(home), lambda: 0.0)
    # The page has seen that there is a table.
    screen.show(Received((), ()))
    return screen, one


def silent_page(home: PlayerStore | None = None, *, network: bool = False) -> PageUI:
    """A page that nobody looks at: what it would be told is written all the same."""
    written: deque[bytes] = deque(maxlen=1)
    return PageUI(lambda document: written.append(encode_message(document)), lambda: 0.0, store=home, network=network)


def _heard(which: bytes) -> list[bytes]:
    """All that was said before the moment."""
    frames = circle().frames
    return frames[: which[0] * len(frames) // 256]


def _home(which: bytes) -> MemoryPlayerStore:
    """What one of them had kept by then. Without its journal it would say nothing any more."""
    home, heard = circle().homes[which[0] % len(circle().homes)], _heard(which)
    kept = MemoryPlayerStore(home.name, home.identity, home.root)
    kept.entries = [entry for entry in home.entries if entry in heard]
    if kept.entries:
        kept.lobby, kept.session = home.lobby, home.session
        for record in home.journal.records:
            if isinstance(record, Sent) and record.entry in kept.entries:
                kept.journal.write(record)
    return kept


def _brought(one: Participant, which: bytes) -> Participant:
    """To the moment."""
    for number, frame in enumerate(_heard(which)):
        one.receive(frame, number)
    assert one.silenced is None
    return one


def signed_by_someone(words: bytes) -> bytes:
    """An entry, or whatever stands where one should, signed by the one of them whose seat it names."""
    named = _SEAT.search(words)
    key = circle().homes[int(named[1]) % 2 if named else 0].identity
    return _ENTRY + words + _SIGNATURE + encode(key.sign(words)) + b"}"


@cache
def asked_in_holdem() -> Question:
    """The first question of a game."""
    package = find_game("holdem")
    table = Circle(2, rules=package.from_settings(package.settled({})), hands=1, watchers=0)
    table.play(until=lambda circle: any(one.has_session and one.question() for one in circle.people))
    return next(question for one in table.people if (question := one.question()) is not None)


# --- A lobby ---


class Holdem:
    """What a host wants to play."""

    clock = None

    def proposal(self, members: Sequence[Member]) -> Proposal:
        package = find_game("holdem")
        return create_proposal(package.from_settings(package.settled({})), make_protocol("mask"), members)


@cache
def nobody_known() -> Contacts:
    return Contacts(SmallFile(Path("/nowhere") / PLAYERS, PLAYERS_BYTES_MAX))


def in_lobby() -> Iterator[tuple[Participant, Callable[[ShowEvent], LobbyRole]]]:
    """A host, a guest and somebody who looks on, who have all come, each with what it does in a lobby."""
    looks: list[tuple[str | None, Callable[[ShowEvent], LobbyRole]]] = [
        ("Cy", lambda show: Host(Holdem(), 2, show, nobody_known(), asks=False)),
        ("Bo", lambda show: Guest(show, nobody_known(), asks=False)),
        (None, Onlooker),
    ]
    homes = [
        MemoryPlayerStore(name, Identity(bytes([20 + place]) * 32), bytes(32)) for place, (name, _) in enumerate(looks)
    ]
    people = [Participant(home, entropy=Source("lobby"), accept=ask_first) for home in homes]
    for frame in [frame for one in people for frame in one.resend()]:
        for one in people:
            one.receive(frame)
    yield from zip(people, (does for _, does in looks), strict=True)


@cache
def home_files() -> dict[str, bytes]:
    """The files of a home after a game, and of a user who knows somebody."""
    table = circle()
    home, session = table.homes[0], table.people[0].replica.config.session
    with TemporaryDirectory() as place:
        folder = Path(place) / "home"
        with FolderStore.create(folder, "Ada", bytes(32), bytes(32)) as made:
            for frame in home.lobby:
                made.append_lobby_frame(frame)
            made.save_session(session)
            for entry in home.entries[:3]:
                made.append(entry)
            for record in home.journal.records[:3]:
                made.journal.write(record)
        load_or_create_identity(folder, Source("user"))
        Contacts(SmallFile(folder / PLAYERS, PLAYERS_BYTES_MAX)).remember([("Bo", home.identity.public)], 0)
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


CODE_HOST: Final = Identity(b"\x01" * 32)
CODE_GUEST: Final = Identity(b"\x02" * 32)


def exchanges() -> tuple[HostExchange, GuestExchange]:
    """Both sides of a spoken code, which have not heard each other."""
    relay = "wss://relay.example"
    invitation = Invitation((relay,), TableSecret(bytes(16), "5a" * 16, 0), host_mark(CODE_HOST.public))
    code = parse_code("7-apple-river")
    return (
        HostExchange(code, relay, invitation, CODE_HOST, Source("host"), 0.0),
        GuestExchange(code, relay, CODE_GUEST, "Bo", Source("guest"), 0.0),
    )


def confirmed() -> tuple[HostExchange, GuestExchange]:
    """Both sides, once each knows that the other has the words. What the guest says then is lost."""
    host, guest = exchanges()
    for frame in host.first_frames:
        for answer in guest.receive(frame, 0.0):
            for confirmation in host.receive(answer, 0.0):
                guest.receive(confirmation, 0.0)
    return host, guest
