"""The interface of a game.

A game is an immutable state machine. Its `wants` is one of three things: card operations, a move from one or more
seats, or the end of the hand. When all requested operations are finished, the game receives their events in a single
call; moves arrive one at a time. A game learns a face only when the card is open, and never sees a connection or a
clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from nodealer.cards.events import Event, Half
from nodealer.cards.operations import Capability, Operation

#: A source of randomness: returns N random bytes. Bots get one; rules never do.
Entropy = Callable[[int], bytes]


@dataclass(frozen=True)
class Ask:
    """Request card operations. They run in this order on each deck, and in parallel on different decks."""

    operations: tuple[Operation, ...]


@dataclass(frozen=True)
class Turn:
    """Request a move from each of `seats`. The seats in `may` can move but need not.

    `round` is for several seats that move at the same time: while it stays the same, a move still counts if another
    seat's move arrived first. Without a round, a move counts only in exactly the state it was made in.
    """

    seats: tuple[int, ...]
    may: tuple[int, ...] = ()
    round: int | None = None


@dataclass(frozen=True)
class Done:
    """End the hand. `result` is data for people and programs, identical for everyone.

    `paid` is what each seat put in and `net` what it won or lost, in chips or points. The table keeps the balances. If
    the protocol checks players by disclosure after the hand, a gain is held back until the winner's own has passed.

    `charged` is the penalty of each seat that left at a price: dead money in the pot of the next hand that is played.
    `dead` is the dead money that was in this hand's pot, so all `net` values add up to `dead`.
    """

    result: dict[str, Any]
    paid: Mapping[int, int] = field(default_factory=dict)
    net: Mapping[int, int] = field(default_factory=dict)
    charged: Mapping[int, int] = field(default_factory=dict)
    dead: int = 0


Want = Ask | Turn | Done


class Game(Protocol):
    """One hand of a game."""

    @property
    def wants(self) -> Want:
        """The next thing the game needs."""

    @property
    def players(self) -> tuple[int, ...]:
        """The seats dealt into this hand, fixed before the first deck is made. Only they shuffle and vote."""

    @property
    def paid(self) -> Mapping[int, int]:
        """The amount each seat has put in so far. It is refunded if the hand ends without a result."""

    def told(self, events: tuple[Event, ...]) -> Game:
        """Return the game after all requested operations have finished with these events."""

    def moved(self, seat: int, move: bytes) -> Game:
        """Return the game after a seat's move (canonical JSON). Raise `IllegalMove` to reject it."""

    def left(self, seats: tuple[int, ...], *, cards: bool) -> Game:
        """Return the game after seats left for the rest of the hand. If `cards` is false, no card operation can run."""

    def charged(self, seat: int, half: Half) -> Game:
        """Charge a seat that is about to leave an operation half done, and return the game. The game sets the price."""

    def default(self, seat: int) -> bytes | None:
        """Return the move to make for a seat that does not move in time, or None if the seat must leave instead."""


class WithoutStakes:
    """Base for games without chips or default moves, in which every seat is dealt in."""

    seats: tuple[int, ...]

    @property
    def players(self) -> tuple[int, ...]:
        """Every seat."""
        return self.seats

    @property
    def paid(self) -> Mapping[int, int]:
        """Empty: no seat puts in any chips."""
        return {}

    def charged(self, seat: int, half: Half) -> Self:
        """Charge nothing."""
        return self

    def default(self, seat: int) -> bytes | None:
        """Return None: the seat must leave."""
        return None


class Rules(Protocol):
    """A game with its parameters: what it needs, and how each hand begins."""

    @property
    def name(self) -> str:
        """The name of the game, as in the session."""

    @property
    def version(self) -> int:
        """The version of the rules. A log names the version it was played with."""

    @property
    def parameters(self) -> bytes:
        """The parameters that the table agreed on, as canonical JSON."""

    @property
    def stake(self) -> int:
        """The chips a new seat starts with. 0 if the game has no chips and only counts wins."""

    @property
    def versions(self) -> tuple[tuple[str, str], ...]:
        """Names and installed versions of other code that judges moves. They must be the same at every seat."""

    @property
    def deck_max(self) -> int:
        """The size of the largest deck the game uses."""

    @property
    def operations(self) -> frozenset[Capability]:
        """The capabilities of all operations the game may request. A protocol that lacks one is rejected."""

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> Game:
        """Start a hand. `chips` is what each seat has; `before` is the previous hand, for state that carries over.

        Raise `BadParameter` if this number of seats cannot play. Such a table is rejected before anyone agrees to it.
        """
