"""The frames of a lobby, their signatures, and the events that they cause. Bytes: docs/spec/lobby.md."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Final

import msgspec

from nodealer.keys import KEY_BYTES, Identity, VerifyingKey
from nodealer.log.entry import Signature
from nodealer.log.roster import PLAYER, TIMEKEEPER, Member, Roster
from nodealer.log.session import Nonce, Proposal, Session, refuse_other_version
from nodealer.printable import is_printable
from nodealer.tape import digest, framed
from nodealer.wire import Digest, Message, Natural, SeatNumber, decode, encode

#: The size of one frame. A proposal for 20 seats has some 8 kB besides the parameters of its game.
FRAME_BYTES_MAX: Final = 64 << 10
#: The length of the reason for declining, in characters.
REASON_MAX: Final = 200

Key = Annotated[bytes, msgspec.Meta(min_length=KEY_BYTES, max_length=KEY_BYTES)]


class Offer(Message, frozen=True, tag="offer"):
    """An offer to play or to keep the time. A key numbers its offers, so that a withdrawn one never counts again."""

    number: Natural
    name: str
    box: Key
    box_signature: Signature = msgspec.field(name="boxSignature")
    keeps_time: bool = msgspec.field(name="keepsTime", default=False)


class Withdraw(Message, frozen=True, tag="withdraw"):
    """The withdrawal of the signer's own offer."""

    number: Natural


class Dismiss(Message, frozen=True, tag="dismiss"):
    """The host's refusal of an offer. Its name is free again."""

    key: Key
    number: Natural


class Proposed(Message, frozen=True, tag="proposed"):
    """A proposal, in this version of the format. A lobby numbers proposals, and each needs new agreement."""

    version: str
    number: Natural
    proposal: Proposal


class Decline(Message, frozen=True, tag="decline"):
    """The signer's refusal of a proposal."""

    proposed: Digest
    reason: Annotated[str, msgspec.Meta(max_length=REASON_MAX)]


class Commitment(Message, frozen=True, tag="commitment"):
    """The signer's agreement to a proposal, with a commitment to their session nonce."""

    proposed: Digest
    seat: SeatNumber
    commitment: Digest


class Opening(Message, frozen=True, tag="opening"):
    """The signer's session nonce."""

    proposed: Digest
    seat: SeatNumber
    nonce: Nonce


class Ask(Message, frozen=True, tag="ask"):
    """A request for a seat at a table that is already playing, in this roster. A new player signs for the seat."""

    session: Digest
    roster: Roster
    signature: Signature | None


Frame = Offer | Withdraw | Dismiss | Proposed | Decline | Commitment | Opening


class _Envelope(Message, frozen=True):
    """A frame exactly as it was signed, with its signer and the signature."""

    lobby: msgspec.Raw
    key: Key
    signature: Signature


@dataclass(frozen=True)
class SignedFrame:
    """A frame with a valid signature: its signer and its bytes."""

    key: bytes
    payload: bytes

    @property
    def digest(self) -> bytes:
        """The digest by which answers refer to a proposal. No two proposals of one table have the same."""
        return digest("lobby", self.key, self.payload)


class _Head(msgspec.Struct, frozen=True):
    """The fields that are read before the rest: a proposal in another version may have any other fields."""

    type: Any = None
    version: Any = None


# defence: other-lobby
def _bytes_to_sign(table: str, words: bytes) -> bytes:
    """Return the bytes that are signed for a frame."""
    return framed("nodealer/lobby/v1", table, words)


def sign_frame(identity: Identity, table: str, frame: Frame | Ask) -> bytes:
    """Sign a frame and return the bytes to send."""
    words = encode(frame)
    return encode(_Envelope(msgspec.Raw(words), identity.public, identity.sign(_bytes_to_sign(table, words))))


def read_signed_frame(table: str, data: bytes) -> SignedFrame:
    """Return a frame after checking its signature for this table. Raise `DecodeError` or `BadSignature`."""
    signed = decode(_Envelope, data, what="a frame of the lobby", limit=FRAME_BYTES_MAX)
    words = bytes(signed.lobby)
    VerifyingKey(signed.key).verify(signed.signature, _bytes_to_sign(table, words))
    return SignedFrame(signed.key, words)


def read_frame(words: bytes) -> Frame:
    """Decode a frame. Raise `OtherFormat` for a proposal in another version, or `DecodeError`."""
    with suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        head = msgspec.json.decode(words, type=_Head)
        if head.type == "proposed":
            refuse_other_version(head.version)
    frame: Frame = decode(Frame, words, what="a frame of the lobby")
    return frame


def read_ask(table: str, data: bytes) -> tuple[bytes, Ask]:
    """Return the signer and contents of a seat request. Raise `DecodeError` or `BadSignature`."""
    said = read_signed_frame(table, data)
    return said.key, decode(Ask, said.payload, what="a frame of the lobby")


# --- Events for a person ---


@dataclass(frozen=True)
class OpenOffer:
    """An offer that counts."""

    key: bytes
    number: int
    name: str
    box: bytes
    box_signature: bytes
    keeps_time: bool = False

    def as_member(self, seat: int, role: str = PLAYER) -> Member:
        """Return this player as a member at a seat. A player who offered to keep the time can only be timekeeper."""
        given = TIMEKEEPER if self.keeps_time else role
        return Member(seat, self.name, self.key, self.box, self.box_signature, given)


@dataclass(frozen=True)
class OfferMade:
    """A player offers to play."""

    who: OpenOffer


@dataclass(frozen=True)
class OfferGone:
    """An offer was withdrawn, or the host has `dismissed` it."""

    who: OpenOffer
    dismissed: bool = False


@dataclass(frozen=True)
class ProposalMade:
    """A proposal is open for agreement."""

    by: bytes
    proposal: Proposal


@dataclass(frozen=True)
class ProposalDeclined:
    """A player, or the proposer, declined the proposal. `mine` is True if it was this participant."""

    by: bytes
    name: str | None
    reason: str
    mine: bool


@dataclass(frozen=True)
class ProposalDropped:
    """The proposal is no longer open. Another one may follow."""

    proposal: Proposal


@dataclass(frozen=True)
class PlayerCommitted:
    """A player agrees to the proposal."""

    seat: int
    name: str


@dataclass(frozen=True)
class SessionAgreed:
    """The players have agreed and the session is open."""

    session: Session


@dataclass(frozen=True)
class FrameIgnored:
    """A frame that changed nothing, and why. `mine` is True if this participant had sent it."""

    reason: str
    mine: bool


@dataclass(frozen=True)
class VersionMismatch:
    """The proposer uses another version of the format."""

    reason: str


@dataclass(frozen=True)
class SeatRequest:
    """A player asks for a seat at a table that is playing, in this roster, with a signature if they are new."""

    who: Member
    roster: Roster
    signature: bytes | None

    @property
    def newcomers(self) -> dict[int, bytes]:
        """The signatures that a proposal of that roster must carry."""
        return {} if self.signature is None else {self.who.seat: self.signature}


LobbyEvent = (
    OfferMade
    | OfferGone
    | ProposalMade
    | ProposalDeclined
    | ProposalDropped
    | PlayerCommitted
    | SessionAgreed
    | FrameIgnored
    | VersionMismatch
    | SeatRequest
)


def clean_line(text: str) -> str:
    """Return text shortened to a reason's length, with unprintable characters replaced."""
    return "".join(each if is_printable(each) else "\N{REPLACEMENT CHARACTER}" for each in text[:REASON_MAX])
