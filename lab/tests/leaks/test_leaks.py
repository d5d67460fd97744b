"""Everything that leaves a seat, searched for everything that only the seat knows.

A small game on each protocol, at which all have pages. What is published on purpose, when a card is dealt or opened,
has a label of its own, and a time before which it is a secret like any other; of every card that stays hidden, the
holder's secret must be nowhere.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import pytest

from client.around import Around, SealedCircle
from conformance.games import TinyRules
from conformance.harness import Source
from engine.circle import Circle, shows_if_even
from leaks.keys import Due, keys_of
from leaks.mistakes import Mistake, complaints
from leaks.recorder import Drawn, Watched, printed, private_keys, secrets_of, written_down
from leaks.search import Secrets
from nodealer import events
from nodealer.api.event_stream import EventStream
from nodealer.cards.operations import Deal, Look, NewDeck, Portion, Show
from nodealer.engine import seat as seats
from nodealer.engine.commands import AnswerQuestion, MakeMove, WriteNote
from nodealer.engine.participant import Participant
from nodealer.engine.seat import Seat
from nodealer.errors import RelayRefused
from nodealer.games.base import Rules
from nodealer.group import group
from nodealer.keys import Identity, agree
from nodealer.proofs import exclusion
from nodealer.proofs.encoding import encodings
from nodealer.protocols import codec, keyed_deck, make_protocol
from nodealer.protocols.base import Deck
from nodealer.relay.client import connect_to
from nodealer.relay.invitations import Invitation, parse_link
from nodealer.relay.limits import LOCAL_LIMITS
from nodealer.relay.pairing import parse_code
from nodealer.relay.sealing import TableSecret
from nodealer.relay.server.connection import ClientConnection
from nodealer.relay.server.listener import serve_relay
from nodealer.relay.stores.memory import MemoryStore
from nodealer.tape import Tape, hand_tape
from protocols.script import LastingRules

TINY: Final = TinyRules(deck_max=8, reveal=False)
#: With a choice for a person, and something to prove.
ALL: Final = TinyRules(deck_max=8, reveal=False, peek=Look.REORDER, prove=True, discard=True)
OWN: Final = LastingRules.of(
    (
        (NewDeck(0, 6, 0), NewDeck(1, 6, 1)),
        (Deal(0, (Portion(0, 2),)), Deal(1, (Portion(1, 2),))),
        (Show(0, 0, ()),),
        (Deal(1, (Portion(1, 1),)),),
    )
)
#: Protocol to its game, and to the labels of what a seat publishes when cards are dealt, opened or shown.
PROTOCOLS: Final[dict[str, tuple[Rules, frozenset[str]]]] = {
    "mask": (ALL, frozenset({"mask card keys"})),
    "lock": (TINY, frozenset({"lock secrets"})),
    "offset": (TINY, frozenset({"offset deal parts", "offset of a step"})),
    "chain": (TINY, frozenset({"chain nonces"})),
    "duel": (OWN, frozenset({"duel card keys"})),
}
protocols = pytest.mark.parametrize("protocol", PROTOCOLS)
#: What holds messages that are in the log, or on their way into it: an entry of the journal, and a part of the state.
SENT: Final = (".log.journal.Sent", ".engine.state.SentMessage")


def first_shows(one: Participant) -> list[bytes]:
    """All others keep their cards to themselves."""
    if not one.options().must_move:
        return shows_if_even(one)
    return one.command(MakeMove({"show": one.seat.number == 0}))


@cache
def played(protocol: str) -> tuple[Watched, Drawn, dict[str, bytes]]:
    """To the end; and what was printed."""
    rules, _ = PROTOCOLS[protocol]
    # The numbers of `chain` have 2,048 bits: one hand of two takes as long as all the others.
    seats, hands = {"duel": (2, 2), "chain": (2, 1)}.get(protocol, (3, 2))
    with written_down() as drawn, printed() as said:
        table = Watched(seats, rules=rules, protocol=make_protocol(protocol), hands=hands, seed=f"leaks {protocol}")
        table.play(decide=first_shows)
        table.mirror.look(*table.people, *table.homes)
    assert all(one.is_over for one in table.people) and not table.people[0].replica.state.faults
    return table, drawn, said


@cache
def secrets(protocol: str) -> Secrets:
    table, drawn, _ = played(protocol)
    return secrets_of(table, drawn, make_protocol(protocol).group)


def label(find: Any) -> str:
    """Of what was drawn: "Ada, hand 0: mask masks, a scalar"."""
    return str(find.secret).partition(": ")[2].removesuffix(", a scalar")


# --- What leaves a seat ---


@protocols
def test_frames_have_only_what_is_published(protocol: str) -> None:
    """The frames are the log and the lobby: all that others, a relay with the key, and an auditor get."""
    table, *_ = played(protocol)
    _, published = PROTOCOLS[protocol]
    found = secrets(protocol).find("frames", b"\n".join(table.frames))
    assert secrets(protocol).count > 400
    assert {label(find) for find in found} == published, [find for find in found if label(find) not in published]
    assert {find.writing for find in found} == {"base64"}


@protocols
def test_a_key_is_published_when_its_card_is_due_and_not_before(protocol: str) -> None:
    """Frame by frame: the keys that are in it are owed by then, each for its card. Of the pile there is none."""
    table, *_ = played(protocol)
    assert early(table) == []
    owed = {(hand, deck, place) for hand, deck, _, place in table.due[-1]}
    for hand, _, deck, _ in with_tapes(table):
        # On `chain` a place is one in a seat's layer, and any of them may be that of a card that is dealt.
        assert protocol == "chain" or (hand, deck.number, deck.places.pile[-1]) not in owed


def early(table: Watched) -> list[tuple[int, Due]]:
    """Keys of cards in frames before anybody owed them: the frame's number and the key."""
    known, names = Secrets(), dict[str, Due]()
    for key, secret in card_keys(table):
        names[str(key)] = key
        known.add(str(key), secret)
    finds = [
        (number, names[find.secret], due)
        for number, (frame, due) in enumerate(zip(table.frames, table.due, strict=True))
        for find in known.find("frame", frame)
    ]
    assert finds, "no key was published: the test sees nothing"
    return [(number, key) for number, key, due in finds if key not in due]


