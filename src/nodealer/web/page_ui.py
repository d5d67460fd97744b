"""The page as the front end of a table: events and statuses become messages, and messages from pages become decisions.

The local page talks to it over a WebSocket, the page in a tab through worker messages. It has no socket of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from functools import partial
from itertools import count
from typing import Any, Final

from nodealer.client import commands, events
from nodealer.client.commands import Command
from nodealer.client.events import TableEvent
from nodealer.client.questions import Asked, LobbyQuestion
from nodealer.client.status import LobbyStatus, TableStatus
from nodealer.engine import commands as table_commands
from nodealer.engine.prompts import Decision, Question, legal_choice, legal_move
from nodealer.engine.replica import Replica
from nodealer.engine.store import PlayerStore
from nodealer.errors import IllegalMove
from nodealer.games.text import Words
from nodealer.log.control_characters import escape_controls
from nodealer.web import messages as doc
from nodealer.web.lobby import ANSWERS, describe_proposal_terms, lobby_message
from nodealer.web.messages import ServerMessage, spans
from nodealer.web.notices import notice_of
from nodealer.web.presenter import Send, TablePresenter
from nodealer.web.replay import OwnSecrets, replay_hand
from nodealer.wire import Message, encode

#: How many commands may wait for the client.
PENDING_MAX: Final = 100

Answer = doc.Move | doc.TypedMove | doc.Choose | doc.SealText


class PageUI:
    """One table on the pages of one person."""

    def __init__(
        self,
        output: Send,
        clock: Callable[[], float],
        *,
        role: str = "player",
        name: str | None = None,
        network: bool = False,
        store: PlayerStore | None = None,
        standing: Sequence[ServerMessage] = (),
        numbers: Iterator[int] | None = None,
    ) -> None:
        """Show a table on the pages behind `output`. On the network, show its lobby too.

        `store` is this player's, to show them their own cards of an earlier hand. `standing` are messages that every
        page gets. `numbers` numbers the questions: those of all tables on the same pages come from one iterator, so
        that no late answer to a question at one table counts as an answer at the next.
        """
        self.presenter = TablePresenter(output, clock, role, name, standing)
        #: The table, once the players have agreed.
        self.replica: Replica | None = None
        self._network = network
        self._store = store
        self._numbers = count(1) if numbers is None else numbers
        #: The question that is open at the table, its number, and the decision.
        self._question: Question | None = None
        self._number = 0
        self._decided: asyncio.Future[Decision] | None = None
        #: The lobby: its last status, its links, what is proposed, and the question that is open there.
        self._lobby: LobbyStatus | None = None
        self._links: events.TableLinks | None = None
        self._proposal: doc.LobbyProposal | None = None
        self._lobby_question: doc.LobbyQuestion | None = None
        self._answered: asyncio.Future[bool] | None = None
        self._commands: asyncio.Queue[Command] = asyncio.Queue()
        self._is_closed = False
        self._replaying: asyncio.Future[tuple[doc.ReplayFrame, ...]] | None = None

    # --- From the client ---

    def show(self, event: TableEvent) -> None:
        """Show something that happened."""
        presenter = self.presenter
        match event:
            case events.SessionOpened(replica=replica) if replica is not None:
                self.replica = replica
                presenter.open_table(replica, event.seat, event.past)
            case events.CheckedContact(key=key):
                presenter.contacts[key] = event
            case events.ProposalReceived():
                self._proposal = describe_proposal_terms(event)
            case events.TableLinks():
                self._links = event
            case events.Chatted(name=name, text=text):
                presenter.send(doc.ChatLine(event.seat, name, text))
            case events.CommandRefused(reason=reason):
                presenter.send(doc.Refused(reason))
            case events.CheatAnnounced():
                presenter.send(doc.CheatStatus(event.seat, event.name, event.does, event.sentence))
            case events.LogVerified(report=report):
                presenter.send(doc.Verdict(report.verdict, report.as_json(), round(event.seconds * 1000, 1)))
            case _:
                notice = notice_of(event)
                if notice is None:
                    presenter.show(event)
                else:
                    presenter.send(notice)

    def status(self, status: TableStatus) -> None:
        """Show the lobby or the table as it is now."""
        self._lobby = status.lobby
        if status.lobby is None:
            self.presenter.status(status)
            return
        asked = status.lobby.question
        invites, open_question = asked is not None and asked.asked is Asked.GUESTS, self._lobby_question
        if invites and open_question is None:
            self._ask_in_lobby(LobbyQuestion(Asked.GUESTS))
        elif not invites and open_question is not None and open_question.code == Asked.GUESTS.value:
            self._lobby_question = None
        self._show_lobby()

    async def prompt(self, question: Question | LobbyQuestion) -> Decision | bool:
        """Ask the person on their pages, and return the first valid answer."""
        loop = asyncio.get_running_loop()
        if isinstance(question, LobbyQuestion):
            answered: asyncio.Future[bool] = loop.create_future()
            self._answered = answered
            self._ask_in_lobby(question)
            self._show_lobby()
            try:
                return await answered
            finally:
                self._answered = self._lobby_question = None
        decided: asyncio.Future[Decision] = loop.create_future()
        self._decided = decided
        self.ask(question)
        try:
            return await decided
        finally:
            self._decided = None
            self.withdraw_question()

    async def commands(self) -> AsyncGenerator[Command, None]:
        """Yield what the person clicks besides answering."""
        try:
            while True:
                yield await self._commands.get()
        finally:
            self._is_closed = True

    # --- From pages ---

    def receive(self, message: doc.AnyClientMessage) -> None:
        """Handle a message from a page: an answer, a request for a replay, or a command."""
        if isinstance(message, Answer):
            decision = self.read_decision(message)
            if decision is not None and self._decided is not None and not self._decided.done():
                self._decided.set_result(decision)
        elif isinstance(message, doc.Answer):
            self._answer_in_lobby(message)
        elif isinstance(message, doc.Replay):
            self._replay(message.hand)
        elif self.replica is None or self._is_closed or self._commands.qsize() >= PENDING_MAX:
            # Not stored for later: someone who clicks "leave" in the lobby would otherwise leave the table.
            self.presenter.refuse("not now")
        else:
            command = _command_of(message)
            if command is None:
                self.presenter.refuse("not here")
            else:
                self._commands.put_nowait(command)

    # --- The lobby ---

    def _show_lobby(self) -> None:
        """Show the lobby, if it has changed."""
        if self._lobby is not None and self._network:
            contacts, question = self.presenter.contacts, self._lobby_question
            self.presenter.send_if_new(lobby_message(self._lobby, contacts, self._links, self._proposal, question))

    def _ask_in_lobby(self, question: LobbyQuestion) -> None:
        """Open a question with a new number, in place of any other."""
        code, name = question.asked.value, escape_controls(question.name)
        self._lobby_question = doc.LobbyQuestion(next(self._numbers), code, name, ANSWERS[question.asked])

    def _answer_in_lobby(self, message: doc.Answer) -> None:
        """Take an answer, if it is to the open question. Otherwise ignore it.

        A yes to an earlier proposal is not a yes to the current one.
        """
        question = self._lobby_question
        if question is None or message.ask != question.ask or message.text not in question.answers:
            return
        # A second click does not answer the same question when it is asked again.
        self._lobby_question = None
        if question.code == Asked.GUESTS.value:
            self._commands.put_nowait(commands.StartGame() if message.text == "start" else commands.IssueCode())
        elif self._answered is not None and not self._answered.done():
            self._answered.set_result(message.text == "y")

    # --- Questions of the table ---

    def ask(self, question: Question) -> None:
        """Show a question to the person."""
        self._question, self._number = question, next(self._numbers)
        words, view, peek, package = self._words, question.view, question.peek, self.presenter.package
        if question.seal is not None:
            sealing, helped = spans(words.sealing(view, question.seal)), tuple(map(spans, words.help))
            asked = doc.QuestionOpen(self._number, "seal", sealing, helped)
        elif peek is None:
            asked = doc.QuestionOpen(
                self._number,
                "move",
                spans(words.prompt(view)) if self.presenter.has_plain_table else (),
                tuple(map(spans, words.help)),
                typed=package is not None and package.listens,
            )
        else:
            seen = tuple(
                doc.PeekedCard(position, spans(words.looked_at(view.game, peek.deck, face)))
                for position, face in view.seen_in(peek.deck).items()
            )
            asked = doc.QuestionOpen(self._number, "choose", (), (), peek.then.value, seen)
        self.presenter.send(asked)

    def withdraw_question(self) -> None:
        """Withdraw the open question, if there is one."""
        if self._question is not None:
            self._question = None
            self.presenter.send(doc.QuestionClosed())

    def read_decision(self, message: Answer) -> Decision | None:
        """Return the decision in a message, or None if it was refused or doubted. The page is then told why."""
        question = self._question
        if question is None or message.ask != self._number:
            self.presenter.refuse("late", message.ask)
            return None
        try:
            if isinstance(message, doc.SealText):
                if question.seal is None:
                    raise IllegalMove("the table is not asking you to seal anything")
                return self._words.seal(question.view, question.seal, message.text)
            if question.seal is not None:
                raise IllegalMove("the table is waiting for something to seal")
            if isinstance(message, doc.Choose):
                if question.peek is None:
                    raise IllegalMove("the table is not asking you for a choice")
                return legal_choice(question.view, question.peek, message.choose)
            return self._read_move(question, message)
        except IllegalMove as error:
            self.presenter.send(doc.Refused(str(error), message.ask))
            return None

    def _read_move(self, question: Question, message: doc.Move | doc.TypedMove) -> Decision | None:
        """Return the move in a message, or None if the person should confirm it first. Raises `IllegalMove`."""
        view = question.view
        if question.peek is not None:
            raise IllegalMove("the table is waiting for a choice, not for a move")
        read: Message | dict[str, Any]
        if isinstance(message, doc.TypedMove):
            read = self._words.read(view, message.text)
            if view.game is not None:
                view.game.moved(view.seat, encode(read))
        else:
            read = legal_move(self.presenter.package, view, message.move)
        doubt = "" if message.sure else self._words.sure(view, read)
        if doubt:
            self.presenter.send(doc.Doubt(message.ask, doubt))
            return None
        return read

    @property
    def _words(self) -> Words:
        """The texts of the game."""
        package = self.presenter.package
        return Words() if package is None else package.words

    # --- History ---

    def open_log(self, replica: Replica) -> None:
        """Show a saved log: its table, at which nothing can be done."""
        self.replica, self._is_closed = replica, True
        self.presenter.open_table(replica, None)

    def _replay(self, hand: int) -> None:
        """Show a hand again: from memory, or read from the log in the background, one at a time."""
        presenter, replica = self.presenter, self.replica
        stored = presenter.stored_replay(hand)
        if stored is not None or replica is None:
            presenter.send(stored or doc.HandReplay(hand, ()))
        elif self._replaying is not None and not self._replaying.done():
            presenter.refuse("not now")
        else:
            moments, entries = presenter.moment_collector(hand, replica.config), tuple(replica.entries)
            whole = partial(replay_hand, replica.config, entries, moments, self._own_secrets, replica.entropy)
            self._replaying = asyncio.get_running_loop().run_in_executor(None, whole)
            self._replaying.add_done_callback(lambda done: presenter.send(doc.HandReplay(hand, done.result())))

    @property
    def _own_secrets(self) -> OwnSecrets | None:
        """The secrets that show this person their own cards again, or None if they have none."""
        store, seat = self._store, self.presenter.you
        if store is None or seat is None:
            return None
        return OwnSecrets(seat, store.root, store.identity, tuple(store.journal.records))


def _command_of(message: doc.AnyClientMessage) -> Command | None:
    """Return the command in a message from a page, or None if it has none."""
    match message:
        case doc.Without(seats=seats):
            return table_commands.VoteSkip(frozenset(seats))
        case doc.Break():
            return table_commands.VoteAbort()
        case doc.Leave():
            return table_commands.LeaveTable()
        case doc.SitOut():
            return table_commands.SitOut()
        case doc.Back():
            return table_commands.ComeBack()
        case doc.Claim():
            return table_commands.DisputeCard()
        case doc.Book():
            return table_commands.DiscloseHand()
        case doc.LetIn(name=name):
            return table_commands.AdmitPlayer(name)
        case doc.Agree(proposal=proposal):
            return table_commands.AgreeToRoster(bytes.fromhex(proposal))
        case doc.Chat(text=text):
            return commands.SendChat(text)
    return None
