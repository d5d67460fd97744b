"""Hearts with its parameters: how many points end the game, and who can play another hand."""

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
    """What a session agrees on."""

    goal: Annotated[int, msgspec.Meta(ge=1, le=GOAL_MAX)]


@dataclass(frozen=True)
class HeartsRules:
    """The rules. The table counts points as losses: a loss counts at once, and nobody gains by one."""

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
        if type(self.goal) is not int or not 1 <= self.goal <= GOAL_MAX:
            raise BadParameter(f"a game of hearts goes to 1 to {GOAL_MAX} points, not {self.goal!r}")

    @property
    def parameters(self) -> bytes:
        """What the table agreed on, as canonical JSON."""
        return encode(HeartsParameters(self.goal))

    @classmethod
    def from_parameters(cls, raw: bytes) -> HeartsRules:
        """What a session agreed on. Raises `DecodeError`."""
        return cls(decode(HeartsParameters, raw, what="the parameters of hearts", limit=PARAMETERS_BYTES_MAX).goal)

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> HeartsHand:
        """Another hand of four. Raises `BadParameter` where they are not four, or somebody has reached the goal."""
        if len(seats) != SEATS or len(set(seats)) != SEATS:
            raise BadParameter(f"hearts is for four, not for {len(seats)}")
        scores = {seat: -chips[seat] for seat in seats}
        if max(scores.values()) >= self.goal:
            raise BadParameter(f"the game is over: somebody has {max(scores.values())} points")
        return HeartsHand.begin(hand, tuple(sorted(seats)), self.goal, scores)
