"""The conformance suite at its full size: 52 cards, one hand each, on the native core."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from nodealer.group import group

from . import suite
from .cases import ALL, MASK
from .games import TinyRules
from .suite import ProtocolCase

#: `make test` plays with two seats, and with nine over one protocol.
FULL = [
    pytest.param(
        case,
        seats,
        id=f"{case.name}-{seats}",
        marks=[] if seats == 2 or (case is MASK and seats == 9) else [pytest.mark.deep],
    )
    for case in ALL
    for seats in case.full_seats
]


@pytest.mark.skipif(find_spec("nodealer.group._core") is None, reason="the native core is not built")
@pytest.mark.parametrize(("case", "seats"), FULL)
def test_hand(case: ProtocolCase, seats: int) -> None:
    game = case.game(group(backend="native"), TinyRules(deck_max=52, deal=2, board=5), seats=seats, seed="full").play()
    suite.every_card_once(game)
    suite.no_secret_in_log(game)
    suite.eager_and_lazy_agree(game)
    suite.books_reproduce_every_byte(game)
    suite.nothing_repeats(case, [game])
    suite.seats_know_their_own(game)
