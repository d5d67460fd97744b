"""The state of a lobby: offers, at most one proposal, commitments and nonces, and finally a session.

It depends only on the frames in their order and on who may propose, not on secrets or decisions of a participant, so
everyone who received the same frames has the same state. The first frame that fits counts; a frame that does not fit
changes nothing.
"""

from __future__ import annotations

from typing import Final

from nodealer.engine.lobby_messages import (
    Commitment,
    Decline,
    Dismiss,
    LobbyEvent,
    Offer,
    OfferGone,
    OfferMade,
    Opening,
    OpenOffer,
    PlayerCommitted,
    ProposalDeclined,
    ProposalDropped,
    ProposalMade,
    Proposed,
    SessionAgreed,
    SignedFrame,
    Withdraw,
    clean_line,
    read_frame,
)
from nodealer.errors import BadParameter, DecodeError
from nodealer.keys import MARK_BYTES, host_mark
from nodealer.log.names import casefold_name, refuse_bad_name
from nodealer.log.roster import TIMEKEEPER, Member, refuse_bad_box
from nodealer.log.session import Proposal, Session, nonce_commitment, open_session, refuse_bad_proposal

#: The most open offers at a time.
OFFERS_MAX: Final = 64
#: The most offers and proposals that ever count in one lobby. This limits what is stored, and how often an attacker can
#: decline and retry until the words of the session are the ones they want.
OFFERS_EVER: Final = 1024
PROPOSALS_EVER: Final = 256


