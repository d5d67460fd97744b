"""Every proof of every protocol is bound to the anchor of its duty, and no epoch is begun twice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.harness import Source
from nodealer.cards.operations import Deal, Place, Portion, Return
from nodealer.errors import NodealerError
from nodealer.group import Group
from nodealer.proofs.checks import settle
from nodealer.protocols import make_protocol
from nodealer.protocols.base import Deck, Duty
from nodealer.protocols.mask import Mask
from nodealer.protocols.stages import Idle
from nodealer.tape import digest

from .decks import ROSTER, SESSION, Decks, binding, tapes_of

ASKED = {
    "mask": (Return(0, (0,), Place.SHUFFLED), Return(0, (1,), Place.TOP)),
    "lock": (),
    "offset": (),
    "chain": (Deal(0, (Portion(1, 1),)),),
    "duel": (Return(0, (0,), Place.SHUFFLED),),
}


def with_anchor(deck: Any, anchor: bytes) -> Any:
    """The same deck in the same stage, which another message led to."""
    return replace(deck, stage=replace(deck.stage, anchor=anchor))


def moved(decks: Decks[Deck], deck: Any, duty: Duty, message: bytes) -> bool:
    """Whether a message that was made for one anchor passes under another. A message without a proof may."""
    elsewhere = with_anchor(deck, digest("another anchor"))
    other = next(known for known in elsewhere.duties if (known.seat, known.kind) == (duty.seat, duty.kind))
    assert other.id != duty.id
    again = elsewhere.message(other, decks.tapes[duty.seat])
    settle(elsewhere.apply(other, again).checks, Source("honest"))
    try:
        settle(elsewhere.apply(other, message).checks, Source("moved"))
    except NodealerError:
        return False
    return True


@pytest.mark.parametrize("name", ASKED)
def test_a_proof_fits_one_duty(fast: Group, name: str) -> None:
    """Every message that owes a check, held against the same deck under another anchor."""
    decks: Decks[Any] = Decks(binding(name, fast, 2), tapes_of(2), make_protocol(name, on=fast))
    owner = 0 if name == "duel" else None
    looked_at = set[str]()

    def run(deck: Any) -> Any:
        while owed := [duty for duty in deck.duties if not duty.optional]:
            message = decks.message(deck, owed[0])
            if deck.apply(owed[0], message).checks:
                assert not moved(decks, deck, owed[0], message), owed[0].kind
                looked_at.add(owed[0].kind)
            deck = decks.step(deck, owed[0], message)
        return deck

    deck = run(decks.protocol.new_deck(decks.table, 0, 4, owner))
    deck = run(deck.request(Deal(0, (Portion(0, 2),))).deck)
    for operation in ASKED[name]:
        deck = run(deck.request(operation).deck)
    wanted = {
        "mask": {"shuffle", "rekey", "gather", "reshuffle", "mask"},
        "lock": {"cascade", "lock"},
        "offset": {"requestDealParts", "respondDealParts", "shuffle"},
        "chain": {"shuffle", "pass"},
        "duel": {"shuffle", "lock", "gather"},
    }
    assert looked_at == wanted[name]


@pytest.mark.parametrize("place", [Place.SHUFFLED, Place.TOP])
def test_a_return_that_was_broken_off_leaves_its_number_behind(fast: Group, place: Place) -> None:
    """Epochs count what was begun. Counting what was finished, both tries would have one shuffle key."""
    decks = Decks(binding("mask", fast, 2), tapes_of(2), Mask(on=fast))
    decks.make(4)
    idle = decks.ask(Deal(0, (Portion(0, 2),)))
    first: Any = idle.request(Return(0, (0,), place)).deck
    assert (idle.epoch, first.epoch) == (0, 1)
    broken: Any = replace(first, stage=Idle(), asked=None)
    assert broken.places.epoch == idle.places.epoch
    second: Any = broken.request(Return(0, (1,), place)).deck
    assert second.epoch == 2
    keys = [one.shuffle_secret(decks.tapes[0], 0, one.epoch).to_bytes() for one in (first, second)]
    assert keys[0] != keys[1]
    done = decks.run(second)
    assert done.epoch == 2 and done.places.epoch == 1 and done.layers.all_layers[-1].epoch == 2
    decks.settle()


FIRST = {
    "mask": digest("mask", SESSION, ROSTER, 0, 0, 4),
    "lock": digest("lock", SESSION, ROSTER, 0, 0, 4),
    "offset": digest("offset", SESSION, ROSTER, 0, 0, 4),
    "chain": digest("chain", SESSION, ROSTER, 0, 0, 4, 0, b"{}"),
    "duel": digest("duel", "proven", SESSION, ROSTER, 0, 0, 4, 0),
}


@pytest.mark.parametrize("name", FIRST)
def test_trails_are_what_the_page_says(fast: Group, name: str) -> None:
    """Computed again from the messages alone, with the operations as they are written down."""
    decks: Decks[Any] = Decks(binding(name, fast, 2), tapes_of(2), make_protocol(name, on=fast))
    deck = decks.make(4, owner=0 if name == "duel" else None)
    made = len(decks.said)
    deck = decks.ask(Deal(0, (Portion(0, 2),)))
    dealt = len(decks.said)
    deck = decks.ask(Return(0, (1,), Place.DISCARD, by=0))
    trail = FIRST[name]
    for index, (duty, message) in enumerate(decks.said):
        if index == made:
            trail = digest("asked", trail, b'["deal",0,[[0,2,[]]]]')
        assert duty.id == digest("duty", SESSION, 0, 0, duty.seat, duty.kind, duty.anchor)
        trail = digest("said", trail, duty.id, message)
    trail = digest("asked", trail, b'["return",0,[1],"discard",0]')
    assert dealt == len(decks.said) and deck.trail == trail
    places = digest("places", b"[0,[4],[2,3],[[0,0]],[],[[1,0]],[],[]]")
    more = (b"[]",) if name == "duel" else ()
    assert deck.digest() == digest("deck", trail, places, *more)
