"""The stages of a `lock` deck: what each request begins, and which stage may follow which."""

from __future__ import annotations

from typing import Final

from nodealer.cards.operations import Close, Deal, Open, Prove, Return, Show
from nodealer.protocols.exclusion import Proving, prove
from nodealer.protocols.keyed_deck import Releasing, release
from nodealer.protocols.lock.card_lock import Locking
from nodealer.protocols.lock.community import Picking, ServerPicking, open_cards
from nodealer.protocols.lock.recovery import LockDeclaring, LockMismatch, Raising
from nodealer.protocols.lock.shuffle import Cascading, CommittingFragments, OpeningFragments
from nodealer.protocols.stages import Closed, Idle, Requests, Transitions, Untouched, close, discard_cards

REQUESTS: Final[Requests] = {
    Deal: release,
    Open: open_cards,
    Show: release,
    Prove: prove,
    Return: discard_cards,
    Close: close,
}

#: When a seat leaves, an unfinished new deck goes back to the fragments, and a dealt one to the cascade. If no card is
#: left to deal, the deck becomes idle.
TRANSITIONS: Final[Transitions] = {
    Untouched: frozenset({CommittingFragments}),
    CommittingFragments: frozenset({CommittingFragments, OpeningFragments}),
    OpeningFragments: frozenset({OpeningFragments, Cascading, CommittingFragments}),
    Cascading: frozenset({Cascading, Locking, LockDeclaring, CommittingFragments, Closed}),
    LockDeclaring: frozenset({LockDeclaring, Raising, Cascading, Closed}),
    Raising: frozenset({Raising, Locking, LockMismatch, Cascading, Closed}),
    Locking: frozenset({Locking, Idle, CommittingFragments, Cascading, Closed}),
    Idle: frozenset({Idle, Releasing, Proving, Picking, ServerPicking, Cascading, Closed}),
    Proving: frozenset({Proving, Idle, Cascading}),
    Releasing: frozenset({Releasing, Idle, Cascading}),
    Picking: frozenset({Releasing, Cascading}),
    ServerPicking: frozenset({Releasing, Picking, Cascading}),
    LockMismatch: frozenset(),
    Closed: frozenset(),
}
