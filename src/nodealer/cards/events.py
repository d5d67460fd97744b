"""What a card protocol reports to a game: cards moved, opened, finished, dice and sealed values."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from nodealer.cards.operations import Card, Operation


class Half(enum.Enum):
    """The kind of operation that a seat leaves half done: it leaves the hand while it still owes a message for it.

    A deal or an opening is half done from when another seat has published its key to one of the cards until all keys
    are published. A peek counts as a deal, and is half done until the cards are reordered or one is kept.
    """

    DEALT = "dealt"
    OPENED = "opened"
    #: The remaining seats were rebuilding the deck after another seat had left.
    REBUILT = "rebuilt"


# --- Events of a protocol ---


@dataclass(frozen=True)
class Moved:
    """A card changed hands. `holder` is None if it is back in the deck or out of play.

    `was` is the card at its previous position, if it was passed and got a new one.
    """

    card: Card
    holder: int | None
    was: Card | None = None


@dataclass(frozen=True)
class Opened:
    """A card is open: everyone knows its face."""

    card: Card
    face: int


@dataclass(frozen=True)
class Finished:
    """An operation is complete."""

    operation: Operation


@dataclass(frozen=True)
class Rolled:
    """The numbers of a roll. Empty if the seats in `silent` did not open their commitments.

    A roll is never repeated without the silent seats: otherwise a player who dislikes the numbers would just stay
    silent. The game decides what staying silent costs.
    """

    deck: int
    numbers: tuple[int, ...]
    silent: tuple[int, ...] = ()


@dataclass(frozen=True)
class Unsealed:
    """The value from a seat's envelope. None if the seat left without opening it."""

    deck: int
    seat: int
    value: bytes | None


Event = Moved | Opened | Finished | Rolled | Unsealed
