"""The messages of `lock`. Points and scalars are concatenated encodings; the deck fixes how many."""

from __future__ import annotations

from nodealer.wire import Digest, Message, Natural


class FragmentCommitment(Message, frozen=True, tag="commit"):
    """A hash of my fragments of the faces."""

    commitment: Digest


class Fragments(Message, frozen=True, tag="fragments"):
    """My fragment of every face: a face is the sum of all seats' fragments."""

    points: bytes


class Cascade(Message, frozen=True, tag="cascade"):
    """Every card multiplied by my one secret, the deck permuted, and the proof of both."""

    key: bytes
    cards: bytes
    proof: bytes


class LockedCards(Message, frozen=True, tag="lock"):
    """Each card moved from my one secret to a secret of its own: their public keys, the cards, and the proof."""

    keys: bytes
    cards: bytes
    proof: bytes


class Pick(Message, frozen=True, tag="pick"):
    """The positions that are to be opened: the picker's choice, or the server's for the whole hand."""

    positions: tuple[Natural, ...]


class HeldCards(Message, frozen=True, tag="held"):
    """The cards I hold, moved from their own secrets to my one secret of the recovery."""

    cards: bytes
    proof: bytes


class RaisedCards(Message, frozen=True, tag="raised"):
    """All other seats' held cards multiplied by my one secret of the recovery."""

    cards: bytes
    proof: bytes
