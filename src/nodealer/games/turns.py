"""Whose turn it is: seats sit around the table in the order of their numbers, and the lowest follows the highest.

Who is out is left out of `among`; a seat that is asked about need not be in it: a button may have gone home.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection

from nodealer.errors import BadParameter


def after(seat: int, among: Collection[int], steps: int = 1) -> int:
    """The seat so many places on, to the left; with a negative number to the right."""
    seats = sorted(among)
    if not seats:
        raise BadParameter("nobody is left to follow")
    at = bisect_left(seats, seat)
    # From a place between two seats the first step to the left leads to the one that is found here.
    between = seat not in among
    return seats[(at + steps - (between and steps > 0)) % len(seats)]


def around(first: int, among: Collection[int]) -> tuple[int, ...]:
    """Everybody once, to the left, beginning with this seat or with the next one where it is not among them."""
    seats = sorted(among)
    at = bisect_left(seats, first)
    return (*seats[at:], *seats[:at])
