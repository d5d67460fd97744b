"""Before the first hand: who comes to a table, whom its host lets sit, and what a guest agrees to.

Looked at again and again by the loop of a seat, like everything that takes its time. A person is asked beside it:
frames come and go while it thinks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, Protocol

from nodealer.cli.lines import Lines
from nodealer.cli.output import shown, visible
from nodealer.cli.plan import Plan
from nodealer.cli.screen import Screen
from nodealer.drive.known import KnownPlayers, Sight
from nodealer.games.package import GamePackage
from nodealer.games.words import Words
from nodealer.log.roster import TIMEKEEPER
from nodealer.log.session import Part, Proposal
from nodealer.play.config import parts_of
from nodealer.play.frames import Offered
from nodealer.play.lobby import decline_rehearsals
from nodealer.play.participant import Participant

#: After how many seconds it is said whose answer to a proposal is missing.
ANSWER_AFTER: Final = 15.0
#: For how many seconds a full table waits for the host's own timekeeper.
KEEPER_AFTER: Final = 15.0
#: And after how many a host with nobody at the keyboard goes on without those.
ANSWER_LIMIT: Final = 120.0
_YES: Final = ("", "y", "yes")
_NO: Final = ("n", "no")


class Asked(Enum):
    """What a person is asked in a lobby. A page has words of its own for each."""

    SIT = "sit"
    KEEP_TIME = "keep time"
    #: Nothing but what it wants: guests may come.
    GUESTS = "guests"
    UNANSWERED = "unanswered"
    PROPOSAL = "proposal"
    ANOTHER = "another proposal"


@dataclass(frozen=True)
class LobbyQuestion:
    """What a person is asked: what a terminal prints, and about whom and what, so that nothing else is answered."""

    asked: Asked
    prompt: str = ""
    name: str = ""
    about: object = None


class Asks(Protocol):
    """Asks a person, in a terminal or on a page."""

    def answer(self, question: LobbyQuestion) -> str | None:
        """The answer to this question, once it has come. Another question before it is asked no more."""

    def forget(self) -> None:
        """Nobody is asked any more."""


class Questions:
    """Asks the person one question at a time, while the table goes on."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._asked: LobbyQuestion | None = None
        self._line: asyncio.Future[str] | None = None

    def answer(self, question: LobbyQuestion) -> str | None:
        """The answer to this question, once it has come. Another question before it is asked no more: what was typed
        for one does not answer another, in whatever words it is asked."""
        if self._line is None or self._asked != question:
            self.forget()
            self._asked, prompt = question, question.prompt
            self._line = asyncio.ensure_future(self._lines.answer(prompt) if prompt else self._lines.next())
        if not self._line.done():
            return None
        line, self._line = self._line.result(), None
        if line.strip().lower() in ("q", "quit", "exit"):
            raise KeyboardInterrupt
        if question.prompt and line.strip().lower() not in (*_YES, *_NO):
            # Whatever was meant, it was no "no": that would send somebody away. It is asked again.
            return None
        return line.strip()

    def forget(self) -> None:
        """Nobody is asked any more."""
        if self._line is not None:
            self._line.cancel()
            self._line = None


