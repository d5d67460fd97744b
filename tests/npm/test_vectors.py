"""A game that the npm package played with itself, written down by `make_vectors.py`: ours gives the same bytes."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import pytest

from nodealer.errors import BadParameter, PeerFault
from nodealer.group import Group, group
from nodealer.protocols.codec import point_index
from nodealer.protocols.lock import bare_steps
from nodealer.protocols.lock.bare_steps import BareSeat
from npm.game import CARDS
from npm.make_vectors import VECTORS


@pytest.fixture(scope="module", params=["reference", "native"])
def on(request: pytest.FixtureRequest) -> Group:
    if request.param == "native" and find_spec("nodealer.group._core") is None:
        pytest.skip("the native core is not built")
    return group("secp256k1", request.param)


@pytest.fixture(scope="module")
def played() -> dict[str, Any]:
    return dict(json.loads(VECTORS.read_text()))


@pytest.fixture(scope="module")
def seats(on: Group, played: dict[str, Any]) -> list[BareSeat]:
    return [
        BareSeat(on.points(bytes.fromhex(seat["fragments"])), on.scalars(bytes.fromhex(seat["keys"])))
        for seat in played["seats"]
    ]


def test_every_step_gives_the_bytes_of_the_package(on: Group, played: dict[str, Any], seats: list[BareSeat]) -> None:
    assert [seat.public_keys.to_bytes().hex() for seat in seats] == [seat["public_keys"] for seat in played["seats"]]
    faces = bare_steps.faces([seat.fragments for seat in seats])
    assert faces.to_bytes().hex() == played["faces"]
    deck = faces
    for seat, said, after in zip(seats, played["seats"], played["cascaded"], strict=True):
        deck = seat.cascade(deck, said["order"])
        assert deck.to_bytes().hex() == after
    for seat, after in zip(seats, played["locked"], strict=True):
        deck = seat.lock(deck)
        assert deck.to_bytes().hex() == after
    bare, index = bare_steps.unlock(deck, [seat.keys[:CARDS] for seat in seats]), point_index(faces)
    assert [index[bare[place].to_bytes()] for place in range(CARDS)] == played["opened"]
    assert sorted(played["opened"]) == list(range(CARDS))


def test_all_of_it_is_found_right_when_the_keys_are_open(
    on: Group, played: dict[str, Any], seats: list[BareSeat]
) -> None:
    faces = on.points(bytes.fromhex(played["faces"]))
    cascaded, locked = ([on.points(bytes.fromhex(deck)) for deck in played[name]] for name in ("cascaded", "locked"))
    keys, announced = [seat.keys for seat in seats], [seat.public_keys for seat in seats]
    bare_steps.recheck(faces, cascaded, locked, announced, keys)
    swapped = locked[1].take([1, 0, *range(2, CARDS)])
    with pytest.raises(PeerFault, match="lock") as fault:
        bare_steps.recheck(faces, cascaded, [locked[0], swapped, locked[2]], announced, keys)
    assert fault.value.seat == 1
    with pytest.raises(PeerFault, match="cascade") as fault:
        bare_steps.recheck(faces, [*cascaded[:2], cascaded[1]], locked, announced, keys)
    assert fault.value.seat == 2
    bare_steps.refuse_keys(0, seats[0].public_keys, keys[0])
    with pytest.raises(PeerFault, match="announced"):
        bare_steps.refuse_keys(1, seats[0].public_keys, keys[1])
    bare_steps.refuse_deck(0, faces, CARDS)
    with pytest.raises(PeerFault, match="two equal"):
        bare_steps.refuse_deck(0, faces.take([0, *range(CARDS - 1)]), CARDS)
    with pytest.raises(PeerFault, match="51 cards"):
        bare_steps.refuse_deck(0, faces[1:], CARDS)


def test_what_does_not_fit_together_is_refused(seats: list[BareSeat]) -> None:
    with pytest.raises(BadParameter, match="different numbers"):
        bare_steps.faces([seats[0].fragments, seats[1].fragments[1:]])
    with pytest.raises(BadParameter, match="51 keys for 52 cards"):
        bare_steps.lock(seats[0].keys[0], seats[0].keys[:51], seats[0].fragments)
    with pytest.raises(BadParameter, match="one more than cards"):
        replace(seats[0], keys=seats[0].keys[:CARDS])
