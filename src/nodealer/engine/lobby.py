"""One participant's part in a lobby, where players agree on a session: offers, a proposal, commitments, nonces.

There is no socket, clock or randomness here: frames come in, in one order, and frames to send come out. Nothing in a
lobby is trusted: frames are signed, frames that do not fit are ignored, and a player commits only to a roster that has
their own name and keys, and only after checking the proposal. docs/spec/lobby.md has the bytes and the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nodealer.engine.lobby_messages import (
    Commitment,
    Decline,
    Dismiss,
    Frame,
    FrameIgnored,
    LobbyEvent,
    Offer,
    OfferMade,
    Opening,
    OpenOffer,
    PlayerCommitted,
    ProposalDeclined,
    Proposed,
    SignedFrame,
    VersionMismatch,
    Withdraw,
    clean_line,
    read_signed_frame,
    sign_frame,
)
from nodealer.engine.lobby_state import LobbyState
from nodealer.errors import BadParameter, BadSignature, Declined, DecodeError, NodealerError, OtherFormat
from nodealer.keys import Identity
from nodealer.log.roster import TIMEKEEPER
from nodealer.log.session import FORMAT_VERSION, NONCE_BYTES, Limits, Part, Proposal, Session, nonce_commitment
from nodealer.tape import ROOT_BYTES, expand
from nodealer.wire import Message

#: Judges a proposal before this player commits to it. Raises `Declined`, with a sentence, to decline. Returns False if
#: a person has to decide, who calls `consent` or `decline` later.
Accept = Callable[[Proposal], bool | None]


def decline_rehearsals(proposal: Proposal) -> None:
    """Raise `Declined` for a rehearsal. Every participant checks at least this."""
    if proposal.rehearsal:
        raise Declined("the proposal is a rehearsal: its seeds are public, so nothing would be secret")


class Expected(Message, frozen=True):
    """What a player has agreed to play outside the lobby. Everything else is declined."""

    game: Part
    protocol: Part
    versions: tuple[tuple[str, str], ...]
    #: The names at the table, by seat.
    names: tuple[str, ...]
    hands: int = 0
    #: The time limits. If set, the last name is the timekeeper's.
    clock: Limits | None = None

    # defence: downgrade
    def accept(self, proposal: Proposal) -> None:
        """Raise `Declined` unless the proposal is exactly the expected one."""
        decline_rehearsals(proposal)
        for what, offered, wanted in (
            ("game", _describe(proposal.game), _describe(self.game)),
            ("protocol", _describe(proposal.protocol), _describe(self.protocol)),
            ("library versions", proposal.versions, self.versions),
            ("players", tuple(member.name for member in proposal.roster.members), self.names),
            ("roles", proposal.roster.roles, () if self.clock is None else ((TIMEKEEPER, len(self.names) - 1),)),
            ("time limits", proposal.clock, self.clock),
            ("number of hands", proposal.hands, self.hands),
        ):
            if offered != wanted:
                raise Declined(f"the proposal differs from what was agreed in its {what}: {offered}, not {wanted}")


def _describe(part: Part) -> str:
    """Return the name, version and parameters of a part as one line."""
    return f"{part.name} {part.version} {bytes(part.parameters).decode(errors='replace')}"


@dataclass(frozen=True)
class LobbyResult:
    """The result of a received frame.

    `answers` are frames to send. `changed` says that the frame changed something: to be able to come back, store it
    before sending the answers, and give the stored frames to a new lobby in order.
    """

    answers: tuple[bytes, ...]
    changed: bool
    events: tuple[LobbyEvent, ...]


class Lobby:
    """One participant in a lobby: a player or, without a name, a spectator. Both may propose.

    `table` is the transport's name for the table, and `host` is the mark of the key whose proposals count (without it,
    anyone with an offer may propose). Both must be the same for everyone. Session nonces are derived from `root`, a new
    one for each proposal: a participant who comes back sends the same bytes, and no opened nonce is used again.
    """

    def __init__(
        self,
        table: str,
        identity: Identity,
        root: bytes,
        name: str | None,
        accept: Accept = decline_rehearsals,
        host: bytes | None = None,
        keeps_time: bool = False,
    ) -> None:
        """Enter the lobby as `name`, or as a spectator if None. `accept` checks proposals. Raises `BadParameter`."""
        if not isinstance(root, bytes) or len(root) != ROOT_BYTES:
            raise BadParameter(f"a root must have {ROOT_BYTES} bytes")
        self.table = table
        self._identity = identity
        self._root = root
        self._name = name
        self._keeps_time = keeps_time
        self._accept = accept
        self._state = LobbyState(host)
        #: The digest of the proposal that this player has committed to and not declined since.
        self._agreed: bytes | None = None
        #: The digest of the proposal that a person is considering.
        self._considered: bytes | None = None
        #: The number of the last withdrawn offer. Suppressing the withdrawal must not get this player seated.
        self._withdrawn: int | None = None
        #: Whether this player has declined a proposal since making the offer.
        self.has_declined = False
        #: Frames that were sent and not received back yet, with the digest of the proposal that they answer.
        self._unconfirmed: dict[bytes, bytes | None] = {}

    # --- State ---

    @property
    def offers(self) -> tuple[OpenOffer, ...]:
        """The open offers, in order of arrival."""
        return tuple(self._state.offers.values())

    @property
    def own_offer(self) -> OpenOffer | None:
        """This participant's open offer, or None."""
        return self._state.offers.get(self._identity.public)

    @property
    def proposal(self) -> Proposal | None:
        """The open proposal, or None."""
        return self._state.proposal

    @property
    def session(self) -> Session | None:
        """The agreed session, or None before the agreement. It is final."""
        return self._state.session

    @property
    def seat(self) -> int | None:
        """This player's seat in the proposed or agreed roster, or None."""
        if self._state.proposal is None or self._name is None:
            return None
        return next((m.seat for m in self._state.proposal.roster.members if m.key == self._identity.public), None)

    @property
    def is_considering(self) -> bool:
        """Whether the open proposal has a seat for this player, who has neither agreed nor declined."""
        proposed = self._state.proposed
        return proposed is not None and self.seat is not None and self._considered == proposed.digest

    @property
    def awaited(self) -> tuple[str, ...]:
        """The names of the players whose commitment or, once all have committed, nonce is missing."""
        members = () if self._state.proposal is None else self._state.proposal.roster.members
        answered = self._state.nonces if self._state.all_committed else self._state.commitments
        return tuple(member.name for member in members if member.seat not in answered)

    @property
    def unconfirmed(self) -> tuple[bytes, ...]:
        """The frames that were sent and not received back: send them again on a new connection or after a restart."""
        return () if self._state.session is not None else tuple(self._unconfirmed)

    # --- Sending ---

    def offer(self) -> bytes:
        """Return an offer to play. The bytes stay the same until the offer is withdrawn."""
        if self._name is None:
            raise BadParameter("a spectator cannot offer to play")
        me = self._identity
        if self._withdrawn == self._offer_number:
            # The player changed their mind. They may have withdrawn this number without having offered.
            self._withdrawn = None
        return self._send(Offer(self._offer_number, self._name, me.box, me.box_signature, self._keeps_time))

    def withdraw(self) -> bytes:
        """Return the withdrawal of the offer. From now on no nonce is opened for a seat based on it."""
        data = self._send(Withdraw(self._offer_number))
        self._agreed, self._considered, self._withdrawn = None, None, self._offer_number
        return data

    def dismiss(self, offered: OpenOffer) -> bytes:
        """Return the host's refusal of an offer, which frees its name when it arrives."""
        return self._send(Dismiss(offered.key, offered.number))

    @property
    def _offer_number(self) -> int:
        """The number of the open offer, or else of the next one."""
        return self._state.count_offers_by(self._identity.public) if self.own_offer is None else self.own_offer.number

    def propose(self, proposal: Proposal) -> bytes:
        """Return a proposal. Raise `BadParameter` if one is open already."""
        if self._state.proposal is not None:
            raise BadParameter("there is already an open proposal")
        return self._send(Proposed(FORMAT_VERSION, self._state.proposal_count, proposal))

    def decline(self, reason: str) -> bytes:
        """Return a refusal of the open proposal, which is dropped when this arrives."""
        proposed = self._state.proposed
        if proposed is None:
            raise BadParameter("there is no proposal to decline")
        self._agreed = self._considered = None
        return self._send(Decline(proposed.digest, clean_line(reason)), proposed.digest)

    def consent(self) -> bytes:
        """Return this player's commitment to the proposal that `accept` left to a person."""
        proposed, proposal, seat = self._state.proposed, self._state.proposal, self.seat
        if proposed is None or proposal is None or seat is None or not self.is_considering:
            raise BadParameter("there is no proposal to agree to")
        return self._commit(proposal, proposed.digest, seat)

    def _commit(self, proposal: Proposal, proposed: bytes, seat: int) -> bytes:
        """Agree to a proposal and return the commitment to its nonce."""
        self._agreed, self._considered = proposed, None
        commitment = nonce_commitment(proposal, seat, self._nonce(proposed))
        return self._send(Commitment(proposed, seat, commitment), proposed)

    def _send(self, frame: Frame, answered: bytes | None = None) -> bytes:
        """Sign a frame and remember it until it comes back.

        `answered` is the digest of the proposal that it answers.
        """
        if self._state.session is not None:
            raise BadParameter("the session has already begun")
        data = sign_frame(self._identity, self.table, frame)
        self._unconfirmed[data] = answered
        return data

    # --- Receiving ---

    def receive(self, data: bytes) -> LobbyResult:
        """Process the next frame. Nothing that others send makes it raise."""
        mine = data in self._unconfirmed
        self._unconfirmed.pop(data, None)
        try:
            said = read_signed_frame(self.table, data)
        except (DecodeError, BadSignature) as error:
            return _ignored(error, mine)
        try:
            news = self._state.apply(said)
        except OtherFormat as error:
            if self._state.may_propose(said.key):
                return LobbyResult((), False, (VersionMismatch(clean_line(str(error))),))
            return _ignored(error, mine)
        except DecodeError as error:
            return _ignored(error, mine)
        return self._answer(said, news)

    def _answer(self, said: SignedFrame, news: tuple[LobbyEvent, ...]) -> LobbyResult:
        """Return the answers to the changes that a frame caused."""
        if said.key == self._identity.public:
            self.has_declined = any(isinstance(one, ProposalDeclined) for one in news) or (
                self.has_declined and not any(isinstance(one, OfferMade) for one in news)
            )
        proposed, proposal, seat = self._state.proposed, self._state.proposal, self.seat
        current = None if proposed is None else proposed.digest
        self._unconfirmed = {
            data: answered for data, answered in self._unconfirmed.items() if answered in (None, current)
        }
        if proposal is None or current is None or seat is None:
            return LobbyResult((), True, news)
        if proposed is said:
            return self._consider(proposal, current, seat, news)
        committed = any(isinstance(one, PlayerCommitted) for one in news)
        if committed and said.key == self._identity.public and self._considered == current:
            # The commitment was sent before a restart, after which the proposal was considered again.
            self._agreed, self._considered = current, None
        # No nonce is opened before every player has committed.
        if committed and self._state.all_committed and self._agreed == current:
            opening = self._send(Opening(current, seat, self._nonce(current)), current)
            return LobbyResult((opening,), True, news)
        return LobbyResult((), True, news)

    def _consider(self, proposal: Proposal, proposed: bytes, seat: int, news: tuple[LobbyEvent, ...]) -> LobbyResult:
        """Commit to a new proposal, decline it, or leave it to a person."""
        try:
            self._refuse_changed_identity(proposal, seat)
            self._refuse_withdrawn()
            accepted = self._accept(proposal)
        except NodealerError as error:
            # A proposal that this program cannot play is declined like one that the player does not want.
            reason = clean_line(str(error))
            refused = ProposalDeclined(self._identity.public, self._name, reason, mine=True)
            return LobbyResult((self.decline(reason),), True, (*news, refused))
        if accepted is False:
            self._considered = proposed
            return LobbyResult((), True, news)
        return LobbyResult((self._commit(proposal, proposed, seat),), True, news)

    def _refuse_changed_identity(self, proposal: Proposal, seat: int) -> None:
        """Raise `Declined` if the roster has another name or box key for this player.

        Someone may have replayed an old offer of this key.
        """
        member = proposal.roster.member(seat)
        if member.name != self._name:
            raise Declined(f"the proposed roster calls this player {member.name!r}, but their name is {self._name!r}")
        if member.box != self._identity.box:
            raise Declined("the proposed roster has a wrong box key for this player")

    def _refuse_withdrawn(self) -> None:
        """Raise `Declined` if the proposal uses an offer that this player has withdrawn."""
        if self.own_offer is not None and self.own_offer.number == self._withdrawn:
            raise Declined("this player has withdrawn their offer")

    def _nonce(self, proposed: bytes) -> bytes:
        """Return this player's session nonce for a proposal."""
        return expand("session nonce", self._root, self.table, proposed, size=NONCE_BYTES)


def _ignored(error: NodealerError, mine: bool) -> LobbyResult:
    """Return the result for a frame that changed nothing."""
    return LobbyResult((), False, (FrameIgnored(clean_line(str(error)), mine),))
