"""Where a table stands, and where it can go from there. Everything that moves a table passes through this table."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final


class Phase(enum.Enum):
    """Where a table stands."""

    #: Between two hands: seats begin the next one, propose another roster, or end.
    BETWEEN = "between"
    #: A hand is played.
    PLAYING = "playing"
    #: Books are being opened: in a dispute, or at the end of a hand where the protocol says so.
    BOOKS = "books"
    #: A fault, or a dispute that names nobody. Nothing counts any more.
    STOPPED = "stopped"
    #: Every seat that still sat has signed the end.
    ENDED = "ended"


#: From phase to the phases that one entry can lead to. Staying is always possible. A hand may be over with the entry
#: that begins it, where nobody can play; an end that is signed at a fault's very entry is void.
TRANSITIONS: Final[Mapping[Phase, frozenset[Phase]]] = {
    Phase.BETWEEN: frozenset({Phase.PLAYING, Phase.BOOKS, Phase.ENDED, Phase.STOPPED}),
    Phase.PLAYING: frozenset({Phase.BETWEEN, Phase.BOOKS, Phase.STOPPED}),
    Phase.BOOKS: frozenset({Phase.BETWEEN, Phase.STOPPED}),
    Phase.STOPPED: frozenset(),
    Phase.ENDED: frozenset({Phase.STOPPED}),
}