def said_of(screen: Screen, known: KnownPlayers, name: str, key: bytes) -> None:
    """What this user knows of somebody; loudly, where a name has come with another key."""
    look = known.look(name, key)
    screen.emit({"event": "player", "name": name, "key": key.hex(), "sight": look.sight.value})
    if not screen.json:
        style = "bold red" if look.sight in (Sight.OTHER_KEY, Sight.TWO_KEYS) else "dim"
        screen.say(f"  [{style}]{shown(look.text)}[/]")


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
        plan: Plan,
        seats: int,
        screen: Screen,
        known: KnownPlayers,
        questions: Asks | None,
        keeper: bytes | None = None,
        *,
        invites_keeper: bool = False,
    ) -> None:
        self._plan = plan
        #: Whether the host has asked somebody to keep the time: then the first one who comes to do it is waited for.
        self._invites_keeper = invites_keeper
        self._said_waiting = False
        #: The key of the host's own timekeeper, where there is one.
        self._keeper = keeper
        self._full_at: float | None = None
        self._seats = seats
        self._screen = screen
        self._known = known
        #: None where everybody may sit, until the table is full.
        self._questions = questions
        #: Gives a code for one more guest.
        self.new_code: Callable[[], None] = lambda: None
        #: Who may sit, because the host has said so, or because they came by a code; and the keys that may not.
        self._admitted: set[Admitted] = set()
        self._sent_away: set[bytes] = set()
        self._told: set[tuple[bytes, int]] = set()
        self._start = False
        self._proposed_at: float | None = None

    def look(self, participant: Participant, now: float) -> list[bytes]:
        """Let people sit, and propose."""
        if participant.begun or participant.hearing or participant.lobby.mine is None:
            return []
        if participant.lobby.proposal is not None:
            return self._wait(participant, now)
        self._proposed_at = None
        ours = (participant.home.identity.public, self._keeper)
        come = [offer for offer in participant.offers if offer.key not in ours]
        self._tell(come)
        if self._questions is None:
            for offer in come:
                # A stranger who has the link should not decide who is late.
                if offer.key not in self._sent_away and (self._invites_keeper or not offer.keeps_time):
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

    def _say_waiting(self) -> None:
        if not self._said_waiting:
            self._said_waiting = True
            self._screen.say("All who play are here; the game begins when somebody comes to keep the time.")

    def _clock(self, come: Collection[Offered], players: int) -> Offered | None:
        """Who keeps the time: the host's own, or who has come to do it and was let in. At two seats not the host's: it
        would decide alone who is late."""
        if self._plan.clock is None:
            return None
        keepers = [offer for offer in come if offer.keeps_time and offer.key not in self._sent_away]
        own = [offer for offer in keepers if offer.key == self._keeper and players > 2]
        keepers = [offer for offer in keepers if offer.key != self._keeper]
        return next(iter(own or [offer for offer in keepers if self._lets(offer)]), None)

    def admit(self, key: bytes, name: str, *, keeps_time: bool = False) -> None:
        """Let somebody sit, or keep the time."""
        self._admitted.add(Admitted(key, name, keeps_time))

    def _lets(self, offer: Offered) -> bool:
        return Admitted(offer.key, offer.name, offer.keeps_time) in self._admitted

    def _sitting(self, come: Collection[Offered]) -> list[Offered]:
        return [offer for offer in come if not offer.keeps_time and self._lets(offer)]

    def _tell(self, come: Collection[Offered]) -> None:
        for offer in come:
            if (offer.key, offer.number) in self._told:
                continue
            self._told.add((offer.key, offer.number))
            self._screen.emit({"event": "offer", "name": offer.name, "key": offer.key.hex()})
            if not self._screen.json:
                what = "keep the time" if offer.keeps_time else "sit"
                self._screen.say(f"[bold]{shown(offer.name)}[/bold] would like to {what}.")
            if not offer.keeps_time:
                said_of(self._screen, self._known, offer.name, offer.key)

    def _ask(self, come: Collection[Offered]) -> None:
        """Whether somebody may sit, or what else the person wants."""
        if self._questions is None:
            return
        undecided = [offer for offer in come if offer.key not in self._sent_away and not self._lets(offer)]
        if undecided:
            offer = undecided[0]
            what = "keep the time" if offer.keeps_time else "sit"
            name, asked = visible(offer.name), Asked.KEEP_TIME if offer.keeps_time else Asked.SIT
            line = self._questions.answer(LobbyQuestion(asked, f"Let {name} {what}? [Y/n] ", name, offer.key))
            if line is None:
                return
            if line.lower() in _YES:
                self.admit(offer.key, offer.name, keeps_time=offer.keeps_time)
                count = f" ({len(self._sitting(come)) + 1} of {self._seats})"
                self._screen.say(f"{shown(offer.name)} may {'keep the time.' if offer.keeps_time else f'sit{count}.'}")
            else:
                self._sent_away.add(offer.key)
            return
        line = self._questions.answer(LobbyQuestion(Asked.GUESTS))
        if line is not None:
            self._obey(line, come)

    def _obey(self, line: str, come: Collection[Offered]) -> None:
        verb, _, rest = line.lower().partition(" ")
        if verb == "start":
            self._start = bool(self._sitting(come))
            if not self._start:
                self._screen.say("Nobody sits but you.")
        elif verb == "code":
            self.new_code()
        elif verb == "without":
            self._without(rest, come)
        elif line:
            self._screen.say("Type start to begin with those who sit, code for a spoken code, without NAME, or quit.")

    def _without(self, name: str, come: Collection[Offered]) -> None:
        keys = {offer.key for offer in come if offer.name.casefold() == name.casefold()}
        self._send_away(keys)
        self._screen.say(f"{shown(name)} does not sit." if keys else f"Nobody here is called {shown(name)}.")

    def _send_away(self, keys: set[bytes]) -> None:
        self._sent_away |= keys
        self._admitted = {one for one in self._admitted if one.key not in keys}

    def _propose(self, participant: Participant, seated: Collection[Offered]) -> list[bytes]:
        if self._questions is not None:
            self._questions.forget()
        mine = participant.lobby.mine
        if mine is None:
            return []
        self._start = False
        members = [offer.seated(seat) for seat, offer in enumerate((mine, *seated))]
        return participant.propose(self._plan.proposal(members))

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
        name = visible(awaited[0])
        prompt = f"{name} has not answered. Go on without {name}? [y/N] "
        line = self._questions.answer(LobbyQuestion(Asked.UNANSWERED, prompt, name, participant.lobby.proposal))
        if line is None:
            return []
        if line.lower() not in ("y", "yes"):
            self._proposed_at = now
            return []
        self._without(awaited[0], participant.offers)
        return participant.decline(f"{awaited[0]} has not answered")

    def declined(self, key: bytes) -> None:
        """Somebody does not want what was proposed: it is not asked again."""
        self._send_away({key})


