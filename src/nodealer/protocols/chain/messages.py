"""The messages of `chain`. Names and nonces have 32 bytes. Lists are concatenated; two lists are parallel."""

from __future__ import annotations

from typing import Annotated

import msgspec

from nodealer.wire import CARDS_MAX, Digest, Message

Position = Annotated[int, msgspec.Meta(ge=0, lt=CARDS_MAX)]
Face = Annotated[int, msgspec.Meta(ge=0, lt=CARDS_MAX)]


class Candidate(Message, frozen=True, tag="candidate"):
    """One of the dealer's decks, encrypted and in secret order.

    `key` is g^K; `knowledge` proves that the dealer knows K.
    """

    key: bytes
    knowledge: bytes
    names: bytes
    numbers: bytes


class CoinCommitment(Message, frozen=True, tag="commit"):
    """The hash of the sender's coin."""

    commitment: Digest


class Coin(Message, frozen=True, tag="coin"):
    """The sender's coin."""

    coin: Digest


class Unblind(Message, frozen=True, tag="unblind"):
    """Everything about a deck that is not played: its key and, in its order, the values (two bytes each) and nonces."""

    key: bytes
    values: bytes
    nonces: bytes


class ChainShuffle(Message, frozen=True, tag="shuffle"):
    """The deck with new names, encrypted with the sender's key, permuted.

    `proof` is empty if shuffles are not proven.
    """

    key: bytes
    knowledge: bytes
    names: bytes
    numbers: bytes
    proof: bytes


class Pass(Message, frozen=True, tag="pass"):
    """The sender's part of a draw, with one proof for all of it.

    For cards that are still being looked up: the sender's nonces and the prior names. For cards on their way to a later
    seat: the numbers without the sender's key.
    """

    nonces: bytes
    names: bytes
    numbers: bytes
    proof: bytes


class ShownCards(Message, frozen=True, tag="reveal"):
    """Cards that the sender holds and shows.

    Contains the faces, the sender's nonces and the prior names, and a proof that the numbers under the sender's key are
    these cards. `cardNonces` are the dealer's, if the cards have any. The dealer's own nonces and names already say
    what the cards are.
    """

    faces: tuple[Face, ...]
    cardNonces: bytes
    nonces: bytes
    names: bytes
    proof: bytes


class Misdeal(Message, frozen=True, tag="misdeal"):
    """A claim that held cards are not cards: numbers without the sender's key, nonces, prior names, and a proof."""

    positions: tuple[Position, ...]
    numbers: bytes
    nonces: bytes
    names: bytes
    proof: bytes
