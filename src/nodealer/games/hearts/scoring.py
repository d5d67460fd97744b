"""How a hand ended and what it counts, as data for people and programs."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from nodealer.games.hearts.faces import ALL_POINTS
from nodealer.games.hearts.trick import taken

if TYPE_CHECKING:
    from nodealer.games.hearts.hand import HeartsHand


class HeartsEnding(enum.Enum):
    """How a hand ended."""

    PLAYED = "played"
    #: Somebody is gone, of its own will, by the others' word, or because it could not prove what it played.
    LEFT = "left"
    #: Somebody led another card than the two of clubs, which everybody sees.
    CAUGHT = "caught"


def moon(counts: Mapping[int, int]) -> int | None:
    """The seat that has taken everything, if one has."""
    return next((seat for seat, count in counts.items() if count == ALL_POINTS), None)


def counted(counts: Mapping[int, int]) -> dict[int, int]:
    """What a hand that was played counts: what was taken, or for the three others all, where one took all."""
    shooter = moon(counts)
    if shooter is None:
        return dict(counts)
    return {seat: 0 if seat == shooter else ALL_POINTS for seat in counts}


def at_worst(losers: Iterable[int], seats: Iterable[int]) -> dict[int, int]:
    """What a hand counts that somebody has spoilt: all for whoever did, nothing for the others."""
    lost = frozenset(losers)
    return {seat: ALL_POINTS if seat in lost else 0 for seat in seats}


def result(hand: HeartsHand) -> dict[str, Any]:
    """The result of a hand that is over."""
    points, totals = hand.points, hand.totals
    over = max(totals.values()) >= hand.goal
    played = hand.ending is HeartsEnding.PLAYED
    return {
        "hand": hand.number,
        "ended": None if hand.ending is None else hand.ending.value,
        "passed": hand.direction.value,
        "tricks": len(hand.tricks),
        "points": [{"seat": seat, "points": points[seat], "total": totals[seat]} for seat in hand.seats],
        "moon": moon(taken(hand.tricks, hand.seats)) if played else None,
        "proofs": len(hand.proofs),
        "goal": hand.goal,
        # Whether somebody has reached the goal, and then who has the fewest.
        "over": over,
        "winners": [seat for seat in hand.seats if totals[seat] == min(totals.values())] if over else [],
        "spoilt": sorted(hand.losers),
    }
