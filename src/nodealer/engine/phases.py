"""Where a table stands, and where it can go from there. Everything that moves a table passes through this table."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final


class Phase(enum.Enum):
    """Where a table stands."""

    #: Between two hands: seats begin the next one, or end.
    BETWEEN = "between"
    #: A hand is played.
    PLAYING = "playing"
    #: Every seat that still sat has signed the end.
    ENDED = "ended"


#: From phase to the phases that one entry can lead to. Staying is always possible: a hand that nobody can play is over
#: with the entry that begins it.
TRANSITIONS: Final[Mapping[Phase, frozenset[Phase]]] = {
    Phase.BETWEEN: frozenset({Phase.PLAYING, Phase.ENDED}),
    Phase.PLAYING: frozenset({Phase.BETWEEN}),
    Phase.ENDED: frozenset(),
}
