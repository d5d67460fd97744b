"""Seats leave: the deck is made again by those who stay, or, once cards were dealt, recovered.

A recovery keeps the faces. All faces that are not public go through a new cascade; each card that a survivor holds is
raised to the same secrets, so that it can be found in that deck and taken out; the rest is locked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nodealer.cards import Moved
from nodealer.protocols.base import Step
from nodealer.protocols.staged import Closed, Idle

if TYPE_CHECKING:
    from nodealer.protocols.lock.deck import LockDeck


def without(deck: LockDeck, seats: tuple[int, ...]) -> Step | None:
    """Go on without these seats; None when fewer than two players stay."""
    from nodealer.protocols.lock.making import Cascading, Committing
    from nodealer.protocols.lock.recovery import Recovery
    from nodealer.protocols.lock.resuming import resume

    table = deck.table.without(seats)
    if len(table.players) < 2:
        return None
    moved = tuple(
        Moved(deck.places.card(position), None)
        for position, seat in deck.places.held
        if seat in seats and deck.places.face(position) is None
    )
    stays = deck.at(
        table=table,
        places=deck.places.left_by(seats),
        pickers=tuple(seat for seat in deck.pickers if seat not in seats),
        server=None if deck.server in seats else deck.server,
        apart=None,
        epoch=deck.epoch + 1,
    )
    if isinstance(deck.stage, Closed):
        return Step(stays)
    if not deck.layers or deck.faces is None:
        # Nothing was dealt: the deck is made from new fragments.
        return Step(stays.at(stage=Committing(deck.trail), faces=None, face_index={}))
    public = {face for _, face in deck.places.opened}
    hidden = [face for face in range(deck.size) if face not in public]
    held = tuple(sorted(p for p, _ in (*stays.places.held, *stays.places.aside) if deck.places.face(p) is None))
    if len(hidden) - len(held) < 1 or len(hidden) < 2:
        # No card is left that anybody could still be dealt.
        step = resume(stays.at(stage=Idle(), places=stays.places.rebuilt(0)))
        return Step(step.deck, (*moved, *step.events), step.checks)
    cascade = Cascading(deck.faces.take(hidden), {}, deck.trail, Recovery(held))
    return Step(stays.at(stage=cascade), moved)
