"""The lobby, before the first hand: who arrives, whom the host seats, and what a guest agrees to.

Each role looks at the status of the lobby and returns what to do now. What it wants to ask the person is in `question`;
the client asks, while frames keep arriving, and passes the answer on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from nodealer.client import events
from nodealer.client.commands import IssueCode, LobbyCommand, StartGame, TurnAway
from nodealer.client.contacts import Contacts
from nodealer.client.questions import Asked, LobbyQuestion
from nodealer.client.status import LobbyStatus, TableStatus
from nodealer.engine.commands import (
    Command,
    Consent,
    DeclineProposal,
    DismissOffer,
    OfferToPlay,
    ProposeSession,
    WithdrawOffer,
)
from nodealer.engine.lobby import decline_rehearsals
from nodealer.engine.lobby_messages import OpenOffer, ProposalDeclined
from nodealer.engine.resolve import resolve_parts
from nodealer.errors import BadParameter
from nodealer.games.package import GamePackage
from nodealer.games.text import Words
from nodealer.log.names import casefold_name
from nodealer.log.roster import TIMEKEEPER, Member
from nodealer.log.session import Limits, Proposal

#: After this many seconds the host is told whose answer to the proposal is missing.
ANSWER_AFTER: Final = 15.0
#: How many seconds a full table waits for the host's own timekeeper.
KEEPER_AFTER: Final = 15.0
#: After this many seconds an unattended host goes on without players who have not answered.
ANSWER_LIMIT: Final = 120.0

#: Shows something to the person.
Show = Callable[[events.TableEvent], None]


class LobbyRole(Protocol):
    """The part of a participant in a lobby."""

    @property
    def seats(self) -> int:
        """The number of seats that a host wants to fill; 0 for everyone else."""

    @property
    def question(self) -> LobbyQuestion | None:
        """The question to the person now, or None."""

    def on_status(self, status: TableStatus) -> Sequence[Command]:
        """Look at the lobby and return what to do now."""

    def answer(self, question: LobbyQuestion, yes: bool) -> None:
        """Take the person's answer to the question that is open."""

    def command(self, command: LobbyCommand) -> None:
        """Take a command of the person. Raise `BadParameter` if this role cannot do it."""

    def on_declined(self, declined: ProposalDeclined) -> None:
        """Take note that a player declined the proposal."""


class Onlooker:
    """A spectator or timekeeper before the first hand: reports who has arrived while there is no game yet."""

    seats = 0
    question: LobbyQuestion | None = None

    def __init__(self, show: Show) -> None:
        """Report arrivals to `show`."""
        self._show = show
        self._shown: tuple[str, ...] | None = None

    def on_status(self, status: TableStatus) -> Sequence[Command]:
        """Report the names when they change. Does nothing else."""
        lobby = status.lobby
        if lobby is None or status.is_catching_up:
            return ()
        here = tuple(offer.name for offer in lobby.offers if not offer.keeps_time)
        if here != self._shown:
            first, self._shown = self._shown is None, here
            self._show(events.PlayersHere(here, first))
        return ()

    def answer(self, question: LobbyQuestion, yes: bool) -> None:
        """Do nothing: an onlooker is asked nothing."""

    def command(self, command: LobbyCommand) -> None:
        """Refuse: an onlooker decides nothing."""
        raise BadParameter("only the host can do that")

    def on_declined(self, declined: ProposalDeclined) -> None:
        """Do nothing."""


