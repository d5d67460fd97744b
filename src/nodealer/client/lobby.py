"""Before the first hand: who comes to a table, whom its host lets sit, and what a guest agrees to.

Looked at again and again by the loop of a seat, like everything that takes its time. A person is asked beside it:
frames come and go while it thinks. What there is to say goes out as news: terminal and page have words of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol

from nodealer.client.contacts import CheckedContact, Contacts
from nodealer.engine.lobby import decline_rehearsals
from nodealer.engine.lobby_messages import Offered
from nodealer.engine.participant import Participant
from nodealer.engine.resolve import parts_of
from nodealer.errors import BadParameter
from nodealer.games.package import GamePackage
from nodealer.games.text import Words
from nodealer.log.roster import TIMEKEEPER, Member
from nodealer.log.session import Limits, Part, Proposal

#: After how many seconds it is said whose answer to a proposal is missing.
ANSWER_AFTER: Final = 15.0
#: For how many seconds a full table waits for the host's own timekeeper.
KEEPER_AFTER: Final = 15.0
#: And after how many a host with nobody at the keyboard goes on without those.
ANSWER_LIMIT: Final = 120.0
YES: Final = ("", "y", "yes")

# --- What a person is asked ---


class Asked(Enum):
    """What a person is asked in a lobby. A terminal and a page have words of their own for each."""

    SIT = "sit"
    KEEP_TIME = "keep time"
    #: Nothing but what it wants: guests may come.
    GUESTS = "guests"
    UNANSWERED = "unanswered"
    PROPOSAL = "proposal"
    ANOTHER = "another proposal"


@dataclass(frozen=True)
class LobbyQuestion:
    """What a person is asked, and about whom and what, so that nothing else is answered."""

    asked: Asked
    name: str = ""
    about: object = None


class Asks(Protocol):
    """Asks a person, in a terminal or on a page."""

    def answer(self, question: LobbyQuestion) -> str | None:
        """The answer to this question, once it has come. Another question before it is asked no more."""

    def forget(self) -> None:
        """Nobody is asked any more."""


# --- What there is to say ---


class Remark(Enum):
    """What needs no name."""

    #: To a host.
    KEEPER_AWAITED = "keeper awaited"
    NOBODY_SITS = "nobody sits"
    NO_SUCH_WORD = "no such word"
    #: To a guest.
    ASKED_FOR_A_SEAT = "asked for a seat"
    LEFT_OUT = "left out"


@dataclass(frozen=True)
class Came:
    """Somebody would like to sit, or to keep the time."""

    name: str
    key: bytes
    keeps_time: bool


@dataclass(frozen=True)
class MaySit:
    """The host lets somebody sit, or keep the time; so many of the seats are taken then."""

    name: str
    keeps_time: bool
    taken: int
    seats: int


@dataclass(frozen=True)
class NotSitting:
    """The host goes on without somebody; or nobody here has that name."""

    name: str
    found: bool


@dataclass(frozen=True)
class CannotBegin:
    """Those who sit cannot play it, and why."""

    reason: str


@dataclass(frozen=True)
class Here:
    """Who has come, for one who only looks on; `first` when it is said for the first time."""

    names: tuple[str, ...]
    first: bool


@dataclass(frozen=True)
class Proposed:
    """What a guest is asked to agree to, what its protocol warns of, and the words of its game."""

    proposal: Proposal
    warning: str | None
    words: Words

    @property
    def game(self) -> str:
        """The game, with everything that is set for it: a host could have set what a guest would not play."""
        return _with_parameters(self.proposal.game)

    @property
    def protocol(self) -> str:
        """The protocol in the same way."""
        return _with_parameters(self.proposal.protocol)


def _with_parameters(part: Part) -> str:
    parameters = bytes(part.parameters).decode(errors="replace")
    return part.name if parameters == "{}" else f"{part.name} {parameters}"


News = Remark | Came | CheckedContact | MaySit | NotSitting | CannotBegin | Here | Proposed
Tell = Callable[[News], None]


# --- A host ---


class Wanted(Protocol):
    """What a host wants to play."""

    @property
    def clock(self) -> Limits | None:
        """The limits of time, where somebody is to keep it."""

    def proposal(self, members: Sequence[Member]) -> Proposal:
        """What these are asked to agree to."""


@dataclass(frozen=True)
class Admitted:
    """Somebody who may sit, as whom and as what. Who comes back as another is asked about anew."""

    key: bytes
    name: str
    keeps_time: bool = False


class Hosting:
    """The host's part in a lobby: lets people sit, and proposes when the table is full or the person says so."""

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
        self._wanted = wanted
        #: Whether the host has asked somebody to keep the time: then the first one who comes to do it is waited for.
        self._invites_keeper = invites_keeper
        self._said_waiting = False
        #: The key of the host's own timekeeper, where there is one.
        self._keeper = keeper
        self._full_at: float | None = None
        self._seats = seats
        self._say = tell
        self._known = known
        #: None where everybody may sit, until the table is full.
        self._questions = questions
        #: Gives a code for one more guest.
        self.new_code: Callable[[], None] = lambda: None
        #: Who may sit, because the host has said so, or because they came by a code; and the keys that may not, until
        #: they are told so.
        self._admitted: set[Admitted] = set()
        self._sent_away: set[bytes] = set()
        #: The offers of those who were told so, and of those who declined what was proposed: who comes anew is asked
        #: about anew.
        self._dismissed: set[tuple[bytes, int]] = set()
        self._declined: set[tuple[bytes, int]] = set()
        self._told: set[tuple[bytes, int]] = set()
        self._start = False
        self._proposed_at: float | None = None

    def on_tick(self, participant: Participant, now: float) -> list[bytes]:
        """Let people sit, and propose."""
        if participant.begun or participant.hearing or participant.lobby.mine is None:
            return []
        return [*self._dismiss(participant), *self._arrange(participant, now)]

    def _arrange(self, participant: Participant, now: float) -> list[bytes]:
        if participant.lobby.proposal is not None:
            return self._wait(participant, now)
        self._proposed_at = None
        ours = (participant.home.identity.public, self._keeper)
        come = [offer for offer in participant.offers if offer.key not in ours]
        self._tell(come)
        if self._questions is None:
            for offer in come:
                # A stranger who has the link should not decide who is late.
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
            # It is starting.
            return []
        if clock is None and self._invites_keeper:
            self._say_waiting()
            return []
        return self._propose(participant, seated if clock is None else [*seated, clock])

    def _dismiss(self, participant: Participant) -> list[bytes]:
        """Tell those who do not sit, and free their names."""
        gone = [offer for offer in participant.offers if offer.key in self._sent_away]
        self._sent_away.clear()
        self._dismissed |= {(offer.key, offer.number) for offer in gone}
        return [frame for offer in gone for frame in participant.dismiss(offer)]

    def _say_waiting(self) -> None:
        if not self._said_waiting:
            self._said_waiting = True
            self._say(Remark.KEEPER_AWAITED)

    def _clock(self, come: Collection[Offered], players: int) -> Offered | None:
        """Who keeps the time: the host's own, or who has come to do it and was let in. At two seats not the host's: it
        would decide alone who is late."""
        if self._wanted.clock is None:
            return None
        keepers = [offer for offer in come if offer.keeps_time and not self._is_away(offer)]
        own = [offer for offer in keepers if offer.key == self._keeper and players > 2]
        keepers = [offer for offer in keepers if offer.key != self._keeper]
        return next(iter(own or [offer for offer in keepers if self._lets(offer)]), None)

    def admit(self, key: bytes, name: str, *, keeps_time: bool = False) -> None:
        """Let somebody sit, or keep the time."""
        self._admitted.add(Admitted(key, name, keeps_time))

    def _is_away(self, offer: Offered) -> bool:
        return offer.key in self._sent_away or (offer.key, offer.number) in self._dismissed | self._declined

    def _lets(self, offer: Offered) -> bool:
        return Admitted(offer.key, offer.name, offer.keeps_time) in self._admitted

    def _sitting(self, come: Collection[Offered]) -> list[Offered]:
        return [offer for offer in come if not offer.keeps_time and self._lets(offer)]

    def _tell(self, come: Collection[Offered]) -> None:
        for offer in come:
            if (offer.key, offer.number) in self._told:
                continue
            self._told.add((offer.key, offer.number))
            self._say(Came(offer.name, offer.key, offer.keeps_time))
            if not offer.keeps_time:
                self._say(self._known.check(offer.name, offer.key))

    def _ask(self, come: Collection[Offered]) -> None:
        """Whether somebody may sit, or what else the person wants."""
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

    def _obey(self, line: str, come: Collection[Offered]) -> None:
        verb, _, rest = line.partition(" ")
        verb = verb.lower()
        if verb == "start":
            self._start = bool(self._sitting(come))
            if not self._start:
                self._say(Remark.NOBODY_SITS)
        elif verb == "code":
            self.new_code()
        elif verb == "without":
            self._without(rest.strip(), come)
        elif line:
            self._say(Remark.NO_SUCH_WORD)

    def _without(self, name: str, come: Collection[Offered]) -> None:
        keys = {offer.key for offer in come if offer.name.casefold() == name.casefold()}
        self._send_away(keys)
        self._say(NotSitting(name, bool(keys)))

    def _send_away(self, keys: set[bytes]) -> None:
        self._sent_away |= keys
        self._seat_none_of(keys)

    def _seat_none_of(self, keys: set[bytes]) -> None:
        self._admitted = {one for one in self._admitted if one.key not in keys}

    def _propose(self, participant: Participant, seated: Collection[Offered]) -> list[bytes]:
        if self._questions is not None:
            self._questions.forget()
        mine = participant.lobby.mine
        if mine is None:
            return []
        self._start = False
        members = [offer.seated(seat) for seat, offer in enumerate((mine, *seated))]
        try:
            return participant.propose(self._wanted.proposal(members))
        except BadParameter as error:
            # Too few, perhaps: others may come yet.
            self._say(CannotBegin(str(error)))
            return []

    def _wait(self, participant: Participant, now: float) -> list[bytes]:
        """The answers are missing. One who never answers must not keep the others from playing."""
        if self._proposed_at is None:
            self._proposed_at = now
        if now - self._proposed_at < ANSWER_AFTER:
            return []
        awaited = [name for name in participant.lobby.awaited if name != participant.home.name]
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
        """Somebody does not want what was proposed: it is not asked again, unless it comes anew."""
        self._declined |= {offer for offer in self._told if offer[0] == key}
        self._seat_none_of({key})


