"""The dealer's own order of shuffling: chosen at a seat, kept in its journal, and honest in its book."""

from __future__ import annotations

import pytest

from conformance.games import TinyRules
from nodealer.errors import IllegalMove
from nodealer.group import group
from nodealer.play.local import LocalTable, seat_players
from nodealer.play.openbook import first_false_deed
from nodealer.protocols.offset import Offset
from nodealer.protocols.offset.deck import OffsetDeck
from nodealer.tape import expand, hand_tape
from nodealer.wire import encode


def _table() -> tuple[LocalTable, dict[int, bytes]]:
    drawn: list[bytes] = []

    def entropy(size: int) -> bytes:
        drawn.append(expand("test", len(drawn), size=size))
        return drawn[-1]

    table = seat_players(["a", "b", "c"], Offset(on=group()), TinyRules(), entropy)
    # Three keys and three nonces come first, then the roots.
    return table, dict(enumerate(drawn[6:9]))


def test_a_dealer_may_choose_the_order_at_its_seat() -> None:
    table, roots = _table()
    table.step()
    dealer = table.seats[0]
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
    session = dealer.replica.config.session.id
    seed = hand_tape(roots[0], session=session, seat=0, hand=0).seed
    assert first_false_deed(state, {0: (seed, {duty.id: encode([3, 1, 2])})}) is None
    assert first_false_deed(state, {0: (seed, {})}) is not None, "the order is a choice that the book must show"
