"""The lobby, before the first hand: who arrives, whom the host seats, and what a guest agrees to.

The classes here are policies: the loop calls their `on_tick` regularly. People are asked in the background, while
frames keep arriving. What there is to report is emitted as events; terminal and page each have their own wording.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol

from nodealer.client.contacts import Contacts
from nodealer.client.events import (
    Came,
    CannotBegin,
    LeftOut,
    MaySit,
    NoOneSeated,
    NotSitting,
    PlayersHere,
    ProposalReceived,
    SeatRequested,
    TableEvent,
    TimekeeperAwaited,
    UnknownLobbyCommand,
)
from nodealer.engine.lobby import decline_rehearsals
from nodealer.engine.lobby_messages import OpenOffer
from nodealer.engine.participant import Participant
from nodealer.engine.resolve import resolve_parts
from nodealer.errors import BadParameter
from nodealer.games.package import GamePackage
from nodealer.games.text import Words
from nodealer.log.roster import TIMEKEEPER, Member
from nodealer.log.session import Limits, Proposal

#: After this many seconds the host is told whose answer to the proposal is missing.
ANSWER_AFTER: Final = 15.0
#: How many seconds a full table waits for the host's own timekeeper.
KEEPER_AFTER: Final = 15.0
#: After this many seconds an unattended host goes on without players who have not answered.
ANSWER_LIMIT: Final = 120.0
YES: Final = ("", "y", "yes")

#: Shows an event.
Tell = Callable[[TableEvent], None]

# --- What a person is asked ---


class Asked(Enum):
    """The questions that a person is asked in a lobby. Terminal and page have their own wording for each."""

    SIT = "sit"
    KEEP_TIME = "keep time"
    #: An open prompt for the host's commands while guests may arrive.
    GUESTS = "guests"
    UNANSWERED = "unanswered"
    PROPOSAL = "proposal"
    ANOTHER = "another proposal"


@dataclass(frozen=True)
class LobbyQuestion:
    """A question for a person, and what it is about, so that an answer cannot be taken for another question's."""

    asked: Asked
    name: str = ""
    about: object = None


class Asks(Protocol):
    """Asks a person, in a terminal or on the page."""

    def answer(self, question: LobbyQuestion) -> str | None:
        """Return the answer to this question, or None if there is none yet. Replaces any earlier question."""

    def forget(self) -> None:
        """Withdraw the current question."""


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


