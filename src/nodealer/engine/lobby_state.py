"""What is on the floor of a lobby: offers, at most one proposal, commitments, nonces, and then a session.

A function of the frames in their order and of who may propose, and of nothing else: no secret and no opinion is in it.
So all who got the same frames have the same floor. The first one that fits counts; what does not fit changes nothing.
"""

from __future__ import annotations

from typing import Final

from nodealer.engine.lobby_messages import (
    Agreed,
    Came,
    Commitment,
    Commits,
    Decline,
    Dismiss,
    Dropped,
    News,
    Offer,
    Offered,
    Opening,
    Proposed,
    Proposes,
    Refuses,
    Said,
    Went,
    Withdraw,
    cleaned,
    read_frame,
)
from nodealer.errors import BadParameter, DecodeError
from nodealer.keys import MARK_BYTES, host_mark
from nodealer.log.names import casefold_name, refuse_bad_name
from nodealer.log.roster import TIMEKEEPER, Member, refuse_bad_box
from nodealer.log.session import Proposal, Session, nonce_commitment, open_session, refuse_bad_proposal

#: Offers that are there at a time.
OFFERS_MAX: Final = 64
#: Offers, and proposals, that ever count in one lobby. So what is kept of it has a bound; and so has what somebody can
#: try who declines again and again, until the words of the session come out as wanted.
OFFERS_EVER: Final = 1024
PROPOSALS_EVER: Final = 256