def card_keys(table: Watched) -> Iterator[tuple[Due, bytes]]:
    for hand, seat, deck, tape in with_tapes(table):
        for key, secret in keys_of(deck, tape, seat):
            yield (hand, *key), secret


def with_tapes(table: Watched) -> Iterator[tuple[int, int, Any, Tape]]:
    """Hand, seat, deck and tape of each deck as it was last, for each who had a tape for it."""
    session = table.people[0].replica.config.session.id
    for hand, decks in table.decks.items():
        for one, home in zip(table.people, table.homes, strict=True):
            if one.has_seat:
                tape = hand_tape(home.root, session=session, seat=one.seat.number, hand=hand)
                yield from ((hand, one.seat.number, deck, tape) for deck in decks.values())


@protocols
def test_of_hidden_cards_nothing_is_published(protocol: str) -> None:
    """The holder's secret of each card that was not shown; and its face, where faces are points."""
    table, *_ = played(protocol)
    hidden, kept = Secrets(), 0
    for seat, deck, tape, position, face in hidden_cards(table):
        kept += 1
        # On `chain` a card opens with the one key of its holder, which is never published: the first test has it.
        if protocol != "chain":
            secret = dict(keys_of(deck, tape, seat))[deck.number, seat, position]
            hidden.add(f"seat {seat}, {position}", secret)
        for at, point in enumerate(faces_of(deck)):
            if at == face:
                hidden.add(f"face {face}", point)
    assert kept, "every card was shown: the test sees nothing"
    assert hidden.find("frames", b"\n".join(table.frames)) == []


def hidden_cards(table: Watched) -> Iterator[tuple[int, Any, Tape, int, int]]:
    """Seat, deck, tape, position and face of each card that was held and not shown when a hand ended."""
    for _, seat, deck, tape in with_tapes(table):
        known = {card.position: face for card, face in deck.knows(seat, tape).items()}
        for position in deck.places.only_hidden(deck.places.hand(seat)):
            yield seat, deck, tape, position, known[position]


def faces_of(deck: Deck) -> list[bytes]:
    """The encodings of faces, where a protocol has them as points."""
    faces: Any = getattr(deck, "faces", None)
    points = getattr(faces, "points", faces)
    base = getattr(deck, "base", None)
    points = getattr(base, "numbers", points)
    return encodings(points) if hasattr(points, "to_bytes") else []


@protocols
def test_pages_and_events_have_nothing(protocol: str) -> None:
    """Not even what is published: a page and a program are told of cards, not of keys."""
    table, *_ = played(protocol)
    assert len(table.documents) > 50 and len(table.events) > 15
    assert protocol == "duel" or any("YourTurn" in event for event in table.events)
    assert secrets(protocol).find("pages", b"\n".join(table.documents)) == []
    assert secrets(protocol).find("events", "\n".join(table.events).encode()) == []


