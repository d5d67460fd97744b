"""Seats leave a `lock` deck: the remaining seats start it again or, if cards were dealt, recover it.

A recovery keeps the faces. All faces that are not public go through a new cascade. Each card that a remaining seat
holds is raised to the same secrets, so that it can be found in that deck and taken out. The rest is locked.
"""

from __future__ import annotations

from nodealer.group import Points
from nodealer.protocols.base import DeckChange
from nodealer.protocols.lock.community import Picking, ServerPicking
from nodealer.protocols.lock.deck import LockDeck
from nodealer.protocols.lock.shuffle import Cascading, CommittingFragments
from nodealer.protocols.stages import Closed, Idle


def without(deck: LockDeck, seats: tuple[int, ...]) -> DeckChange | None:
    """Continue without these seats. Return None if fewer than two players remain."""
    staying = deck.binding.without(seats).players
    if len(staying) < 2:
        return None
    if staying == deck.binding.players:
        return DeckChange(_without_server(deck, seats))
    stays = deck.after_leaving(seats).with_fields(
        pickers=tuple(seat for seat in deck.pickers if seat not in seats),
        server=None if deck.server in seats else deck.server,
        apart=None,
    )
    if isinstance(deck.stage, Closed):
        return DeckChange(stays)
    if not deck.layers or deck.faces is None:
        # No card was dealt: start again from new fragments.
        return DeckChange(stays.in_stage(CommittingFragments(stays.trail), faces=None, face_index={}))
    step = _recover(stays, deck.faces)
    return DeckChange(step.deck, (*deck.leaving_events(seats), *step.events), step.checks)


def _without_server(deck: LockDeck, seats: tuple[int, ...]) -> LockDeck:
    """Return the deck without its server. A server has no secrets, so nothing is rebuilt.

    Positions that it has reserved stay valid; otherwise a picker picks now.
    """
    if deck.server not in seats:
        return deck
    trail = deck.trail_without(seats)
    if isinstance(deck.stage, ServerPicking):
        deck = deck.in_stage(Picking(deck.stage.operation, trail))
    return deck.with_fields(server=None, trail=trail)


def _recover(deck: LockDeck, faces: Points) -> DeckChange:
    """Begin the cascade of all faces that are not public, noting the held cards to take out of it."""
    hidden, held = deck.places.face_down, deck.places.hidden_owned
    if len(hidden) == len(held):
        # No card is left that could be dealt.
        return deck.with_new_pile(0).in_stage(Idle()).resume()
    return DeckChange(deck.in_stage(Cascading(faces.take(hidden), {}, deck.trail, held)))
