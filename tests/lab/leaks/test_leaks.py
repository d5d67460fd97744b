"""Everything that leaves a seat, searched for everything that only the seat knows.

A small game on each protocol, at which all have pages. What is published on purpose, when a card is dealt or opened,
has a label of its own; of every card that stays hidden, the holder's secret must be nowhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import pytest

from conformance.games import TinyRules
from conformance.harness import Source
from drive.around import Around
from lab.leaks.search import Secrets, writings
from lab.leaks.watching import Drawn, Watched, complaints, private_keys, secrets_of, shown, written_down
from nodealer.cards import Deal, NewDeck, Portion, Show
from nodealer.errors import NodealerError
from nodealer.games.base import Rules
from nodealer.group import group
from nodealer.keys import Identity, agree
from nodealer.play.participant import Participant
from nodealer.proofs.encoding import encodings
from nodealer.protocols import make_protocol
from nodealer.protocols.base import Deck
from nodealer.relay.codes import read_code
from nodealer.relay.limits import AT_HOME
from nodealer.relay.links import Invitation, read_link
from nodealer.relay.sealing import TableSecret
from nodealer.relay.server import serving
from nodealer.relay.stores.memory import MemoryStore
from nodealer.tape import Tape, hand_tape
from play.circle import Circle, shows_if_even
from protocols.script import LastingRules

TINY: Final = TinyRules(deck_max=8, reveal=False)
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
    "mask": (TINY, frozenset({"mask card keys"})),
    "lock": (TINY, frozenset({"lock secrets"})),
    "offset": (TINY, frozenset({"offset deal parts", "offset of a step"})),
    "chain": (TINY, frozenset({"chain nonces"})),
    "duel": (OWN, frozenset({"duel card keys"})),
}
protocols = pytest.mark.parametrize("protocol", PROTOCOLS)


def first_shows(one: Participant) -> list[bytes]:
    """All others keep their cards to themselves."""
    return one.move({"show": one.seat.number == 0}) if one.options().must_move else []


@cache
def played(protocol: str) -> tuple[Watched, Drawn]:
    """To the end."""
    rules, _ = PROTOCOLS[protocol]
    # The numbers of `chain` have 2,048 bits: one hand of two takes as long as all the others.
    seats, hands = {"duel": (2, 2), "chain": (2, 1)}.get(protocol, (3, 2))
    with written_down() as drawn:
        table = Watched(seats, rules=rules, protocol=make_protocol(protocol), hands=hands, seed=f"leaks {protocol}")
        table.play(decide=first_shows)
    assert all(one.over for one in table.people) and not table.people[0].replica.state.faults
    return table, drawn


@cache
def secrets(protocol: str) -> Secrets:
    return secrets_of(*played(protocol), make_protocol(protocol).group)


def label(find: Any) -> str:
    """Of what was drawn: "Ada, hand 0: mask masks, a scalar"."""
    return str(find.secret).partition(": ")[2].removesuffix(", a scalar")


# --- What leaves a seat ---


@protocols
def test_frames_have_only_what_is_published(protocol: str) -> None:
    """The frames are the log and the lobby: all that others, a relay with the key, and an auditor get."""
    table, _ = played(protocol)
    _, published = PROTOCOLS[protocol]
    found = secrets(protocol).find("frames", b"\n".join(table.frames))
    assert secrets(protocol).count > 400
    assert {label(find) for find in found} == published, [find for find in found if label(find) not in published]
    assert all(find.writing.startswith("base64 at ") for find in found)


@protocols
def test_of_hidden_cards_nothing_is_published(protocol: str) -> None:
    """The holder's secret of each card that was not shown; and its face, where faces are points."""
    table, _ = played(protocol)
    hidden, kept = Secrets(), 0
    for seat, deck, tape, position, face in hidden_cards(table):
        kept += 1
        # On `chain` a card opens with the one key of its holder, which is never published: the test above has it.
        if protocol != "chain":
            drawn = deck.layers.secrets if protocol == "duel" else deck.card_secrets
            hidden.add(f"seat {seat}, {position}", drawn(tape, (position,), seat).to_bytes())
        for at, point in enumerate(faces_of(deck)):
            if at == face:
                hidden.add(f"face {face}", point)
    assert kept, "every card was shown: the test sees nothing"
    assert hidden.find("frames", b"\n".join(table.frames)) == []


