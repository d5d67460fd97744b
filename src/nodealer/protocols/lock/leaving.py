"""Seats leave: the deck is made again by those who stay, or, once cards were dealt, recovered.

A recovery keeps the faces. All faces that are not public go through a new cascade; each card that a survivor holds is
raised to the same secrets, so that it can be found in that deck and taken out; the rest is locked.
"""

from __future__ import annotations

from nodealer.cards import Moved
from nodealer.group import Points
from nodealer.protocols.base import DeckChange
from nodealer.protocols.lock.deck import LockDeck
from nodealer.protocols.lock.making import Cascading, CommittingFragments
from nodealer.protocols.lock.picking import Picking, ServerPicking
from nodealer.protocols.staged import Closed, Idle
from nodealer.tape import digest


def without(deck: LockDeck, seats: tuple[int, ...]) -> DeckChange | None:
    """Go on without these seats; None when fewer than two players stay."""
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
        lost=deck.lost | _hidden_cards_of(deck, seats),
    )
    if isinstance(deck.stage, Closed):
        return DeckChange(stays)
    if not deck.layers or deck.faces is None:
        # Nothing was dealt: the deck is made from new fragments.
        return DeckChange(stays.to(CommittingFragments(trail), faces=None, face_index={}))
    moved = tuple(
        Moved(deck.places.card(position), None)
        for position, seat in deck.places.held.items()
        if seat in seats and deck.places.face(position) is None
    )
    step = _recover(stays, deck.faces)
    return DeckChange(step.deck, (*moved, *step.events), step.checks)


def _hidden_cards_of(deck: LockDeck, seats: tuple[int, ...]) -> frozenset[int]:
    """What seats hold or have laid aside and nobody else has seen."""
    whose = {**deck.places.aside, **deck.places.held}
    return frozenset(deck.places.hidden(position for position, seat in whose.items() if seat in seats))


def _without_server(deck: LockDeck, seats: tuple[int, ...], trail: bytes) -> LockDeck:
    """A server has no secrets: nothing is made again. What it set apart stands; otherwise a picker picks now."""
    if deck.server not in seats:
        return deck
    if isinstance(deck.stage, ServerPicking):
        deck = deck.to(Picking(deck.stage.operation, trail))
    return deck.at(server=None, trail=trail)


def _recover(deck: LockDeck, faces: Points) -> DeckChange:
    """Begin the cascade of all faces that are not public, with the cards that are to be taken out of it."""
    places = deck.places
    public = set(places.opened.values())
    hidden = [face for face in range(deck.size) if face not in public]
    held = tuple(sorted(places.hidden((*places.held, *places.aside))))
    if len(hidden) == len(held):
        # No card is left that anybody could still be dealt.
        return deck.rebuilt(0).to(Idle()).resume()
    return DeckChange(deck.to(Cascading(faces.take(hidden), {}, deck.trail, held)))
