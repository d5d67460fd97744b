"""What a card of the game is, and its text. The text is made from what the card does, so that it cannot say more."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Does(enum.Enum):
    """What happens when a card is played."""

    STRIKE = "deal {n} to a warden or to the rival"
    BURN = "deal {n} to the rival"
    SEAR = "deal {n} to each warden of the rival"
    MEND = "gain {n} light"
    DRAW = "draw {n}"
    SEARCH = "look through your deck, keep one card, shuffle the rest"
    SCRY = "look at the top {n} cards of your deck and put them back in any order"
    MILL = "the rival turns up the top {n} cards of its deck and loses them"
    LIFT = "put a warden of the rival on top of its deck"
    SINK = "put a warden of the rival at the bottom of its deck"
    RALLY = "your wardens get +{n} power"
    RECLAIM = "shuffle up to {n} cards of your open discards into your deck"

    @property
    def targets(self) -> bool:
        """Whether the player names what it is done to."""
        return self in (Does.STRIKE, Does.LIFT, Does.SINK)

    @property
    def needs_warden(self) -> bool:
        """Whether only a warden of the rival will do."""
        return self in (Does.LIFT, Does.SINK)


@dataclass(frozen=True)
class Printed:
    """A card of the pool."""

    name: str
    court: str
    cost: int
    #: Power and health, for wardens; a rite has neither, happens, and is discarded.
    power: int = 0
    health: int = 0
    #: A guard has to be attacked before anything else; who is swift attacks in the turn it comes.
    guard: bool = False
    swift: bool = False
    does: Does | None = None
    n: int = 0

    @property
    def warden(self) -> bool:
        """Whether it stays on the table."""
        return self.health > 0

    @property
    def text(self) -> str:
        """What is printed below the name."""
        words = [word for word, has in (("guard", self.guard), ("swift", self.swift)) if has]
        if self.does is not None:
            words.append(self.does.value.format(n=self.n))
        return "; ".join(words)

    @property
    def line(self) -> str:
        """The card in one line."""
        body = f"{self.power}/{self.health}" if self.warden else "rite"
        return f"{self.name} ({self.cost}) {body}" + (f": {self.text}" if self.text else "")
