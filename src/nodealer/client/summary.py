"""The summary of a game: how long it took, and what its log contains."""

from __future__ import annotations

from nodealer.client.events import GameSummary
from nodealer.engine.replica import Replica


def game_summary(replica: Replica, seconds: float) -> GameSummary:
    """Return the summary of a table's whole log, including what was played before this program started."""
    # The kind comes first in a body.
    cards = sum(len(entry) for entry in replica.entries if b'"body":{"type":"cards"' in entry)
    return GameSummary(seconds, replica.height, sum(map(len, replica.entries)), replica.checks_settled, cards)
