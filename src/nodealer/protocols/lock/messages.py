"""The messages of `lock`. Points and scalars are concatenated encodings; the deck determines how many."""

from __future__ import annotations

from nodealer.wire import Digest, Message, Natural


class FragmentCommitment(Message, frozen=True, tag="commit"):
    """The hash of the sender's fragments of the faces."""

    commitment: Digest


class Fragments(Message, frozen=True, tag="fragments"):
    """The sender's fragment of every face. A face is the sum of all seats' fragments."""

    points: bytes


class Cascade(Message, frozen=True, tag="cascade"):
    """Every card multiplied by the sender's one secret, the deck permuted, and the proof of both."""

    key: bytes
    cards: bytes
    proof: bytes


class LockedCards(Message, frozen=True, tag="lock"):
    """Each card moved from the sender's one secret to its own: the public keys, the cards, and the proof."""

    keys: bytes
    cards: bytes
    proof: bytes


class Pick(Message, frozen=True, tag="pick"):
    """The positions to open: the picker's choice, or the server's for the whole hand."""

    positions: tuple[Natural, ...]


class HeldCards(Message, frozen=True, tag="held"):
    """The cards that the sender holds, moved from their own secrets to the sender's one secret of the recovery."""

    cards: bytes
    proof: bytes


class RaisedCards(Message, frozen=True, tag="raised"):
    """All other seats' held cards multiplied by the sender's one secret of the recovery."""

    cards: bytes
    proof: bytes
