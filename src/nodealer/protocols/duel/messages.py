"""The messages of `duel`. Points, scalars and nonces are concatenated; the deck determines how many.

Proofs and the keys they are about are present only in the proven mode; commitments and nonces only in the others.
"""

from __future__ import annotations

from nodealer.wire import Message, Natural


class Assemble(Message, frozen=True, tag="assemble"):
    """A commitment to a nonce for each card of the sender's list."""

    commitments: bytes


class DuelGather(Message, frozen=True, tag="gather", omit_defaults=True):
    """Every card moved from its current key to one new key of the sender, in place."""

    cards: bytes
    key: bytes = b""
    proof: bytes = b""
    #: New commitments for cards that were face up: their old nonces are known.
    commitments: bytes = b""


class DuelShuffle(Message, frozen=True, tag="shuffle", omit_defaults=True):
    """Every card multiplied by one secret, and the deck permuted."""

    cards: bytes
    key: bytes = b""
    proof: bytes = b""
    #: The key that all cards are under now, if they were under one of the sender's before, and its proof.
    joint: bytes = b""
    link: bytes = b""
    commitments: bytes = b""


class DuelLock(Message, frozen=True, tag="lock", omit_defaults=True):
    """Each card moved to its own key."""

    cards: bytes
    keys: bytes = b""
    proof: bytes = b""
    commitments: bytes = b""


class Give(Message, frozen=True, tag="give"):
    """The sender's keys to the cards that are drawn, looked at or shown, in the order of the request."""

    keys: bytes


class DuelReveal(Message, frozen=True, tag="reveal", omit_defaults=True):
    """What the sender's cards are: indices into the list, nonces, and the sender's keys."""

    cards: tuple[Natural, ...]
    nonces: bytes
    keys: bytes = b""


class Take(Message, frozen=True, tag="take"):
    """The position of the card that the sender keeps. The rest is shuffled again, so the position reveals nothing."""

    position: Natural