@protocols
def test_nothing_is_printed(protocol: str) -> None:
    """Neither by Python nor by the core, and nothing is logged: a library is silent."""
    *_, said = played(protocol)
    assert not any(said.values()), said


@protocols
def test_nothing_shows_itself(protocol: str) -> None:
    """Every object that can be reached from those at the table, in the middle of a hand and at the end: its `repr` and
    its `str`. Some of them are what was sent."""
    table, *_ = played(protocol)
    _, published = PROTOCOLS[protocol]
    sent = [text for text, where in table.mirror.texts.items() if where.endswith(SENT)]
    others = {text: where for text, where in table.mirror.texts.items() if not where.endswith(SENT)}
    assert {label(find) for find in secrets(protocol).find("sent", b"\n".join(sent))} <= published
    found = secrets(protocol).find("repr", b"\n".join(others))
    assert found == [], [where for text, where in others.items() if secrets(protocol).find(where, text)]
    kinds = table.mirror.kinds
    assert {"MemoryPlayerStore", "Identity", "Seat", "Replica"} <= {kind.rpartition(".")[2] for kind in kinds}
    assert sum(f".protocols.{protocol}." in kind for kind in kinds) > 3, "no deck was seen in the middle of something"


# --- What is said of mistakes ---

SECRET: Final = Source("a secret of all")(64)


def with_secrets() -> dict[str, Mistake]:
    """Everything that takes a secret, with one that is too short or too long."""
    on, key = group(), SECRET[:32]
    good = Identity(key)
    table = TableSecret(key, "0" * 32, 1)
    link = Invitation(("wss://relay.example",), TableSecret(SECRET[:16], "5a" * 16, 0), bytes(16)).link
    made: list[Mistake] = [
        lambda: Tape(SECRET[:31]),
        lambda: Tape(SECRET),
        lambda: Tape(bytearray(SECRET[:32])),  # type: ignore[arg-type]
        lambda: hand_tape(SECRET[:31], session=b"", seat=0, hand=0),
        lambda: Tape(key).draw("label", b"", size=32, index=-1),
        lambda: Tape(key).permutation("label", b"", -1),
        lambda: Tape(key).draw_below("label", b"", [0]),
        lambda: Identity(SECRET[:31]),
        lambda: Identity(SECRET.hex()),  # type: ignore[arg-type]
        lambda: good.sign("text"),  # type: ignore[arg-type]
        lambda: agree(SECRET[:31], bytes(32)),
        lambda: TableSecret(SECRET[:15], "0" * 32, 0),
        lambda: table.box(SECRET[:31], bytes(32), b"", b""),
        lambda: table.read_key.open(SECRET),
        lambda: table.read_key.seal(SECRET[:15], SECRET),
        lambda: on.scalars(SECRET[:31]),
        lambda: on.scalars(b"\xff" * 8 + SECRET[:24]) + on.scalars(b"\xff" * 32),
        lambda: on.wide_scalars(SECRET[:63]),
        lambda: on.msm(on.wide_scalars(SECRET), on.identity(2)),
        lambda: on.wide_scalars(SECRET) * SECRET,  # type: ignore[operator]
        lambda: (on.wide_scalars(SECRET) - on.wide_scalars(SECRET)).invert(),
        lambda: make_protocol("mask").new_deck(SECRET, 0, 4, None),  # type: ignore[arg-type]
        lambda: parse_link(link[:-3]),
        lambda: parse_link(link + "AAAA"),
        lambda: parse_code(SECRET.hex()[:90]),
    ]
    return {f"mistake {number}": mistake for number, mistake in enumerate(made)}


def test_no_complaint_has_a_secret() -> None:
    known = Secrets()
    known.add("the secret", SECRET)
    for name, value in private_keys(Circle(1 + 1).homes[0]).items():
        known.add(name, value)
    for where, text in complaints(with_secrets()):
        assert known.find(where, text) == [], where


@protocols
def test_no_complaint_at_the_table_has_a_secret(protocol: str) -> None:
    """In every stage of a deck, everything that a seat can get wrong; and more once the game is over."""
    table, *_ = played(protocol)
    made = [*table.complaints, *complaints(after_the_end(table))]
    assert secrets(protocol).find("complaints", b"\n".join({text: None for _, text in made})) == []
    kinds = {where.rpartition(": ")[2] for where, _ in made}
    assert kinds >= {"IllegalMove", "JournalLost", "LogRolledBack", "CardUnreadable", "BadParameter"}
    assert ("Unprovable" in kinds) == (protocol in ("mask", "lock"))


