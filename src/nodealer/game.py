"""Everything the author of a game needs, in one place.

A game requests card operations, moves, or the end of the hand (`Ask`, `Turn`, `Done`), receives card events, decodes
moves strictly, and is wrapped in a `GamePackage`. docs/build/tutorial.md writes a game step by step;
docs/build/library.md lists these names. They stay compatible from the first release on; the modules behind them may
change.
"""

from __future__ import annotations

from nodealer.cards.events import Event, Finished, Half, Moved, Opened, Rolled, Unsealed
from nodealer.cards.operations import (
    Capability,
    Card,
    Close,
    Deal,
    Gift,
    Look,
    Mix,
    NewDeck,
    NoneOf,
    Open,
    Operation,
    Pass,
    Peek,
    Place,
    Portion,
    Prove,
    Random,
    Return,
    Seal,
    Show,
    Unseal,
)
from nodealer.errors import BadParameter, DecodeError, IllegalMove
from nodealer.games import turns
from nodealer.games.bank import Bank
from nodealer.games.base import Ask, Done, Entropy, Game, Rules, Turn, Want, WithoutStakes
from nodealer.games.package import Bot, Export, GamePackage, Measured, Setting, whole_number
from nodealer.games.pots import Pot, PotClaims, pots, winnings
from nodealer.games.text import Line, Mark, Span, Text, Words, line, numbered, picked, strong
from nodealer.games.view import View, plain_page
from nodealer.wire import CARDS_MAX, CARDS_MIN, DECKS_MAX, SEATS_MAX, Message, Natural, SeatNumber, decode, encode

__all__ = [
    "CARDS_MAX",
    "CARDS_MIN",
    "DECKS_MAX",
    "SEATS_MAX",
    "Ask",
    "BadParameter",
    "Bank",
    "Bot",
    "Capability",
    "Card",
    "Close",
    "Deal",
    "DecodeError",
    "Done",
    "Entropy",
    "Event",
    "Export",
    "Finished",
    "Game",
    "GamePackage",
    "Gift",
    "Half",
    "IllegalMove",
    "Line",
    "Look",
    "Mark",
    "Measured",
    "Message",
    "Mix",
    "Moved",
    "Natural",
    "NewDeck",
    "NoneOf",
    "Open",
    "Opened",
    "Operation",
    "Pass",
    "Peek",
    "Place",
    "Portion",
    "Pot",
    "PotClaims",
    "Prove",
    "Random",
    "Return",
    "Rolled",
    "Rules",
    "Seal",
    "SeatNumber",
    "Setting",
    "Show",
    "Span",
    "Text",
    "Turn",
    "Unseal",
    "Unsealed",
    "View",
    "Want",
    "WithoutStakes",
    "Words",
    "decode",
    "encode",
    "line",
    "numbered",
    "picked",
    "plain_page",
    "pots",
    "strong",
    "turns",
    "whole_number",
    "winnings",
]
