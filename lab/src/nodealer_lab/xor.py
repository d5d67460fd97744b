"""Two programs that read a deck of `duel` which no one should be able to read, because of XOR.

One key for a whole deck is a two-time pad: if one card under the key is known, so is the key, and with it all other
cards. Both programs use only what their player has in an honest game. In the other modes they find nothing, because a
card times a secret does not reveal the secret.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from nodealer.errors import BadParameter
from nodealer.protocols.base import Duty
from nodealer.protocols.duel.messages import Assemble, DuelReveal, DuelShuffle
from nodealer.wire import decode

SIZE = 32


def _xor(a: bytes, b: bytes) -> bytes:
    """Return the XOR of two byte strings of the same length."""
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def _split(data: bytes) -> list[bytes]:
    """Split bytes into strings of `SIZE` bytes."""
    return [data[at : at + SIZE] for at in range(0, len(data), SIZE)]


@dataclass(frozen=True)
class Overheard:
    """The view of both players on the making and playing of one deck, as byte strings."""

    #: The owner's commitments; empty if there are none.
    commitments: tuple[bytes, ...]
    #: The deck as the owner sent it first (step 5), and as the rival sent it back (step 7).
    first: tuple[bytes, ...]
    second: tuple[bytes, ...]
    #: The played cards, each with its bytes without any key.
    plays: tuple[tuple[int, bytes], ...]


def overhear(messages: Sequence[tuple[Duty, bytes]], owner: int) -> Overheard:
    """Return what both players see of the deck of `owner`.

    `messages` holds all messages about that deck in the order of the log, each with the duty that it answers. Raise
    `BadParameter` if the deck was not shuffled by both players.
    """
    commitments: tuple[bytes, ...] = ()
    shuffles: list[tuple[bytes, ...]] = []
    plays: list[tuple[int, bytes]] = []
    for duty, message in messages:
        if duty.kind == "assemble" and duty.seat == owner:
            commitments = tuple(_split(decode(Assemble, message, what="the commitments").commitments))
        elif duty.kind == "shuffle":
            shuffles.append(tuple(_split(decode(DuelShuffle, message, what="the shuffle").cards)))
        elif duty.kind == "reveal":
            reveal = decode(DuelReveal, message, what="the reveal")
            plays += zip(reveal.cards, _split(reveal.nonces), strict=True)
    if len(shuffles) < 2:
        raise BadParameter("the deck was not shuffled by both players")
    return Overheard(commitments, shuffles[0], shuffles[1], tuple(plays))


def find_own_order(seen: Overheard, key: bytes, plain: Sequence[bytes]) -> list[int] | None:
    """Return the card at every place of the pile, as its owner can find it before the first draw, or None.

    `key` is the owner's K1, `plain` its nonces by card. Step 8 leaves every nonce under the rival's K2 alone, in the
    order in which the cards will lie. So the owner tries each nonce as that of the first card. The K2 that fits one
    fits all.
    """
    under = [_xor(card, key) for card in seen.second]
    cards = {nonce: card for card, nonce in enumerate(plain)}
    for guess in plain:
        rival_key = _xor(under[0], guess)
        order = [cards.get(_xor(card, rival_key)) for card in under]
        if None not in order:
            return [card for card in order if card is not None]
    return None


def find_rival_order(seen: Overheard, order: Sequence[int], name: Callable[[bytes], int | None]) -> list[int] | None:
    """Return the card at every place of the pile, as the rival can find it after two played cards, or None.

    `order` is the rival's own permutation. It tries each string of the owner's first deck as the first played nonce.
    The K1 that puts the second played nonce into that deck too is the owner's. `name` finds the card of a nonce.
    """
    if len(seen.plays) < 2:
        return None
    one, two = seen.plays[0][1], seen.plays[1][1]
    there = set(seen.first)
    for guess in seen.first:
        owner_key = _xor(guess, one)
        if _xor(two, owner_key) not in there:
            continue
        cards = [name(_xor(card, owner_key)) for card in seen.first]
        if None not in cards:
            return [card for card in (cards[place] for place in order) if card is not None]
    return None


def card_finder(commitments: Sequence[bytes]) -> Callable[[bytes], int | None]:
    """Return a function that finds the card of a nonce, by trying every name against the commitments."""
    known: Mapping[bytes, int] = {commitment: card for card, commitment in enumerate(commitments)}

    def find_card(nonce: bytes) -> int | None:
        """Return the card whose commitment opens with this nonce, or None."""
        for card in range(len(commitments)):
            # The source joins name and nonce like this.
            if known.get(hashlib.sha256(f"{card}=>".encode() + nonce).digest()) == card:
                return card
        return None

    return find_card
