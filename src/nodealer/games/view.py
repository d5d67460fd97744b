"""What one person sees: the public table and the faces that their seat can read. A view contains nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from nodealer.games.base import Game

#: Stands for "no seat": a spectator, or someone who replays a game.
NO_SEAT: Final = -1


@dataclass(frozen=True)
class View:
    """The table at one moment, as the person at one seat or a spectator sees it."""

    seat: int
    names: Mapping[int, str]
    hand: int
    game: Game | None
    #: The faces this seat holds, by deck and position.
    cards: Mapping[tuple[int, int], int]
    my_turn: bool
    #: Faces that this seat has looked at but does not hold, by deck and position: in a pile, or in another hand.
    seen: Mapping[tuple[int, int], int] = field(default_factory=dict)

    def seen_in(self, deck: int) -> dict[int, int]:
        """Return the cards of one deck that this seat has looked at, as a map from position to face."""
        return {position: face for (on, position), face in self.seen.items() if on == deck}


def plain_page(view: View) -> dict[str, Any]:
    """Return a view as JSON, for a game without a page of its own: numbers, no words."""
    return {
        "version": 1,
        "seat": None if view.seat == NO_SEAT else view.seat,
        "names": [{"seat": seat, "name": name} for seat, name in sorted(view.names.items())],
        # People count from 1.
        "hand": view.hand + 1,
        "myTurn": view.my_turn,
        "cards": _face_list(view.cards),
        "seen": _face_list(view.seen),
    }


def _face_list(faces: Mapping[tuple[int, int], int]) -> list[dict[str, int]]:
    """Return faces by deck and position as a sorted list for JSON."""
    return [{"deck": deck, "position": position, "face": face} for (deck, position), face in sorted(faces.items())]
