"""What a game is.

An immutable machine. It *wants* one of three things: card operations, a move of a seat, or nothing because the hand is
over. It is told what the operations did, all at once when the last one is finished, and what a seat moved. It knows
faces only once they are open, and never a connection or a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from nodealer.cards import Capability, Event, Half, Operation

#: A source of chance: so many bytes. Rules have none; bots do.
Entropy = Callable[[int], bytes]


@dataclass(frozen=True)
class Ask:
    """Card operations, carried out in this order on each deck, and side by side on different decks."""

    operations: tuple[Operation, ...]


@dataclass(frozen=True)
class Turn:
    """A move is owed by each of `seats`; each of `may` can make one if it likes.

    `round` names a round in which several seats move side by side: as long as it stays the same, a move that was made
    before another seat's came in still counts. Without it a move answers exactly the state it was made in.
    """

    seats: tuple[int, ...]
    may: tuple[int, ...] = ()
    round: int | None = None


@dataclass(frozen=True)
class Done:
    """The hand is over. `result` is data for people and programs, equal for everybody.

    `paid` is what each seat has put in, `net` what it won or lost, in chips or in points: the table keeps the account,
    and holds a gain back where the gainer's own check is still to come.

    `charged` is what seats pay beside it that left at a price: dead money for the next hand that is played. `dead` is
    what this one had of it: by so much all nets together are more than nothing.
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
    def wants(self) -> Want: ...

    @property
    def players(self) -> tuple[int, ...]:
        """The seats that are dealt in, named before the first deck is made: only they shuffle, and have a word."""

    @property
    def paid(self) -> Mapping[int, int]:
        """What each seat has put in so far: it goes back when the hand ends without a result."""

    def told(self, events: tuple[Event, ...]) -> Game:
        """The operations that were asked for are finished; this is what they did."""

    def moved(self, seat: int, move: bytes) -> Game:
        """A seat's move, as canonical JSON. Raises `IllegalMove`."""

    def left(self, seats: tuple[int, ...], *, cards: bool) -> Game:
        """Seats are gone for the rest of this hand. Without `cards` no operation is possible any more."""

    def charged(self, seat: int, half: Half) -> Game:
        """A seat is about to be gone while others wait for its part of this: what that costs is the game's to say."""

    def default(self, seat: int) -> bytes | None:
        """The move that is made for a seat that does not make one, or None where the seat has to go instead."""


class WithoutStakes:
    """For games that count no chips, deal everybody in, and have no move to make for a seat that makes none."""

    seats: tuple[int, ...]

    @property
    def players(self) -> tuple[int, ...]:
        """Everybody."""
        return self.seats

    @property
    def paid(self) -> Mapping[int, int]:
        """Nothing."""
        return {}

    def charged(self, seat: int, half: Half) -> Self:
        """There is nothing to pay with."""
        return self

    def default(self, seat: int) -> bytes | None:
        """None: the seat has to go."""
        return None


class Rules(Protocol):
    """A game with its parameters: what it needs, and how a hand begins."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def parameters(self) -> bytes:
        """What the table agreed on about it, as canonical JSON."""

    @property
    def stake(self) -> int:
        """What a seat that is new has: chips, or 0 where games are only counted."""

    @property
    def versions(self) -> tuple[tuple[str, str], ...]:
        """Names and versions, here, of what else judges its moves: all seats must have the same."""

    @property
    def deck_max(self) -> int:
        """The largest deck it uses."""

    @property
    def operations(self) -> frozenset[Capability]:
        """What all operations take that it may ask for. A protocol that lacks one of these is refused."""

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> Game:
        """A hand of these seats, with what each of them has; `before` is the hand before it, for what carries over.

        Raises `BadParameter` where so many cannot play: such a table is refused before anybody has agreed to it.
        """
