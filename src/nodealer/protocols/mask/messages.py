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


class MaskReceive(Message, frozen=True, tag="receive"):
    """A new key of mine for each card that I am given or shown, and the proof that I know their secrets."""

    keys: bytes
    knowledge: bytes


class MaskHand(Message, frozen=True, tag="hand"):
    """Cards of mine, each masked anew under a key of who gets it; the proof shows that they are those cards."""

    epk: bytes
    msg: bytes
    proof: bytes


class MaskLook(Message, frozen=True, tag="look"):
    """A new key of mine, which everybody shows me cards of the pile under; and the proof that I know its secret."""

    key: bytes
    knowledge: bytes


class MaskTell(Message, frozen=True, tag="tell"):
    """My part of the mask of each card that somebody looks at, masked under its key; the proof shows what it is."""

    epk: bytes
    msg: bytes
    proof: bytes


class MaskArrange(Message, frozen=True, tag="arrange"):
    """The cards that I have looked at, masked again in an order of mine; the proof shows that they are those cards."""

    epk: bytes
    msg: bytes
    proof: bytes


class MaskMix(Message, frozen=True, tag="mix"):
    """Cards of my hand: moved to one key, masked and permuted under it, and moved to a key each; a proof of each."""

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
    """Somebody left: my new key, which the deck is rebuilt under, and the proof that I know its secret."""

    key: bytes
    knowledge: bytes


class MaskHeld(Message, frozen=True, tag="held"):
    """The cards that I hold, each masked anew under the joint key; the proof shows that they are those cards."""

    epk: bytes
    msg: bytes
    proof: bytes


class MaskTags(Message, frozen=True, tag="tag"):
    """Every card of the rebuild, those that seats hold included, multiplied by one secret of mine: all epk, all msg."""

    key: bytes
    cards: bytes
    proof: bytes


class MaskShares(Message, frozen=True, tag="share"):
    """My part of the mask of every card that was multiplied by everybody: without all parts it is a tag."""

    shares: bytes
    proof: bytes
