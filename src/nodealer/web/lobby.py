"""The lobby on a page: who is here, what is proposed, what the person is asked, and notices."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, Literal

import segno

from nodealer.client.events import (
    CannotBegin,
    CheckedContact,
    CodeDied,
    CodeGiven,
    CodeUsed,
    LeftOut,
    NoOneSeated,
    NotSitting,
    ProposalReceived,
    TableEvent,
    TimekeeperAwaited,
)
from nodealer.client.lobby import Asked, LobbyQuestion
from nodealer.client.policies import Policy
from nodealer.engine.participant import Participant
from nodealer.log.control_characters import escape_controls
from nodealer.web import messages as doc
from nodealer.web.seat import PageSeat
from nodealer.wordlist import key_words

#: The possible answers to each question, the likely one first.
ANSWERS: Final = {
    Asked.SIT: ("y", "n"),
    Asked.KEEP_TIME: ("y", "n"),
    Asked.GUESTS: ("start", "code"),
    Asked.UNANSWERED: ("n", "y"),
    Asked.PROPOSAL: ("y", "n"),
    Asked.ANOTHER: ("y", "n"),
}
#: Notice codes and how they are marked. The page has the text.
NOTICES: Final = {
    "keeper awaited": "note",
    "nobody sits": "note",
    "left out": "note",
    "without": "note",
    "cannot begin": "bad",
    "code": "note",
    "code used": "good",
    "code dead": "bad",
    "no code": "bad",
}


class PageQuestions:
    """Asks the person one question at a time. Each has a new number, which is never used again at any table."""

    def __init__(self) -> None:
        """Start without a question."""
        self._number = 0
        self._asked: LobbyQuestion | None = None
        self._answer: str | None = None
        #: The question as the page shows it.
        self.question: doc.LobbyQuestion | None = None

    def answer(self, question: LobbyQuestion) -> str | None:
        """Ask this question, replacing any other, and return the answer once there is one."""
        if question != self._asked:
            self.forget()
            self._asked, self._number = question, self._number + 1
            code, name = question.asked.value, escape_controls(question.name)
            self.question = doc.LobbyQuestion(self._number, code, name, ANSWERS[question.asked])
        answer, self._answer = self._answer, None
        if answer is not None:
            self.forget()
        return answer

    def receive(self, message: doc.Answer) -> None:
        """Take an answer from a page, if it is to the open question. Otherwise ignore it.

        A yes to an earlier proposal is not a yes to the current one.
        """
        if self.question is not None and message.ask == self.question.ask and message.text in self.question.answers:
            self._answer = message.text

    def forget(self) -> None:
        """Withdraw the open question."""
        self._asked = self.question = self._answer = None


class PageLobby:
    """Everything a page shows before the first hand, besides the people who are there."""

    def __init__(self, seat: PageSeat, questions: PageQuestions) -> None:
        """Show the lobby on the pages of this seat."""
        self._seat = seat
        self._questions = questions
        self.link: str | None = None
        self.watch: str | None = None
        self.proposal: doc.LobbyProposal | None = None
        #: What is known about each key.
        self._checked_contacts: dict[bytes, CheckedContact] = {}

    def on_event(self, event: TableEvent) -> None:
        """Show an event of the lobby. There is no notice for people and seats, which the page always shows."""
        match event:
            case CheckedContact(key=key):
                self._checked_contacts[key], self._seat.key_statuses[key] = event, event.status.value
            case ProposalReceived():
                self.proposal = describe_proposal_terms(event)
            case TimekeeperAwaited():
                self._notice("keeper awaited")
            case NoOneSeated():
                self._notice("nobody sits")
            case LeftOut():
                self._notice("left out")
            case NotSitting(name=name, found=True):
                self._notice("without", name=name)
            case CannotBegin(reason=reason):
                self._notice("cannot begin", reason=reason)
            case CodeGiven(code=code, relay=relay):
                self._notice("code", code=code, relay=relay)
            case CodeUsed(name=name):
                self._notice("code used", name=name)
            case CodeDied(reason=reason, given=given, more=more):
                self._notice("code dead" if given else "no code", reason=reason, more=more)

    def _notice(self, code: str, /, **of: str) -> None:
        """Send a notice to the page."""
        about = "code" if "code" in code else f"lobby {of.get('name', '')}".strip()
        self._seat.notify(NOTICES[code], code, about, **{key: escape_controls(text) for key, text in of.items()})

    def showing_policy(self, inner: Policy | None, seats: int) -> Policy:
        """Return a policy that runs `inner` and then shows the lobby on the page if it has changed."""
        return _LobbyDisplay(inner, partial(self.message, seats=seats), self._seat.send)

    def message(self, participant: Participant, seats: int) -> doc.Lobby:
        """Return the current lobby as a message to the page."""
        me, proposal = participant.store.identity.public, participant.lobby.proposal
        asked = set() if proposal is None else {member.key for member in proposal.roster.members}
        awaited = set(participant.lobby.awaited)

        def person(name: str, key: bytes) -> doc.LobbyPerson:
            """Describe one person in the lobby: whether they have agreed, and whether their key is known."""
            state: Literal["here", "asked", "agreed"]
            state = "here" if key not in asked else "asked" if name in awaited else "agreed"
            contact, mine = self._checked_contacts.get(key), key == me
            words = " ".join(key_words(key)) if contact is not None or mine else ""
            if contact is None:
                return doc.LobbyPerson(name, state, mine, key=words)
            return doc.LobbyPerson(name, state, mine, contact.status.value, contact.needs_warning, words)

        people = tuple(person(offer.name, offer.key) for offer in participant.offers)
        qr = () if self.link is None else qr_rows(self.link)
        count = max(seats, len(people)) if proposal is None else len(proposal.roster.members)
        return doc.Lobby(people, count, self.link, self.watch, qr, self.proposal, self._questions.question)


class _LobbyDisplay:
    """Sends the lobby to the page whenever it changes."""

    def __init__(
        self, inner: Policy | None, lobby: Callable[[Participant], doc.Lobby], send: Callable[[doc.Lobby], None]
    ) -> None:
        """Run `inner`, if there is one; `lobby` makes the message, and `send` sends it to the page."""
        self._inner = inner
        self._lobby = lobby
        self._send = send
        self._shown: doc.Lobby | None = None

    def on_tick(self, participant: Participant, now: float) -> list[bytes]:
        """Run the inner policy, show the lobby if it has changed, and return the frames to send."""
        frames = [] if self._inner is None else self._inner.on_tick(participant, now)
        if not participant.has_session and (lobby := self._lobby(participant)) != self._shown:
            self._shown = lobby
            self._send(lobby)
        return frames


def describe_proposal_terms(proposed: ProposalReceived) -> doc.LobbyProposal:
    """Describe everything the person would agree to: a host could have set what a guest would not play."""
    proposal = proposed.proposal
    keeper, limits = proposal.roster.timekeeper, proposal.clock
    clock = (
        None
        if keeper is None or limits is None
        else doc.LobbyClock(escape_controls(keeper.name), limits.move, limits.bank)
    )
    names = tuple(escape_controls(member.name) for member in proposal.roster.members)
    game, protocol = escape_controls(proposed.game), escape_controls(proposed.protocol)
    return doc.LobbyProposal(game, protocol, proposal.hands or None, names, proposed.warning, clock)


def qr_rows(link: str) -> tuple[str, ...]:
    """Return a QR code of a link: one string per row, "1" for dark."""
    code = segno.make_qr(link, error="l", boost_error=False)
    return tuple("".join("1" if dark else "0" for dark in row) for row in code.matrix)
