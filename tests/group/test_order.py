"""Secret orders: the core's are those of the plain loop, and both backends do the same with them."""

from __future__ import annotations

import copy
import pickle
import struct
from collections.abc import Callable, Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backends import HAS_NATIVE
from conformance.harness import Source
from nodealer.errors import BadParameter
from nodealer.group import Group, Order, concat, order
from nodealer.group import group as make_group
from nodealer.group.order import WORD, PlainOrder, draw_order, order_of

native_only = pytest.mark.skipif(not HAS_NATIVE, reason="the native core is not built")
GROUPS = ("ristretto255", "secp256k1")


@pytest.fixture(params=[pytest.param(True, marks=native_only), False], ids=["core", "plain"])
def made(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[Sequence[int]], Order]:
    """Orders by the core, and by Python alone."""
    if not request.param:
        monkeypatch.setattr(order, "_native_order_class", lambda: None)
    return order_of


# --- Drawn ---


@native_only
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 7, 13, 52, 104, 257, 1000])
def test_the_core_and_the_plain_loop_say_the_same(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source(f"orders of {count}")
    for _ in range(20):
        block = source(WORD * count)
        drawn = draw_order(count, lambda index: block).vartime_list()
        assert sorted(drawn) == list(range(count)) and all(type(place) is int for place in drawn)
        with monkeypatch.context() as patch:
            patch.setattr(order, "_native_order_class", lambda: None)
            assert draw_order(count, lambda index: block).vartime_list() == drawn


@pytest.mark.usefixtures("made")
def test_a_word_without_a_full_run_is_thrown_away() -> None:
    """By both: 2^64 − 1 has no full run for 7, and the next word counts in its place."""
    blocks = [struct.pack("<7Q", 2**64 - 1, *range(3, 9)), struct.pack("<7Q", *range(9, 16))]
    honest = struct.pack("<7Q", *range(3, 10))
    drawn: list[int] = []

    def draw(index: int) -> bytes:
        drawn.append(index)
        return blocks[index]

    assert draw_order(7, draw).vartime_list() == draw_order(7, lambda index: honest).vartime_list()
    assert drawn == [0]


@native_only
def test_what_the_core_does_not_take() -> None:
    core = order._native_order_class()
    assert core is not None
    with pytest.raises(BadParameter, match="8 bytes"):
        core.drawn(bytes(9))
    with pytest.raises(BadParameter, match="too long"):
        core.drawn(bytes(WORD * (order._CORE_MAX + 1)))
    with pytest.raises(BadParameter, match="bytes"):
        core.drawn("12345678")  # type: ignore[arg-type]


def test_more_than_the_core_takes_is_ordered_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order, "_CORE_MAX", 3)
    block = Source("many")(WORD * 10)
    drawn = draw_order(10, lambda index: block)
    assert type(drawn) is type(order_of([0])) and sorted(drawn.vartime_list()) == list(range(10))


# --- Chosen ---


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ([0, 0, 1], "not an order of 3 places"),
        ([1, 2], "not an order of 2 places"),
        ([-1, 0], "not an order of 2 places"),
        ([0, 10**5000], "not an order of 2 places"),
        ([0, 2**32], "not an order of 2 places"),
        ([False, True], "expected a place, got bool"),
        ([0, "1"], "expected a place, got str"),
        (b"\x00\x01", "expected a sequence of places, got bytes"),
        (iter([0, 1]), "expected a sequence of places, got list_iterator"),
    ],
)
def test_what_is_no_order_is_refused(made: Callable[[Sequence[int]], Order], places: list[int], said: str) -> None:
    with pytest.raises(BadParameter) as caught:
        made(places)
    assert str(caught.value) == said


class Same(int):
    """A number that says it is every other."""

    def __eq__(self, other: object) -> bool:
        return True

    def __lt__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__


class Changing(list[int]):
    """Says something else when it is gone through again."""

    def __iter__(self) -> Iterator[int]:
        said = list(range(len(self)))
        self[:] = [0] * len(self)
        return iter(said)