def after_the_end(table: Watched) -> dict[str, Mistake]:
    one = table.people[0]
    deck = next(iter(table.decks[0].values()))
    return {
        "a move": lambda: one.command(MakeMove({"show": True})),
        "an answer to nothing": lambda: one.command(AnswerQuestion(None, (1, 2))),  # type: ignore[arg-type]
        "a message for nothing": lambda: deck.message(None, None),
        "a frame that is cut off": lambda: one.replica.append(table.frames[-1][:-5]),
    }


# --- The relay ---


@dataclass
class Overheard:
    """What a relay has and says, and what it is told."""

    stored: list[bytes]
    logged: list[str]
    metrics: str
    #: Every message of every client, kept or not.
    told: list[bytes]
    printed: dict[str, bytes]

    @property
    def kept(self) -> bytes:
        """All that whoever runs the relay could look at later."""
        lines = [*(line.encode() for line in self.logged), self.metrics.encode()]
        return b"\n".join([*self.stored, *lines, *self.printed.values()])


def at_a_relay(visit: Callable[[str], Awaitable[None]]) -> Overheard:
    """Something at a real relay in this process. The operator sees its log, its metrics and its store, and could write
    down what comes in."""
    store, logged, told, hear = MemoryStore(lambda: 0.0), list[str](), list[bytes](), ClientConnection._receive

    async def hearing(self: ClientConnection, message: str | bytes) -> None:
        told.append(message.encode() if isinstance(message, str) else message)
        await hear(self, message)

    async def run() -> str:
        def log(event: str, facts: dict[str, Any]) -> None:
            logged.append(f"{event} {facts!r}")

        async with (
            asyncio.timeout(60),
            serve_relay(store, entropy=Source("relay"), limits=LOCAL_LIMITS, log=log) as relay,
        ):
            await visit(f"ws://127.0.0.1:{relay.port}/")
            return relay.metrics.text()

    with pytest.MonkeyPatch.context() as patch, printed() as said:
        patch.setattr(ClientConnection, "_receive", hearing)
        metrics = asyncio.run(run())
    stored = [data for kept in store._tables.values() for data in (*kept.notes, *kept.frames)]
    return Overheard(stored, logged, metrics, told, said)


def over_a_relay(table: SealedCircle, secret: TableSecret) -> tuple[Overheard, list[TableSecret]]:
    """Play at a relay; and the secrets that the table has had by then."""
    had = [secret]

    async def visit(url: str) -> None:
        around = Around(url, circle=table)
        try:
            # The last one is taken out after the first hand, and the key changes.
            await asyncio.gather(*around.tasks[:2])
        finally:
            for task in around.tasks:
                task.cancel()
            await asyncio.gather(*around.tasks, return_exceptions=True)
        first = table.people[0]
        had.extend(key for key in table.keyring_of(first).write_secrets(first) if key.epoch)

    return at_a_relay(visit), had


def test_a_relay_gets_no_secret_and_no_word() -> None:
    """Neither the seats' secrets nor the table's, and of what is said not a word: not even what is in the log. Who may
    write shows a token for it, which the relay does not keep."""
    with written_down() as drawn:
        secret, protocol = TableSecret(Source("table")(16), "0" * 32, 0), make_protocol("mask")
        table = SealedCircle(3, rules=TINY, protocol=protocol, hands=2, watchers=1, seed="leaks relay", secret=secret)
        heard, had = over_a_relay(table, secret)
    known = secrets_of(table, drawn, group())
    for secret in had:
        known.add("the table's secret", secret.secret)
        known.add("what reads", secret.read_key.key)
        known.add("what writes", secret.write_token)
    for number, entry in enumerate(table.log):
        known.add(f"entry {number}", entry[40:120])
    assert len(had) == 2 and len(table.log) > 20 and len(heard.told) > len(heard.stored) > len(table.log)
    assert known.find("the relay", heard.kept) == []
    assert {find.secret for find in known.find("what it is told", b"\n".join(heard.told))} == {"what writes"}


# --- That it would be found ---


class Shows:
    """Somebody who forgot that a `repr` is read by others."""

    def __init__(self, secret: bytes) -> None:
        self.secret = secret

    def __repr__(self) -> str:
        return f"<Shows {self.secret!r}>"


Shows.__module__ = "nodealer.shows"

#: The errors that a seat raises, where they are raised.
RAISED: Final = {
    "IllegalMove": seats,
    "JournalLost": seats,
    "LogRolledBack": seats,
    "CardUnreadable": keyed_deck,
    "BadParameter": codec,
    "Unprovable": exclusion,
}


