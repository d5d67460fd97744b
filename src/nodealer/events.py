"""Events at a table, as returned by `Player.events()` and `Watcher.events()`.

Events are small values that contain player names and card faces, so there is nothing to look up. A face is the card's
number in the deck, from 0, or at a free table the name it was given. Everyone at a table gets the same events in the
same order, except for private ones: the faces of a player's own cards, that it is their turn, that a card of theirs
cannot be read, or that they cannot give a proof.

Names, reasons, notes and moves are text from other people. Filter them before you display them.
"""

from __future__ import annotations

from nodealer.client.events import (
    Agreed,
    AsksToSit,
    Began,
    Came,
    Dealt,
    Declined,
    Diverged,
    Ended,
    Face,
    Fault,
    GivenBack,
    Late,
    Left,
    Moved,
    NotTaken,
    Opened,
    Proposal,
    Proposed,
    Proven,
    Result,
    Rolled,
    Seated,
    SeatsProposed,
    Shown,
    Silenced,
    TimeIsUp,
    Unprovable,
    Unreadable,
    Unsealed,
    Went,
    Word,
    WouldBreakOff,
    WouldNotWait,
    YourTurn,
)
from nodealer.client.events import PublicEvent as Event

__all__ = [
    "Agreed",
    "AsksToSit",
    "Began",
    "Came",
    "Dealt",
    "Declined",
    "Diverged",
    "Ended",
    "Event",
    "Face",
    "Fault",
    "GivenBack",
    "Late",
    "Left",
    "Moved",
    "NotTaken",
    "Opened",
    "Proposal",
    "Proposed",
    "Proven",
    "Result",
    "Rolled",
    "Seated",
    "SeatsProposed",
    "Shown",
    "Silenced",
    "TimeIsUp",
    "Unprovable",
    "Unreadable",
    "Unsealed",
    "Went",
    "Word",
    "WouldBreakOff",
    "WouldNotWait",
    "YourTurn",
]
