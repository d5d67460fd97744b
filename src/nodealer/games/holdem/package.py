"""Hold'em as a game package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nodealer.errors import BadParameter
from nodealer.games.holdem.bot import Caller, HoldemBot
from nodealer.games.holdem.export import PHH
from nodealer.games.holdem.leave_price import LeavePricing
from nodealer.games.holdem.moves import Move
from nodealer.games.holdem.page import page
from nodealer.games.holdem.rules import Holdem
from nodealer.games.holdem.text import HoldemWords
from nodealer.games.package import GamePackage, Measured, Setting, whole_number


def rules_of(settings: Mapping[str, str]) -> Holdem:
    """Make the rules from settings as they were typed; blinds are "1/2". Raise `BadParameter` if one is not valid."""
    small, _, big = settings["blinds"].partition("/")
    if not (small.isascii() and small.isdigit() and big.isascii() and big.isdigit()):
        raise BadParameter(f"--blinds must be two numbers such as 1/2, not {settings['blinds']!r}")
    stack, ante = (whole_number(name, settings[name]) for name in ("stack", "ante"))
    if settings["leaving"] not in (known := [one.value for one in LeavePricing]):
        raise BadParameter(f"--leaving must be {' or '.join(known)}, not {settings['leaving']!r}")
    return Holdem(stack, (int(small), int(big)), ante, LeavePricing(settings["leaving"]))


GAME: Final = GamePackage(
    name=Holdem.name,
    version=Holdem.version,
    rules=Holdem.from_parameters,
    from_settings=rules_of,
    settings=(
        Setting("blinds", "small and big blind", "1/2"),
        Setting("ante", "ante of every player before each hand", "0"),
        Setting("stack", "starting chips (play money)", "200"),
        Setting("leaving", "penalty for leaving in the middle of a card operation: strict or gentle", "strict"),
    ),
    seats=4,
    hands=3,
    moves=Move,
    bot=HoldemBot,
    words=HoldemWords(),
    page=page,
    table="nodealer.games.holdem",
    export=PHH,
    # Enough chips that no player is out before the end.
    measured=Measured(seats=6, settings={"stack": "100000"}, bot=Caller),
)
