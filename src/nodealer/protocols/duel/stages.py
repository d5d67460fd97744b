"""The stages of a `duel` deck: what each request begins, and which stage may follow which."""

from __future__ import annotations

from typing import Final

from nodealer.cards.operations import Close, Deal, Open, Peek, Return, Show
from nodealer.protocols.duel.peek import Taking
from nodealer.protocols.duel.reveal import Giving, RevealingCards, draw, open_cards, peek, play, put_away
from nodealer.protocols.duel.shuffle import Assembling, Beginning, give_back
from nodealer.protocols.duel.tasks import Working
from nodealer.protocols.stages import Closed, Idle, Requests, Transitions, Untouched

REQUESTS: Final[Requests] = {
    Deal: draw,
    Open: open_cards,
    Show: play,
    Return: give_back,
    Peek: peek,
    Close: put_away,
}

TRANSITIONS: Final[Transitions] = {
    Untouched: frozenset({Assembling, Beginning}),
    Assembling: frozenset({Working}),
    Beginning: frozenset({Working}),
    Working: frozenset({Working, Idle}),
    Idle: frozenset({Idle, Giving, RevealingCards, Taking, Working, Closed}),
    Giving: frozenset({Giving, RevealingCards, Taking, Working, Idle}),
    RevealingCards: frozenset({Idle, Closed}),
    Taking: frozenset({Working, Idle}),
    Closed: frozenset(),
}
