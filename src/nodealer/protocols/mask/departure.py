"""Seats leave a `mask` deck: the remaining seats start it again or, if it was complete, rebuild it.

A rebuild keeps the faces. All faces that are not face up are shuffled under new keys. Each card that a seat holds is
found among them by a tag that reveals nothing about its face, and is taken out. The rest is the new deck.
"""

from __future__ import annotations

from nodealer.cards.operations import NewDeck
from nodealer.protocols.base import DeckChange
from nodealer.protocols.mask.deck import MaskDeck
from nodealer.protocols.mask.rebuild import Joining
from nodealer.protocols.mask.shuffle import MaskShuffling
from nodealer.protocols.mask.transfer import HandingOver
from nodealer.protocols.stages import Closed, Idle


def without(deck: MaskDeck, seats: tuple[int, ...]) -> DeckChange | None:
    """Continue without these seats. Return None if fewer than two players remain."""
    staying = deck.binding.without(seats).players
    if len(staying) < 2:
        return None
    if staying == deck.binding.players:
        # The seats that leave have no keys in any card.
        return DeckChange(deck)
    if isinstance(deck.stage, HandingOver):
        deck = deck.stage.with_handed_cards(deck)
    stays = deck.after_leaving(seats)
    if isinstance(deck.stage, Closed):
        return DeckChange(stays)
    if not deck.layers:
        # No card was dealt: start again from the bare faces.
        return DeckChange(stays.in_stage(first_shuffle(stays)))
    places = stays.places
    if len(places.face_down) == len(places.hidden_owned):
        # No card is left that could be dealt.
        step = stays.with_new_pile(0).in_stage(Idle()).resume()
    else:
        step = DeckChange(stays.in_stage(Joining(stays.trail)))
    return DeckChange(step.deck, (*deck.leaving_events(seats), *step.events), step.checks)


def first_shuffle(deck: MaskDeck) -> MaskShuffling:
    """Return the stage of a new deck before the first shuffle."""
    made = NewDeck(deck.number, deck.faces.size)
    return MaskShuffling(made, deck.epoch, None, deck.binding.group.identity(1), {}, 0, deck.trail)
