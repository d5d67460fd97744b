"""Hearts as a game package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nodealer.games.hearts.bot import HeartsBot
from nodealer.games.hearts.export import RECORD
from nodealer.games.hearts.moves import Move
from nodealer.games.hearts.page import page
from nodealer.games.hearts.rules import GOAL, GOAL_MAX, HeartsRules
from nodealer.games.hearts.text import HeartsWords
from nodealer.games.hearts.trick import SEATS
from nodealer.games.package import GamePackage, Measured, Setting, whole_number

#: Every hand adds at least 26 points. Four players below 100 have at most 396, so the sixteenth hand ends every game.
HANDS: Final = 16


def rules_of(settings: Mapping[str, str]) -> HeartsRules:
    """Make the rules from the settings. Raise `BadParameter` if the goal is not valid."""
    return HeartsRules(whole_number("points", settings["points"]))


GAME: Final = GamePackage(
    name=HeartsRules.name,
    version=HeartsRules.version,
    rules=HeartsRules.from_parameters,
    from_settings=rules_of,
    settings=(Setting("points", "the game ends when a player has this many points", str(GOAL)),),
    seats=SEATS,
    hands=HANDS,
    moves=Move,
    bot=HeartsBot,
    words=HeartsWords(),
    page=page,
    table="nodealer.games.hearts",
    export=RECORD,
    measured=Measured(seats=SEATS, settings={"points": str(GOAL_MAX)}, bot=HeartsBot),
)
