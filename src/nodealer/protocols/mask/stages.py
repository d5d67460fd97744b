"""The stages of a `mask` deck: what each request begins, and which stage may follow which."""

from __future__ import annotations

from typing import Final

from nodealer.cards.operations import Close, Deal, Mix, Open, Pass, Peek, Prove, Return, Show
from nodealer.protocols.exclusion import Proving, prove
from nodealer.protocols.keyed_deck import Releasing, release
from nodealer.protocols.mask.hand_shuffle import Mixing, mix
from nodealer.protocols.mask.peek import AnsweringPeek, RequestingPeek, peek
from nodealer.protocols.mask.rebuild import Joining, MaskDeclaring
from nodealer.protocols.mask.rekey import Rekeying
from nodealer.protocols.mask.reorder import Arranging
from nodealer.protocols.mask.return_cards import Gathering, Masking, return_cards
from nodealer.protocols.mask.shuffle import MaskShuffling
from nodealer.protocols.mask.tags import MaskMismatch, Sharing, Tagging
from nodealer.protocols.mask.transfer import HandingOver, Receiving, pass_cards, show
from nodealer.protocols.stages import Closed, Idle, Requests, Transitions, Untouched, close

REQUESTS: Final[Requests] = {
    Deal: release,
    Open: release,
    Show: show,
    Pass: pass_cards,
    Prove: prove,
    Return: return_cards,
    Peek: peek,
    Mix: mix,
    Close: close,
}

#: When a seat leaves, an unfinished new deck is shuffled again from its faces, and for a complete deck the remaining
#: seats join. If no card is left to deal, the deck becomes idle.
TRANSITIONS: Final[Transitions] = {
    Untouched: frozenset({MaskShuffling}),
    MaskShuffling: frozenset({MaskShuffling, Tagging, Rekeying, Joining, Idle, Closed}),
    Tagging: frozenset({Tagging, Sharing, Joining, Closed}),
    Sharing: frozenset({Sharing, Rekeying, MaskMismatch, Joining, Closed}),
    Rekeying: frozenset({Rekeying, Idle, Releasing, MaskShuffling, Joining, Closed}),
    Idle: frozenset({Idle, Releasing, Proving, Gathering, Receiving, RequestingPeek, Mixing, Joining, Closed}),
    RequestingPeek: frozenset({AnsweringPeek, Joining}),
    AnsweringPeek: frozenset({AnsweringPeek, Gathering, Idle, Joining}),
    Arranging: frozenset({MaskShuffling, Rekeying, Joining}),
    Mixing: frozenset({Idle, Joining}),
    Receiving: frozenset({Receiving, HandingOver, Joining, Idle}),
    HandingOver: frozenset({HandingOver, Idle, Joining}),
    Proving: frozenset({Proving, Idle, Joining}),
    Releasing: frozenset({Releasing, Idle, Joining}),
    Gathering: frozenset({Gathering, Arranging, MaskShuffling, Masking, Rekeying, Joining, Idle}),
    Masking: frozenset({Masking, Rekeying, Joining, Idle, Closed}),
    Joining: frozenset({Joining, MaskDeclaring, MaskShuffling, Masking, Closed}),
    MaskDeclaring: frozenset({MaskDeclaring, MaskShuffling, Joining, Closed}),
    MaskMismatch: frozenset({Joining, Closed}),
    Closed: frozenset(),
}
