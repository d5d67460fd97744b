"""A trick, and the rule about hidden hands: which cards a player must not have in hand to play a certain card.

Every rule of hearts that depends on hidden cards has the same form: "you may play this card only if you have none of
those". So one function, `excluded`, states it, both for judging a play and for choosing one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nodealer.games.hearts.faces import ALL, COUNTING, HEARTS, PLAIN, points, suit, suit_of

SEATS = 4


@dataclass(frozen=True)
class Trick:
    """The cards of one trick so far: seat and face, in the order of play."""

    cards: tuple[tuple[int, int], ...] = ()

    @property
    def led(self) -> int | None:
        """The suit that was led, or None if no card has been played."""
        return suit_of(self.cards[0][1]) if self.cards else None

    @property
    def full(self) -> bool:
        """True if every seat has played."""
        return len(self.cards) == SEATS

    @property
    def winner(self) -> int:
        """The seat that played the highest card of the suit that was led."""
        return max((card for card in self.cards if suit_of(card[1]) == self.led), key=lambda card: card[1])[0]

    @property
    def points(self) -> int:
        """The points of the cards in this trick."""
        return sum(points(face) for _, face in self.cards)

    def with_card(self, seat: int, face: int) -> Trick:
        """Return the trick with one more card."""
        return Trick((*self.cards, (seat, face)))


def excluded(face: int, trick: Trick, *, first: bool, broken: bool) -> frozenset[int]:
    """Return the faces that a player must not have left in hand after playing `face`. Empty if anyone may play it.

    `first`: this is the first trick of the hand. `broken`: a heart has been played before.
    """
    if trick.led is None:
        # Leading a heart before hearts are broken: only with nothing but hearts in hand.
        return ALL - suit(HEARTS) if suit_of(face) == HEARTS and not broken else frozenset()
    if suit_of(face) == trick.led:
        return frozenset()
    # Points in the first trick: only with nothing else in hand. The cards without points include the suit led, clubs.
    return PLAIN if first and face in COUNTING else suit(trick.led)


def allowed(hand: Iterable[int], trick: Trick, *, first: bool, broken: bool) -> frozenset[int]:
    """Return the faces of a hand that may be played."""
    cards = frozenset(hand)
    return frozenset(face for face in cards if not excluded(face, trick, first=first, broken=broken) & (cards - {face}))


def points_taken(tricks: Iterable[Trick], seats: Iterable[int]) -> Mapping[int, int]:
    """Return the points that each seat has taken."""
    counts = dict.fromkeys(seats, 0)
    for trick in tricks:
        counts[trick.winner] += trick.points
    return counts
