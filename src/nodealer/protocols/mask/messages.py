"""The messages of `mask`. Points and scalars are concatenated encodings; the deck determines how many."""

from __future__ import annotations

from nodealer.wire import Message


class MaskShuffle(Message, frozen=True, tag="shuffle"):
    """The sender's key joins, every card is masked and the deck permuted.

    The proof covers all three and the key's secret.
    """

    key: bytes
    epk: bytes
    msg: bytes
    proof: bytes


class MaskReshuffle(Message, frozen=True, tag="reshuffle"):
    """Every gathered card is masked again and the pile permuted, under keys that are already known."""

    epk: bytes
    msg: bytes
    proof: bytes


class MaskRekey(Message, frozen=True, tag="rekey"):
    """Each card moves from the sender's old key to its own new one: the keys, what each card gains, and a proof."""

    keys: bytes
    gains: bytes
    proof: bytes


class MaskGather(Message, frozen=True, tag="gather"):
    """All returned cards move to one new key of the sender. Open cards have no mask to move, so they gain nothing."""

    key: bytes
    knowledge: bytes
    gains: bytes
    proof: bytes


class MaskInPlace(Message, frozen=True, tag="mask"):
    """What the sender adds to each card that goes back in place, so that its old keys reveal nothing about it."""

    epk: bytes
    msg: bytes
    proof: bytes


class MaskReceive(Message, frozen=True, tag="receive"):
    """A new key for each card that the sender is given or shown, and the proof that the sender knows the secrets."""

    keys: bytes
    knowledge: bytes


class MaskHand(Message, frozen=True, tag="hand"):
    """The sender's cards, each masked again under a key of the receiver.

    The proof shows that the cards are the same.
    """

    epk: bytes
    msg: bytes
    proof: bytes


class MaskLook(Message, frozen=True, tag="look"):
    """A new key for showing the sender cards of the pile, and the proof that the sender knows its secret."""

    key: bytes
    knowledge: bytes


class MaskTell(Message, frozen=True, tag="tell"):
    """The sender's part of the mask of each card that another seat peeks at, under that seat's key, with a proof."""

    epk: bytes
    msg: bytes
    proof: bytes


class MaskArrange(Message, frozen=True, tag="arrange"):
    """The cards that the sender peeked at, masked again in a new order. The proof shows that the cards are the same."""

    epk: bytes
    msg: bytes
    proof: bytes


class MaskMix(Message, frozen=True, tag="mix"):
    """The shuffled hand: moved to one key, masked and permuted, then moved to a key per card; a proof of each."""

    key: bytes
    gains: bytes
    epk: bytes
    msg: bytes
    keys: bytes
    last: bytes
    gathered: bytes
    permuted: bytes
    proof: bytes


class MaskJoin(Message, frozen=True, tag="join"):
    """The sender's new key for rebuilding the deck after a seat left, and the proof of knowing its secret."""

    key: bytes
    knowledge: bytes


class MaskHeld(Message, frozen=True, tag="held"):
    """The cards that the sender holds, masked again under the joint key.

    The proof shows that the cards are the same.
    """

    epk: bytes
    msg: bytes
    proof: bytes


class MaskTags(Message, frozen=True, tag="tag"):
    """Every card of the rebuild, including held ones, multiplied by one secret of the sender: all epk, then all msg."""

    key: bytes
    cards: bytes
    proof: bytes


class MaskShares(Message, frozen=True, tag="share"):
    """The sender's part of the mask of every multiplied card. Without the masks, they are tags."""

    shares: bytes
    proof: bytes
