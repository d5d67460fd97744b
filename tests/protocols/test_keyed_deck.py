"""Published keys: one that is not its card's is named, however many come together."""

from __future__ import annotations

import pytest

from nodealer.errors import PeerFault
from nodealer.group import Group, Scalars, concat
from nodealer.protocols.keyed_deck import JOINED_PAYS, refuse_wrong_keys

COUNTS = (1, 2, JOINED_PAYS - 1, JOINED_PAYS, JOINED_PAYS + 2)


def _with(keys: Scalars, place: int, key: Scalars) -> Scalars:
    return concat(*(key if index == place else keys[index] for index in range(len(keys))))


@pytest.mark.parametrize("count", COUNTS)
def test_the_first_false_key_is_named(fast: Group, count: int) -> None:
    keys, positions = fast.integers(range(3, 3 + count)), tuple(range(20, 20 + count))
    wanted, one = fast.points((keys * fast.G).to_bytes()), fast.integers([1])
    refuse_wrong_keys(4, positions, keys, wanted)
    for place in {0, count // 2, count - 1}:
        for false in (keys[place] + one, -keys[place]):
            with pytest.raises(PeerFault, match=f"for card {20 + place} is not the card's key") as caught:
                refuse_wrong_keys(4, positions, _with(keys, place, false), wanted)
            assert caught.value.seat == 4


@pytest.mark.parametrize("count", COUNTS[1:])
def test_two_false_keys_do_not_make_up_for_each_other(fast: Group, count: int) -> None:
    keys, positions, one = fast.integers(range(3, 3 + count)), tuple(range(count)), fast.integers([1])
    wanted = keys * fast.G
    off = _with(_with(keys, 0, keys[0] + one), count - 1, keys[count - 1] - one)
    swapped = _with(_with(keys, 0, keys[count - 1]), count - 1, keys[0])
    for false in (off, swapped):
        assert false.sum() == keys.sum()
        with pytest.raises(PeerFault, match="for card 0 "):
            refuse_wrong_keys(1, positions, false, wanted)


def test_a_card_without_a_key_of_the_seat_has_none_that_fits(fast: Group) -> None:
    """The key of a seat that is in no card is the identity, and no published secret is zero."""
    keys = fast.integers(range(1, 1 + JOINED_PAYS))
    with pytest.raises(PeerFault, match="for card 0 "):
        refuse_wrong_keys(1, tuple(range(JOINED_PAYS)), keys, fast.identity(JOINED_PAYS))
