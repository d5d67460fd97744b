"""A trick, and the rule about hidden hands: what else may not be in the hand of who plays a card.

Every rule of hearts that depends on cards nobody else can see has this one form: "this card, only with none of those in
your hand". So one function says it, for those who judge a play and for those who choose one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nodealer.games.hearts.faces import ALL, COUNTING, HEARTS, PLAIN, points, suit, suit_of

SEATS = 4


@dataclass(frozen=True)
class Trick:
    """The cards that lie there: seat and face, in the order in which they were played."""

    cards: tuple[tuple[int, int], ...] = ()

    @property
    def led(self) -> int | None:
        """The suit that was led."""
        return suit_of(self.cards[0][1]) if self.cards else None

    @property
    def full(self) -> bool:
        """Whether everybody has played."""
        return len(self.cards) == SEATS

    @property
    def winner(self) -> int:
        """The seat whose card is the highest of the suit that was led."""
        return max((card for card in self.cards if suit_of(card[1]) == self.led), key=lambda card: card[1])[0]

    @property
    def points(self) -> int:
        """What it counts."""
        return sum(points(face) for _, face in self.cards)

    def with_card(self, seat: int, face: int) -> Trick:
        """One more card on it."""
        return Trick((*self.cards, (seat, face)))


def excluded(face: int, trick: Trick, *, first: bool, broken: bool) -> frozenset[int]:
    """The faces that the rest of a hand may not have when this one is played; none where everybody may play it.

    `first` is the first trick of the hand, `broken` whether a heart has been played.
    """
    if trick.led is None:
        # A heart that is led before one was thrown: only with nothing else.
        return ALL - suit(HEARTS) if suit_of(face) == HEARTS and not broken else frozenset()
    if suit_of(face) == trick.led:
        return frozenset()
    # Points in the first trick: only with nothing else. The suit that was led is among what counts nothing.
    return PLAIN if first and face in COUNTING else suit(trick.led)


def allowed(hand: Iterable[int], trick: Trick, *, first: bool, broken: bool) -> frozenset[int]:
    """The faces of a hand that can be played."""
    cards = frozenset(hand)
    return frozenset(face for face in cards if not excluded(face, trick, first=first, broken=broken) & (cards - {face}))


def taken(tricks: Iterable[Trick], seats: Iterable[int]) -> Mapping[int, int]:
    """What each seat has taken."""
    counts = dict.fromkeys(seats, 0)
    for trick in tricks:
        counts[trick.winner] += trick.points
    return counts
