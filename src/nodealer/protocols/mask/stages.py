"""The stages of a `mask` deck: what each request begins, and what may follow what."""

from __future__ import annotations

from typing import Final

from nodealer.cards import Close, Deal, Open, Return, Show
from nodealer.protocols.keyed import Releasing, release
from nodealer.protocols.mask.making import MaskShuffling, Rekeying
from nodealer.protocols.mask.returning import Gathering, Masking, give_back
from nodealer.protocols.staged import Closed, Idle, Requests, Transitions, Untouched, close

REQUESTS: Final[Requests] = {Deal: release, Open: release, Show: release, Return: give_back, Close: close}

TRANSITIONS: Final[Transitions] = {
    Untouched: frozenset({MaskShuffling}),
    MaskShuffling: frozenset({MaskShuffling, Rekeying}),
    Rekeying: frozenset({Rekeying, Idle}),
    Idle: frozenset({Idle, Releasing, Gathering, Closed}),
    Releasing: frozenset({Releasing, Idle}),
    Gathering: frozenset({Gathering, MaskShuffling, Masking}),
    Masking: frozenset({Masking, Rekeying}),
    Closed: frozenset(),
}
