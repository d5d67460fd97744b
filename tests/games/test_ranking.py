"""The bots' fast ranking orders hands as pokerkit does."""

from __future__ import annotations

from itertools import pairwise

from pokerkit import Card, Hand, StandardHighHand

from nodealer.games.holdem.faces import names
from nodealer.games.holdem.ranking import rank
from nodealer.tape import Tape
from sampling import times

HANDS = times(1000, deep=3000)


def judged(faces: tuple[int, ...]) -> Hand:
    cards = list(Card.parse("".join(names(faces))))
    return StandardHighHand.from_game(cards[:2], cards[2:])


def test_thousands_of_hands_in_order() -> None:
    tape = Tape(bytes(32))
    orders = (tape.permutation("hands", number.to_bytes(4, "little"), 52) for number in range(HANDS))
    dealt = [tuple(order.vartime_list()[:7]) for order in orders]
    # More straights, flushes and full houses than chance gives: cards of two ranks' and two suits' neighbourhood.
    dealt += [tuple((face % 26) + (13 if face % 4 else 0) for face in faces) for faces in dealt[:500]]
    dealt = [faces for faces in dealt if len(set(faces)) == 7]
    both = [(rank(faces), judged(faces)) for faces in dealt]
    assert len({mine[0] for mine, _ in both}) >= 8
    for (mine, theirs), (my_next, their_next) in pairwise(both):
        assert (mine < my_next, mine == my_next) == (theirs < their_next, theirs == their_next)
    ordered = sorted(both, key=lambda pair: pair[0])
    assert all(not their_next < theirs for (_, theirs), (_, their_next) in pairwise(ordered))
