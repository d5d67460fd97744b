"""The two programs that read an XOR deck, and that they find nothing in the other modes."""

from __future__ import annotations

import time

import pytest

from nodealer.cards.operations import Deal, Portion, Show
from nodealer.group import Group
from nodealer.proofs.encoding import encodings
from nodealer.protocols.duel.tasks import Working
from nodealer_lab.xor import Overheard, card_finder, find_own_order, find_rival_order, overhear
from protocols.duel.kit import DuelDecks, fresh

SIZE = 60


def plain(decks: DuelDecks) -> list[bytes]:
    """Return the owner's cards without any key: nonces, or points if there are none."""
    deck = decks.decks[0]
    if deck.faces is not None:
        return encodings(deck.faces.points)
    return deck.nonces(decks.tapes[0], range(deck.size))


def owners_program(decks: DuelDecks) -> list[int] | None:
    deck = decks.decks[0]
    key = deck.shuffle_key(decks.tapes[0], 0, 0).to_bytes()
    return find_own_order(overhear(decks.said, 0), key, plain(decks))


def rivals_program(decks: DuelDecks, order: list[int]) -> list[int] | None:
    seen = overhear(decks.said, 0)
    if decks.decks[0].faces is not None:
        # Nothing is revealed but keys: what a played card is without keys is public from the beginning.
        points = plain(decks)
        faces = list(decks.decks[0].places.opened.values())
        seen = Overheard((), seen.first, seen.second, tuple((face, points[face]) for face in faces))
        return find_rival_order(seen, order, lambda text: points.index(text) if text in points else None)
    return find_rival_order(seen, order, card_finder(seen.commitments))


def rivals_order(decks: DuelDecks, group: Group) -> list[int]:
    """Return the permutation that the rival drew, from its own tape."""
    deck = decks.decks[0]
    first = deck.cipher.points(b"".join(overhear(decks.said, 0).first))
    return deck.order(decks.tapes[1], 1, 0, first).vartime_list()


def truth(decks: DuelDecks) -> list[int]:
    deck = decks.ask(Deal(0, (Portion(0, len(decks.decks[0].places.pile)),)))
    known = decks.reads(0)
    return [known[position] for position in range(deck.size)]


def test_the_owner_reads_its_order_before_the_first_draw(fast: Group) -> None:
    decks = fresh(fast, "xor", SIZE)
    start = time.process_time()
    found = owners_program(decks)
    assert time.process_time() - start < 1
    assert found == truth(decks)


def test_the_rival_reads_the_deck_after_two_plays(fast: Group) -> None:
    decks = fresh(fast, "xor", SIZE)
    order = rivals_order(decks, fast)
    decks.ask(Deal(0, (Portion(0, 2),)))
    assert rivals_program(decks, order) is None
    decks.ask(Show(0, 0, (0,)))
    assert rivals_program(decks, order) is None
    decks.ask(Show(0, 0, (1,)))
    start = time.process_time()
    found = rivals_program(decks, order)
    assert time.process_time() - start < 1
    assert found == truth(decks)


@pytest.mark.parametrize("mode", ["proven", "committed"])
def test_both_find_nothing_in_the_other_modes(fast: Group, mode: str) -> None:
    decks = fresh(fast, mode, SIZE)
    order = rivals_order(decks, fast)
    assert owners_program(decks) is None
    decks.ask(Deal(0, (Portion(0, 3),)))
    decks.ask(Show(0, 0, (0, 1, 2)))
    assert rivals_program(decks, order) is None


def test_a_new_deck_is_what_the_programs_read(fast: Group) -> None:
    """Step 5 and step 7 of the source are the first two shuffles of the log."""
    decks = fresh(fast, "xor", 4)
    assert [duty.kind for duty, _ in decks.said] == ["assemble", "shuffle", "shuffle", "lock", "lock"]
    assert [duty.seat for duty, _ in decks.said] == [0, 0, 1, 0, 1]
    assert not isinstance(decks.decks[0].stage, Working)
