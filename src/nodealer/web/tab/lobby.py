"""Before the first hand, in a tab: a guest's part, a host's, and what the page is shown of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import segno
from msgspec import Raw

from nodealer.drive.patience import Looks
from nodealer.errors import Declined
from nodealer.games.found import find
from nodealer.log.session import Part, Proposal
from nodealer.play.config import parts_of, proposal_of
from nodealer.play.frames import Offered
from nodealer.play.lobby import decline_rehearsals
from nodealer.play.participant import Participant
from nodealer.protocols import make_protocol
from nodealer.web import documents as doc
from nodealer.web.tab.home import Hosted

#: What a tab plays. `chain` computes with numbers of 2048 bits, for which a browser has nothing that is fast enough.
SERVED: Final = ("mask", "lock", "offset", "duel")
_ANSWERS: Final = {
    "sit": ("y", "n"),
    "guests": ("start",),
    "unanswered": ("n", "y"),
    "proposal": ("y", "n"),
    "another proposal": ("y", "n"),
}
#: After how many seconds a host is asked whether to go on without one who does not answer.
ANSWER_AFTER: Final = 15.0


def ask_first(proposal: Proposal) -> bool:
    """Decline what a tab cannot play, or nobody should, and leave the rest to the person."""
    decline_rehearsals(proposal)
    if proposal.protocol.name not in SERVED:
        served = ", ".join(SERVED)
        raise Declined(f"the cards are dealt by {proposal.protocol.name}, and a browser tab can serve {served}")
    return False


@dataclass
class Asks:
    """Asks the person one question at a time, on the page. A number that was given is not given again."""

    number: int = 0
    #: What is asked now, about whom and what, and the answer once it has come.
    _about: tuple[str, object] | None = None
    question: doc.LobbyQuestion | None = None
    _answer: str | None = None

    def answer(self, code: str, name: str = "", about: object = None) -> str | None:
        """The answer to this question, once it has come. Another question before it is asked no more."""
        if self._about != (code, about):
            self.forget()
            self.number += 1
            self._about = (code, about)
            self.question = doc.LobbyQuestion(self.number, code, name, _ANSWERS[code])
        said, self._answer = self._answer, None
        if said is not None:
            self.forget()
        return said

    def hear(self, said: doc.Answer) -> None:
        """What the page says: to the question that is asked, or it is forgotten."""
        if self.question is not None and said.ask == self.question.ask and said.text in self.question.answers:
            self._answer = said.text

    def forget(self) -> None:
        """Nobody is asked any more."""
        self._about = self.question = self._answer = None


@dataclass
class Guest:
    """Looks at what is proposed, and agrees to it or not when the person has said so."""

    asks: Asks
    #: What was shown; whether something else was shown before.
    proposal: doc.LobbyProposal | None = None
    _told: Proposal | None = None
    _another: bool = False

    def look(self, participant: Participant, now: float) -> list[bytes]:
        """Agree, or decline."""
        lobby = participant.lobby
        if participant.begun or participant.hearing:
            return []
        if lobby.proposal is None or lobby.seat is None or not lobby.considering:
            self.asks.forget()
            return []
        if self._told != lobby.proposal:
            self._told, self._another = lobby.proposal, self._told is not None
            self.proposal = proposal_told(lobby.proposal)
        said = self.asks.answer("another proposal" if self._another else "proposal", about=lobby.proposal)
        if said is None:
            return []
        return participant.consent() if said == "y" else participant.decline("the player does not want to")


@dataclass
class Host:
    """Lets people sit, and proposes when the table is full or the person says so."""

    asks: Asks
    plan: Hosted
    proposal: doc.LobbyProposal | None = None
    _admitted: set[tuple[bytes, str]] = field(default_factory=set)
    _sent_away: set[bytes] = field(default_factory=set)
    _start: bool = False
    _proposed_at: float | None = None

    def look(self, participant: Participant, now: float) -> list[bytes]:
        """Let people sit, and propose."""
        mine = participant.lobby.mine
        if participant.begun or participant.hearing or mine is None:
            return []
        if participant.lobby.proposal is not None:
            return self._wait(participant, now)
        self._proposed_at = None
        me = participant.home.identity.public
        come = [one for one in participant.offers if one.key != me and not one.keeps_time]
        sitting = [one for one in come if (one.key, one.name) in self._admitted][: self.plan.seats - 1]
        if len(sitting) == self.plan.seats - 1 or (self._start and sitting):
            self._start = False
            self.asks.forget()
            return participant.propose(self._proposed((mine, *sitting)))
        self._ask(come, bool(sitting))
        return []

    def declined(self, key: bytes) -> None:
        """Somebody does not want what was proposed: it is not asked again."""
        self._sent_away.add(key)
        self._admitted = {one for one in self._admitted if one[0] != key}

    def _ask(self, come: list[Offered], some: bool) -> None:
        new = [one for one in come if one.key not in self._sent_away and (one.key, one.name) not in self._admitted]
        if new:
            said = self.asks.answer("sit", new[0].name, new[0].key)
            if said == "y":
                self._admitted.add((new[0].key, new[0].name))
            elif said is not None:
                self._sent_away.add(new[0].key)
        elif some:
            self._start = self.asks.answer("guests") == "start"
        else:
            self.asks.forget()

    def _wait(self, participant: Participant, now: float) -> list[bytes]:
        """One who never answers must not keep the others from playing."""
        self._proposed_at = now if self._proposed_at is None else self._proposed_at
        awaited = [one for one in participant.lobby.awaited if one != participant.home.name]
        if now - self._proposed_at < ANSWER_AFTER or not awaited:
            return []
        said = self.asks.answer("unanswered", awaited[0], participant.lobby.proposal)
        if said == "n":
            self._proposed_at = now
        if said != "y":
            return []
        for one in participant.offers:
            if one.name == awaited[0]:
                self.declined(one.key)
        return participant.decline(f"{awaited[0]} has not answered")

    def _proposed(self, sitting: tuple[Offered, ...]) -> Proposal:
        game = find(self.plan.game)
        settings = game.settled(self.plan.settings)
        protocol = make_protocol(game.protocol, game.protocol_parameters(game.protocol, settings))
        members = [offer.seated(seat) for seat, offer in enumerate(sitting)]
        return proposal_of(game.from_settings(settings), protocol, members, hands=self.plan.hands)


def proposal_told(proposal: Proposal) -> doc.LobbyProposal:
    """All that the person agrees to, with what is set for it: a host could have set what a guest would not play."""
    protocol, _, _ = parts_of(proposal)
    keeper, limits = proposal.roster.timekeeper, proposal.clock
    clock = None if keeper is None or limits is None else doc.LobbyClock(keeper.name, limits.move, limits.bank)
    names = tuple(member.name for member in proposal.roster.members)
    warning = protocol.claims.cost.get("warning")
    game, on = _part(proposal.game), _part(proposal.protocol)
    return doc.LobbyProposal(game, on, proposal.hands or None, names, warning, clock)


def _part(part: Part) -> str:
    parameters = bytes(part.parameters).decode(errors="replace")
    return part.name if part.parameters == Raw(b"{}") or parameters == "{}" else f"{part.name} {parameters}"


@dataclass
class ShownLobby:
    """Looks on in a lobby, after whoever has something to say there, and shows it."""

    inner: Guest | Host | None
    asks: Asks
    tell: Callable[[doc.Lobby], None]
    seats: int = 0
    link: str | None = None
    watch: str | None = None
    _shown: doc.Lobby | None = None

    def look(self, participant: Participant, now: float) -> list[bytes]:
        """What to say now."""
        said = [] if self.inner is None else self.inner.look(participant, now)
        if not participant.begun and (lobby := self._lobby(participant)) != self._shown:
            self._shown = lobby
            self.tell(lobby)
        return said

    def _lobby(self, participant: Participant) -> doc.Lobby:
        me, proposal = participant.home.identity.public, participant.lobby.proposal
        asked = set() if proposal is None else {member.key for member in proposal.roster.members}
        awaited = set(participant.lobby.awaited)
        people = tuple(
            doc.LobbyPerson(
                one.name,
                "here" if one.key not in asked else "asked" if one.name in awaited else "agreed",
                one.key == me,
            )
            for one in participant.offers
        )
        seats = max(self.seats, len(people)) if proposal is None else len(proposal.roster.members)
        shown = None if self.inner is None else self.inner.proposal
        qr = () if self.link is None else qr_rows(self.link)
        return doc.Lobby(people, seats, self.link, self.watch, qr, shown, self.asks.question)


def qr_rows(link: str) -> tuple[str, ...]:
    """A QR code for a page: rows of "1" for dark."""
    code = segno.make_qr(link, error="l", boost_error=False)
    return tuple("".join("1" if dark else "0" for dark in row) for row in code.matrix)


class InTurn:
    """Looks on in the lobby, and then at the table."""

    def __init__(self, lobby: ShownLobby, table: Looks) -> None:
        self._lobby = lobby
        self._table = table

    def look(self, participant: Participant, now: float) -> list[bytes]:
        return (self._table if participant.begun else self._lobby).look(participant, now)