def hidden_cards(table: Watched) -> Iterator[tuple[int, Any, Tape, int, int]]:
    """Seat, deck, tape, position and face of each card that was held and not shown when a hand ended."""
    session = table.people[0].replica.config.session.id
    for hand, decks in table.decks.items():
        for one, home in zip(table.people, table.homes, strict=True):
            if not one.seated:
                continue
            tape = hand_tape(home.root, session=session, seat=one.seat.number, hand=hand)
            for deck in decks.values():
                known = {card.position: face for card, face in deck.knows(one.seat.number, tape).items()}
                for position in deck.places.hidden(deck.places.hand(one.seat.number)):
                    yield one.seat.number, deck, tape, position, known[position]


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
    table, _ = played(protocol)
    assert len(table.documents) > 50 and len(table.events) > 15
    assert secrets(protocol).find("pages", b"\n".join(table.documents)) == []
    assert secrets(protocol).find("events", "\n".join(table.events).encode()) == []


@protocols
def test_nothing_shows_itself(protocol: str) -> None:
    """Every object that can be reached from those at the table: its `repr` and its `str`. The journal's entries are
    what was sent."""
    table, _ = played(protocol)
    _, published = PROTOCOLS[protocol]
    kinds = set[str]()
    for where, text in shown(*table.people, *table.homes):
        kinds.add(where)
        found = secrets(protocol).find(where, text)
        sent = where.endswith("log.journal.Sent")
        assert {label(find) for find in found} <= (published if sent else set()), (where, found[:3])
    assert {"MemoryHome", "Identity", "Seat", "Replica"} <= {kind.rpartition(".")[2] for kind in kinds}


# --- What is said of mistakes ---

SECRET: Final = Source("a secret of all")(64)


def mistakes() -> list[Any]:
    """Everything that takes a secret, with one that is too short or too long."""
    on, key = group(), SECRET[:32]
    good = Identity(key)
    table = TableSecret(key, "0" * 32, 1)
    link = Invitation(("wss://relay.example",), TableSecret(SECRET[:16], "5a" * 16, 0), bytes(16)).link
    return [
        lambda: Tape(SECRET[:31]),
        lambda: Tape(SECRET),
        lambda: Tape(bytearray(SECRET[:32])),  # type: ignore[arg-type]
        lambda: hand_tape(SECRET[:31], session=b"", seat=0, hand=0),
        lambda: Tape(key).draw("label", b"", size=32, index=-1),
        lambda: Tape(key).permutation("label", b"", -1),
        lambda: Tape(key).below("label", b"", [0]),
        lambda: Identity(SECRET[:31]),
        lambda: Identity(SECRET.hex()),  # type: ignore[arg-type]
        lambda: good.sign("text"),  # type: ignore[arg-type]
        lambda: agree(SECRET[:31], bytes(32)),
        lambda: TableSecret(SECRET[:15], "0" * 32, 0),
        lambda: table.box(SECRET[:31], bytes(32), b"", b""),
        lambda: table.reading.open(SECRET),
        lambda: table.reading.seal(SECRET[:15], SECRET),
        lambda: on.scalars(SECRET[:31]),
        lambda: on.scalars(b"\xff" * 8 + SECRET[:24]) + on.scalars(b"\xff" * 32),
        lambda: on.wide_scalars(SECRET[:63]),
        lambda: on.msm(on.wide_scalars(SECRET), on.identity(2)),
        lambda: on.wide_scalars(SECRET) * SECRET,  # type: ignore[operator]
        lambda: (on.wide_scalars(SECRET) - on.wide_scalars(SECRET)).invert(),
        lambda: make_protocol("mask").new_deck(SECRET, 0, 4, None),  # type: ignore[arg-type]
        lambda: read_link(link[:-3]),
        lambda: read_link(link + "AAAA"),
        lambda: read_code(SECRET.hex()[:90]),
    ]


def test_no_complaint_has_a_secret() -> None:
    known = Secrets()
    known.add("the secret", SECRET)
    for name, value in private_keys(Circle(1 + 1).homes[0]).items():
        known.add(name, value)
    for where, text in complaints(*mistakes()):
        assert known.find(where, text) == [], where


@protocols
def test_no_complaint_at_the_table_has_a_secret(protocol: str) -> None:
    """Of messages that cannot be made, and of frames that are wrong."""
    table, _ = played(protocol)
    one = table.people[0]
    deck = next(iter(table.decks[0].values()))
    tape = hand_tape(table.homes[0].root, session=one.replica.config.session.id, seat=0, hand=0)
    wrong = [
        lambda: one.move({"no": "move"}),
        lambda: one.answer(None, (1, 2)),  # type: ignore[arg-type]
        lambda: one.word("x" * 10_000),
        lambda: deck.message(None, tape),
        lambda: deck.knows(None, None),
        lambda: one.replica.append(table.frames[-1][:-5]),
        lambda: one.replica.append(table.log[0]),
    ]
    said = 0
    for mistake in wrong:
        with suppress(AssertionError):
            for where, text in complaints(mistake):
                said += 1
                assert secrets(protocol).find(where, text) == [], where
    assert said >= 4


# --- The relay ---


