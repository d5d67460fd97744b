"""The frames of a lobby: what they say, who signed them, and what is told of them to a person. Bytes:
docs/spec/lobby.md."""

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

#: One frame. A proposal for 20 seats has some 8 kB beside the parameters of its game.
FRAME_BYTES_MAX: Final = 64 << 10
#: Why somebody declines, in characters.
REASON_MAX: Final = 200

Key = Annotated[bytes, msgspec.Meta(min_length=KEY_BYTES, max_length=KEY_BYTES)]


class Offer(Message, frozen=True, tag="offer"):
    """I would like to sit, or to keep the time. A key numbers its offers, so that one that was taken back never counts
    again."""

    number: Natural
    name: str
    box: Key
    box_signature: Signature = msgspec.field(name="boxSignature")
    keeps_time: bool = msgspec.field(name="keepsTime", default=False)


class Withdraw(Message, frozen=True, tag="withdraw"):
    """I take my offer back."""

    number: Natural


class Dismiss(Message, frozen=True, tag="dismiss"):
    """Whoever made this offer does not sit here. Its name is free again."""

    key: Key
    number: Natural


class Proposed(Message, frozen=True, tag="proposed"):
    """Let us play this, in this version of the format. A lobby numbers proposals: each is agreed to anew."""

    version: str
    number: Natural
    proposal: Proposal


class Decline(Message, frozen=True, tag="decline"):
    """I do not play that."""

    proposed: Digest
    reason: Annotated[str, msgspec.Meta(max_length=REASON_MAX)]


class Commitment(Message, frozen=True, tag="commitment"):
    """I play that; here is what my session nonce will be, hidden."""

    proposed: Digest
    seat: SeatNumber
    commitment: Digest


class Opening(Message, frozen=True, tag="opening"):
    """My session nonce."""

    proposed: Digest
    seat: SeatNumber
    nonce: Nonce


class Ask(Message, frozen=True, tag="ask"):
    """I would like to sit at a table that plays, in this roster. Who is new signs for its seat in it."""

    session: Digest
    roster: Roster
    signature: Signature | None


Frame = Offer | Withdraw | Dismiss | Proposed | Decline | Commitment | Opening


class _Signed(Message, frozen=True):
    """A frame exactly as it was signed, by whom, and the signature."""

    lobby: msgspec.Raw
    key: Key
    signature: Signature


@dataclass(frozen=True)
class Said:
    """A frame whose signature is good: who said it, and the bytes."""

    key: bytes
    words: bytes

    @property
    def digest(self) -> bytes:
        """What answers to a proposal name. No two proposals of one table have the same."""
        return digest("lobby", self.key, self.words)


class _Head(msgspec.Struct, frozen=True):
    """What is read of a frame before the rest: a proposal in another version may have any other fields."""

    type: Any = None
    version: Any = None


# defence: other-lobby
def _signed_words(table: str, words: bytes) -> bytes:
    return framed("nodealer/lobby/v1", table, words)


def sign_frame(identity: Identity, table: str, frame: Frame | Ask) -> bytes:
    """The bytes that are sent."""
    words = encode(frame)
    return encode(_Signed(msgspec.Raw(words), identity.public, identity.sign(_signed_words(table, words))))


def read_said(table: str, data: bytes) -> Said:
    """Who said what. Raises `DecodeError` or, for what nobody said at this table, `BadSignature`."""
    signed = decode(_Signed, data, what="a frame of the lobby", limit=FRAME_BYTES_MAX)
    words = bytes(signed.lobby)
    VerifyingKey(signed.key).verify(signed.signature, _signed_words(table, words))
    return Said(signed.key, words)


def read_frame(words: bytes) -> Frame:
    """What was said. Raises `OtherFormat` for a proposal in another version, else `DecodeError`."""
    with suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        head = msgspec.json.decode(words, type=_Head)
        if head.type == "proposed":
            refuse_other_version(head.version)
    frame: Frame = decode(Frame, words, what="a frame of the lobby")
    return frame


def read_ask(table: str, data: bytes) -> tuple[bytes, Ask]:
    """Who asks for a seat at a table that plays. Raises `DecodeError` or `BadSignature`."""
    said = read_said(table, data)
    return said.key, decode(Ask, said.words, what="a frame of the lobby")


# --- What to tell a person ---


@dataclass(frozen=True)
class Offered:
    """An offer that counts."""

    key: bytes
    number: int
    name: str
    box: bytes
    box_signature: bytes
    keeps_time: bool = False

    def seated(self, seat: int, role: str = PLAYER) -> Member:
        """This player at a seat. Who offers to keep the time does nothing else."""
        given = TIMEKEEPER if self.keeps_time else role
        return Member(seat, self.name, self.key, self.box, self.box_signature, given)


@dataclass(frozen=True)
class Came:
    """Somebody would like to sit."""

    who: Offered


@dataclass(frozen=True)
class Went:
    """Somebody took the offer back; or the host has `dismissed` it."""

    who: Offered
    dismissed: bool = False


@dataclass(frozen=True)
class Proposes:
    """There is a proposal on the table."""

    by: bytes
    proposal: Proposal


@dataclass(frozen=True)
class Refuses:
    """Somebody does not play what is proposed: a player, or whoever proposed it. `mine`: this participant."""

    by: bytes
    name: str | None
    reason: str
    mine: bool


@dataclass(frozen=True)
class Dropped:
    """The proposal is off the table; there may be another."""

    proposal: Proposal


@dataclass(frozen=True)
class Commits:
    """A player plays what is proposed."""

    seat: int
    name: str


@dataclass(frozen=True)
class Agreed:
    """The session is open."""

    session: Session


@dataclass(frozen=True)
class PassedOver:
    """A frame that changed nothing, and why. `mine`: this participant had sent it."""

    reason: str
    mine: bool


@dataclass(frozen=True)
class OtherVersion:
    """Whoever may propose has proposed in another version of the format."""

    reason: str


@dataclass(frozen=True)
class Asks:
    """Somebody would like to sit at a table that plays: who, in which roster, and its signature where it is new."""

    who: Member
    roster: Roster
    signature: bytes | None

    @property
    def newcomers(self) -> dict[int, bytes]:
        """What a proposal of that roster carries."""
        return {} if self.signature is None else {self.who.seat: self.signature}


News = Came | Went | Proposes | Refuses | Dropped | Commits | Agreed | PassedOver | OtherVersion | Asks


def cleaned(text: str) -> str:
    """Text for a frame, or of others for a screen: one short line that only says something."""
    return "".join(each if is_printable(each) else "\N{REPLACEMENT CHARACTER}" for each in text[:REASON_MAX])
