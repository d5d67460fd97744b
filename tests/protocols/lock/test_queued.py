"""Requests that wait behind others while a seat leaves, and name it or its cards."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.leaving import leave, playing
from nodealer.cards.events import Finished
from nodealer.cards.operations import Close, Deal, NewDeck, Open, Operation, Place, Portion, Return, Show
from nodealer.errors import BadParameter
from nodealer.group import Group
from nodealer.protocols import PROTOCOLS, make_protocol
from nodealer.protocols.lock import Lock
from nodealer.protocols.lock.deck import LockDeck

from ..decks import Decks, binding, tapes_of
from .kit import deck_of, portions, scripted


def recovered(fast: Group, *before: Operation) -> tuple[Decks[LockDeck], LockDeck]:
    """Three seats with a card each (and what else is asked for), of which the last has left."""
    decks = Decks(binding("lock", fast, 3), tapes_of(3), Lock(on=fast))
    decks.make(8)
    for operation in (Deal(0, portions(range(3))), *before):
        decks.ask(operation)
    gone = decks.decks[0].without((2,))
    assert gone is not None and isinstance(gone.deck, LockDeck)
    return decks, decks.run(gone.deck)


@pytest.mark.parametrize("discarded", [False, True])
def test_a_return_of_a_leavers_cards_is_skipped(fast: Group, discarded: bool) -> None:
    """Every honest replica raised here: the game had asked when the card was still there."""
    before = (Return(0, (2,), Place.DISCARD),) if discarded else ()
    _, deck = recovered(fast, *before)
    asked = Return(0, (2,), Place.DISCARD)
    step = deck.request(asked)
    assert step.events == (Finished(asked),) and step.deck.digest() != deck.digest()
    # Together with others' cards, those are laid aside.
    both = Return(0, (1, 2), Place.DISCARD)
    after = deck.request(both)
    assert after.events[-1] == Finished(both) and dict(after.deck.places.discards) == {1: 1}
    # What never was there is still refused.
    for nonsense in (Return(0, (7,), Place.DISCARD), Return(0, (1, 99), Place.DISCARD)):
        with pytest.raises(BadParameter):
            deck.request(nonsense)


def test_a_card_that_the_leaver_had_shown_is_still_there(fast: Group) -> None:
    _, deck = recovered(fast, Show(0, 2, (2,)))
    after = deck.request(Return(0, (2,), Place.DISCARD))
    assert len(after.events) == 2


def test_what_is_asked_anew_of_a_leaver_is_refused(fast: Group) -> None:
    """A game knows who has left: only what had been asked before is skipped, and that the table sees to."""
    _, deck = recovered(fast)
    for asked in (Show(0, 2, (2,)), Deal(0, (Portion(2, 1),))):
        with pytest.raises(BadParameter):
            deck.request(asked)
    busy = deck.request(Open(0, 1)).deck
    with pytest.raises(BadParameter, match="busy"):
        busy.request(Return(0, (2,), Place.DISCARD))


def test_a_request_behind_another_does_not_make_replicas_raise(fast: Group) -> None:
    """An opening is in progress, behind it a return of the leaver's card: the table goes on."""
    script = ((NewDeck(0, 8), Deal(0, portions(range(4)))), (Open(0, 1), Return(0, (3,), Place.DISCARD)), (Close(0),))
    game = scripted(fast, *script, seats=4, seed="queued")
    game.play(until=lambda g: playing(g) and 0 in g.state.hand.decks and deck_of(g).asked == Open(0, 1))
    assert playing(game) and deck_of(game).places.held[3] == 3
    leave(game, [3])
    game.play()
    assert not game.state.faults and [record.void for record in game.state.chronicle.records] == [None]
    assert game.digests() == {game.replica().digest()}


# --- Fewer seats than a protocol serves ---


@pytest.mark.parametrize("name", PROTOCOLS)
def test_no_deck_for_fewer_seats_than_claimed(fast: Group, name: str) -> None:
    """One seat would shuffle alone, or wait for ever."""
    protocol: Any = make_protocol(name, on=fast)
    owner = 0 if name == "duel" else None
    fewest = protocol.claims.seats[0]
    protocol.new_deck(binding(name, fast, fewest), 0, 4, owner)
    with pytest.raises(BadParameter, match="players"):
        protocol.new_deck(binding(name, fast, fewest - 1), 0, 4, owner)