class Hosting:
    """The host's part in a lobby: admits players, and proposes when the table is full or the host says so."""

    def __init__(
        self,
        wanted: Wanted,
        seats: int,
        tell: Tell,
        known: Contacts,
        questions: Asks | None,
        keeper: bytes | None = None,
        *,
        invites_keeper: bool = False,
    ) -> None:
        """Host `wanted` for this many seats.

        Without `questions`, every player is admitted. `keeper` is the key of the host's own timekeeper.
        """
        self._wanted = wanted
        #: Whether the host has invited a timekeeper: then the game waits for the first one to arrive.
        self._invites_keeper = invites_keeper
        self._said_waiting = False
        #: The key of the host's own timekeeper, if any.
        self._keeper = keeper
        self._full_at: float | None = None
        self._seats = seats
        self._say = tell
        self._known = known
        #: None if everyone is admitted until the table is full.
        self._questions = questions
        #: Issues a pairing code for one more guest.
        self.new_code: Callable[[], None] = lambda: None
        #: Those admitted by the host or by a pairing code; and the keys that were rejected but not told yet.
        self._admitted: set[Admitted] = set()
        self._sent_away: set[bytes] = set()
        #: The offers that were rejected, and those of players who declined the proposal. A player who makes a new offer
        #: is considered again.
        self._dismissed: set[tuple[bytes, int]] = set()
        self._declined: set[tuple[bytes, int]] = set()
        self._told: set[tuple[bytes, int]] = set()
        self._start = False
        self._proposed_at: float | None = None

    def on_tick(self, participant: Participant, now: float) -> list[bytes]:
        """Admit players, and propose; return the frames to send."""
        if participant.has_session or participant.is_catching_up or participant.lobby.own_offer is None:
            return []
        return [*self._dismiss(participant), *self._arrange(participant, now)]

    def _arrange(self, participant: Participant, now: float) -> list[bytes]:
        """Admit or ask about newcomers, and propose the game once the table is complete.

        Return the frames to send. While a proposal is open, wait for its answers instead.
        """
        if participant.lobby.proposal is not None:
            return self._wait(participant, now)
        self._proposed_at = None
        ours = (participant.store.identity.public, self._keeper)
        come = [offer for offer in participant.offers if offer.key not in ours]
        self._tell(come)
        if self._questions is None:
            for offer in come:
                # A stranger with the link should not decide who is late.
                if not self._is_away(offer) and (self._invites_keeper or not offer.keeps_time):
                    self.admit(offer.key, offer.name, keeps_time=offer.keeps_time)
        elif len(self._sitting(come)) < self._seats - 1 or self._invites_keeper:
            self._ask(come)
        seated, come = self._sitting(come)[: self._seats - 1], list(participant.offers)
        if len(seated) < self._seats - 1 and not (self._start and seated):
            self._full_at = None
            return []
        clock = self._clock(come, len(seated) + 1)
        self._full_at = now if self._full_at is None else self._full_at
        if clock is None and self._keeper is not None and len(seated) > 1 and now - self._full_at < KEEPER_AFTER:
            # The host's timekeeper is still starting.
            return []
        if clock is None and self._invites_keeper:
            self._say_waiting()
            return []
        return self._propose(participant, seated if clock is None else [*seated, clock])

    def _dismiss(self, participant: Participant) -> list[bytes]:
        """Tell rejected players that they have no seat, which also frees their names."""
        gone = [offer for offer in participant.offers if offer.key in self._sent_away]
        self._sent_away.clear()
        self._dismissed |= {(offer.key, offer.number) for offer in gone}
        return [frame for offer in gone for frame in participant.dismiss(offer)]

    def _say_waiting(self) -> None:
        """Report once that the game waits for the timekeeper."""
        if not self._said_waiting:
            self._said_waiting = True
            self._say(TimekeeperAwaited())

    def _clock(self, come: Collection[OpenOffer], players: int) -> OpenOffer | None:
        """Return the timekeeper: the host's own, or one who was admitted.

        With two players the host's own is not used: the host alone would decide who is late.
        """
        if self._wanted.clock is None:
            return None
        keepers = [offer for offer in come if offer.keeps_time and not self._is_away(offer)]
        own = [offer for offer in keepers if offer.key == self._keeper and players > 2]
        keepers = [offer for offer in keepers if offer.key != self._keeper]
        return next(iter(own or [offer for offer in keepers if self._lets(offer)]), None)

    def admit(self, key: bytes, name: str, *, keeps_time: bool = False) -> None:
        """Admit a player, or a timekeeper."""
        self._admitted.add(Admitted(key, name, keeps_time))

    def _is_away(self, offer: OpenOffer) -> bool:
        """Return whether the host has rejected this offer, or its player has declined the proposal."""
        return offer.key in self._sent_away or (offer.key, offer.number) in self._dismissed | self._declined

    def _lets(self, offer: OpenOffer) -> bool:
        """Return whether the host has admitted this key with exactly this name and role."""
        return Admitted(offer.key, offer.name, offer.keeps_time) in self._admitted

    def _sitting(self, come: Collection[OpenOffer]) -> list[OpenOffer]:
        """Return the offers of admitted players."""
        return [offer for offer in come if not offer.keeps_time and self._lets(offer)]

    def _tell(self, come: Collection[OpenOffer]) -> None:
        """Report newcomers, each offer once."""
        for offer in come:
            if (offer.key, offer.number) in self._told:
                continue
            self._told.add((offer.key, offer.number))
            self._say(Came(offer.name, key=offer.key, keeps_time=offer.keeps_time))
            if not offer.keeps_time:
                self._say(self._known.check(offer.name, offer.key))

    def _ask(self, come: Collection[OpenOffer]) -> None:
        """Ask the host whether a newcomer may join, or else for a command."""
        if self._questions is None:
            return
        undecided = [offer for offer in come if not self._is_away(offer) and not self._lets(offer)]
        if undecided:
            offer = undecided[0]
            asked = Asked.KEEP_TIME if offer.keeps_time else Asked.SIT
            line = self._questions.answer(LobbyQuestion(asked, offer.name, offer.key))
            if line is None:
                return
            if line.lower() in YES:
                self.admit(offer.key, offer.name, keeps_time=offer.keeps_time)
                self._say(MaySit(offer.name, offer.keeps_time, len(self._sitting(come)) + 1, self._seats))
            else:
                self._send_away({offer.key})
            return
        line = self._questions.answer(LobbyQuestion(Asked.GUESTS))
        if line is not None:
            self._obey(line, come)

    def _obey(self, line: str, come: Collection[OpenOffer]) -> None:
        """Carry out a command that the host typed."""
        verb, _, rest = line.partition(" ")
        verb = verb.lower()
        if verb == "start":
            self._start = bool(self._sitting(come))
            if not self._start:
                self._say(NoOneSeated())
        elif verb == "code":
            self.new_code()
        elif verb == "without":
            self._without(rest.strip(), come)
        elif line:
            self._say(UnknownLobbyCommand())

    def _without(self, name: str, come: Collection[OpenOffer]) -> None:
        """Reject the players with this name, which the host typed, and report whether there were any."""
        keys = {offer.key for offer in come if offer.name.casefold() == name.casefold()}
        self._send_away(keys)
        self._say(NotSitting(name, bool(keys)))

    def _send_away(self, keys: set[bytes]) -> None:
        """Reject these keys. The next tick sends the rejections."""
        self._sent_away |= keys
        self._seat_none_of(keys)

    def _seat_none_of(self, keys: set[bytes]) -> None:
        """Withdraw the admission of these keys."""
        self._admitted = {one for one in self._admitted if one.key not in keys}

    def _propose(self, participant: Participant, seated: Collection[OpenOffer]) -> list[bytes]:
        """Propose the game to the seated players; return the frames to send."""
        if self._questions is not None:
            self._questions.forget()
        mine = participant.lobby.own_offer
        if mine is None:
            return []
        self._start = False
        members = [offer.as_member(seat) for seat, offer in enumerate((mine, *seated))]
        try:
            return participant.propose(self._wanted.proposal(members))
        except BadParameter as error:
            # Perhaps there are too few; others may still arrive.
            self._say(CannotBegin(str(error)))
            return []

    def _wait(self, participant: Participant, now: float) -> list[bytes]:
        """Wait for answers to the proposal. A player who never answers must not keep the others from playing."""
        if self._proposed_at is None:
            self._proposed_at = now
        if now - self._proposed_at < ANSWER_AFTER:
            return []
        awaited = [name for name in participant.lobby.awaited if name != participant.store.name]
        if not awaited:
            return []
        if self._questions is None:
            if now - self._proposed_at < ANSWER_LIMIT:
                return []
            for name in awaited:
                self._without(name, participant.offers)
            return participant.decline(f"{', '.join(awaited)} did not answer")
        asked = LobbyQuestion(Asked.UNANSWERED, awaited[0], participant.lobby.proposal)
        line = self._questions.answer(asked)
        if line is None:
            return []
        if line.lower() not in ("y", "yes"):
            self._proposed_at = now
            return []
        self._without(awaited[0], participant.offers)
        return participant.decline(f"{awaited[0]} has not answered")

    def declined(self, key: bytes) -> None:
        """Record that a player declined the proposal: they are not asked again unless they make a new offer."""
        self._declined |= {offer for offer in self._told if offer[0] == key}
        self._seat_none_of({key})


