"""Where the generators come from (A15)."""

from __future__ import annotations

import pytest

from nodealer.group import Group, hash_to_points
from nodealer.group import group as make_group
from nodealer.proofs.generators import blinding_generator, commitment_key, generators


def encodings(group: Group, count: int) -> list[bytes]:
    data, size = commitment_key(group, count).to_bytes(), group.point_size
    return [data[at : at + size] for at in range(0, len(data), size)]


def test_generators_are_recomputed_from_their_labels(group: Group) -> None:
    """The labels are written out here: a change of one is a change of the protocol."""
    expected = [
        hash_to_points(group, b"nodealer/v0/commitment generators", [index.to_bytes(4, "little")]).to_bytes()
        for index in range(1, 54)
    ]
    blinding = hash_to_points(group, b"nodealer/v0/blinding generator", [b"H"]).to_bytes()
    assert encodings(group, 53) == [*expected, blinding]
    assert blinding_generator(group).to_bytes() == blinding


def test_all_generators_differ_from_each_other_and_from_G_and_its_negative(group: Group) -> None:
    found = encodings(group, 128)
    assert len(set(found)) == 129
    negatives = (-commitment_key(group, 128)).to_bytes()
    assert not {negatives[at : at + 32] for at in range(0, len(negatives), 32)} & set(found)
    assert group.G.to_bytes() not in found
    assert (-group.G).to_bytes() not in found
    assert commitment_key(group, 128).first_identity() is None


def test_small_multiples_of_G_and_H_are_not_among_them(group: Group) -> None:
    found = set(encodings(group, 52))
    for point in (group.G, blinding_generator(group)):
        multiples = (group.integers(range(2, 200)) * point).to_bytes()
        assert not {multiples[at : at + 32] for at in range(0, len(multiples), 32)} & found


def test_a_generator_does_not_depend_on_the_number_of_cards(group: Group) -> None:
    assert encodings(group, 3)[:3] == encodings(group, 5)[:3]
    assert encodings(group, 3)[3] == encodings(group, 5)[5]


def test_one_object_for_each_size(group: Group) -> None:
    """A batch knows arrays by identity: two objects would cost their terms twice."""
    assert commitment_key(group, 7) is commitment_key(group, 7)
    assert generators(group, 7) is generators(group, 7) and blinding_generator(group) is blinding_generator(group)
    assert group.G is group.G


def test_both_backends_have_the_same(native: Group) -> None:
    assert commitment_key(native, 10).to_bytes() == commitment_key(make_group(backend="reference"), 10).to_bytes()


@pytest.mark.deep
def test_ten_thousand_generators_differ(native: Group) -> None:
    assert len(set(encodings(native, 10_000))) == 10_001