class LobbyState:
    """`host`: the mark of the key whose proposals count. Without one, those of everybody whose offer is there."""

    def __init__(self, host: bytes | None) -> None:
        if host is not None and (not isinstance(host, bytes) or len(host) != MARK_BYTES):
            raise BadParameter(f"the mark of a host's key has {MARK_BYTES} bytes")
        self.offers: dict[bytes, Offered] = {}
        self.proposals = 0
        self.proposal: Proposal | None = None
        #: What answers to the proposal name, and whose it is.
        self.proposed: Said | None = None
        self.commitments: dict[int, bytes] = {}
        self.nonces: dict[int, bytes] = {}
        self.session: Session | None = None
        self._host = host
        self._offered: dict[bytes, int] = {}

    def offered_by(self, key: bytes) -> int:
        """How many offers of a key have counted: the number of its next one."""
        return self._offered.get(key, 0)

    # defence: stranger
    def may_propose(self, key: bytes) -> bool:
        """Whether a proposal of this key can count."""
        return key in self.offers if self._host is None else host_mark(key) == self._host

    @property
    def all_committed(self) -> bool:
        """Whether nonces are shown."""
        return self.proposal is not None and len(self.commitments) == len(self.proposal.roster.members)

    def take(self, said: Said) -> tuple[News, ...]:
        """What changes. Raises `DecodeError` for a frame that does not fit: then nothing does."""
        if self.session is not None:
            raise DecodeError("the session is open")
        match frame := read_frame(said.words):
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

    def _offer(self, key: bytes, frame: Offer) -> tuple[News, ...]:
        if key in self.offers:
            raise DecodeError("a second offer of one key")
        if frame.number != self.offered_by(key):
            raise DecodeError("an offer that was taken back")
        if len(self.offers) >= OFFERS_MAX or sum(self._offered.values()) >= OFFERS_EVER:
            raise DecodeError("the lobby is full")
        refuse_bad_name(frame.name, "the name in an offer")
        refuse_bad_box(key, frame.box, frame.box_signature, "the box key in an offer")
        if casefold_name(frame.name) in {casefold_name(other.name) for other in self.offers.values()}:
            raise DecodeError("somebody of that name is there, but for case and spaces")
        offered = Offered(key, frame.number, frame.name, frame.box, frame.box_signature, frame.keeps_time)
        self.offers[key] = offered
        self._offered[key] = frame.number + 1
        return (Came(offered),)

    def _withdraw(self, key: bytes, frame: Withdraw) -> tuple[News, ...]:
        return self._go(key, frame.number, dismissed=False)

    def _dismiss(self, key: bytes, frame: Dismiss) -> tuple[News, ...]:
        """Where everybody may propose, nobody may send another away."""
        if self._host is None or not self.may_propose(key):
            raise DecodeError("an offer is dismissed by the host alone")
        return self._go(frame.key, frame.number, dismissed=True)

    def _go(self, key: bytes, number: int, *, dismissed: bool) -> tuple[News, ...]:
        offered = self.offers.get(key)
        if offered is None or offered.number != number:
            raise DecodeError(f"no such offer is there to be {'dismissed' if dismissed else 'taken back'}")
        del self.offers[key]
        went = Went(offered, dismissed)
        return (went, *self._drop()) if self._member(key) is not None else (went,)

    # --- The proposal ---

    def _propose(self, said: Said, frame: Proposed) -> tuple[News, ...]:
        if not self.may_propose(said.key):
            raise DecodeError("a proposal of somebody who may not propose")
        if self.proposal is not None:
            raise DecodeError("a second proposal")
        if frame.number != self.proposals or frame.number >= PROPOSALS_EVER:
            raise DecodeError("a proposal with a number that is not the next")
        refuse_bad_proposal(frame.proposal)
        for member in frame.proposal.roster.members:
            offered = self.offers.get(member.key)
            keeps_time = member.role == TIMEKEEPER
            if offered is None or offered.seated(member.seat, member.role) != member:
                raise DecodeError(f"seat {member.seat} of the proposal is not as anybody offered")
            if keeps_time != offered.keeps_time:
                raise DecodeError(f"seat {member.seat} of the proposal has not offered to keep the time")
        self.proposal, self.proposed = frame.proposal, said
        self.proposals += 1
        return (Proposes(said.key, frame.proposal),)

    def _decline(self, key: bytes, frame: Decline) -> tuple[News, ...]:
        proposed = self._current(frame.proposed)
        member = self._member(key)
        if member is None and key != proposed.key:
            raise DecodeError("a proposal is declined by its players, or taken back by its proposer")
        name = None if member is None else member.name
        return (Refuses(key, name, cleaned(frame.reason), mine=False), *self._drop())

    def _drop(self) -> tuple[News, ...]:
        proposal, self.proposal, self.proposed = self.proposal, None, None
        self.commitments, self.nonces = {}, {}
        return () if proposal is None else (Dropped(proposal),)

    def _current(self, named: bytes) -> Said:
        if self.proposed is None or self.proposed.digest != named:
            raise DecodeError("an answer to a proposal that is not on the table")
        return self.proposed

    def _member(self, key: bytes) -> Member | None:
        members = () if self.proposal is None else self.proposal.roster.members
        return next((member for member in members if member.key == key), None)

    # --- Agreement ---

    def _commit(self, key: bytes, frame: Commitment) -> tuple[News, ...]:
        member = self._answering(key, frame)
        if frame.seat in self.commitments:
            raise DecodeError("a second commitment")
        self.commitments[frame.seat] = frame.commitment
        return (Commits(member.seat, member.name),)

    # defence: ground
    def _open(self, key: bytes, frame: Opening) -> tuple[News, ...]:
        self._answering(key, frame)
        if self.proposal is None or not self.all_committed:
            raise DecodeError("a nonce before all commitments are in")
        if frame.seat in self.nonces:
            raise DecodeError("a second nonce")
        if nonce_commitment(self.proposal, frame.seat, frame.nonce) != self.commitments[frame.seat]:
            raise DecodeError("another nonce than was committed to")
        self.nonces[frame.seat] = frame.nonce
        if len(self.nonces) < len(self.commitments):
            return ()
        self.session = open_session(self.proposal, self.commitments, self.nonces)
        return (Agreed(self.session),)

    def _answering(self, key: bytes, frame: Commitment | Opening) -> Member:
        self._current(frame.proposed)
        member = self._member(key)
        if member is None or member.seat != frame.seat:
            raise DecodeError("an answer for a seat of somebody else")
        return member
