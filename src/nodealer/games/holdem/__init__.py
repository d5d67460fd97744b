"""No-limit Texas hold'em. pokerkit applies the rules, behind an adapter; we settle forfeits. Chips are play money."""

from nodealer.games.holdem.hand import Hand, HandStage, NoHand
from nodealer.games.holdem.moves import Call, Fold, Legal, Move, Muck, Raise, ShowHand, read_move
from nodealer.games.holdem.result import Carry, HoldemEnding
from nodealer.games.holdem.rules import Holdem

__all__ = [
    "Call",
    "Carry",
    "Fold",
    "Hand",
    "HandStage",
    "Holdem",
    "HoldemEnding",
    "Legal",
    "Move",
    "Muck",
    "NoHand",
    "Raise",
    "ShowHand",
    "read_move",
]