class LobbyState:
    """The state of one lobby.

    `host` is the mark of the key whose proposals count. Without one, anyone with an open offer may propose.
    """

    def __init__(self, host: bytes | None) -> None:
        """Create the state of a lobby without frames. Raises `BadParameter` if the mark has the wrong length."""
        if host is not None and (not isinstance(host, bytes) or len(host) != MARK_BYTES):
            raise BadParameter(f"the mark of a host's key must have {MARK_BYTES} bytes")
        self.offers: dict[bytes, OpenOffer] = {}
        self.proposal_count = 0
        self.proposal: Proposal | None = None
        #: The frame of the proposal, whose digest the answers name.
        self.proposed: SignedFrame | None = None
        self.commitments: dict[int, bytes] = {}
        self.nonces: dict[int, bytes] = {}
        self.session: Session | None = None
        self._host = host
        self._offer_counts: dict[bytes, int] = {}

    def count_offers_by(self, key: bytes) -> int:
        """Return how many offers of a key have counted, which is the number of its next one."""
        return self._offer_counts.get(key, 0)

    # defence: stranger
    def may_propose(self, key: bytes) -> bool:
        """Return whether a proposal by this key can count."""
        return key in self.offers if self._host is None else host_mark(key) == self._host

    @property
    def all_committed(self) -> bool:
        """Whether every player has committed, so that nonces may be opened."""
        return self.proposal is not None and len(self.commitments) == len(self.proposal.roster.members)

    def apply(self, said: SignedFrame) -> tuple[LobbyEvent, ...]:
        """Apply a frame and return the events. Raise `DecodeError` if it does not fit; nothing has changed then."""
        if self.session is not None:
            raise DecodeError("the session is open")
        match frame := read_frame(said.payload):
            case Offer():
                return self._offer(said.key, frame)
            case Withdraw():
                return self._withdraw(said.key, frame)
            case Dismiss():
                return self._dismiss(said.key, frame)
            case Proposed():
                return self._propose(said, frame)
            case Decline():
                return self._decline(said.key, frame)
            case Commitment():
                return self._commit(said.key, frame)
            case Opening():
                return self._open(said.key, frame)

    # --- Offers ---

    def _offer(self, key: bytes, frame: Offer) -> tuple[LobbyEvent, ...]:
        """Add an offer."""
        if key in self.offers:
            raise DecodeError("a second offer by the same key")
        if frame.number != self.count_offers_by(key):
            raise DecodeError("an offer that was withdrawn")
        if len(self.offers) >= OFFERS_MAX or sum(self._offer_counts.values()) >= OFFERS_EVER:
            raise DecodeError("the lobby is full")
        refuse_bad_name(frame.name, "the name in an offer")
        refuse_bad_box(key, frame.box, frame.box_signature, "the box key in an offer")
        if casefold_name(frame.name) in {casefold_name(other.name) for other in self.offers.values()}:
            raise DecodeError("another player already uses that name, ignoring case and spaces")
        offered = OpenOffer(key, frame.number, frame.name, frame.box, frame.box_signature, frame.keeps_time)
        self.offers[key] = offered
        self._offer_counts[key] = frame.number + 1
        return (OfferMade(offered),)

    def _withdraw(self, key: bytes, frame: Withdraw) -> tuple[LobbyEvent, ...]:
        """Remove the signer's own offer."""
        return self._remove_offer(key, frame.number, dismissed=False)

    def _dismiss(self, key: bytes, frame: Dismiss) -> tuple[LobbyEvent, ...]:
        """Remove an offer for the host. Without a host, no one may dismiss others."""
        if self._host is None or not self.may_propose(key):
            raise DecodeError("only the host can dismiss an offer")
        return self._remove_offer(frame.key, frame.number, dismissed=True)

    def _remove_offer(self, key: bytes, number: int, *, dismissed: bool) -> tuple[LobbyEvent, ...]:
        """Remove an offer, and drop the proposal if it includes that player."""
        offered = self.offers.get(key)
        if offered is None or offered.number != number:
            raise DecodeError(f"there is no such offer to be {'dismissed' if dismissed else 'withdrawn'}")
        del self.offers[key]
        went = OfferGone(offered, dismissed)
        return (went, *self._drop()) if self._member(key) is not None else (went,)

    # --- The proposal ---

    def _propose(self, said: SignedFrame, frame: Proposed) -> tuple[LobbyEvent, ...]:
        """Open a proposal whose members all match their offers."""
        if not self.may_propose(said.key):
            raise DecodeError("a proposal by a player who may not propose")
        if self.proposal is not None:
            raise DecodeError("a second proposal")
        if frame.number != self.proposal_count or frame.number >= PROPOSALS_EVER:
            raise DecodeError("a proposal whose number is not the next one")
        refuse_bad_proposal(frame.proposal)
        for member in frame.proposal.roster.members:
            offered = self.offers.get(member.key)
            keeps_time = member.role == TIMEKEEPER
            if offered is None or offered.as_member(member.seat, member.role) != member:
                raise DecodeError(f"seat {member.seat} of the proposal does not match an offer")
            if keeps_time != offered.keeps_time:
                raise DecodeError(f"seat {member.seat} of the proposal has not offered to keep the time")
        self.proposal, self.proposed = frame.proposal, said
        self.proposal_count += 1
        return (ProposalMade(said.key, frame.proposal),)

    def _decline(self, key: bytes, frame: Decline) -> tuple[LobbyEvent, ...]:
        """Drop the open proposal for one of its players or its proposer."""
        proposed = self._current(frame.proposed)
        member = self._member(key)
        if member is None and key != proposed.key:
            raise DecodeError("only its players and its proposer can decline a proposal")
        name = None if member is None else member.name
        return (ProposalDeclined(key, name, clean_line(frame.reason), mine=False), *self._drop())

    def _drop(self) -> tuple[LobbyEvent, ...]:
        """Drop the open proposal with its commitments and nonces."""
        proposal, self.proposal, self.proposed = self.proposal, None, None
        self.commitments, self.nonces = {}, {}
        return () if proposal is None else (ProposalDropped(proposal),)

    def _current(self, named: bytes) -> SignedFrame:
        """Return the open proposal's frame. Raise `DecodeError` if `named` is not its digest."""
        if self.proposed is None or self.proposed.digest != named:
            raise DecodeError("an answer to a proposal that is not on the table")
        return self.proposed

    def _member(self, key: bytes) -> Member | None:
        """Return the member with this key in the open proposal, or None."""
        members = () if self.proposal is None else self.proposal.roster.members
        return next((member for member in members if member.key == key), None)

    # --- Agreement ---

    def _commit(self, key: bytes, frame: Commitment) -> tuple[LobbyEvent, ...]:
        """Record a player's commitment to the open proposal."""
        member = self._answering_member(key, frame)
        if frame.seat in self.commitments:
            raise DecodeError("a second commitment")
        self.commitments[frame.seat] = frame.commitment
        return (PlayerCommitted(member.seat, member.name),)

    # defence: ground
    def _open(self, key: bytes, frame: Opening) -> tuple[LobbyEvent, ...]:
        """Record a player's nonce, and open the session with the last one."""
        self._answering_member(key, frame)
        if self.proposal is None or not self.all_committed:
            raise DecodeError("a nonce before all players have committed")
        if frame.seat in self.nonces:
            raise DecodeError("a second nonce")
        if nonce_commitment(self.proposal, frame.seat, frame.nonce) != self.commitments[frame.seat]:
            raise DecodeError("a nonce that does not match its commitment")
        self.nonces[frame.seat] = frame.nonce
        if len(self.nonces) < len(self.commitments):
            return ()
        self.session = open_session(self.proposal, self.commitments, self.nonces)
        return (SessionAgreed(self.session),)

    def _answering_member(self, key: bytes, frame: Commitment | Opening) -> Member:
        """Return the member that answers the open proposal. Raise `DecodeError` for another member's seat."""
        self._current(frame.proposed)
        member = self._member(key)
        if member is None or member.seat != frame.seat:
            raise DecodeError("an answer for the seat of another player")
        return member