class Onlooker:
    """Who only watches, or keeps the time, before the first hand: says that there is no game yet, and who has come."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._told: list[str] | None = None

    def look(self, participant: Participant, now: float) -> list[bytes]:
        """Say it, when it changes."""
        here = [offer.name for offer in participant.offers if not offer.keeps_time]
        if participant.begun or participant.hearing or here == self._told:
            return []
        first, self._told = self._told is None, here
        self._screen.emit({"event": "lobby", "players": here})
        if not self._screen.json:
            names = shown(", ".join(here)) or "nobody yet"
            begun = "The game has not begun; you wait for it. " if first else ""
            self._screen.say(f"{begun}At the table: {names}.")
        return []


class Guest:
    """A guest's part in a lobby: looks at what is proposed, and agrees to it or not."""

    def __init__(
        self, screen: Screen, known: KnownPlayers, questions: Asks | None, game: GamePackage | None = None
    ) -> None:
        self._screen = screen
        self._known = known
        #: The game that this player has chosen; None for the installed one that is proposed.
        self._game = game
        #: None where everything is agreed to that this program can play.
        self._questions = questions
        self._there = False
        self._told: Proposal | None = None
        self._left_out: Proposal | None = None
        #: Whether something else was shown before what is proposed now.
        self._another = False

    def look(self, participant: Participant, now: float) -> list[bytes]:
        """Agree, or decline, when the person has said so."""
        proposal = participant.lobby.proposal
        if participant.begun or participant.hearing:
            return []
        if participant.lobby.mine is not None and not self._there:
            self._there = True
            self._screen.emit({"event": "lobby"})
            if not self._screen.json:
                self._screen.say(
                    "You have asked for a seat. The host lets people sit, and begins the game when all are there; then "
                    "you see what is played, and agree to it or not."
                )
        if self._questions is not None and not participant.lobby.considering:
            self._questions.forget()
        if proposal is None:
            return []
        if participant.lobby.seat is None:
            if self._left_out != proposal:
                self._left_out = proposal
                self._screen.say("The host proposes a game without you; perhaps there is no seat left.")
            return []
        if not participant.lobby.considering:
            return []
        if self._told != proposal:
            self._told, self._another = proposal, self._told is not None
            self._tell(proposal, participant.home.identity.public)
        if self._questions is None:
            return participant.consent()
        asked = LobbyQuestion(Asked.PROPOSAL, "Sit down to this? [Y/n] ", about=proposal)
        if self._another:
            asked = replace(asked, asked=Asked.ANOTHER, prompt="This is ANOTHER proposal. Sit down to it? [y/n] ")
        line = self._questions.answer(asked)
        if line is None or (self._another and not line):
            # Enter alone may have been meant for what was shown before.
            return []
        if line.lower() in _YES:
            return participant.consent()
        return participant.decline("the player does not want to")

    def _tell(self, proposal: Proposal, mine: bytes) -> None:
        members = proposal.roster.members
        names = [member.name for member in members]
        game, protocol = _told(proposal.game), _told(proposal.protocol)
        playing, _, package = parts_of(proposal, game=self._game)
        words = Words() if package is None else package.words
        warning = playing.claims.cost.get("warning")
        self._screen.emit(
            {"event": "proposal", "game": proposal.game.name, "protocol": proposal.protocol.name, "players": names}
            | {"hands": proposal.hands, "told": [game, protocol], "warning": warning, "clock": _clock(proposal)}
        )
        if not self._screen.json:
            listed = shown(", ".join(names))
            hands = f", {proposal.hands} hand{'s'[: proposal.hands > 1]}" if proposal.hands else ""
            self._screen.say(f"Proposed: [bold]{shown(game)}[/bold] on {shown(protocol)}{hands}, with {listed}.")
            self._screen.say_time(proposal, words, "  ")
            if warning is not None:
                self._screen.say(f"  [bold red]{shown(warning)}[/]")
        for member in members:
            if member.key != mine and member.role != TIMEKEEPER:
                said_of(self._screen, self._known, member.name, member.key)


def _told(part: Part) -> str:
    """A game or a protocol, with everything that is set for it: a host could have set what a guest would not play."""
    parameters = bytes(part.parameters).decode(errors="replace")
    return part.name if parameters == "{}" else f"{part.name} {parameters}"


def _clock(proposal: Proposal) -> dict[str, str | int] | None:
    """Who keeps the time, and how much of it there is, in milliseconds."""
    keeper, limits = proposal.roster.timekeeper, proposal.clock
    if keeper is None or limits is None:
        return None
    return {"keeper": keeper.name, "move": limits.move, "bank": limits.bank}


def ask_first(proposal: Proposal) -> bool:
    """Decline what nobody should play, and leave the rest to the person."""
    decline_rehearsals(proposal)
    return False
