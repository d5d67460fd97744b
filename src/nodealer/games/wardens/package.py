"""Wardens as a game package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nodealer.errors import BadParameter
from nodealer.games.package import GamePackage, Setting
from nodealer.games.wardens.bot import WardensBot
from nodealer.games.wardens.moves import Move
from nodealer.games.wardens.page import page
from nodealer.games.wardens.pool import COURTS, court_deck
from nodealer.games.wardens.rules import WardensRules
from nodealer.games.wardens.text import WardensWords
from nodealer.wire import encode

#: The protocol the game was made for, and its modes of keeping decks honest, the default first.
PROTOCOL: Final = "duel"
MODES: Final = ("proven", "committed", "xor")


def rules_of(settings: Mapping[str, str]) -> WardensRules:
    """Make the rules for two courts, such as "ember,tide". Raise `BadParameter` if one is unknown."""
    decks = settings["decks"]
    courts = [court.strip() for court in decks.split(",")]
    if len(courts) != 2 or any(court not in COURTS for court in courts):
        raise BadParameter(f"--decks must be two of {', '.join(COURTS)}, such as ember,tide, not {decks!r}")
    return WardensRules((court_deck(courts[0]), court_deck(courts[1])))


def mode_of(protocol: str, settings: Mapping[str, str]) -> bytes:
    """Return the protocol's parameters for a mode, as canonical JSON. Raise `BadParameter` if the mode is unknown."""
    mode = settings["mode"]
    if mode == MODES[0]:
        return b"{}"
    if protocol != PROTOCOL or mode not in MODES:
        raise BadParameter(f"--mode must be {', '.join(MODES[:-1])} or {MODES[-1]}, and only {PROTOCOL} has modes")
    return encode({"mode": mode})


GAME: Final = GamePackage(
    name=WardensRules.name,
    version=WardensRules.version,
    rules=WardensRules.from_parameters,
    from_settings=rules_of,
    settings=(
        Setting("decks", f"the decks of the two players: two of {', '.join(COURTS)}", "ember,tide"),
        Setting("mode", f"how decks are kept honest: {', '.join(MODES)}", MODES[0]),
    ),
    protocol=PROTOCOL,
    seats=2,
    hands=1,
    protocol_parameters=mode_of,
    moves=Move,
    bot=WardensBot,
    words=WardensWords(),
    page=page,
    table="nodealer.games.wardens",
)
