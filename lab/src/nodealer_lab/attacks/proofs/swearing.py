"""The smallest game in which something is proven of a hidden card: the last seat swears that it is the highest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Self

from nodealer.cards import Capability, Event, Finished, NoneOf, Prove
from nodealer.games.base import Ask, Game, Want
from nodealer.games.package import GamePackage
from nodealer_lab.sim.highcard import HighBot, HighCard, HighHand

#: The seat that swears. Nobody else could be asked to: who has another card can prove nothing.
SWEARS: Final = 2


@dataclass(frozen=True)
class SwearHand(HighHand):
    """One hand."""

    sworn: bool = False

    @property
    def wants(self) -> Want:
        if self.dealt and not self.sworn and not self.spoken and SWEARS in self.live:
            return Ask((Prove(0, (NoneOf(SWEARS, (self.held[SWEARS],), tuple(range(self.cards - 1))),)),))
        return super().wants

    def told(self, events: tuple[Event, ...]) -> Self:
        """Whether it has proven it."""
        sworn = any(isinstance(one, Finished) and isinstance(one.operation, Prove) for one in events)
        return replace(super().told(events), sworn=self.sworn or sworn)


@dataclass(frozen=True)
class Swear(HighCard):
    """The rules."""

    name = "swear"
    operations = HighCard.operations | {Capability.PROVE}

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> SwearHand:
        """Who has a chip pays one."""
        players = tuple(seat for seat in seats if chips[seat] > 0)
        return SwearHand(hand, self.deck_max, players, chips, dict.fromkeys(players, 1), players)


SWEAR: Final = GamePackage(
    name=Swear.name,
    version=Swear.version,
    rules=Swear.from_parameters,
    from_settings=lambda settings: Swear(),
    bot=HighBot,
    seats=3,
)
