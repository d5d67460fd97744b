"""The rules of hearts with their parameter: how many points end the game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final

import msgspec

from nodealer.cards.operations import Capability
from nodealer.errors import BadParameter
from nodealer.games.base import Game
from nodealer.games.hearts.faces import CARDS
from nodealer.games.hearts.hand import HeartsHand
from nodealer.games.hearts.trick import SEATS
from nodealer.wire import Message, decode, encode

GOAL: Final = 100
GOAL_MAX: Final = 10_000
PARAMETERS_BYTES_MAX: Final = 64


class HeartsParameters(Message, frozen=True):
    """The parameters that a session of hearts agrees on."""

    goal: Annotated[int, msgspec.Meta(ge=1, le=GOAL_MAX)]


@dataclass(frozen=True)
class HeartsRules:
    """The rules of hearts. The table counts points as losses: they count at once, and no player gains from them."""

    goal: int = GOAL

    name = "hearts"
    version = 1
    versions = ()
    stake = 0
    deck_max = CARDS
    operations = frozenset(
        {Capability.SHARED_DECK, Capability.DEAL_TOP, Capability.SHOW_ALL, Capability.PASS, Capability.PROVE}
    )

    def __post_init__(self) -> None:
        """Raise `BadParameter` if the number of points that ends the game is out of range."""
        if type(self.goal) is not int or not 1 <= self.goal <= GOAL_MAX:
            raise BadParameter(f"a game of hearts must end at 1 to {GOAL_MAX} points, not {self.goal!r}")

    @property
    def parameters(self) -> bytes:
        """The parameters that the table agreed on, as canonical JSON."""
        return encode(HeartsParameters(self.goal))

    @classmethod
    def from_parameters(cls, raw: bytes) -> HeartsRules:
        """Make the rules from the parameters of a session. Raise `DecodeError` if they are not valid."""
        return cls(decode(HeartsParameters, raw, what="the parameters of hearts", limit=PARAMETERS_BYTES_MAX).goal)

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> HeartsHand:
        """Start a hand. Raises `BadParameter` if there are not four seats, or a player has reached the goal."""
        if len(seats) != SEATS or len(set(seats)) != SEATS:
            raise BadParameter(f"hearts is for four players, not {len(seats)}")
        scores = {seat: -chips[seat] for seat in seats}
        if max(scores.values()) >= self.goal:
            raise BadParameter(f"the game is over: a player has {max(scores.values())} points")
        return HeartsHand.begin(hand, tuple(sorted(seats)), self.goal, scores)
