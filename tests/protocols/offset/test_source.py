"""Somebody who knows the source recognises every message: its names, its fields, its numbers from one."""

from __future__ import annotations

import json
from typing import Final

from nodealer.cards.operations import Deal, NewDeck, Open, Portion, Show
from nodealer.group import Group
from nodealer.protocols.base import Duty
from nodealer.protocols.offset.deck import OffsetDeck

from ..kit import messages
from .kit import decks_of, played

#: Type to the fields of source 000, and to those that were added.
FIELDS: Final[dict[str, tuple[set[str], set[str]]]] = {
    "requestDealParts": ({"players", "deck", "cards", "shuffleOrder", "dealPublicKeyParts"}, {"proof"}),
    "respondDealParts": ({"playerId", "dealPublicKeyParts"}, {"proof"}),
    "shuffle": ({"playerId", "step", "deck"}, {"scaled", "key", "commitment", "scaledProof", "proof"}),
    "revealOffset": ({"playerId", "offset"}, {"blinding"}),
    "dealInitial": ({"player", "dealNo"}, set()),
    "dealFinal": ({"playerId", "dealNo", "dealKeyPart"}, set()),
    "revealInitial": ({"dealNo", "dealKeyPart"}, set()),
    "revealFinal": ({"playerId", "dealNo", "dealKeyPart"}, set()),
}
SCRIPT: Final = (
    (NewDeck(0, 5), Deal(0, tuple(Portion(seat, 1) for seat in range(3)))),
    (Open(0, 1), Show(0, 2, (2,))),
)


def test_names_and_fields(fast: Group) -> None:
    game = played(fast, *SCRIPT, dealer=1).play()
    said = messages(game.log)
    assert {message["type"] for _, message in said} == set(FIELDS)
    for seat, message in said:
        source, added = FIELDS[message["type"]]
        assert message.keys() == {"system", "type"} | source | added
        assert message["system"] == "cards"
        assert message.get("playerId", seat + 1) == seat + 1


def test_order_of_the_source(fast: Group) -> None:
    """The dealer asks, the others answer, all shuffle, all reveal; the dealer deals, the others answer."""
    game = played(fast, *SCRIPT, dealer=1).play()
    said = [(message["type"], seat) for seat, message in messages(game.log)]
    assert said == [
        ("requestDealParts", 1),
        *(("respondDealParts", seat) for seat in (0, 2)),
        *(("shuffle", seat) for seat in (0, 1, 2)),
        *(("revealOffset", seat) for seat in (0, 1, 2)),
        ("dealInitial", 1),
        *(("dealFinal", seat) for seat in (0, 1, 2)),
        ("revealInitial", 1),
        *(("revealFinal", seat) for seat in (0, 2)),
        ("revealFinal", 2),
    ]
    by_type = {message["type"]: message for _, message in messages(game.log)}
    assert by_type["requestDealParts"]["players"] == by_type["requestDealParts"]["shuffleOrder"] == [1, 2, 3]
    assert (by_type["requestDealParts"]["deck"], by_type["requestDealParts"]["cards"]) == (0, 5)
    assert (by_type["dealInitial"]["player"], by_type["dealInitial"]["dealNo"]) == ([1, 2, 3], [1, 2, 3])
    assert by_type["revealInitial"]["dealNo"] == [4]
    assert [m["step"] for _, m in messages(game.log) if m["type"] == "shuffle"] == [1, 2, 3]


def test_formulas_of_the_source(group: Group) -> None:
    """Every pair of every deck keeps A = (d[i] + the offsets so far)·B; k·G = x·G + Σ D[p,i]; one place fits."""
    seats, m = 3, 4
    decks = decks_of(group, seats)
    deck = decks.make(m)
    assert isinstance(deck, OffsetDeck) and deck.start is not None
    secrets = [deck.card_secrets(decks.tapes[seat], tuple(range(m)), seat) for seat in range(seats)]
    d = secrets[0] + secrets[1] + secrets[2]
    assert d * group.G == deck.start.A and group.integers([1] * m) * group.G == deck.start.B
    x = group.integers([0])
    places = []
    for step in deck.steps:
        x = x + deck.offsets[step.seat]
        places = [[c for c in range(m) if step.deck.A[c] == (d[i] + x) * step.deck.B[c]] for i in range(m)]
        assert sorted(places) == [[c] for c in range(m)]
    public = deck.parts[0] + deck.parts[1] + deck.parts[2]
    assert (d + x) * group.G == x * group.G + public
    decks.ask(Open(0, m))
    assert [face for _, face in sorted(decks.decks[0].places.opened.items())] == [c for (c,) in places]


def test_all_duties_are_named_after_the_source(fast: Group) -> None:
    decks = decks_of(fast, 2)
    decks.make(3)
    decks.ask(Deal(0, (Portion(0, 1),)))
    decks.ask(Open(0, 1))
    duty: Duty
    for duty, message in decks.said:
        assert json.loads(message)["type"] == duty.kind
