"""A game without cards, for measuring only the log: the seats take turns to name a number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from nodealer.cards.events import Event
from nodealer.cards.operations import Capability
from nodealer.errors import BadParameter, IllegalMove
from nodealer.games.base import Done, Game, Turn, Want, WithoutStakes
from nodealer.group import Group, group
from nodealer.protocols.base import Binding, Claims, Deck
from nodealer.wire import CARDS_MIN, INTEGER_MAX, SEATS_MAX, SEATS_MIN, decode

_DIGITS: Final = len(str(INTEGER_MAX))


@dataclass(frozen=True)
class Tally(WithoutStakes):
    """One hand, in which the seats still have to name `missing` numbers in turn."""

    seats: tuple[int, ...]
    missing: int
    total: int = 0

    @property
    def wants(self) -> Want:
        """Give the turn to the next seat, or end the hand when no moves are missing."""
        if self.missing:
            return Turn((self.seats[self.missing % len(self.seats)],))
        return Done({"total": self.total})

    def told(self, events: tuple[Event, ...]) -> Game:
        """Raise `BadParameter`: this game has no cards."""
        raise BadParameter("a tally asks for no cards")

    def moved(self, seat: int, move: bytes) -> Game:
        """Add the number in the move to the total. Raise `IllegalMove` if it is not this seat's turn."""
        if self.wants != Turn((seat,)):
            raise IllegalMove(f"it is not seat {seat}'s turn")
        return replace(
            self, missing=self.missing - 1, total=self.total + decode(int, move, what="the number", limit=_DIGITS)
        )

    def left(self, seats: tuple[int, ...], *, cards: bool) -> Game:
        """End the hand, because a player left."""
        return replace(self, missing=0)


class TallyRules:
    """The rules: hands of `moves` numbers."""

    name = "tally"
    version = 0
    stake = 0
    versions = ()
    parameters = b"{}"
    deck_max = CARDS_MIN
    operations: frozenset[Capability] = frozenset()

    def __init__(self, moves: int) -> None:
        """Set how many moves a hand has."""
        self.moves = moves

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> Game:
        """Begin a hand with a total of zero."""
        return Tally(seats, self.moves)


class NoCards:
    """A protocol for games without cards."""

    claims = Claims(
        name="no cards",
        version=0,
        seats=(SEATS_MIN, SEATS_MAX),
        cards=(CARDS_MIN, CARDS_MIN),
        operations=frozenset(),
        roles=(),
        cheats=(),
        dropout="the hand ends",
        cost={},
    )
    parameters = b"{}"

    @property
    def group(self) -> Group:
        """The default group. Nothing uses it."""
        return group()

    def new_deck(self, table: Binding, deck: int, size: int, owner: int | None) -> Deck:
        """Raise `BadParameter`: there are no decks."""
        raise BadParameter("this protocol has no cards")
