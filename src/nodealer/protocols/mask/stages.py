"""The stages of a `mask` deck: what each request begins, and what may follow what."""

from __future__ import annotations

from typing import Final

from nodealer.cards import Close, Deal, Mix, Open, Pass, Peek, Prove, Return, Show
from nodealer.protocols.keyed import Releasing, release
from nodealer.protocols.mask.handing import Handing, Receiving, give, show
from nodealer.protocols.mask.making import MaskShuffling
from nodealer.protocols.mask.mixing import Mixing, mix
from nodealer.protocols.mask.ordering import Arranging
from nodealer.protocols.mask.peeking import Looking, Telling, peek
from nodealer.protocols.mask.rebuild import Declaring, Joining
from nodealer.protocols.mask.rekeying import Rekeying
from nodealer.protocols.mask.returning import Gathering, Masking, give_back
from nodealer.protocols.mask.tagging import Sharing, Tagging, Unfound
from nodealer.protocols.proving import Proving, prove
from nodealer.protocols.staged import Closed, Idle, Requests, Transitions, Untouched, close

REQUESTS: Final[Requests] = {
    Deal: release,
    Open: release,
    Show: show,
    Pass: give,
    Prove: prove,
    Return: give_back,
    Peek: peek,
    Mix: mix,
    Close: close,
}

#: When a seat leaves, a deck that is being made is shuffled from its faces, and those who stay join for one that was
#: whole; or it rests, where no card is left to deal.
TRANSITIONS: Final[Transitions] = {
    Untouched: frozenset({MaskShuffling}),
    MaskShuffling: frozenset({MaskShuffling, Tagging, Rekeying, Joining, Idle, Closed}),
    Tagging: frozenset({Tagging, Sharing, Joining, Closed}),
    Sharing: frozenset({Sharing, Rekeying, Unfound, Joining, Closed}),
    Rekeying: frozenset({Rekeying, Idle, Releasing, MaskShuffling, Joining, Closed}),
    Idle: frozenset({Idle, Releasing, Proving, Gathering, Receiving, Looking, Mixing, Joining, Closed}),
    Looking: frozenset({Telling, Joining}),
    Telling: frozenset({Telling, Gathering, Idle, Joining}),
    Arranging: frozenset({MaskShuffling, Rekeying, Joining}),
    Mixing: frozenset({Idle, Joining}),
    Receiving: frozenset({Receiving, Handing, Joining, Idle}),
    Handing: frozenset({Handing, Idle, Joining}),
    Proving: frozenset({Proving, Idle, Joining}),
    Releasing: frozenset({Releasing, Idle, Joining}),
    Gathering: frozenset({Gathering, Arranging, MaskShuffling, Masking, Rekeying, Joining, Idle}),
    Masking: frozenset({Masking, Rekeying, Joining, Idle, Closed}),
    Joining: frozenset({Joining, Declaring, MaskShuffling, Masking, Closed}),
    Declaring: frozenset({Declaring, MaskShuffling, Joining, Closed}),
    Unfound: frozenset({Joining, Closed}),
    Closed: frozenset(),
}
