"""The points of a hand, and its result as data for people and programs."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from nodealer.games.hearts.faces import ALL_POINTS
from nodealer.games.hearts.trick import points_taken

if TYPE_CHECKING:
    from nodealer.games.hearts.hand import HeartsHand


class HeartsEnding(enum.Enum):
    """How a hand ended."""

    PLAYED = "played"
    #: A player left, was voted out, or could not prove that their play was legal.
    LEFT = "left"
    #: A player led another card than the two of clubs, for everyone to see.
    CAUGHT = "caught"


def moon(counts: Mapping[int, int]) -> int | None:
    """Return the seat that has taken all points, or None."""
    return next((seat for seat, count in counts.items() if count == ALL_POINTS), None)


def score_hand(counts: Mapping[int, int]) -> dict[int, int]:
    """Return the score of each seat for a finished hand: the points taken, or 26 for the others after a moon shot."""
    shooter = moon(counts)
    if shooter is None:
        return dict(counts)
    return {seat: 0 if seat == shooter else ALL_POINTS for seat in counts}


def penalty_scores(losers: Iterable[int], seats: Iterable[int]) -> dict[int, int]:
    """Return the score of each seat for a hand that `losers` ended early: 26 for them, 0 for the others."""
    lost = frozenset(losers)
    return {seat: ALL_POINTS if seat in lost else 0 for seat in seats}


def result(hand: HeartsHand) -> dict[str, Any]:
    """Return the result of a finished hand."""
    points, totals = hand.points, hand.totals
    over = max(totals.values()) >= hand.goal
    played = hand.ending is HeartsEnding.PLAYED
    return {
        "hand": hand.number,
        "ended": None if hand.ending is None else hand.ending.value,
        "passed": hand.direction.value,
        "tricks": len(hand.tricks),
        "points": [{"seat": seat, "points": points[seat], "total": totals[seat]} for seat in hand.seats],
        "moon": moon(points_taken(hand.tricks, hand.seats)) if played else None,
        "proofs": len(hand.proofs),
        "goal": hand.goal,
        # Whether a player has reached the goal, and then the players with the fewest points.
        "over": over,
        "winners": [seat for seat in hand.seats if totals[seat] == min(totals.values())] if over else [],
        "spoilt": sorted(hand.losers),
    }
