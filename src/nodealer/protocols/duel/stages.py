"""The stages of a `duel` deck: what each request begins, and which stage may follow which."""

from __future__ import annotations

from typing import Final

from nodealer.cards.operations import Close, Deal, Open, Peek, Return, Show
from nodealer.protocols.duel.peek import KeepingCard
from nodealer.protocols.duel.reveal import GivingKeys, RevealingCards, begin_close, draw, open_cards, peek, play
from nodealer.protocols.duel.shuffle import Assembling, FirstShuffling, return_cards
from nodealer.protocols.duel.tasks import Working
from nodealer.protocols.stages import Closed, Idle, Requests, Transitions, Untouched

REQUESTS: Final[Requests] = {
    Deal: draw,
    Open: open_cards,
    Show: play,
    Return: return_cards,
    Peek: peek,
    Close: begin_close,
}

TRANSITIONS: Final[Transitions] = {
    Untouched: frozenset({Assembling, FirstShuffling}),
    Assembling: frozenset({Working}),
    FirstShuffling: frozenset({Working}),
    Working: frozenset({Working, Idle}),
    Idle: frozenset({Idle, GivingKeys, RevealingCards, KeepingCard, Working, Closed}),
    GivingKeys: frozenset({GivingKeys, RevealingCards, KeepingCard, Working, Idle}),
    RevealingCards: frozenset({Idle, Closed}),
    KeepingCard: frozenset({Working, Idle}),
    Closed: frozenset(),
}
