"""The stages of a `chain` deck: what each request begins, and which stage may follow which."""

from __future__ import annotations

from typing import Final

from nodealer.cards.operations import Close, Deal, Open, Return, Show
from nodealer.protocols.chain.candidates import CommittingCoins, OpeningCoins, OpeningDecks, Proposing
from nodealer.protocols.chain.deck import ContradictedCard
from nodealer.protocols.chain.draw import Passing, Showing, begin_deal, begin_open, begin_show
from nodealer.protocols.chain.shuffle import ChainShuffling
from nodealer.protocols.stages import Closed, Idle, Requests, Transitions, Untouched, close, discard_cards

REQUESTS: Final[Requests] = {Deal: begin_deal, Open: begin_open, Show: begin_show, Return: discard_cards, Close: close}

#: A player who reports a misdeal sends the deck into a pass that ends with a fault or with a contradicted card.
TRANSITIONS: Final[Transitions] = {
    Untouched: frozenset({ChainShuffling, Proposing}),
    Proposing: frozenset({Proposing, CommittingCoins}),
    CommittingCoins: frozenset({CommittingCoins, OpeningCoins}),
    OpeningCoins: frozenset({OpeningCoins, OpeningDecks}),
    OpeningDecks: frozenset({OpeningDecks, ChainShuffling}),
    ChainShuffling: frozenset({ChainShuffling, Idle}),
    Idle: frozenset({Idle, Passing, Showing, Closed}),
    Passing: frozenset({Passing, Idle, ContradictedCard}),
    Showing: frozenset({Passing, Idle, ContradictedCard}),
    ContradictedCard: frozenset(),
    Closed: frozenset(),
}
