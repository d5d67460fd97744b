"""What one person sees: the public table, and the faces that this seat can read. Nothing else is in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from nodealer.games.base import Game

#: The seat of somebody who has none: who watches, or looks at a game again.
NO_SEAT: Final = -1


@dataclass(frozen=True)
class View:
    """A moment at the table, for the person at one seat, or for one who watches."""

    seat: int
    names: Mapping[int, str]
    hand: int
    game: Game | None
    #: The faces this seat holds, by deck and position.
    cards: Mapping[tuple[int, int], int]
    my_turn: bool
    #: Cards that this seat has looked at and does not hold, by deck and position: of a pile, or in another hand.
    seen: Mapping[tuple[int, int], int] = field(default_factory=dict)

    def seen_in(self, deck: int) -> dict[int, int]:
        """The cards of one pile that this seat has looked at: position to face."""
        return {position: face for (on, position), face in self.seen.items() if on == deck}


def plain_page(view: View) -> dict[str, Any]:
    """A view as JSON for a game that has no page of its own: numbers, and no words."""
    return {
        "version": 1,
        "seat": None if view.seat == NO_SEAT else view.seat,
        "names": [{"seat": seat, "name": name} for seat, name in sorted(view.names.items())],
        # As people count.
        "hand": view.hand + 1,
        "myTurn": view.my_turn,
        "cards": _listed(view.cards),
        "seen": _listed(view.seen),
    }


def _listed(faces: Mapping[tuple[int, int], int]) -> list[dict[str, int]]:
    return [{"deck": deck, "position": position, "face": face} for (deck, position), face in sorted(faces.items())]
