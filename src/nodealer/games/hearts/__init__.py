"""Hearts: four players, hidden hands, and a proof whenever a rule depends on a hidden hand. See docs/play/hearts.md."""

from nodealer.games.hearts.hand import Direction, HeartsHand, HeartsStage, Proof
from nodealer.games.hearts.moves import Give, Lead, Move, Play, Without, read_move
from nodealer.games.hearts.rules import HeartsRules
from nodealer.games.hearts.scoring import HeartsEnding
from nodealer.games.hearts.trick import Trick, allowed, excluded

__all__ = [
    "Direction",
    "Give",
    "HeartsEnding",
    "HeartsHand",
    "HeartsRules",
    "HeartsStage",
    "Lead",
    "Move",
    "Play",
    "Proof",
    "Trick",
    "Without",
    "allowed",
    "excluded",
    "read_move",
]
