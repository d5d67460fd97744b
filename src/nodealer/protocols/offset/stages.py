"""The stages of an `offset` deck: what each request begins, and which stage may follow which."""

from __future__ import annotations

from typing import Final

from nodealer.cards.operations import Close, Deal, Open, Return, Show
from nodealer.protocols.offset.deal import Announcing, Parts, announce, show
from nodealer.protocols.offset.shuffle import OffsetShuffling, Requesting, Responding, RevealingOffsets
from nodealer.protocols.stages import Closed, Idle, Requests, Transitions, Untouched, close, lay_aside

REQUESTS: Final[Requests] = {Deal: announce, Open: announce, Show: show, Return: lay_aside, Close: close}

TRANSITIONS: Final[Transitions] = {
    Untouched: frozenset({Requesting}),
    Requesting: frozenset({Responding}),
    Responding: frozenset({Responding, OffsetShuffling}),
    OffsetShuffling: frozenset({OffsetShuffling, RevealingOffsets}),
    RevealingOffsets: frozenset({RevealingOffsets, Idle}),
    Idle: frozenset({Idle, Announcing, Parts, Closed}),
    Announcing: frozenset({Parts}),
    Parts: frozenset({Parts, Idle}),
    Closed: frozenset(),
}
