"""What one person sees: the public table, and the faces that their seat can read.

A view is built from the replica's state, which has no secrets, and from what the seat's own tape opens. It has no
access to other seats' cards, so it cannot show them by mistake.
"""

from __future__ import annotations

from nodealer.cards.operations import Peek, Seal
from nodealer.cards.places import Places
from nodealer.engine.seat import Seat
from nodealer.engine.state import TableState
from nodealer.errors import BadParameter
from nodealer.games.view import NO_SEAT, View
from nodealer.protocols.base import Duty
from nodealer.records import replace


def view_of(seat: Seat) -> View:
    """Return what the person at a seat sees now. Raise `CardUnreadable` if a card of theirs does not open."""
    state = seat.replica.state
    known = {(card.deck, card.position): face for card, face in sorted(seat.known_cards().items())}
    held = {
        (deck, position): face
        for (deck, position), face in known.items()
        if state.hand.decks[deck].places.holder(position) == seat.number
    }
    seen = {
        (deck, position): face
        for (deck, position), face in known.items()
        if (deck, position) not in held and _lies_hidden(state.hand.decks[deck].places, position)
    }
    return View(
        seat.number,
        {player.seat: player.name for player in state.roster.members},
        state.hand.number,
        state.hand.game,
        held,
        seat.can_move,
        seen,
    )


def choosing_view(seat: Seat, peek: Peek) -> View:
    """Return the view for a choice about peeked cards: of that deck only these cards, the top one first."""
    view, places = view_of(seat), seat.replica.state.hand.decks[peek.deck].places
    seen = {spot: face for spot, face in view.seen.items() if spot[0] != peek.deck}
    top = [(peek.deck, position) for position in places.next_cards(peek.count)]
    return replace(view, seen={**seen, **{spot: view.seen[spot] for spot in top if spot in view.seen}})


def _lies_hidden(places: Places, position: int) -> bool:
    """Return whether a card is face down in a pile or a hand.

    Cards laid aside are in neither, so no search finds them.
    """
    return position in places.in_pile or (places.holder(position) is not None and places.face(position) is None)


def public_view(state: TableState) -> View:
    """Return what a spectator sees."""
    names = {player.seat: player.name for player in state.roster.members}
    return View(NO_SEAT, names, state.hand.number, state.hand.game, {}, False)


def find_choice(seat: Seat, duty: Duty) -> Peek | Seal:
    """Return the game's request that a choice duty belongs to: a peek, or something to seal.

    Raise `BadParameter` if the duty is not such a choice.
    """
    asked = seat.replica.state.hand.requests
    queue = () if asked is None or duty.deck is None else asked.queues.get(duty.deck, ())
    if not queue or not isinstance(queue[0], Peek | Seal):
        raise BadParameter(f"{duty.kind} is not a choice about peeked cards or something to seal")
    return queue[0]