# --- Everybody else ---


class Onlooker:
    """Who only watches, or keeps the time, before the first hand: says that there is no game yet, and who has come."""

    def __init__(self, tell: Tell) -> None:
        self._say = tell
        self._told: tuple[str, ...] | None = None

    def on_tick(self, participant: Participant, now: float) -> list[bytes]:
        """Say it, when it changes."""
        here = tuple(offer.name for offer in participant.offers if not offer.keeps_time)
        if participant.begun or participant.hearing or here == self._told:
            return []
        first, self._told = self._told is None, here
        self._say(Here(here, first))
        return []


class Guest:
    """A guest's part in a lobby: looks at what is proposed, and agrees to it or not."""

    def __init__(self, tell: Tell, known: Contacts, questions: Asks | None, game: GamePackage | None = None) -> None:
        self._say = tell
        self._known = known
        #: The game that this player has chosen; None for the installed one that is proposed.
        self._game = game
        #: None where everything is agreed to that this program can play.
        self._questions = questions
        self._there = False
        #: Whether it has declined something here before, and takes that offer back for a new one.
        self._anew = False
        self._told: Proposal | None = None
        self._left_out: Proposal | None = None
        #: Whether something else was shown before what is proposed now.
        self._another = False

    def on_tick(self, participant: Participant, now: float) -> list[bytes]:
        """Agree, or decline, when the person has said so."""
        proposal = participant.lobby.proposal
        if participant.begun or participant.hearing:
            return []
        if self._anew and participant.lobby.mine is None:
            self._anew = self._there = False
            return [participant.lobby.offer()]
        if participant.lobby.mine is not None and not self._there:
            self._there = True
            if participant.lobby.declined and participant.lobby.seat is None:
                self._anew = True
                return [participant.lobby.withdraw()]
            self._say(Remark.ASKED_FOR_A_SEAT)
        if self._questions is not None and not participant.lobby.considering:
            self._questions.forget()
        if proposal is None:
            return []
        if participant.lobby.seat is None:
            if self._left_out != proposal:
                self._left_out = proposal
                self._say(Remark.LEFT_OUT)
            return []
        if not participant.lobby.considering:
            return []
        if self._told != proposal:
            self._told, self._another = proposal, self._told is not None
            self._tell(proposal, participant.home.identity.public)
        if self._questions is None:
            return participant.consent()
        asked = LobbyQuestion(Asked.ANOTHER if self._another else Asked.PROPOSAL, about=proposal)
        line = self._questions.answer(asked)
        if line is None or (self._another and not line):
            # Enter alone may have been meant for what was shown before.
            return []
        if line.lower() in YES:
            return participant.consent()
        return participant.decline("the player does not want to")

    def _tell(self, proposal: Proposal, mine: bytes) -> None:
        playing, _, package = parts_of(proposal, game=self._game)
        words = Words() if package is None else package.words
        self._say(Proposed(proposal, playing.claims.cost.get("warning"), words))
        for member in proposal.roster.members:
            if member.key != mine and member.role != TIMEKEEPER:
                self._say(self._known.check(member.name, member.key))


def ask_first(proposal: Proposal) -> bool:
    """Decline what nobody should play, and leave the rest to the person."""
    decline_rehearsals(proposal)
    return False