# --- Everyone else ---


class Onlooker:
    """A spectator or timekeeper before the first hand: reports who has arrived while there is no game yet."""

    def __init__(self, tell: Tell) -> None:
        """Report arrivals to `tell`."""
        self._say = tell
        self._told: tuple[str, ...] | None = None

    def on_tick(self, participant: Participant, now: float) -> list[bytes]:
        """Emit the names when they change. Sends nothing."""
        here = tuple(offer.name for offer in participant.offers if not offer.keeps_time)
        if participant.has_session or participant.is_catching_up or here == self._told:
            return []
        first, self._told = self._told is None, here
        self._say(PlayersHere(here, first))
        return []


class Guest:
    """A guest's part in a lobby: shows proposals, and agrees or declines."""

    def __init__(self, tell: Tell, known: Contacts, questions: Asks | None, game: GamePackage | None = None) -> None:
        """Report proposals to `tell`. Without `questions`, agree to everything that this program can play."""
        self._say = tell
        self._known = known
        #: The game package that this player has chosen; None to use the installed one that is proposed.
        self._game = game
        #: None to agree to everything that this program can play.
        self._questions = questions
        self._there = False
        #: Whether this guest declined here before, and withdraws that offer to make a new one.
        self._anew = False
        self._told: Proposal | None = None
        self._left_out: Proposal | None = None
        #: Whether another proposal was shown before the current one.
        self._another = False

    def on_tick(self, participant: Participant, now: float) -> list[bytes]:
        """Agree or decline when the person has answered; return the frames to send."""
        proposal = participant.lobby.proposal
        if participant.has_session or participant.is_catching_up:
            return []
        if self._anew and participant.lobby.own_offer is None:
            self._anew = self._there = False
            return [participant.lobby.offer()]
        if participant.lobby.own_offer is not None and not self._there:
            self._there = True
            if participant.lobby.has_declined and participant.lobby.seat is None:
                self._anew = True
                return [participant.lobby.withdraw()]
            self._say(SeatRequested())
        if self._questions is not None and not participant.lobby.is_considering:
            self._questions.forget()
        if proposal is None:
            return []
        if participant.lobby.seat is None:
            if self._left_out != proposal:
                self._left_out = proposal
                self._say(LeftOut())
            return []
        if not participant.lobby.is_considering:
            return []
        if self._told != proposal:
            self._told, self._another = proposal, self._told is not None
            self._tell(proposal, participant.store.identity.public)
        if self._questions is None:
            return participant.consent()
        asked = LobbyQuestion(Asked.ANOTHER if self._another else Asked.PROPOSAL, about=proposal)
        line = self._questions.answer(asked)
        if line is None or (self._another and not line):
            # A bare Enter may have been meant for the previous proposal.
            return []
        if line.lower() in YES:
            return participant.consent()
        return participant.decline("the player does not want to")

    def _tell(self, proposal: Proposal, mine: bytes) -> None:
        """Show a proposal, and how its players compare with the known ones."""
        playing, _, package = resolve_parts(proposal, game=self._game)
        words = Words() if package is None else package.words
        self._say(ProposalReceived(proposal, playing.claims.warning, words))
        for member in proposal.roster.members:
            if member.key != mine and member.role != TIMEKEEPER:
                self._say(self._known.check(member.name, member.key))


def ask_first(proposal: Proposal) -> bool:
    """Raise `Declined` for a rehearsal, and leave everything else to the person by returning False."""
    decline_rehearsals(proposal)
    return False
