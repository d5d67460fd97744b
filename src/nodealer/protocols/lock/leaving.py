"""Seats leave: the deck is made again by those who stay, or, once cards were dealt, recovered.

A recovery keeps the faces. All faces that are not public go through a new cascade; each card that a survivor holds is
raised to the same secrets, so that it can be found in that deck and taken out; the rest is locked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nodealer.cards import Moved
from nodealer.group import Points
from nodealer.protocols.base import DeckChange
from nodealer.protocols.staged import Closed, Idle
from nodealer.tape import digest

if TYPE_CHECKING:
    from nodealer.protocols.lock.deck import LockDeck


def without(deck: LockDeck, seats: tuple[int, ...]) -> DeckChange | None:
    """Go on without these seats; None when fewer than two players stay."""
    from nodealer.protocols.lock.making import Committing

    binding = deck.binding.without(seats)
    if len(binding.players) < 2:
        return None
    # What is owed from here on is another duty than what was owed before, even if nobody has said a word since.
    trail = digest("without", deck.trail, deck.epoch, *seats)
    if binding.players == deck.binding.players:
        return DeckChange(_without_server(deck, seats, trail))
    stays = deck.at(
        binding=binding,
        places=deck.places.left_by(seats),
        pickers=tuple(seat for seat in deck.pickers if seat not in seats),
        server=None if deck.server in seats else deck.server,
        apart=None,
        epoch=deck.epoch + 1,
        trail=trail,
    )
    if isinstance(deck.stage, Closed):
        return DeckChange(stays)
    if not deck.layers or deck.faces is None:
        # Nothing was dealt: the deck is made from new fragments.
        return DeckChange(stays.at(stage=Committing(trail), faces=None, face_index={}))
    moved = tuple(
        Moved(deck.places.card(position), None)
        for position, seat in deck.places.held
        if seat in seats and deck.places.face(position) is None
    )
    step = _recover(stays, deck.faces)
    return DeckChange(step.deck, (*moved, *step.events), step.checks)


def _without_server(deck: LockDeck, seats: tuple[int, ...], trail: bytes) -> LockDeck:
    """A server has no secrets: nothing is made again. What it set apart stands; otherwise a picker picks now."""
    from nodealer.protocols.lock.picking import Picking, ServerPicking

    if deck.server not in seats:
        return deck
    if isinstance(deck.stage, ServerPicking):
        deck = deck.at(stage=Picking(deck.stage.operation, trail))
    return deck.at(server=None, trail=trail)


def _recover(deck: LockDeck, faces: Points) -> DeckChange:
    """Begin the cascade of all faces that are not public, with the cards that are to be taken out of it."""
    from nodealer.protocols.lock.making import Cascading
    from nodealer.protocols.lock.recovery import Recovery
    from nodealer.protocols.lock.resuming import resume

    places = deck.places
    public = {face for _, face in places.opened}
    hidden = [face for face in range(deck.size) if face not in public]
    held = tuple(sorted(position for position, _ in (*places.held, *places.aside) if places.face(position) is None))
    if len(hidden) == len(held):
        # No card is left that anybody could still be dealt.
        return resume(deck.rebuilt(0).at(stage=Idle()))
    return DeckChange(deck.at(stage=Cascading(faces.take(hidden), {}, deck.trail, Recovery(held))))
