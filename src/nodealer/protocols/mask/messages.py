"""The messages of `mask`. Points and scalars are concatenated encodings; the deck fixes how many."""

from __future__ import annotations

from nodealer.wire import Message


class MaskShuffle(Message, frozen=True, tag="shuffle"):
    """My key joins, every card is masked and the deck permuted; the proof shows all three, and that I know my key."""

    key: bytes
    epk: bytes
    msg: bytes
    proof: bytes


class MaskReshuffle(Message, frozen=True, tag="reshuffle"):
    """Every gathered card is masked again and the pile permuted, under keys that are known already."""

    epk: bytes
    msg: bytes
    proof: bytes


class MaskRekey(Message, frozen=True, tag="rekey"):
    """Each card moves from my old key to a new one of its own: the new keys, what each card gains, and the proof."""

    keys: bytes
    gains: bytes
    proof: bytes


class MaskGather(Message, frozen=True, tag="gather"):
    """All cards that go back move to one new key of mine. Open cards have no mask to move: they gain nothing."""

    key: bytes
    knowledge: bytes
    gains: bytes
    proof: bytes


class MaskInPlace(Message, frozen=True, tag="mask"):
    """What I add to each card that goes back as it lies, so that its old keys say nothing about it."""

    epk: bytes
    msg: bytes
    proof: bytes
