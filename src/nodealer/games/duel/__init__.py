"""Duel: a small card game of two decks, with cards of our own. docs/duel-game.md has the rules for players."""

from nodealer.games.duel.cards import Does, Printed
from nodealer.games.duel.hand import DuelGame
from nodealer.games.duel.moves import Attack, Bury, Concede, EndTurn, Move, Play, read_move
from nodealer.games.duel.pool import COURTS, POOL, court_deck
from nodealer.games.duel.rules import DuelRules
from nodealer.games.duel.side import Side, Warden

__all__ = [
    "COURTS",
    "POOL",
    "Attack",
    "Bury",
    "Concede",
    "Does",
    "DuelGame",
    "DuelRules",
    "EndTurn",
    "Move",
    "Play",
    "Printed",
    "Side",
    "Warden",
    "court_deck",
    "read_move",
]
