"""What one person sees: the public table, and the faces that this seat can read. Nothing else is in it.

A view is made of the replica's state, which holds no secrets, and of what the seat's own tape opens. It has no way to
another seat's cards, so it cannot show them by mistake.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nodealer.games.base import Game
from nodealer.play.phases import Phase
from nodealer.play.seat import Seat


@dataclass(frozen=True)
class View:
    """A moment at the table, for the person at one seat."""

    seat: int
    names: Mapping[int, str]
    hand: int
    phase: Phase
    game: Game | None
    #: The faces this seat holds, by deck and position.
    cards: Mapping[tuple[int, int], int]
    my_turn: bool
    #: Cards of a pile that this seat has looked at, by deck and position.
    seen: Mapping[tuple[int, int], int] = field(default_factory=dict)


def view_of(seat: Seat) -> View:
    """What the person at a seat sees now."""
    state = seat.replica.state
    known = {(card.deck, card.position): face for card, face in sorted(seat.cards().items())}
    held = {
        (deck, position): face
        for (deck, position), face in known.items()
        if state.hand.decks[deck].places.holder(position) == seat.number
    }
    piles = {deck: frozenset(value.places.pile) for deck, value in state.hand.decks.items()}
    seen = {(deck, position): face for (deck, position), face in known.items() if position in piles[deck]}
    return View(
        seat.number,
        {player.seat: player.name for player in state.roster.members},
        state.hand.number,
        state.phase,
        state.hand.game,
        held,
        seat.may_move,
        seen,
    )
