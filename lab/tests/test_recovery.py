"""What `bench recovery` measures is a rebuild: of a deck with cards in hands and on the table, whole and proven."""

from __future__ import annotations

import pytest

from nodealer.errors import BadParameter
from nodealer.group import Group
from nodealer.protocols.mask.deck import MaskDeck
from nodealer.protocols.stages import Idle
from nodealer.wire import encode
from nodealer_lab.bench import recovery
from nodealer_lab.bench.recovery import RecoveryBench, perform_duties, raw_size, remove_seats


def test_it_is_a_whole_rebuild(fast: Group) -> None:
    bench = RecoveryBench(3, 2, 16, fast)
    assert bench.staying == 3 and len(bench.dealt.places.opened) == 2 and len(bench.dealt.places.hidden_owned) == 12
    deck, spent = perform_duties(remove_seats(bench.dealt, (3, 4, 5)))
    assert isinstance(deck, MaskDeck) and isinstance(deck.stage, Idle)
    assert len(deck.places.hidden_owned) == 6 and len(deck.places.pile) == 8
    assert spent.bytes == bench.rebuild().bytes > bench.create_fresh().bytes and spent.seconds > 0


def test_one_that_is_broken_off(fast: Group) -> None:
    bench = RecoveryBench(2, 0, 16, fast)
    deck, vain = bench.aborted
    assert {duty.kind for duty in deck.duties} == {recovery.LAST} and vain.bytes > 0
    assert bench.rebuild_again().bytes == bench.rebuild().bytes, "nothing of the first is used"


def test_raw_bytes() -> None:
    assert raw_size(encode({"type": "share", "shares": bytes(64), "proof": bytes(97)})) == 161


def test_a_deck_that_ends_is_no_rebuild(fast: Group) -> None:
    with pytest.raises(BadParameter):
        remove_seats(RecoveryBench(1, 0, 13, fast).new_deck(2), (1,))
