"""How players who have a channel come to a session: offers, a proposal, commitments, nonces.

No socket here: frames come in, in one order, and frames to send come out. Nothing in a lobby is trusted: whatever a
relay changes makes another session, and a seat plays only in the one whose roster has its own name and key.
"""

from __future__ import annotations

import msgspec

from nodealer.errors import DecodeError, PeerFault
from nodealer.keys import Identity
from nodealer.log.roster import Member, refuse_bad_roster
from nodealer.log.session import Nonce, Proposal, Session, nonce_commitment, open_session
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


def offer_of(identity: Identity, name: str) -> Offer:
    """The offer of somebody whose secrets are at hand."""
    return Offer(name, identity.public, identity.box, identity.box_signature)


class Proposed(Message, frozen=True, tag="proposed"):
    """Let us play this."""

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


class Lobby:
    """One participant's view of a lobby: a player with a key and a nonce, or (without) somebody who only watches."""

    def __init__(self, key: Identity | None = None, nonce: bytes = b"") -> None:
        self.offers: list[Offer] = []
        self.proposal: Proposal | None = None
        self.session: Session | None = None
        self.seat: int | None = None
        self._key = key
        self._nonce = nonce
        self._commitments: dict[int, bytes] = {}
        self._nonces: dict[int, bytes] = {}

    def receive(self, data: bytes) -> list[bytes]:
        """The next frame; gives what this participant answers. A frame that is out of place is an error."""
        frame: Frame = decode(Frame, data, what="a frame of the lobby")
        match frame:
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
        self.proposal = proposal
        if self._key is None:
            return []
        mine = [player.seat for player in proposal.roster.players if player.key == self._key.public]
        if not mine:
            raise DecodeError("the proposed roster has no seat for this player")
        self.seat = mine[0]
        return [encode(Commitment(self.seat, nonce_commitment(proposal, self.seat, self._nonce)))]

    def _committed(self, frame: Commitment) -> list[bytes]:
        if self.proposal is None or frame.seat not in self.proposal.roster.seats or frame.seat in self._commitments:
            raise DecodeError("a commitment that nobody waits for")
        self._commitments[frame.seat] = frame.commitment
        # No nonce is shown before every commitment is in.
        if self.seat is None or set(self._commitments) != set(self.proposal.roster.seats):
            return []
        return [encode(Opening(self.seat, self._nonce))]

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