def test_what_is_judged_is_what_is_kept(made: Callable[[Sequence[int]], Order]) -> None:
    with pytest.raises(BadParameter, match="not an order of 2 places"):
        made([Same(0), Same(0)])
    kept = made([Same(1), Same(0)]).vartime_list()
    assert kept == [1, 0] and all(type(place) is int for place in kept)
    assert made(Changing([2, 2, 2])).vartime_list() == [0, 1, 2]


def test_an_order_shows_nothing_of_itself(made: Callable[[Sequence[int]], Order]) -> None:
    """Neither printed nor gone through nor copied: only by the one method whose name says what it does."""
    one = made([2, 0, 1])
    assert repr(one) == f"<Order {'reference' if type(one) is PlainOrder else 'native'} n=3>" == str(one)
    assert len(one) == 3 and one.vartime_list() == [2, 0, 1] and one.inverse().vartime_list() == [1, 2, 0]
    assert not hasattr(one, "__dict__") and not isinstance(one, Sequence)
    read = one.__class__.__dict__
    assert {"__iter__", "__getitem__", "__contains__", "__index__"}.isdisjoint(read)
    for leave in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            leave(one)
    with pytest.raises(TypeError):
        list(one)  # type: ignore[call-overload]
    with pytest.raises(BadParameter, match="expected a sequence"):
        make_group().integers(one)  # type: ignore[arg-type]


# --- Taken ---


@native_only
@pytest.mark.parametrize("name", GROUPS)
@given(st.integers(1, 70).flatmap(lambda count: st.permutations(range(count))))
def test_both_backends_take_in_the_same_order(name: str, places: list[int]) -> None:
    core = order._native_order_class()
    assert core is not None
    chosen, plain = core(places), PlainOrder(places)
    native, reference = make_group(name, backend="native"), make_group(name, backend="reference")
    numbers = [3 * place + 1 for place in range(len(places))]
    there = native.integers(numbers)
    wanted = there.take(places).to_bytes()
    assert there.take(chosen).to_bytes() == wanted
    assert there.take(chosen).take(chosen.inverse()) == there == there.take(chosen.inverse()).take(chosen)
    assert chosen.inverse().vartime_list() == plain.inverse().vartime_list()
    for either in (chosen, plain):
        assert reference.integers(numbers).take(either).to_bytes() == wanted


@native_only
@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("count", [1, 2, 3, 5, 16, 52, 100, 1000])
def test_points_are_taken_with_and_without_their_encodings(name: str, count: int) -> None:
    on = make_group(name, backend="native")
    points = on.integers(range(1, count + 1)) * on.G
    drawn = draw_order(count, lambda index: Source(f"{index}")(WORD * count))
    bare = points.take(drawn)
    encoded = points.to_bytes()
    known = on.points(encoded).take(drawn)
    assert bare == known == points.take(drawn.vartime_list())
    wanted = [encoded[at : at + on.point_size] for at in range(0, len(encoded), on.point_size)]
    assert bare.to_bytes() == known.to_bytes() == b"".join(wanted[at] for at in drawn.vartime_list())
    assert known.take(drawn.inverse()).to_bytes() == encoded


@pytest.mark.usefixtures("made")
def test_an_order_is_for_as_many_as_it_has(group: Group) -> None:
    three = group.integers([1, 2, 3])
    for count in (0, 1, 2, 4):
        if group.backend == "native" and not order._native_order_class():
            continue
        with pytest.raises(BadParameter, match=f"arrays of 3 and {count} do not match"):
            three.take(order_of(range(count)))
        with pytest.raises(BadParameter, match=f"arrays of 3 and {count} do not match"):
            (three * group.G).take(order_of(range(count)))


@native_only
def test_the_core_takes_no_order_of_others() -> None:
    """One that is read by Python would show itself, and nobody would see that it does."""
    with pytest.raises(BadParameter, match="expected a sequence of indices, got PlainOrder"):
        make_group(backend="native").G.take(PlainOrder([0]))


def test_the_numbers_of_chain_are_taken_too(made: Callable[[Sequence[int]], Order]) -> None:
    on = make_group("modp2048")
    numbers = on.map_to_points(bytes(range(256)) * 17 if on.uniform_size * 16 == 4352 else bytes(on.uniform_size * 16))
    three = concat(numbers[0], numbers[1], numbers[2])
    assert three.take(made([2, 0, 1])) == three.take([2, 0, 1])
