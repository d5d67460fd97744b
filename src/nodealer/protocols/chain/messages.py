"""The messages of `chain`. Names and nonces have 32 bytes; lists are concatenated, and parallel where there are two."""

from __future__ import annotations

from typing import Annotated

import msgspec

from nodealer.wire import CARDS_MAX, Digest, Message

Position = Annotated[int, msgspec.Meta(ge=0, lt=CARDS_MAX)]
Face = Annotated[int, msgspec.Meta(ge=0, lt=CARDS_MAX)]


class Candidate(Message, frozen=True, tag="candidate"):
    """One of the dealer's decks, encrypted and in its secret order. `key` is g^K, `knowledge` that the dealer has K."""

    key: bytes
    knowledge: bytes
    names: bytes
    numbers: bytes


class CoinCommitment(Message, frozen=True, tag="commit"):
    """The hash of my coin."""

    commitment: Digest


class Coin(Message, frozen=True, tag="coin"):
    """My coin."""

    coin: Digest


class Unblind(Message, frozen=True, tag="unblind"):
    """Everything about a deck that is not played: its key, and in its order the values (two bytes each) and nonces."""

    key: bytes
    values: bytes
    nonces: bytes


class ChainShuffle(Message, frozen=True, tag="shuffle"):
    """The deck with new names, encrypted with my key, permuted. `proof` is empty where shuffles are not proven."""

    key: bytes
    knowledge: bytes
    names: bytes
    numbers: bytes
    proof: bytes


class Pass(Message, frozen=True, tag="pass"):
    """My part of a draw. For cards that are still to be looked up: my nonces and the prior names. For cards that are on
    their way to a seat after me: the numbers without my key. One proof for all of it."""

    nonces: bytes
    names: bytes
    numbers: bytes
    proof: bytes


class ShownCards(Message, frozen=True, tag="reveal"):
    """Cards I hold, shown: what they are, my nonces and the prior names, and that the numbers left under my key are
    these cards. `cardNonces` are the dealer's, where the cards have some. The dealer's nonces and names say it all."""

    faces: tuple[Face, ...]
    cardNonces: bytes
    nonces: bytes
    names: bytes
    proof: bytes


class Misdeal(Message, frozen=True, tag="misdeal"):
    """Cards I hold that are none: the numbers without my key, my nonces and the prior names, with a proof."""

    positions: tuple[Position, ...]
    numbers: bytes
    nonces: bytes
    names: bytes
    proof: bytes
