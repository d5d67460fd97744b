"""Wardens: a small card game for two players, each with a deck of our own cards. Rules: docs/play/wardens.md."""

from nodealer.games.wardens.cards import Does, Printed
from nodealer.games.wardens.hand import WardensGame
from nodealer.games.wardens.moves import Attack, Bury, Concede, EndTurn, Move, Play, read_move
from nodealer.games.wardens.pool import COURTS, POOL, court_deck
from nodealer.games.wardens.rules import WardensRules
from nodealer.games.wardens.side import Side, Warden

__all__ = [
    "COURTS",
    "POOL",
    "Attack",
    "Bury",
    "Concede",
    "Does",
    "EndTurn",
    "Move",
    "Play",
    "Printed",
    "Side",
    "Warden",
    "WardensGame",
    "WardensRules",
    "court_deck",
    "read_move",
]
