"""Hearts as a game package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nodealer.games.hearts.bot import HeartsBot
from nodealer.games.hearts.export import RECORD
from nodealer.games.hearts.page import page
from nodealer.games.hearts.rules import GOAL, GOAL_MAX, HeartsRules
from nodealer.games.hearts.text import HeartsWords
from nodealer.games.hearts.trick import SEATS
from nodealer.games.package import GamePackage, Measured, Setting, whole_number

#: A hand counts 26 or more, and four who have 99 each have 396: the sixteenth ends every game.
HANDS: Final = 16


def rules_of(settings: Mapping[str, str]) -> HeartsRules:
    """The rules for so many points."""
    return HeartsRules(whole_number("points", settings["points"]))


GAME: Final = GamePackage(
    name=HeartsRules.name,
    version=HeartsRules.version,
    rules=HeartsRules.from_parameters,
    from_settings=rules_of,
    settings=(Setting("points", "who reaches so many ends the game", str(GOAL)),),
    seats=SEATS,
    hands=HANDS,
    bot=HeartsBot,
    words=HeartsWords(),
    page=page,
    table="nodealer.games.hearts",
    export=RECORD,
    measured=Measured(seats=SEATS, settings={"points": str(GOAL_MAX)}, bot=HeartsBot),
)
