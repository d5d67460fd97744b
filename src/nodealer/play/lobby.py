"""How players who have a channel come to a session: offers, a proposal, commitments, nonces.

No socket here: frames come in, in one order, and frames to send come out. Nothing in a lobby is trusted: whatever a
relay changes makes another session, and a seat plays only in the one whose roster has its own name and keys, and only
after it has looked at what is proposed.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgspec

from nodealer.errors import Declined, DecodeError, PeerFault
from nodealer.keys import Identity
from nodealer.log.roster import Member, refuse_bad_roster
from nodealer.log.session import (
    FORMAT_VERSION,
    Nonce,
    Part,
    Proposal,
    Session,
    nonce_commitment,
    open_session,
    refuse_other_version,
)
from nodealer.wire import Digest, Message, SeatNumber, decode, encode


class Offer(Message, frozen=True, tag="offer"):
    """I would like to sit."""

    name: str
    key: bytes
    box: bytes
    box_signature: bytes = msgspec.field(name="boxSignature")

    def seated(self, seat: int) -> Member:
        """This player at a seat."""
        return Member(seat, self.name, self.key, self.box, self.box_signature)


class Proposed(Message, frozen=True, tag="proposed"):
    """Let us play this, in this version of the format."""

    version: str
    proposal: Proposal


class Commitment(Message, frozen=True, tag="commitment"):
    """What my session nonce will be, hidden."""

    seat: SeatNumber
    commitment: Digest


class Opening(Message, frozen=True, tag="opening"):
    """My session nonce."""

    seat: SeatNumber
    nonce: Nonce


Frame = Offer | Proposed | Commitment | Opening


class _Head(msgspec.Struct, frozen=True):
    """What is read of a frame before the rest: a proposal in another version may have any other fields."""

    type: Any = None
    version: Any = None


def read_frame(data: bytes) -> Frame:
    """The frame that `data` is. Raises `OtherFormat` for a proposal in another version, else `DecodeError`."""
    with suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        head = msgspec.json.decode(data, type=_Head)
        if head.type == "proposed":
            refuse_other_version(head.version)
    frame: Frame = decode(Frame, data, what="a frame of the lobby")
    return frame


def proposed(proposal: Proposal) -> bytes:
    """The frame that proposes."""
    return encode(Proposed(FORMAT_VERSION, proposal))


#: Looks at a proposal before this player commits to it. Raises `Declined`, with a sentence, to decline.
Accept = Callable[[Proposal], None]


def decline_rehearsals(proposal: Proposal) -> None:
    """The least that everybody looks at."""
    if proposal.rehearsal:
        raise Declined("the proposal is a rehearsal: its seeds are public, and nothing in it would be secret")


class Expected(Message, frozen=True):
    """What a player has come to play. Everything else is declined."""

    game: Part
    protocol: Part
    versions: tuple[tuple[str, str], ...]
    #: The names at the table, by seat.
    names: tuple[str, ...]

    def accept(self, proposal: Proposal) -> None:
        """Raise `Declined` for any other proposal than the one that was expected."""
        decline_rehearsals(proposal)
        for what, offered, wanted in (
            ("game", _told(proposal.game), _told(self.game)),
            ("protocol", _told(proposal.protocol), _told(self.protocol)),
            ("agreed versions", proposal.versions, self.versions),
            ("players", tuple(member.name for member in proposal.roster.members), self.names),
        ):
            if offered != wanted:
                raise Declined(f"another {what} is proposed than was agreed: {offered}, not {wanted}")


def _told(part: Part) -> str:
    return f"{part.name} {part.version} {bytes(part.parameters).decode(errors='replace')}"


@dataclass(frozen=True)
class Entrant:
    """Somebody who wants to play: secrets, a name, a session nonce, and a look at what is proposed."""

    identity: Identity
    name: str
    nonce: bytes
    accept: Accept = decline_rehearsals

    @property
    def offer(self) -> bytes:
        """The frame that says who this is."""
        me = self.identity
        return encode(Offer(self.name, me.public, me.box, me.box_signature))

    def seat_in(self, proposal: Proposal) -> int:
        """The seat of this player in a proposal that it agrees to. Raises `Declined`."""
        mine = next((member for member in proposal.roster.members if member.key == self.identity.public), None)
        if mine is None:
            raise Declined("the proposed roster has no seat for this player")
        if mine.name != self.name:
            raise Declined(f"the proposed roster calls this player {mine.name!r}, and it is {self.name!r}")
        if mine.box != self.identity.box:
            raise Declined("the proposed roster has another box key for this player")
        self.accept(proposal)
        return mine.seat


class Lobby:
    """One participant's view of a lobby: somebody who wants to play, or (without) somebody who only watches."""

    def __init__(self, entrant: Entrant | None = None) -> None:
        self.offers: list[Offer] = []
        self.proposal: Proposal | None = None
        self.session: Session | None = None
        self.seat: int | None = None
        self._entrant = entrant
        self._commitments: dict[int, bytes] = {}
        self._nonces: dict[int, bytes] = {}

    def receive(self, data: bytes) -> list[bytes]:
        """The next frame; gives what this participant answers. A frame that is out of place is an error.

        Raises `Declined` for a proposal that this player does not agree to; then nothing has changed.
        """
        match frame := read_frame(data):
            case Offer():
                self.offers.append(frame)
                return []
            case Proposed():
                return self._proposed(frame.proposal)
            case Commitment():
                return self._committed(frame)
            case Opening():
                return self._opened(frame)

    def _proposed(self, proposal: Proposal) -> list[bytes]:
        if self.proposal is not None:
            raise DecodeError("a second proposal")
        refuse_bad_roster(proposal.roster)
        if self._entrant is None:
            self.proposal = proposal
            return []
        seat = self._entrant.seat_in(proposal)
        self.proposal, self.seat = proposal, seat
        return [encode(Commitment(seat, nonce_commitment(proposal, seat, self._entrant.nonce)))]

    def _committed(self, frame: Commitment) -> list[bytes]:
        if self.proposal is None or frame.seat not in self.proposal.roster.seats or frame.seat in self._commitments:
            raise DecodeError("a commitment that nobody waits for")
        self._commitments[frame.seat] = frame.commitment
        # No nonce is shown before every commitment is in.
        if self.seat is None or self._entrant is None or set(self._commitments) != set(self.proposal.roster.seats):
            return []
        return [encode(Opening(self.seat, self._entrant.nonce))]

    def _opened(self, frame: Opening) -> list[bytes]:
        if self.proposal is None or set(self._commitments) != set(self.proposal.roster.seats):
            raise DecodeError("a nonce before all commitments are in")
        self._nonces[frame.seat] = frame.nonce
        if set(self._nonces) == set(self.proposal.roster.seats):
            try:
                self.session = open_session(self.proposal, self._commitments, self._nonces)
            except PeerFault as fault:
                raise DecodeError(f"the session cannot be opened: {fault}") from None
        return []
