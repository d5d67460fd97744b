"""Secret orders: the core's are those of the plain loop."""

from __future__ import annotations

import struct

import pytest

from backends import HAS_NATIVE
from conformance.harness import Source
from nodealer.errors import BadParameter
from nodealer.group import order
from nodealer.group.order import WORD, shuffled

native_only = pytest.mark.skipif(not HAS_NATIVE, reason="the native core is not built")


@native_only
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 7, 13, 52, 104, 257, 1000])
def test_the_core_and_the_plain_loop_say_the_same(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source(f"orders of {count}")
    for _ in range(20):
        block = source(WORD * count)
        made = shuffled(count, lambda index: block)
        assert sorted(made) == list(range(count)) and all(type(place) is int for place in made)
        with monkeypatch.context() as patch:
            patch.setattr(order, "_core", lambda: None)
            assert shuffled(count, lambda index: block) == made


@pytest.mark.parametrize("core", [pytest.param(True, marks=native_only), False])
def test_a_word_without_a_full_run_is_thrown_away(core: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """By both: 2^64 − 1 has no full run for 7, and the next word counts in its place."""
    if not core:
        monkeypatch.setattr(order, "_core", lambda: None)
    blocks = [struct.pack("<7Q", 2**64 - 1, *range(3, 9)), struct.pack("<7Q", *range(9, 16))]
    honest = struct.pack("<7Q", *range(3, 10))
    drawn: list[int] = []

    def draw(index: int) -> bytes:
        drawn.append(index)
        return blocks[index]

    assert shuffled(7, draw) == shuffled(7, lambda index: honest)
    assert drawn == [0]


@native_only
def test_what_the_core_does_not_take() -> None:
    core = order._core()
    assert core is not None
    with pytest.raises(BadParameter, match="8 bytes"):
        core(bytes(9))
    with pytest.raises(BadParameter, match="too long"):
        core(bytes(WORD * (order._CORE_MAX + 1)))
    with pytest.raises(BadParameter, match="bytes"):
        core("12345678")  # type: ignore[arg-type]


def test_more_than_the_core_takes_is_ordered_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order, "_CORE_MAX", 3)
    block = Source("many")(WORD * 10)
    assert sorted(shuffled(10, lambda index: block)) == list(range(10))
