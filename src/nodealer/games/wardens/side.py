"""One player's half of the table: light, sparks, hand, wardens, discards. Public knowledge only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from nodealer.games.wardens.cards import Printed
from nodealer.games.wardens.pool import POOL
from nodealer.records import replace

LIGHT: Final = 24
SPARKS_MAX: Final = 8
FIELD_MAX: Final = 6
HAND_MAX: Final = 9


@dataclass(frozen=True)
class Warden:
    """A warden on the table."""

    place: int
    card: int
    power: int
    health: int
    #: Whether it can attack this turn.
    ready: bool

    @property
    def printed(self) -> Printed:
        """The card as it is printed."""
        return POOL[self.card]


@dataclass(frozen=True)
class Side:
    """What both players see of one player. A hand is a list of places in the deck; only its player knows the cards."""

    seat: int
    #: The number of its deck.
    deck: int
    #: The published deck list: face of the deck to card of the pool.
    list: tuple[int, ...]
    light: int = LIGHT
    #: Sparks left this turn, and sparks it gets each turn.
    sparks: int = 0
    fire: int = 0
    hand: tuple[int, ...] = ()
    wardens: tuple[Warden, ...] = ()
    #: Open discards by place, and how many cards were buried face down.
    discards: tuple[tuple[int, int], ...] = ()
    buried: int = 0
    #: How many cards are left to draw, and how often it had to draw from an empty deck.
    pile: int = 0
    empty_draws: int = 0
    may_bury: bool = True

    @property
    def guards(self) -> tuple[Warden, ...]:
        """The wardens that have to be attacked first."""
        return tuple(warden for warden in self.wardens if warden.printed.guard)

    def warden(self, place: int) -> Warden | None:
        """Return the warden at a place, or None."""
        return next((warden for warden in self.wardens if warden.place == place), None)

    def wake(self) -> Side:
        """Return the side at the beginning of its turn: more sparks, and all wardens ready."""
        fire = min(self.fire + 1, SPARKS_MAX)
        wardens = tuple(replace(warden, ready=True) for warden in self.wardens)
        return replace(self, fire=fire, sparks=fire, wardens=wardens, may_bury=True)

    def lose_light(self, amount: int) -> Side:
        """Return the side after it loses light."""
        return replace(self, light=self.light - amount)

    def with_warden(self, changed: Warden) -> Side:
        """Return the side with a changed warden; a warden without health goes to the discards."""
        if changed.health <= 0:
            rest = tuple(warden for warden in self.wardens if warden.place != changed.place)
            return replace(self, wardens=rest, discards=(*self.discards, (changed.place, changed.card)))
        wardens = tuple(changed if warden.place == changed.place else warden for warden in self.wardens)
        return replace(self, wardens=wardens)

    def hurt_warden(self, place: int, amount: int) -> Side:
        """Return the side after a warden loses health. No change if there is no such warden."""
        warden = self.warden(place)
        return self if warden is None else self.with_warden(replace(warden, health=warden.health - amount))

    def without_warden(self, place: int) -> Side:
        """Return the side without a warden, which does not go to the discards."""
        return replace(self, wardens=tuple(warden for warden in self.wardens if warden.place != place))
