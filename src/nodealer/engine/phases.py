"""The phases of a table and the transitions between them. Every change of phase must be one of these."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final


class Phase(enum.Enum):
    """The phase of a table."""

    #: Between two hands: seats begin the next one or sign the end.
    BETWEEN = "between"
    #: A hand is being played.
    PLAYING = "playing"
    #: Every seat that was still present has signed the end.
    ENDED = "ended"


#: Phase to the phases that one entry can lead to. Staying is always possible: a hand that cannot be played is over with
#: the entry that begins it.
TRANSITIONS: Final[Mapping[Phase, frozenset[Phase]]] = {
    Phase.BETWEEN: frozenset({Phase.PLAYING, Phase.ENDED}),
    Phase.PLAYING: frozenset({Phase.BETWEEN}),
    Phase.ENDED: frozenset(),
}