class Guest(Onlooker):
    """A guest's part in a lobby: shows proposals, and agrees or declines."""

    def __init__(self, show: Show, contacts: Contacts, *, asks: bool, game: GamePackage | None = None) -> None:
        """Report proposals to `show`. Unless it `asks` a person, agree to everything that this program can play.

        `game` is the package that this player has chosen; None for the installed one that is proposed.
        """
        super().__init__(show)
        self._contacts = contacts
        self._asks = asks
        self._game = game
        self._has_offered = False
        #: Whether this guest declined here before, and withdraws that offer to make a new one.
        self._offers_again = False
        self._shown_proposal: Proposal | None = None
        self._left_out: Proposal | None = None
        #: Whether another proposal was shown before the current one.
        self._another = False
        #: The person's answer to the current question.
        self._answer: bool | None = None

    def on_status(self, status: TableStatus) -> Sequence[Command]:
        """Offer to play, and agree or decline when the person has answered."""
        lobby = status.lobby
        if lobby is None or status.is_catching_up:
            self.question = None
            return ()
        if self._offers_again and lobby.own_offer is None:
            self._offers_again = self._has_offered = False
            return (OfferToPlay(),)
        if lobby.own_offer is not None and not self._has_offered:
            self._has_offered = True
            if lobby.has_declined and not lobby.has_seat:
                self._offers_again = True
                return (WithdrawOffer(),)
            self._show(events.SeatRequested())
        return self._consider(lobby)

    def _consider(self, lobby: LobbyStatus) -> Sequence[Command]:
        """Show the open proposal, ask about it, and return the answer once there is one."""
        proposal = lobby.proposal
        if proposal is not None and not lobby.has_seat and self._left_out != proposal:
            self._left_out = proposal
            self._show(events.LeftOut())
        if proposal is None or not lobby.is_considering:
            self.question = self._answer = None
            return ()
        if self._shown_proposal != proposal:
            self._shown_proposal, self._another = proposal, self._shown_proposal is not None
            self._show_proposal(proposal, lobby.key)
        if not self._asks:
            return (Consent(),)
        question = LobbyQuestion(Asked.ANOTHER if self._another else Asked.PROPOSAL, about=proposal)
        if self.question != question:
            self.question, self._answer = question, None
        if self._answer is None:
            return ()
        answer, self._answer, self.question = self._answer, None, None
        return (Consent(),) if answer else (DeclineProposal("the player does not want to"),)

    def answer(self, question: LobbyQuestion, yes: bool) -> None:
        """Take the person's answer, if it is to the current proposal."""
        if question == self.question:
            self._answer = yes

    def _show_proposal(self, proposal: Proposal, mine: bytes) -> None:
        """Show a proposal, and how its players compare with the known ones."""
        playing, _, package = resolve_parts(proposal, game=self._game)
        words = Words() if package is None else package.words
        self._show(events.ProposalReceived(proposal, playing.claims.warning, words))
        for member in proposal.roster.members:
            if member.key != mine and member.role != TIMEKEEPER:
                self._show(self._contacts.check(member.name, member.key))


# --- A host ---


class Wanted(Protocol):
    """The game that a host wants to play."""

    @property
    def clock(self) -> Limits | None:
        """Return the time limits; None without a timekeeper."""

    def proposal(self, members: Sequence[Member]) -> Proposal:
        """Return the proposal for these members."""


@dataclass(frozen=True)
class Admitted:
    """A key that may join under a name and in a role.

    If it returns with another name or role, the host is asked again.
    """

    key: bytes
    name: str
    keeps_time: bool = False


