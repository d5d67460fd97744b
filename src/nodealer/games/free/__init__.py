"""A table without rules: any player may ask for cards, and the log says who asked for what."""

from nodealer.games.free.rules import (
    OPERATIONS,
    DealCards,
    Finish,
    Free,
    FreeHand,
    GiveBack,
    Move,
    OpenCards,
    ProveCards,
    PutAway,
    Roll,
    SealAll,
    ShowCards,
    Shuffle,
    UnsealAll,
    read_move,
)

__all__ = [
    "OPERATIONS",
    "DealCards",
    "Finish",
    "Free",
    "FreeHand",
    "GiveBack",
    "Move",
    "OpenCards",
    "ProveCards",
    "PutAway",
    "Roll",
    "SealAll",
    "ShowCards",
    "Shuffle",
    "UnsealAll",
    "read_move",
]
