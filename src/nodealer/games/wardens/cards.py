"""The cards of the game and their text. The text is generated from the effect, so that the two cannot differ."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Does(enum.Enum):
    """The effect of a card when it is played. The value is its text."""

    STRIKE = "deal {n} to a warden or to your rival"
    BURN = "deal {n} to your rival"
    SEAR = "deal {n} to each of your rival's wardens"
    MEND = "gain {n} light"
    DRAW = "draw {n}"
    SEARCH = "look through your deck, keep one card, shuffle the rest"
    SCRY = "look at the top {n} cards of your deck and put them back in any order"
    MILL = "your rival turns up the top {n} cards of their deck and discards them"
    LIFT = "put one of your rival's wardens on top of their deck"
    SINK = "put one of your rival's wardens at the bottom of their deck"
    RALLY = "your wardens get +{n} power"
    RECLAIM = "shuffle up to {n} of your open discards into your deck"

    @property
    def targets(self) -> bool:
        """True if the player may choose a target."""
        return self in (Does.STRIKE, Does.LIFT, Does.SINK)

    @property
    def needs_warden(self) -> bool:
        """True if the target must be one of the rival's wardens."""
        return self in (Does.LIFT, Does.SINK)


@dataclass(frozen=True)
class Printed:
    """A card of the pool, as it is printed."""

    name: str
    court: str
    cost: int
    #: Power and health of a warden. A rite has neither: it takes effect and is discarded.
    power: int = 0
    health: int = 0
    #: A guard has to be attacked before anything else. A swift warden can attack in the turn it is played.
    guard: bool = False
    swift: bool = False
    does: Does | None = None
    n: int = 0

    @property
    def warden(self) -> bool:
        """True for a warden, which stays on the table; False for a rite."""
        return self.health > 0

    @property
    def text(self) -> str:
        """The text that is printed below the name."""
        words = [word for word, has in (("guard", self.guard), ("swift", self.swift)) if has]
        if self.does is not None:
            words.append(self.does.value.format(n=self.n))
        return "; ".join(words)

    @property
    def line(self) -> str:
        """The card in one line."""
        body = f"{self.power}/{self.health}" if self.warden else "rite"
        return f"{self.name} ({self.cost}) {body}" + (f": {self.text}" if self.text else "")