@cache
def planted() -> tuple[Watched, Drawn, dict[str, bytes]]:
    """A table at which a seat says its own seed and the key of a card in the pile, tells it, prints it, shows it, and
    has it in every complaint."""
    table = Watched(2, rules=ALL, protocol=make_protocol("mask"), hands=1, seed="planted")
    home = table.homes[0]
    due, asked = Seat.answer_duties, EventStream.new_prompts
    said = list[str]()

    def seed(one: Participant) -> bytes:
        return hand_tape(home.root, session=one.session.id, seat=0, hand=0).seed

    def prints(self: Seat) -> list[bytes]:
        print(self._root.hex())
        print(self._root.hex(), file=sys.stderr)
        logging.getLogger("nodealer.engine").debug("by %s", self._root.hex())
        os.write(2, self._root.hex().encode())
        return due(self)

    def tells(self: EventStream) -> Iterator[events.Event]:
        yield from asked(self)
        if self._me.has_seat:
            yield events.Word("Ada", f"it is my turn, with {seed(self._me).hex()}")

    def decide(one: Participant) -> list[bytes]:
        if one is not table.people[0] or len(said) == 2:
            return shows_if_even(one)
        said.append(f"my seed is {seed(one).hex()}" if not said else f"and the last key {pile_key(one)}")
        one.shows = Shows(seed(one))  # type: ignore[attr-defined]
        return one.command(WriteNote(said[-1]))

    with pytest.MonkeyPatch.context() as patch, written_down() as drawn, printed() as out:
        patch.setattr(Seat, "answer_duties", prints)
        patch.setattr(EventStream, "new_prompts", tells)
        for name, module in RAISED.items():
            patch.setattr(module, name, says_too_much(getattr(module, name), home.root))
        table.play(decide=decide)
    return table, drawn, out


def says_too_much(error: Callable[..., Exception], secret: bytes) -> Callable[..., Exception]:
    return lambda *args: error(*args[:-1], f"{args[-1]}, {secret.hex()}")


def pile_key(one: Participant) -> str:
    """This seat's key of the last card in the pile, in base64."""
    hand = one.replica.state.hand
    deck: Any = hand.decks[0]
    return base64.b64encode(
        deck.card_secrets(one.seat._tape(hand.number), deck.places.pile[-1:], 0).to_bytes()
    ).decode()


@cache
def planted_secrets() -> Secrets:
    table, drawn, _ = planted()
    return secrets_of(table, drawn, group())


@pytest.mark.parametrize("channel", ["frames", "pages", "events", "what is asked", "repr in mid-hand"])
def test_a_seed_is_found_wherever_it_is_said(channel: str) -> None:
    table, *_ = planted()
    texts = {
        "frames": table.frames,
        "pages": table.documents,
        "events": [event.encode() for event in table.events if "my seed is" in event],
        "what is asked": [event.encode() for event in table.events if "it is my turn" in event],
        # Nobody looks again at the end of this game.
        "repr in mid-hand": [text for text, where in table.mirror.texts.items() if where.endswith(".Shows")],
    }
    found = planted_secrets().find(channel, b"\n".join(texts[channel]))
    assert "Ada, hand 0: seed" in {find.secret for find in found}


@pytest.mark.parametrize("channel", ["stdout", "stderr", "logging", "descriptors"])
def test_a_root_is_found_wherever_it_is_printed(channel: str) -> None:
    *_, said = planted()
    assert {find.secret for find in planted_secrets().find(channel, said[channel])} == {"Ada: root", "Bo: root"}


@pytest.mark.parametrize("kind", RAISED)
def test_a_root_is_found_in_each_kind_of_complaint(kind: str) -> None:
    """So each of them is raised in the middle of a hand."""
    table, *_ = planted()
    texts = [text for where, text in table.complaints if where.endswith(f": {kind}")]
    assert "Ada: root" in {find.secret for find in planted_secrets().find(kind, b"\n".join(texts))}


def test_a_key_of_the_pile_is_found() -> None:
    """It has a label that is published, and is in base64 as those are; but nobody owes it."""
    table, *_ = planted()
    ((number, (hand, deck, seat, _)),) = early(table)
    assert b"the last key" in table.frames[number] and (hand, deck, seat) == (0, 0, 0)


def test_a_root_is_found_that_a_relay_was_told_and_did_not_keep() -> None:
    """Somebody opens a table by a name that is a secret, and there is none."""
    root = Source("a root")(32)

    async def visit(url: str) -> None:
        async with connect_to(url) as client:
            with pytest.raises(RelayRefused):
                await client.open(root[:16].hex())

    heard, known = at_a_relay(visit), Secrets()
    known.add("root", root)
    assert known.find("told", b"\n".join(heard.told)) and not known.find("kept", heard.kept)
