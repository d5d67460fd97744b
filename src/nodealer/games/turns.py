"""Turn order: seats sit around the table in the order of their numbers, and the lowest follows the highest.

Leave seats that are out of the game out of `among`. The starting seat need not be in `among`: the player on the button
may have left.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection

from nodealer.errors import BadParameter


def after(seat: int, among: Collection[int], steps: int = 1) -> int:
    """Return the seat `steps` places to the left of `seat`, or to the right if `steps` is negative.

    Raises `BadParameter` if `among` is empty.
    """
    seats = sorted(among)
    if not seats:
        raise BadParameter("there is no seat to take a turn")
    at = bisect_left(seats, seat)
    # From a place between two seats, the first step to the left leads to the seat found here.
    between = seat not in among
    return seats[(at + steps - (between and steps > 0)) % len(seats)]


def around(first: int, among: Collection[int]) -> tuple[int, ...]:
    """Return every seat once, to the left, starting with `first` or, if it is not in `among`, with the next seat."""
    seats = sorted(among)
    at = bisect_left(seats, first)
    return (*seats[at:], *seats[:at])