@dataclass
class Overheard:
    """What a relay has and says."""

    stored: list[bytes]
    logged: list[str]
    metrics: str


def over_a_relay(table: Circle, secret: TableSecret) -> Overheard:
    """Play over a real relay in this process. The operator sees its log, its metrics and its store."""
    store, logged = MemoryStore(lambda: 0.0), list[str]()

    async def run() -> str:
        def log(event: str, facts: dict[str, Any]) -> None:
            logged.append(f"{event} {facts!r}")

        async with (
            asyncio.timeout(60),
            serving(store, entropy=Source("relay"), limits=AT_HOME, log=log) as relay,
        ):
            around = Around(f"ws://127.0.0.1:{relay.port}/", circle=table, secret=secret)
            try:
                # The last one is taken out after the first hand, and the key changes.
                await asyncio.gather(*around.tasks[:2])
            finally:
                for task in around.tasks:
                    task.cancel()
                await asyncio.gather(*around.tasks, return_exceptions=True)
            return relay.metrics.text()

    metrics = asyncio.run(run())
    stored = [data for kept in store._tables.values() for data in (*kept.notes, *kept.frames)]
    return Overheard(stored, logged, metrics)


def test_a_relay_gets_no_secret_and_no_word() -> None:
    """Neither the seats' secrets nor the table's, and of what is said not a word: not even what is in the log."""
    secret = TableSecret(Source("table")(16), "0" * 32, 0)
    with written_down() as drawn:
        table = Circle(3, rules=TINY, protocol=make_protocol("mask"), hands=2, watchers=1, seed="leaks relay")
        heard = over_a_relay(table, secret)
    known = secrets_of(table, drawn, group())
    known.add("the table's secret", secret.secret)
    known.add("what reads", secret.reading.key)
    known.add("what writes", secret.write_token)
    for number, entry in enumerate(table.log):
        known.add(f"entry {number}", entry[40:120])
    everything = b"\n".join([*heard.stored, *(line.encode() for line in heard.logged), heard.metrics.encode()])
    assert len(table.log) > 20 and len(heard.stored) > len(table.log)
    assert known.find("the relay", everything) == []


# --- That it would be found ---


@pytest.mark.parametrize("writing", [name for name, _ in writings(SECRET)])
def test_every_writing_is_found(writing: str) -> None:
    """In the middle of other text, and where it is cut off."""
    known = Secrets()
    known.add("the secret", SECRET[:32])
    written = dict(writings(SECRET[:32]))[writing]
    for text in (b'{"a":"' + written + b'"}', b"x" * 33 + written[:20] + b"y" * 50):
        assert known.find("here", text), writing
    assert known.find("here", b'{"a":"' + written[1:16] + b'"}') == []


def test_an_order_is_found() -> None:
    known = Secrets()
    known.add_order("the order", [5, 3, 0, 7, 1, 6, 2, 4])
    for text in (b"[5,3,0,7,1,6,2,4]", b"[5, 3, 0, 7, 1, 6, 2, 4]", b"(5, 3, 0, 7, 1, 6, 2, 4)"):
        assert known.find("here", b"order=" + text)
    assert known.find("here", b"[5, 3, 0, 1, 7, 6, 2, 4]") == []


class Shows:
    """Somebody who forgot that a `repr` is read by others."""

    def __init__(self, secret: bytes) -> None:
        self.secret = secret

    def __repr__(self) -> str:
        return f"<Shows {self.secret!r}>"


Shows.__module__ = "nodealer.shows"


@pytest.mark.parametrize("channel", ["frames", "pages", "events", "repr", "complaint"])
def test_a_planted_leak_is_found(channel: str) -> None:
    """The same table, at which a seat says its own seed, or shows it."""
    with written_down() as drawn:
        table = Watched(2, rules=TINY, protocol=make_protocol("mask"), hands=1, seed="planted")
        table.agree()
        session = table.people[0].replica.config.session.id
        seed = hand_tape(table.homes[0].root, session=session, seat=0, hand=0).seed
        said = False

        def decide(one: Participant) -> list[bytes]:
            nonlocal said
            if one is table.people[0] and not said:
                said = True
                return one.word(f"my seed is {seed.hex()}")
            return shows_if_even(one)

        table.play(decide=decide)
    known = secrets_of(table, drawn, group())

    def complain() -> None:
        raise NodealerError(f"cannot use {seed!r}")

    texts = {
        "frames": b"\n".join(table.frames),
        "pages": b"\n".join(table.documents),
        "events": "\n".join(table.events).encode(),
        "repr": b"".join(text for _, text in shown([Shows(seed)])),
        "complaint": b"".join(text for _, text in complaints(complain)),
    }
    assert "Ada, hand 0: seed" in {find.secret for find in known.find(channel, texts[channel])}