class Host:
    """The host's part in a lobby: admits players, and proposes when the table is full or the host says so."""

    def __init__(
        self,
        wanted: Wanted,
        seats: int,
        show: Show,
        contacts: Contacts,
        *,
        asks: bool,
        keeper: bytes | None = None,
        invites_keeper: bool = False,
        issue_code: Callable[[], None] | None = None,
    ) -> None:
        """Host `wanted` for this many seats.

        Unless it `asks` a person, every player is admitted. `keeper` is the key of the host's own timekeeper.
        `invites_keeper` makes the game wait for another one. `issue_code` issues a pairing code for one more guest.
        """
        self.seats = seats
        self.question: LobbyQuestion | None = None
        self._wanted = wanted
        self._show = show
        self._contacts = contacts
        self._asks = asks
        self._keeper = keeper
        self._invites_keeper = invites_keeper
        self._issue_code = issue_code
        self._waiting_shown = False
        self._full_at: float | None = None
        #: Those admitted by the host or by a pairing code; and the keys that were rejected but not told yet.
        self._admitted: set[Admitted] = set()
        self._sent_away: set[bytes] = set()
        #: The offers that were rejected, and those of players who declined the proposal. A player who makes a new offer
        #: is considered again.
        self._dismissed: set[tuple[bytes, int]] = set()
        self._declined: set[tuple[bytes, int]] = set()
        self._shown: set[tuple[bytes, int]] = set()
        #: The offers that the host last saw, for commands that name a guest.
        self._here: tuple[OpenOffer, ...] = ()
        self._start = False
        self._proposed_at: float | None = None
        #: The players whose missing answer the host no longer wants to wait for.
        self._given_up: tuple[str, ...] = ()

    # --- What the person says ---

    def answer(self, question: LobbyQuestion, yes: bool) -> None:
        """Take the host's answer about a newcomer, or about a player who has not answered."""
        if question != self.question:
            return
        self.question = None
        if question.asked is Asked.UNANSWERED:
            self._proposed_at = None
            if yes:
                self._given_up = (question.name,)
        elif isinstance(question.about, bytes):
            keeps_time = question.asked is Asked.KEEP_TIME
            if yes:
                self.admit(question.about, question.name, keeps_time=keeps_time)
                taken = len(self._sitting(self._here)) + 1
                self._show(events.MaySit(question.name, keeps_time, taken, self.seats))
            else:
                self._send_away({question.about})

    def command(self, command: LobbyCommand) -> None:
        """Carry out a command of the host."""
        match command:
            case StartGame():
                self._start = bool(self._sitting(self._here))
                if not self._start:
                    self._show(events.NoOneSeated())
            case IssueCode():
                if self._issue_code is None:
                    raise BadParameter("pairing codes are not available at this table")
                self._issue_code()
            case TurnAway(name=name):
                self._turn_away(name)

    def admit(self, key: bytes, name: str, *, keeps_time: bool = False) -> None:
        """Admit a player, or a timekeeper."""
        self._admitted.add(Admitted(key, name, keeps_time))

    def on_declined(self, declined: ProposalDeclined) -> None:
        """Record that a player declined the proposal: they are not asked again unless they make a new offer."""
        self._declined |= {offer for offer in self._shown if offer[0] == declined.by}
        self._seat_none_of({declined.by})

    # --- What to do ---

    def on_status(self, status: TableStatus) -> Sequence[Command]:
        """Admit players, and propose once the table is complete."""
        lobby = status.lobby
        if lobby is None or status.is_catching_up or lobby.own_offer is None:
            self.question = None
            return ()
        self._here = lobby.offers
        return [*self._dismiss(lobby), *self._arrange(lobby, lobby.own_offer, status)]

    def _arrange(self, lobby: LobbyStatus, mine: OpenOffer, status: TableStatus) -> Sequence[Command]:
        """Admit or ask about newcomers, and propose the game once the table is complete.

        While a proposal is open, wait for its answers instead.
        """
        now = status.now
        if lobby.proposal is not None:
            return self._wait(lobby, mine, status)
        self._proposed_at = None
        come = [offer for offer in lobby.offers if offer.key not in (lobby.key, self._keeper)]
        self._show_newcomers(come)
        self._consider(come)
        seated = self._sitting(come)[: self.seats - 1]
        if len(seated) < self.seats - 1 and not (self._start and seated):
            self._full_at = None
            return ()
        clock = self._find_timekeeper(lobby.offers, len(seated) + 1)
        self._full_at = now if self._full_at is None else self._full_at
        if clock is None and self._keeper is not None and len(seated) > 1 and now - self._full_at < KEEPER_AFTER:
            # The host's timekeeper is still starting.
            return ()
        if clock is None and self._invites_keeper:
            self._show_waiting()
            return ()
        if status.unconfirmed:
            # The proposal may be on its way: a slow relay must not get it again and again.
            return ()
        return self._propose(mine, seated if clock is None else [*seated, clock])

    def _dismiss(self, lobby: LobbyStatus) -> list[Command]:
        """Tell rejected players that they have no seat, which also frees their names."""
        gone = [offer for offer in lobby.offers if offer.key in self._sent_away]
        self._sent_away.clear()
        self._dismissed |= {(offer.key, offer.number) for offer in gone}
        return [DismissOffer(offer) for offer in gone]

    def _show_waiting(self) -> None:
        """Report once that the game waits for the timekeeper."""
        if not self._waiting_shown:
            self._waiting_shown = True
            self._show(events.TimekeeperAwaited())

    def _find_timekeeper(self, come: Collection[OpenOffer], players: int) -> OpenOffer | None:
        """Return the timekeeper: the host's own, or one who was admitted.

        With two players the host's own is not used: the host alone would decide who is late.
        """
        if self._wanted.clock is None:
            return None
        keepers = [offer for offer in come if offer.keeps_time and not self._is_rejected(offer)]
        own = [offer for offer in keepers if offer.key == self._keeper and players > 2]
        keepers = [offer for offer in keepers if offer.key != self._keeper]
        return next(iter(own or [offer for offer in keepers if self._is_admitted(offer)]), None)

    def _is_rejected(self, offer: OpenOffer) -> bool:
        """Return whether the host has rejected this offer, or its player has declined the proposal."""
        return offer.key in self._sent_away or (offer.key, offer.number) in self._dismissed | self._declined

    def _is_admitted(self, offer: OpenOffer) -> bool:
        """Return whether the host has admitted this key with exactly this name and role."""
        return Admitted(offer.key, offer.name, offer.keeps_time) in self._admitted

    def _sitting(self, come: Collection[OpenOffer]) -> list[OpenOffer]:
        """Return the offers of admitted players."""
        return [offer for offer in come if not offer.keeps_time and self._is_admitted(offer)]

    def _show_newcomers(self, come: Collection[OpenOffer]) -> None:
        """Report newcomers, each offer once."""
        for offer in come:
            if (offer.key, offer.number) in self._shown:
                continue
            self._shown.add((offer.key, offer.number))
            self._show(events.Came(offer.name, key=offer.key, keeps_time=offer.keeps_time))
            if not offer.keeps_time:
                self._show(self._contacts.check(offer.name, offer.key))

    def _consider(self, come: Collection[OpenOffer]) -> None:
        """Admit everyone, or ask the host about the next newcomer while there is room."""
        if not self._asks:
            for offer in come:
                # A stranger with the link should not decide who is late.
                if not self._is_rejected(offer) and (self._invites_keeper or not offer.keeps_time):
                    self.admit(offer.key, offer.name, keeps_time=offer.keeps_time)
            return
        if len(self._sitting(come)) >= self.seats - 1 and not self._invites_keeper:
            self.question = None
            return
        undecided = [offer for offer in come if not self._is_rejected(offer) and not self._is_admitted(offer)]
        if undecided:
            offer = undecided[0]
            asked = Asked.KEEP_TIME if offer.keeps_time else Asked.SIT
            self.question = LobbyQuestion(asked, offer.name, offer.key)
        else:
            self.question = LobbyQuestion(Asked.GUESTS)

    def _turn_away(self, name: str) -> None:
        """Reject the players with this name, and report whether there were any."""
        keys = {offer.key for offer in self._here if casefold_name(offer.name) == casefold_name(name)}
        self._send_away(keys)
        self._show(events.NotSitting(name, bool(keys)))

    def _send_away(self, keys: set[bytes]) -> None:
        """Reject these keys. The next status sends the rejections."""
        self._sent_away |= keys
        self._seat_none_of(keys)

    def _seat_none_of(self, keys: set[bytes]) -> None:
        """Withdraw the admission of these keys."""
        self._admitted = {one for one in self._admitted if one.key not in keys}

    def _propose(self, mine: OpenOffer, seated: Collection[OpenOffer]) -> Sequence[Command]:
        """Propose the game to the seated players."""
        self.question, self._start = None, False
        members = [offer.as_member(seat) for seat, offer in enumerate((mine, *seated))]
        try:
            return (ProposeSession(self._wanted.proposal(members)),)
        except BadParameter as error:
            # Perhaps there are too few; others may still arrive.
            self._show(events.CannotBegin(str(error)))
            return ()

    def _wait(self, lobby: LobbyStatus, mine: OpenOffer, status: TableStatus) -> Sequence[Command]:
        """Wait for answers to the proposal. A player who never answers must not keep the others from playing."""
        now = status.now
        if self._proposed_at is None:
            self._proposed_at, self.question = now, None
        awaited = tuple(name for name in lobby.awaited if name != mine.name)
        if self._given_up and set(self._given_up) <= set(awaited):
            return self._go_on_without(self._given_up)
        self._given_up = ()
        if not awaited or now - self._proposed_at < ANSWER_AFTER:
            self.question = None
        elif self._asks:
            self.question = LobbyQuestion(Asked.UNANSWERED, awaited[0], lobby.proposal)
        elif now - self._proposed_at >= ANSWER_LIMIT and not status.unconfirmed:
            return self._go_on_without(awaited)
        return ()

    def _go_on_without(self, names: Sequence[str]) -> Sequence[Command]:
        """Take the proposal back, and seat these players no longer."""
        self._given_up = ()
        for name in names:
            self._turn_away(name)
        return (DeclineProposal(f"{', '.join(names)} did not answer"),)


def ask_first(proposal: Proposal) -> bool:
    """Raise `Declined` for a rehearsal, and leave everything else to the person by returning False."""
    decline_rehearsals(proposal)
    return False
