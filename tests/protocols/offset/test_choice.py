"""The dealer's own order of shuffling: chosen at a seat, kept in its journal, and honest in its book."""

from __future__ import annotations

from itertools import count

import pytest

from conformance.games import TinyRules
from conformance.suite import books_of
from nodealer.client.local_table import LocalTable, seat_players
from nodealer.engine.disclosure import refuse_false_disclosure
from nodealer.errors import IllegalMove, PeerFault
from nodealer.group import group
from nodealer.protocols.offset import Offset
from nodealer.protocols.offset.deck import OffsetDeck
from nodealer.tape import expand, hand_tape
from nodealer.wire import encode


def _table() -> tuple[LocalTable, dict[int, bytes]]:
    drawn = count()
    table = seat_players(
        ["a", "b", "c"], Offset(on=group()), TinyRules(), lambda size: expand("test", next(drawn), size=size)
    )
    return table, {number: one.store.root for number, one in table.seats.items()}


def test_a_dealer_may_choose_the_order_at_its_seat() -> None:
    table, roots = _table()
    dealer = table.seats[0].seat
    begun = [data for one in table.participants for data in one.seat.unconfirmed]
    for one in table.participants:
        for data in begun:
            # Heard, and not answered: first the dealer chooses.
            one.seat.receive(data)
    (duty,) = [duty for duty in dealer.open_duties if duty.kind == "requestDealParts"]
    with pytest.raises(IllegalMove, match="not a choice"):
        dealer.choose(duty, b"[1,1,2]")
    dealer.choose(duty, encode([3, 1, 2]))
    with pytest.raises(IllegalMove, match="already"):
        dealer.choose(duty, encode([1, 2, 3]))
    table.run()
    state = dealer.replica.state
    deck = state.hand.decks[0]
    assert isinstance(deck, OffsetDeck) and deck.order == (2, 0, 1)
    config = dealer.replica.config
    seed = hand_tape(roots[0], session=config.session.id, seat=0, hand=0).seed
    refuse_false_disclosure(config, books_of(state.hand), 0, 0, seed, {duty.id: encode([3, 1, 2])})
    with pytest.raises(PeerFault, match="its requestDealParts is not what its book makes"):
        # The order is a choice that the book must show.
        refuse_false_disclosure(config, books_of(state.hand), 0, 0, seed, {})
