"""How players who have a channel come to a session: offers, a proposal, commitments, nonces. One participant's part.

No socket, clock or randomness here: frames come in, in one order, and frames to send come out. Nothing in a lobby is
trusted: frames are signed, what does not fit is passed over, and a player commits only to a roster that has its own
name and keys, and only after it has looked at what is proposed. docs/spec/lobby.md has the bytes and the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nodealer.engine.lobby_messages import (
    Came,
    Commitment,
    Commits,
    Decline,
    Dismiss,
    Frame,
    News,
    Offer,
    Offered,
    Opening,
    OtherVersion,
    PassedOver,
    Proposed,
    Refuses,
    Said,
    Withdraw,
    cleaned,
    read_said,
    sign_frame,
)
from nodealer.engine.lobby_state import LobbyState
from nodealer.errors import BadParameter, BadSignature, Declined, DecodeError, NodealerError, OtherFormat
from nodealer.keys import Identity
from nodealer.log.roster import TIMEKEEPER
from nodealer.log.session import FORMAT_VERSION, NONCE_BYTES, Limits, Part, Proposal, Session, nonce_commitment
from nodealer.tape import ROOT_BYTES, expand
from nodealer.wire import Message

#: Looks at a proposal before this player commits to it. Raises `Declined`, with a sentence, to decline; gives False
#: where a person has to look at it first, and says `consent` or `decline` later.
Accept = Callable[[Proposal], bool | None]


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
    hands: int = 0
    #: The limits of time; then the last of the names is that of the timekeeper.
    clock: Limits | None = None

    # defence: downgrade
    def accept(self, proposal: Proposal) -> None:
        """Raise `Declined` for any other proposal than the one that was expected."""
        decline_rehearsals(proposal)
        for what, offered, wanted in (
            ("game", _told(proposal.game), _told(self.game)),
            ("protocol", _told(proposal.protocol), _told(self.protocol)),
            ("agreed versions", proposal.versions, self.versions),
            ("players", tuple(member.name for member in proposal.roster.members), self.names),
            ("roles", proposal.roster.roles, () if self.clock is None else ((TIMEKEEPER, len(self.names) - 1),)),
            ("limits of time", proposal.clock, self.clock),
            ("number of hands", proposal.hands, self.hands),
        ):
            if offered != wanted:
                raise Declined(f"another {what} is proposed than was agreed: {offered}, not {wanted}")


def _told(part: Part) -> str:
    return f"{part.name} {part.version} {bytes(part.parameters).decode(errors='replace')}"


@dataclass(frozen=True)
class LobbyResult:
    """What came of a frame.

    `answers` are to be sent. `kept` says that the frame changed something: whoever wants to come back stores it, before
    the answers go out, and gives the stored frames to a new lobby in their order.
    """

    answers: tuple[bytes, ...]
    kept: bool
    news: tuple[News, ...]


class Lobby:
    """One participant: somebody who wants to play, or (without a name) who only watches. Both may propose.

    `table` is what the transport calls the table, and `host` the mark of the key whose proposals count (without: those
    of everybody who has offered); both must be the same for all. From `root` come the session nonces, a new one for
    each proposal, so that who comes back says the same bytes, and none that was shown is used again.
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
        if not isinstance(root, bytes) or len(root) != ROOT_BYTES:
            raise BadParameter(f"a root has {ROOT_BYTES} bytes")
        self.table = table
        self._identity = identity
        self._root = root
        self._name = name
        self._keeps_time = keeps_time
        self._accept = accept
        self._floor = LobbyState(host)
        #: The proposal that this player has committed to and not declined since.
        self._agreed: bytes | None = None
        #: The proposal that a person is looking at.
        self._considered: bytes | None = None
        #: The offer that was taken back last. Who keeps that from being heard must not seat this player.
        self._taken_back: int | None = None
        #: Whether this player has declined something since it made its offer.
        self.declined = False
        #: What was said and not heard yet, and which proposal it answers.
        self._said: dict[bytes, bytes | None] = {}

    # --- What there is ---

    @property
    def offers(self) -> tuple[Offered, ...]:
        """Who would like to sit, in the order in which they came."""
        return tuple(self._floor.offers.values())

    @property
    def mine(self) -> Offered | None:
        """This participant's offer, if it is there."""
        return self._floor.offers.get(self._identity.public)

    @property
    def proposal(self) -> Proposal | None:
        """What is on the table."""
        return self._floor.proposal

    @property
    def session(self) -> Session | None:
        """What was agreed, once it was. Nothing changes it any more."""
        return self._floor.session

    @property
    def seat(self) -> int | None:
        """The seat of this player in what is proposed or agreed."""
        if self._floor.proposal is None or self._name is None:
            return None
        return next((m.seat for m in self._floor.proposal.roster.members if m.key == self._identity.public), None)

    @property
    def considering(self) -> bool:
        """Whether what is proposed has a seat for this player, who has neither agreed to it nor declined."""
        proposed = self._floor.proposed
        return proposed is not None and self.seat is not None and self._considered == proposed.digest

    @property
    def awaited(self) -> tuple[str, ...]:
        """The players whose answer to the proposal is missing: their commitment first, then their nonce."""
        members = () if self._floor.proposal is None else self._floor.proposal.roster.members
        answered = self._floor.nonces if self._floor.all_committed else self._floor.commitments
        return tuple(member.name for member in members if member.seat not in answered)

    @property
    def unconfirmed(self) -> tuple[bytes, ...]:
        """What this participant has said and not heard: to be sent again over a new connection, or after a restart."""
        return () if self._floor.session is not None else tuple(self._said)

    # --- What to say ---

    def offer(self) -> bytes:
        """That this player would like to sit. The same bytes until that offer is taken back."""
        if self._name is None:
            raise BadParameter("who only watches has nothing to offer")
        me = self._identity
        if self._taken_back == self._next_offer:
            # Who offers again has thought better of it. It may have taken this number back without having offered.
            self._taken_back = None
        return self._say(Offer(self._next_offer, self._name, me.box, me.box_signature, self._keeps_time))

    def withdraw(self) -> bytes:
        """That it no longer does. From here on it shows no nonce for a seat of that offer."""
        data = self._say(Withdraw(self._next_offer))
        self._agreed, self._considered, self._taken_back = None, None, self._next_offer
        return data

    def dismiss(self, offered: Offered) -> bytes:
        """That somebody does not sit here, by the host: the name is free when this is heard."""
        return self._say(Dismiss(offered.key, offered.number))

    @property
    def _next_offer(self) -> int:
        return self._floor.offered_by(self._identity.public) if self.mine is None else self.mine.number

    def propose(self, proposal: Proposal) -> bytes:
        """Let us play this."""
        if self._floor.proposal is not None:
            raise BadParameter("there is a proposal on the table")
        return self._say(Proposed(FORMAT_VERSION, self._floor.proposals, proposal))

    def decline(self, reason: str) -> bytes:
        """Not this: what is on the table is off it when this is heard."""
        proposed = self._floor.proposed
        if proposed is None:
            raise BadParameter("there is no proposal to decline")
        self._agreed = self._considered = None
        return self._say(Decline(proposed.digest, cleaned(reason)), proposed.digest)

    def consent(self) -> bytes:
        """This, yes: what a person says who has looked at what is on the table."""
        proposed, proposal, seat = self._floor.proposed, self._floor.proposal, self.seat
        if proposed is None or proposal is None or seat is None or not self.considering:
            raise BadParameter("there is no proposal to agree to")
        return self._commit(proposal, proposed.digest, seat)

    def _commit(self, proposal: Proposal, proposed: bytes, seat: int) -> bytes:
        self._agreed, self._considered = proposed, None
        commitment = nonce_commitment(proposal, seat, self._nonce(proposed))
        return self._say(Commitment(proposed, seat, commitment), proposed)

    def _say(self, frame: Frame, answered: bytes | None = None) -> bytes:
        if self._floor.session is not None:
            raise BadParameter("the session is open")
        data = sign_frame(self._identity, self.table, frame)
        self._said[data] = answered
        return data

    # --- What others say ---

    def receive(self, data: bytes) -> LobbyResult:
        """The next frame. Raises for nothing that others can send."""
        mine = data in self._said
        self._said.pop(data, None)
        try:
            said = read_said(self.table, data)
        except (DecodeError, BadSignature) as error:
            return _passed_over(error, mine)
        try:
            news = self._floor.take(said)
        except OtherFormat as error:
            if self._floor.may_propose(said.key):
                return LobbyResult((), False, (OtherVersion(cleaned(str(error))),))
            return _passed_over(error, mine)
        except DecodeError as error:
            return _passed_over(error, mine)
        return self._answer(said, news)

    def _answer(self, said: Said, news: tuple[News, ...]) -> LobbyResult:
        """What to say to what has changed."""
        if said.key == self._identity.public:
            self.declined = any(isinstance(one, Refuses) for one in news) or (
                self.declined and not any(isinstance(one, Came) for one in news)
            )
        proposed, proposal, seat = self._floor.proposed, self._floor.proposal, self.seat
        current = None if proposed is None else proposed.digest
        self._said = {data: answered for data, answered in self._said.items() if answered in (None, current)}
        if proposal is None or current is None or seat is None:
            return LobbyResult((), True, news)
        if proposed is said:
            return self._look(proposal, current, seat, news)
        committed = any(isinstance(one, Commits) for one in news)
        if committed and said.key == self._identity.public and self._considered == current:
            # Said before a restart, after which the proposal was looked at anew.
            self._agreed, self._considered = current, None
        # No nonce is shown before every commitment is in.
        if committed and self._floor.all_committed and self._agreed == current:
            opening = self._say(Opening(current, seat, self._nonce(current)), current)
            return LobbyResult((opening,), True, news)
        return LobbyResult((), True, news)

    def _look(self, proposal: Proposal, proposed: bytes, seat: int, news: tuple[News, ...]) -> LobbyResult:
        """Commit to a new proposal, or decline it."""
        try:
            self._refuse_another_me(proposal, seat)
            self._refuse_taken_back()
            accepted = self._accept(proposal)
        except NodealerError as error:
            # What the own program cannot play is declined like what its player does not want to.
            reason = cleaned(str(error))
            refused = Refuses(self._identity.public, self._name, reason, mine=True)
            return LobbyResult((self.decline(reason),), True, (*news, refused))
        if accepted is False:
            self._considered = proposed
            return LobbyResult((), True, news)
        return LobbyResult((self._commit(proposal, proposed, seat),), True, news)

    def _refuse_another_me(self, proposal: Proposal, seat: int) -> None:
        """An offer of this key from another time may be there, which somebody has sent again."""
        member = proposal.roster.member(seat)
        if member.name != self._name:
            raise Declined(f"the proposed roster calls this player {member.name!r}, and it is {self._name!r}")
        if member.box != self._identity.box:
            raise Declined("the proposed roster has another box key for this player")

    def _refuse_taken_back(self) -> None:
        if self.mine is not None and self.mine.number == self._taken_back:
            raise Declined("this player has taken its offer back")

    def _nonce(self, proposed: bytes) -> bytes:
        return expand("session nonce", self._root, self.table, proposed, size=NONCE_BYTES)


def _passed_over(error: NodealerError, mine: bool) -> LobbyResult:
    return LobbyResult((), False, (PassedOver(cleaned(str(error)), mine),))
