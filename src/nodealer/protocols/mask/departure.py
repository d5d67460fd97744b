"""Seats leave: the deck is made anew by those who stay, or, once it was whole, rebuilt around the cards that they hold.

A rebuild keeps the faces. All that are not face up are shuffled under new keys; each card that is held is found among
them by a tag that says nothing of its face, and is taken out; the rest is the deck.
"""

from __future__ import annotations

from nodealer.cards.operations import NewDeck
from nodealer.protocols.base import DeckChange
from nodealer.protocols.mask.deck import MaskDeck
from nodealer.protocols.mask.rebuild import Joining
from nodealer.protocols.mask.shuffle import MaskShuffling
from nodealer.protocols.mask.transfer import Handing
from nodealer.protocols.stages import Closed, Idle


def without(deck: MaskDeck, seats: tuple[int, ...]) -> DeckChange | None:
    """Go on without these seats; None when fewer than two players stay."""
    staying = deck.binding.without(seats).players
    if len(staying) < 2:
        return None
    if staying == deck.binding.players:
        # Who leaves has no keys in any card.
        return DeckChange(deck)
    if isinstance(deck.stage, Handing):
        deck = deck.stage.broken_off(deck)
    stays = deck.left_by(seats)
    if isinstance(deck.stage, Closed):
        return DeckChange(stays)
    if not deck.layers:
        # Nothing was dealt: the deck is made from its bare faces.
        return DeckChange(stays.to(first_shuffle(stays)))
    places = stays.places
    if len(places.face_down) == len(places.hidden_owned):
        # No card is left that anybody could still be dealt.
        step = stays.rebuilt(0).to(Idle()).resume()
    else:
        step = DeckChange(stays.to(Joining(stays.trail)))
    return DeckChange(step.deck, (*deck.taken_from(seats), *step.events), step.checks)


def first_shuffle(deck: MaskDeck) -> MaskShuffling:
    """A new deck before anybody has shuffled it."""
    made = NewDeck(deck.number, deck.faces.size)
    return MaskShuffling(made, deck.epoch, None, deck.binding.group.identity(1), {}, 0, deck.trail)
