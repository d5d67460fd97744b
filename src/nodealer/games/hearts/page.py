"""A hand of hearts as one person sees it, as JSON for the page."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from nodealer.games.base import Done, Turn
from nodealer.games.hearts.faces import name
from nodealer.games.hearts.hand import HeartsHand, HeartsStage
from nodealer.games.hearts.moves import GIVEN
from nodealer.games.hearts.text import describe_claim, proven_voids
from nodealer.games.hearts.trick import Trick
from nodealer.games.hearts.view import hand_of, opening_move, playable
from nodealer.games.view import View, plain_page

#: The version of this document's format.
PAGE_VERSION: Final = 1


def page(view: View) -> dict[str, Any]:
    """Return the trick, the person's hand with the playable cards, and the points. Cards are written as "As"."""
    plain = plain_page(view) | {"version": PAGE_VERSION}
    game = view.game
    if not isinstance(game, HeartsHand):
        return plain
    want, may = game.wants, playable(view)
    opens = view.my_turn and game.stage is HeartsStage.OPENING
    return plain | {
        "stage": game.stage.value,
        "passing": game.direction.value,
        "give": GIVEN,
        "goal": game.goal,
        "turn": list(want.seats) if isinstance(want, Turn) else [],
        "number": len(game.tricks) + 1,
        "broken": game.broken,
        "trick": _trick(game.trick),
        # The previous trick, so that no one misses who took it.
        "last": _trick(game.tricks[-1]) | {"winner": game.tricks[-1].winner} if game.tricks else None,
        "seats": [_seat(game, seat) for seat in game.seats],
        "mine": [
            {"place": place, "card": name(face), "can": place in may or game.stage is HeartsStage.PASSING}
            for place, face in hand_of(view).items()
        ],
        # The proofs that are owed now.
        "proving": [{"seat": claim.seat, "what": describe_claim(claim)} for claim in game.claims],
        # The only legal answer about the two of clubs: there is nothing to choose.
        "opening": msgspec.to_builtins(opening_move(view)) if opens else None,
        "result": want.result if isinstance(want, Done) else None,
    }


def _trick(trick: Trick) -> dict[str, Any]:
    """Return a trick for the page: its cards in order, its points, and who wins it so far."""
    cards = [{"seat": seat, "card": name(face)} for seat, face in trick.cards]
    return {"cards": cards, "points": trick.points, "winner": trick.winner if trick.cards else None}


def _seat(game: HeartsHand, seat: int) -> dict[str, Any]:
    """Return what everyone sees of one seat."""
    return {
        "seat": seat,
        "held": len(game.held.get(seat, ())),
        "taken": game.taken[seat],
        "total": game.totals[seat] if game.stage is HeartsStage.OVER else game.scores[seat],
        "passes_to": game.receiver(seat),
        "has_passed": seat in game.given,
        "lacks": proven_voids(game, seat),
    }
