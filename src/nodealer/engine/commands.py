"""The commands of a person, a bot or a policy to a participant.

`Participant.command` carries them out. A command is a wish: the rules decide whether it is possible, and one that is
not raises `IllegalMove` with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nodealer.engine.lobby_messages import OpenOffer
from nodealer.engine.prompts import Decision, Question
from nodealer.log.roster import Roster
from nodealer.log.session import Proposal

# --- In the lobby ---


@dataclass(frozen=True)
class OfferToPlay:
    """Offer to play, with this player's name and keys."""


@dataclass(frozen=True)
class WithdrawOffer:
    """Take back the offer to play."""


@dataclass(frozen=True)
class DismissOffer:
    """Refuse a player's offer, as the host."""

    offer: OpenOffer


@dataclass(frozen=True)
class ProposeSession:
    """Propose a session to the players in the lobby."""

    proposal: Proposal


@dataclass(frozen=True)
class Consent:
    """Agree to the proposal."""


@dataclass(frozen=True)
class DeclineProposal:
    """Decline the proposal."""

    reason: str


# --- At the table ---


@dataclass(frozen=True)
class MakeMove:
    """Make a move in the game: a message of its rules, or plain data."""

    move: object


@dataclass(frozen=True)
class AnswerQuestion:
    """Answer a question of the table with a move, a choice about cards, or a value to seal."""

    question: Question
    decision: Decision


@dataclass(frozen=True)
class DisputeCard:
    """Dispute the card of this seat that does not open."""


@dataclass(frozen=True)
class DiscloseHand:
    """Disclose the hands that a dispute asks for."""


@dataclass(frozen=True)
class LeaveHand:
    """Leave the hand or, between hands, sit out the next one."""


@dataclass(frozen=True)
class LeaveTable:
    """Leave the hand, and sign the end of the game as soon as that is possible."""


@dataclass(frozen=True)
class EndGame:
    """Play this hand to its end, and then sign the end of the game."""


@dataclass(frozen=True)
class SitOut:
    """Play this hand to its end but not the next ones. The table does not wait for this seat until it comes back."""


@dataclass(frozen=True)
class ComeBack:
    """Play again from the next hand on, with the same seat and chips."""


@dataclass(frozen=True)
class WriteNote:
    """Write a signed note into the log, which changes nothing."""

    text: str


@dataclass(frozen=True)
class SendTick:
    """Send the time, as the timekeeper."""

    time: int


# --- Votes and seats ---


@dataclass(frozen=True)
class VoteSkip:
    """Vote not to wait for what these seats owe now."""

    seats: frozenset[int]


@dataclass(frozen=True)
class VoteSkipDuties:
    """Vote not to wait for these duties of other seats."""

    duties: frozenset[bytes]


@dataclass(frozen=True)
class VoteAbort:
    """Vote to abort the hand because another seat does not do what it owes."""


@dataclass(frozen=True)
class RequestSeat:
    """Ask for a seat at a table that is playing: a new one, or the one that a roster has left out."""


@dataclass(frozen=True)
class AdmitPlayer:
    """Propose the roster that the player with this name asks for."""

    name: str


@dataclass(frozen=True)
class RemovePlayer:
    """Propose the roster without an absent player, who loses their place."""

    name: str


@dataclass(frozen=True)
class ProposeRoster:
    """Propose another roster, with the signatures of the seats that are new in it."""

    roster: Roster
    newcomers: Mapping[int, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class AgreeToRoster:
    """Agree to a proposed roster."""

    proposal: bytes


Command = (
    OfferToPlay
    | WithdrawOffer
    | DismissOffer
    | ProposeSession
    | Consent
    | DeclineProposal
    | MakeMove
    | AnswerQuestion
    | DisputeCard
    | DiscloseHand
    | LeaveHand
    | LeaveTable
    | EndGame
    | SitOut
    | ComeBack
    | WriteNote
    | SendTick
    | VoteSkip
    | VoteSkipDuties
    | VoteAbort
    | RequestSeat
    | AdmitPlayer
    | RemovePlayer
    | ProposeRoster
    | AgreeToRoster
)
#: The commands about who has a seat.
SeatCommand = AdmitPlayer | RemovePlayer | ProposeRoster | AgreeToRoster
