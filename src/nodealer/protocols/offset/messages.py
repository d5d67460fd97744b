"""The messages of `offset`, with the names and fields of its source.

As there, `playerId` and `dealNo` count from 1: a seat plus one, a position plus one. The source sends one deal per
message; we send the whole list of a request. Lists of points or scalars are concatenated encodings.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from nodealer.wire import CARDS_MAX, SEATS_MAX, Message

PlayerId = Annotated[int, msgspec.Meta(ge=1, le=SEATS_MAX)]
DealNo = Annotated[int, msgspec.Meta(ge=1, le=CARDS_MAX)]


class RequestDealParts(Message, frozen=True, tag="requestDealParts"):
    """The dealer opens a deck: the players, the number of cards, the order of shuffles, and the dealer's own parts."""

    system: Literal["cards"]
    players: tuple[PlayerId, ...]
    deck: int
    cards: DealNo
    shuffleOrder: tuple[PlayerId, ...]
    dealPublicKeyParts: bytes
    proof: bytes


class RespondDealParts(Message, frozen=True, tag="respondDealParts"):
    """The key parts of another player."""

    system: Literal["cards"]
    playerId: PlayerId
    dealPublicKeyParts: bytes
    proof: bytes


class OffsetShuffle(Message, frozen=True, tag="shuffle"):
    """One shuffle step.

    `scaled` is the deck with every pair times its own secret; `deck` is that after one more secret and the offset.
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
    """The offset of a step, and the blinding that opens its commitment."""

    system: Literal["cards"]
    playerId: PlayerId
    offset: bytes
    blinding: bytes


class DealInitial(Message, frozen=True, tag="dealInitial"):
    """The dealer announces which deals go to which players."""

    system: Literal["cards"]
    player: tuple[PlayerId, ...]
    dealNo: tuple[DealNo, ...]


class DealFinal(Message, frozen=True, tag="dealFinal"):
    """The sender's key parts of these deals, for the players they go to."""

    system: Literal["cards"]
    playerId: PlayerId
    dealNo: tuple[DealNo, ...]
    dealKeyPart: bytes


class RevealInitial(Message, frozen=True, tag="revealInitial"):
    """The dealer opens these deals to everyone, with its own parts if it still owes them."""

    system: Literal["cards"]
    dealNo: tuple[DealNo, ...]
    dealKeyPart: bytes


class RevealFinal(Message, frozen=True, tag="revealFinal"):
    """The sender's key parts of these deals, for everyone. A holder who shows its own cards sends it unasked."""

    system: Literal["cards"]
    playerId: PlayerId
    dealNo: tuple[DealNo, ...]
    dealKeyPart: bytes
