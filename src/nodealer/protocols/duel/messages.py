"""The messages of `duel`. Points, scalars and nonces are concatenated; the deck fixes how many.

Proofs and the keys that they are about are there in the proven mode only; commitments and nonces in the others.
"""

from __future__ import annotations

from nodealer.wire import Message, Natural


class Assemble(Message, frozen=True, tag="assemble"):
    """For each card of my list a commitment to a nonce of its own."""

    commitments: bytes


class DuelGather(Message, frozen=True, tag="gather", omit_defaults=True):
    """Every card moved from the key it is under to one new key of mine, in place."""

    cards: bytes
    key: bytes = b""
    proof: bytes = b""
    #: New commitments for cards that lay face up: their old nonces are known.
    commitments: bytes = b""


class DuelShuffle(Message, frozen=True, tag="shuffle", omit_defaults=True):
    """Every card multiplied by one secret, and the deck permuted."""

    cards: bytes
    key: bytes = b""
    proof: bytes = b""
    #: The key that all cards are under now, where they were under one of mine before, and the proof of that.
    joint: bytes = b""
    link: bytes = b""
    commitments: bytes = b""


class DuelLock(Message, frozen=True, tag="lock", omit_defaults=True):
    """Each card moved to a key of its own."""

    cards: bytes
    keys: bytes = b""
    proof: bytes = b""
    commitments: bytes = b""


class Give(Message, frozen=True, tag="give"):
    """My keys of the cards that are drawn, looked at or shown, in the order of the request."""

    keys: bytes


class DuelReveal(Message, frozen=True, tag="reveal", omit_defaults=True):
    """What my cards are: indices into the list, nonces, and my keys of them."""

    cards: tuple[Natural, ...]
    nonces: bytes
    keys: bytes = b""


class Take(Message, frozen=True, tag="take"):
    """The card I keep, by its place: the rest is shuffled again, so the place says nothing."""

    position: Natural
