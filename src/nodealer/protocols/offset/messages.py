"""The messages of `offset`, with the names and fields of its source.

`playerId` and `dealNo` count from 1, as there: a seat plus one, a position plus one. Where the source sends one deal,
we send the list of a request. Lists of points or scalars are their concatenated encodings.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from nodealer.wire import CARDS_MAX, SEATS_MAX, Message

PlayerId = Annotated[int, msgspec.Meta(ge=1, le=SEATS_MAX)]
DealNo = Annotated[int, msgspec.Meta(ge=1, le=CARDS_MAX)]


class RequestDealParts(Message, frozen=True, tag="requestDealParts"):
    """The dealer opens a deck: who plays, how many cards, in which order they shuffle, and its own parts."""

    system: Literal["cards"]
    players: tuple[PlayerId, ...]
    deck: int
    cards: DealNo
    shuffleOrder: tuple[PlayerId, ...]
    dealPublicKeyParts: bytes
    proof: bytes


class RespondDealParts(Message, frozen=True, tag="respondDealParts"):
    """The parts of another player."""

    system: Literal["cards"]
    playerId: PlayerId
    dealPublicKeyParts: bytes
    proof: bytes


class OffsetShuffle(Message, frozen=True, tag="shuffle"):
    """A step: `scaled` is the deck with every pair times its own secret, `deck` is that after one more and the offset.

    `commitment` hides the offset until all have shuffled.
    """

    system: Literal["cards"]
    playerId: PlayerId
    step: int
    deck: bytes
    scaled: bytes
    key: bytes
    commitment: bytes
    scaledProof: bytes
    proof: bytes


class RevealOffset(Message, frozen=True, tag="revealOffset"):
    """The offset of a step, and what opens its commitment."""

    system: Literal["cards"]
    playerId: PlayerId
    offset: bytes
    blinding: bytes


class DealInitial(Message, frozen=True, tag="dealInitial"):
    """The dealer: these deals go to these players."""

    system: Literal["cards"]
    player: tuple[PlayerId, ...]
    dealNo: tuple[DealNo, ...]


class DealFinal(Message, frozen=True, tag="dealFinal"):
    """My key parts of these deals, for the players they go to."""

    system: Literal["cards"]
    playerId: PlayerId
    dealNo: tuple[DealNo, ...]
    dealKeyPart: bytes


class RevealInitial(Message, frozen=True, tag="revealInitial"):
    """The dealer: these deals are opened to all; with its own parts, where it still owes them."""

    system: Literal["cards"]
    dealNo: tuple[DealNo, ...]
    dealKeyPart: bytes


class RevealFinal(Message, frozen=True, tag="revealFinal"):
    """My key parts of these deals, for all. A holder who shows cards of its own says this unasked."""

    system: Literal["cards"]
    playerId: PlayerId
    dealNo: tuple[DealNo, ...]
    dealKeyPart: bytes
