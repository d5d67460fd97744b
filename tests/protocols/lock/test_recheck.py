"""The look back at a game without proofs: opened keys are held against those that were announced before it."""

from __future__ import annotations

import pytest

from conformance.harness import Source
from nodealer.errors import PeerFault
from nodealer.group import Group, Points, concat
from nodealer.group.order import order_of
from nodealer.protocols.lock import bare_steps
from nodealer.protocols.lock.bare_steps import BareSeat

CARDS = 5


def seats_of(group: Group) -> list[BareSeat]:
    return [BareSeat.draw(group, CARDS, Source(f"seat {number}")) for number in range(3)]


def passed_on(seats: list[BareSeat]) -> tuple[Points, list[Points], list[Points]]:
    """The faces, and the decks of the cascade and of the lock."""
    faces = deck = bare_steps.faces([seat.fragments for seat in seats])
    cascaded, locked = list[Points](), list[Points]()
    for seat in seats:
        cascaded.append(deck := seat.cascade(deck, order_of([2, 0, 1, 4, 3])))
    for seat in seats:
        locked.append(deck := seat.lock(deck))
    return faces, cascaded, locked


def test_other_keys_than_were_announced(fast: Group) -> None:
    """A seat announces keys, plays with others and opens those: every step is right, and the keys are not."""
    seats = seats_of(fast)
    announced = [seat.public_keys for seat in seats]
    bare_steps.recheck(*passed_on(seats), announced, [seat.keys for seat in seats])
    seats[1] = BareSeat(seats[1].fragments, BareSeat.draw(fast, CARDS, Source("others")).keys)
    with pytest.raises(PeerFault, match="not the one it announced") as caught:
        bare_steps.recheck(*passed_on(seats), announced, [seat.keys for seat in seats])
    assert caught.value.seat == 1


def test_one_key_that_is_another(fast: Group) -> None:
    """Also one that only the look back needs: that of the cascade, or of a card that nobody drew."""
    seats = seats_of(fast)
    announced = [seat.public_keys for seat in seats]
    for place in (0, CARDS):
        keys = seats[2].keys
        changed = concat(*(keys[at] + keys[at] if at == place else keys[at] for at in range(CARDS + 1)))
        false = [*seats[:2], BareSeat(seats[2].fragments, changed)]
        with pytest.raises(PeerFault, match="not the one it announced") as caught:
            bare_steps.recheck(*passed_on(false), announced, [seat.keys for seat in false])
        assert caught.value.seat == 2


def test_too_few_keys(fast: Group) -> None:
    seats = seats_of(fast)
    announced = [seat.public_keys for seat in seats]
    with pytest.raises(PeerFault, match="announced 5 keys") as caught:
        keys = [seats[0].keys[:-1], *(seat.keys for seat in seats[1:])]
        bare_steps.recheck(*passed_on(seats), [announced[0][:-1], *announced[1:]], keys)
    assert caught.value.seat == 0
