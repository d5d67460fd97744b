"""The stages of an `offset` deck: what each request begins, and which stage may follow which."""

from __future__ import annotations

from typing import Final

from nodealer.cards.operations import Close, Deal, Open, Return, Show
from nodealer.protocols.offset.deal import Announcing, ReleasingParts, announce, show
from nodealer.protocols.offset.shuffle import OffsetShuffling, RequestingParts, RespondingParts, RevealingOffsets
from nodealer.protocols.stages import Closed, Idle, Requests, Transitions, Untouched, close, discard_cards

REQUESTS: Final[Requests] = {Deal: announce, Open: announce, Show: show, Return: discard_cards, Close: close}

TRANSITIONS: Final[Transitions] = {
    Untouched: frozenset({RequestingParts}),
    RequestingParts: frozenset({RespondingParts}),
    RespondingParts: frozenset({RespondingParts, OffsetShuffling}),
    OffsetShuffling: frozenset({OffsetShuffling, RevealingOffsets}),
    RevealingOffsets: frozenset({RevealingOffsets, Idle}),
    Idle: frozenset({Idle, Announcing, ReleasingParts, Closed}),
    Announcing: frozenset({ReleasingParts}),
    ReleasingParts: frozenset({ReleasingParts, Idle}),
    Closed: frozenset(),
}
