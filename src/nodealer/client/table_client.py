"""The client of a table: the only driver of a participant against a transport.

Frames go in and out, questions go to the agent or the person, commands of the person are carried out at once, and
everything that happens is shown on one front end. Terminal, JSON, page, tab, bots, timekeeper and spectators differ
only in the front end, the store and the transport that they pass in.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any, Final

from nodealer.client import events
from nodealer.client.agents import Agent
from nodealer.client.changes import comparable, events_between
from nodealer.client.commands import WORDS, Command, IssueCode, SendChat, StartGame, TurnAway
from nodealer.client.connection import LockedOut
from nodealer.client.contacts import ContactsRecorder
from nodealer.client.link_rotation import LinkRotation
from nodealer.client.lobby import LobbyRole
from nodealer.client.narrator import Narrator, session_opened
from nodealer.client.policies import Policy, follow
from nodealer.client.questions import Asked, LobbyQuestion
from nodealer.client.status import TableStatus, TableTimes, table_status
from nodealer.client.transport import Connected, Transport
from nodealer.client.transport import Event as TransportEvent
from nodealer.client.ui import UI
from nodealer.engine.chat import ChatFilter, read_chat, sign_chat
from nodealer.engine.commands import AnswerQuestion, DisputeCard, RequestSeat, SeatCommand
from nodealer.engine.frame_result import Diverged, Received, Silenced
from nodealer.engine.lobby_messages import FrameIgnored, ProposalDeclined, VersionMismatch
from nodealer.engine.participant import Participant
from nodealer.engine.prompts import Decision, Question
from nodealer.engine.replica import Applied, Replica
from nodealer.errors import BadParameter, CardUnreadable, IllegalMove, RelayError
from nodealer.log.roster import TIMEKEEPER

#: How often the times at the table are looked at, in seconds.
WAKE_SECONDS: Final = 0.25
#: How long to wait for another frame before checking the proofs of those received, when there is nothing to send. Seats
#: that shuffle in turn, or publish in parallel, send their frames this close together.
BATCH_WINDOW: Final = 0.05
#: After how many seconds a notice says whom the table is waiting for.
NOTICE_AFTER: Final = 5.0
#: How many commands wait for a connection. The front end keeps or refuses more.
COMMANDS_MAX: Final = 100
#: How many chat messages of a seat are shown within how many seconds. More would push everything else away.
CHATS_MAX: Final = 10
CHATS_WITHIN: Final = 10.0


class NotSeated(BadParameter):
    """This player cannot sit at the table."""


class NameTaken(NotSeated):
    """No one can sit there under this name. Another name may work."""


@dataclass(frozen=True)
class Behaviour:
    """The decisions and actions of a client on its own."""

    #: Decides; without one, the front end asks its person.
    agent: Agent | None = None
    #: What the participant does in the lobby.
    role: LobbyRole | None = None
    policies: Sequence[Policy] = ()
    #: Remembers the players, and makes new links when the key changes.
    contacts: ContactsRecorder | None = None
    links: LinkRotation | None = None


@dataclass(frozen=True)
class ClientOptions:
    """The ways in which a client treats its table."""

    #: Whether to ask for a seat if the game has already begun.
    asks_for_seat: bool = False
    #: Whether that includes a seat that the others took away before this program started.
    asks_back: bool = True
    #: Whether to show what log entries do. A bot needs no words for that, and making them costs time.
    shows_log: bool = True
    #: Whether to show the words that people compare.
    shows_words: bool = False
    #: After how many seconds a notice says whom the table is waiting for.
    notice_after: float = NOTICE_AFTER
    #: The players who should come, if they are known.
    expected: tuple[str, ...] = ()
    #: Called with the table after every change, such as to copy its log.
    on_log: Callable[[Replica], None] = lambda replica: None


NOTHING_BY_ITSELF: Final = Behaviour()
USUAL: Final = ClientOptions()


class TableClient:
    """Drives one participant until it is done."""

    def __init__(
        self,
        participant: Participant,
        transport: Transport,
        ui: UI,
        behaviour: Behaviour = NOTHING_BY_ITSELF,
        options: ClientOptions = USUAL,
        *,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        """Connect a participant to its transport and its front end.

        `clock` returns seconds and only has to advance; `wall` returns seconds since 1970.
        """
        self._participant = participant
        self._transport = transport
        self._ui = ui
        self._agent = behaviour.agent
        self._role = behaviour.role
        self._policies = behaviour.policies
        self._contacts = behaviour.contacts
        self._links = behaviour.links
        self._options = options
        self._clock = clock
        self._wall = wall
        self._times = TableTimes(options.expected, lambda: time.strftime("%H:%M:%S", time.localtime(wall())))
        self._status: TableStatus | None = None
        self._narrator: Narrator | None = None
        #: Whether there is a connection, and how many frames have arrived.
        self._connected = False
        self._received = 0
        #: How many seconds it took to check what was not shown yet.
        self._check_seconds = 0.0
        #: The question that the agent or the person is working on.
        self._question: Question | LobbyQuestion | None = None
        self._answer: asyncio.Future[Decision | bool] | None = None
        #: Commands that wait for a connection, or for this seat's last entry to arrive, each with the roster then.
        self._waiting: deque[tuple[bytes | None, Command]] = deque()
        #: The last command about seats, and the roster when it was carried out.
        self._seat_command: tuple[bytes, SeatCommand] | None = None
        #: Whether this player has had a seat here, has asked for one, and was shown that they have it.
        self._was_seated = self._asked = self._seat_shown = False
        self._chats: list[bytes] = []
        #: The number of the last chat message that was sent.
        self._chat_number = 0
        self._chat_filter = ChatFilter()
        self._chat_times: defaultdict[int, deque[float]] = defaultdict(lambda: deque(maxlen=CHATS_MAX))

    # --- The loop ---

    async def run(self) -> Participant:
        """Take part until nothing more comes from this participant, and return it.

        Raise `RelayError` if the transport ends first, and `NotSeated` if there is no seat for this player.
        """
        incoming, commands = self._transport.events(), self._ui.commands()
        async with aclosing(incoming), aclosing(commands):
            frame, command = _next(incoming), _next(commands)
            try:
                while not (self._participant.is_settled and self._participant.is_over):
                    await self._wait(frame, command)
                    if frame.done():
                        await self._handle(frame.result())
                        # Only now, because this frame may change how the next one is decrypted.
                        frame = _next(incoming)
                        if not self._participant.is_settled or self._may_observe_later:
                            continue
                    elif not self._participant.is_settled:
                        await self._process(self._settle())
                    if command.done() and self._has_room:
                        command = self._queue_command(command, commands)
                    if self._connected:
                        await self._act()
                if command.done() and (late := command.result()) is not None:
                    self._waiting.append((None, late))
            except (LockedOut, RelayError) as ended:
                # A relay that ends after a false proof does not hide it: what has come is looked at, kept and shown.
                if not self._participant.is_settled:
                    self._show_received(self._settle())
                if isinstance(ended, RelayError):
                    raise
            finally:
                self._cancel_question()
                await _cancel_and_wait(frame, command)
        for _, unused in self._waiting:
            self._refuse(unused, "the game is over")
        return self._participant

    async def _wait(self, frame: asyncio.Future[Any], command: asyncio.Future[Any]) -> None:
        """Wait until there is something to do.

        The agent may go on thinking while disconnected; its answer is used later.
        """
        waiting: set[asyncio.Future[Any]] = {frame, command} if self._has_room or not command.done() else {frame}
        answer = self._answer
        if answer is not None and (not answer.done() or (self._connected and not self._participant.is_catching_up)):
            waiting.add(answer)
        timeout = WAKE_SECONDS if self._participant.is_settled else BATCH_WINDOW
        await asyncio.wait(waiting, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        if answer is not None and answer.done() and not answer.cancelled():
            # A person who goes while there is no connection has gone all the same.
            answer.result()
        if command.done() and not self._has_room:
            command.result()

    @property
    def _has_room(self) -> bool:
        """Whether another command is taken from the front end: without a connection, they wait."""
        return len(self._waiting) < COMMANDS_MAX

    @property
    def _may_observe_later(self) -> bool:
        """True if the log is still arriving, and the table was looked at a moment ago."""
        before = self._status
        return self._participant.is_catching_up and before is not None and self._clock() - before.now < WAKE_SECONDS

    async def _handle(self, event: TransportEvent | None) -> None:
        """Process an event of the transport; None means that it has ended."""
        if event is None:
            raise RelayError("the connection ended before the game did")
        if isinstance(event, bytes):
            began = self._clock()
            received = self._participant.receive(event, self._received, more=self._connected)
            self._check_seconds += self._clock() - began
            self._received += 1
            if event.startswith(b'{"chat":'):
                self._chats.append(event)
            if self._participant.is_settled:
                await self._process(received)
            return
        if not self._participant.is_settled:
            await self._process(self._settle())
        self._connected = isinstance(event, Connected)
        if isinstance(event, Connected):
            await self._send(self._participant.resend(event.known))

    def _settle(self) -> Received:
        """Verify the proofs of what was received, and measure how long that takes."""
        began = self._clock()
        received = self._participant.settle()
        self._check_seconds += self._clock() - began
        return received

    async def _process(self, received: Received) -> None:
        """Send what frames called for, and show what they did."""
        await self._send(received.send)
        self._show_received(received)
        await self._send(self._ask_for_seat())

    async def _send(self, frames: Iterable[bytes]) -> None:
        """Send the frames, in order."""
        for frame in frames:
            await self._transport.send(frame)

    # --- What came in ---

    def _show_received(self, received: Received) -> None:
        """Show what frames did. Raise `NotSeated` if they leave no seat for this player."""
        participant = self._participant
        for news in received.happened:
            self._check_lobby_news(news)
        if self._contacts is not None:
            self._contacts.update()
        applied = [news for news in received.happened if isinstance(news, Applied)]
        opened = self._open_session(applied)
        # Proofs that came together were checked together.
        seconds = self._check_seconds / max(sum(bool(one.checks) for one in applied), 1)
        self._check_seconds = 0.0
        for news in received.happened:
            if isinstance(news, Applied) and self._narrator is not None and self._options.shows_log:
                for event in self._narrator.describe(news, seconds):
                    self._ui.show(event)
            elif isinstance(news, Diverged):
                name = participant.replica.state.all_members[news.seat].name
                self._ui.show(events.Diverged(name, seat=news.seat, theirs=news.theirs, ours=news.ours))
            elif isinstance(news, Silenced):
                self._ui.show(events.Silenced(news.reason))
        self._show_chats()
        if participant.has_session:
            self._options.on_log(participant.replica)
            if opened and self._options.shows_words:
                names = tuple(member.name for member in participant.members)
                self._ui.show(events.Agreed(names, participant.session_words))
            self._show_seat()
            self._show_links()

    def _check_lobby_news(self, news: object) -> None:
        """Take note of what others decided in the lobby. Raise `NotSeated` if this player has no place here."""
        one = self._participant
        if isinstance(news, ProposalDeclined):
            if news.mine:
                raise NotSeated(f"you cannot play this: {news.reason}")
            self._ui.show(events.Declined(news.name or "", news.reason))
            if self._role is not None:
                self._role.on_declined(news)
        elif isinstance(news, VersionMismatch):
            raise NotSeated(f"the host uses another version of nodealer: {news.reason}")
        elif one.is_own_dismissal(news) and not one.is_catching_up:
            raise NotSeated("the host has turned you away from this table")
        elif isinstance(news, FrameIgnored) and news.mine and self._is_turned_away:
            raise NameTaken(f"you cannot sit there as {one.store.name}: {news.reason}")

    @property
    def _is_turned_away(self) -> bool:
        """True if this player's offer was not accepted although everything has arrived: the name may be taken."""
        one = self._participant
        return not (one.has_session or one.is_catching_up or one.store.name is None) and one.lobby.own_offer is None

    def _open_session(self, applied: Sequence[Applied]) -> bool:
        """Show the session once the players have agreed on it; return whether it was shown now.

        `applied` are the entries that are shown next. Raise `NotSeated` if this is not the session's timekeeper, but
        wants to be.
        """
        one = self._participant
        if not one.has_session:
            return False
        if one.keeps_time and not one.has_seat:
            raise NotSeated("this table has another timekeeper, or none")
        mine = one.seat.number if one.has_seat else None
        if self._narrator is None:
            self._narrator = Narrator.for_table(one.replica.config, mine)
            past = applied[0].number if applied else one.replica.height
            self._ui.show(session_opened(one.replica, mine, past))
            return True
        if mine is not None and mine != self._narrator.you:
            # A newcomer has been seated.
            self._narrator = Narrator.for_table(one.replica.config, mine)
        return False

    def _show_seat(self) -> None:
        """Show a player who asked for a seat that they have one."""
        one = self._participant
        self._was_seated = self._was_seated or (one.is_in_roster and not one.is_catching_up)
        if self._asked and one.is_in_roster and not self._seat_shown:
            self._seat_shown = True
            self._ui.show(events.GotSeat(one.seat.number))

    def _show_links(self) -> None:
        """Show the new links after the table got a new key."""
        invitation = None if self._links is None else self._links.next_invitation(self._participant)
        if invitation is not None:
            watch = invitation.for_spectators().link
            self._ui.show(events.NewLinks(invitation.key.epoch, invitation.link, watch))

    def _ask_for_seat(self) -> list[bytes]:
        """Ask for a seat at a table that is already playing, once all of its log has been received.

        Raise `LockedOut` if this player has lost their seat: they do not ask again on their own.
        """
        one = self._participant
        if not one.has_session or one.store.name is None or one.is_in_roster or one.is_catching_up or one.keeps_time:
            return []
        if (self._asked and not self._was_seated) or (self._was_seated and one.is_over):
            return []
        self._asked = True
        was_seated = self._was_seated or (one.has_seat and not self._options.asks_back)
        asks = self._options.asks_for_seat and not was_seated
        if one.has_seat and not asks and not one.is_over:
            self._ui.show(events.SeatLost())
            raise LockedOut
        names = tuple(member.name for member in one.members if member.role != TIMEKEEPER)
        if not asks or one.is_over:
            raise NotSeated(
                f"there is no seat for you at this table: {', '.join(names)} play there. `nodealer join LINK --ask` "
                "asks for a seat while they play, and `nodealer watch LINK` watches"
            )
        try:
            frames = one.command(RequestSeat())
        except IllegalMove as refused:
            raise NotSeated(f"you cannot sit at this table: {refused}") from None
        self._ui.show(events.SeatAsked(names, one.store.identity.public))
        return frames

    def _show_chats(self) -> None:
        """Show the chat messages that have arrived, if they are new and not too many."""
        frames, self._chats = self._chats, []
        one = self._participant
        if not frames or not one.has_session or one.is_catching_up:
            return
        members = one.replica.state.all_members
        keys = {seat: member.key for seat, member in members.items()}
        for frame in frames:
            with suppress(BadParameter):
                chat = read_chat(frame, one.session.id, keys)
                if chat is not None and self._chat_filter.is_new(chat) and self._may_chat(chat.seat):
                    self._ui.show(events.Chatted(members[chat.seat].name, chat.text, seat=chat.seat))

    def _may_chat(self, seat: int) -> bool:
        """Return whether a seat may chat again: it has a limited number of messages per time."""
        times, now = self._chat_times[seat], self._clock()
        if len(times) == CHATS_MAX and now - times[0] < CHATS_WITHIN:
            return False
        times.append(now)
        return True

    # --- What to do ---

    async def _act(self) -> None:
        """Show the status of the table, carry out what is wanted, and ask what is open."""
        status = self._observe()
        if await self._take_answer(status) | await self._carry_out_commands(status):
            status = self._observe()
        if self._role is not None and not status.has_session:
            for command in self._role.on_status(status):
                await self._carry_out(command)
        for policy in self._policies:
            await self._send(follow(policy, self._participant, status))
        if status.options.unreadable is not None and not self._participant.by_person:
            # The dispute starts without asking; the table decides it. Opening the books costs the whole hand, so that
            # is up to a person.
            await self._send(self._participant.command(DisputeCard()))
            return
        self._ask(status)

    def _observe(self) -> TableStatus:
        """Work out the status of the table, show what is new, and return it."""
        one, role = self._participant, self._role
        self._times.observe(one, self._clock())
        question = None if role is None or one.has_session else role.question
        status = table_status(one, self._times, seats=0 if role is None else role.seats, question=question)
        before, self._status = self._status, comparable(self._status, status)
        for event in events_between(before, status, self._options.notice_after):
            self._ui.show(event)
        self._ui.status(status)
        return status

    # --- Commands ---

    def _queue_command(
        self, coming: asyncio.Future[Command | None], commands: AsyncIterator[Command]
    ) -> asyncio.Future[Command | None]:
        """Queue a command of the person, and return the future of the next one."""
        command = coming.result()
        if command is None:
            # The person will say nothing more: wait for a command that never comes.
            return asyncio.get_running_loop().create_future()
        self._waiting.append((self._roster, command))
        return _next(commands)

    async def _carry_out_commands(self, status: TableStatus) -> bool:
        """Carry out what the person wants. Return whether there was anything."""
        acted = False
        with suppress(IllegalMove):
            acted = await self._repeat_seat_command(status)
        while self._waiting and not self._must_wait(self._waiting[0][1]):
            roster, command = self._waiting.popleft()
            if isinstance(command, SeatCommand) and roster != self._roster:
                # The name that the person gave may be another player's by now.
                self._refuse(command, "the seats have changed since then")
            else:
                await self._carry_out(command)
            acted = True
        return acted

    @property
    def _roster(self) -> bytes | None:
        """The digest of the roster in force, or None before the session."""
        one = self._participant
        return one.replica.state.roster.digest if one.has_session else None

    def _must_wait(self, command: Command) -> bool:
        """Return whether a command about seats waits for this seat's last entry: the move goes first."""
        one = self._participant
        return isinstance(command, SeatCommand) and one.has_seat and bool(one.seat.unconfirmed)

    async def _carry_out(self, command: Command) -> None:
        """Carry out a command, or show why that is not possible."""
        try:
            frames = self._frames_for(command)
        except (IllegalMove, BadParameter) as refused:
            self._refuse(command, str(refused))
            return
        if isinstance(command, SeatCommand):
            self._seat_command = self._participant.replica.state.roster.digest, command
        await self._send(frames)

    def _refuse(self, command: Command, reason: str) -> None:
        """Show why a command is not carried out."""
        self._ui.show(events.CommandRefused(WORDS.get(type(command), ""), reason))

    def _frames_for(self, command: Command) -> list[bytes]:
        """Return the frames that carry a command. Raise `IllegalMove` or `BadParameter` if it is not possible."""
        one = self._participant
        match command:
            case StartGame() | IssueCode() | TurnAway():
                if self._role is None or one.has_session:
                    raise IllegalMove("the game has already begun")
                self._role.command(command)
                return []
            case SendChat(text=text):
                # Two messages of one moment need two numbers: others take the same one for a repetition.
                number = self._chat_number = max(self._chat_number + 1, int(self._wall() * 1000))
                return [sign_chat(one.store.identity, one.session.id, one.seat.number, number, text)]
            case _:
                return one.command(command)

    async def _repeat_seat_command(self, status: TableStatus) -> bool:
        """Repeat a vote on seats that became void because the hand ended: the person meant it."""
        if self._seat_command is None or status.state is None or status.seat is None or status.unconfirmed:
            return False
        (roster, command), self._seat_command = self._seat_command, None
        state = status.state
        counts = any(status.seat in one.agreed for one in state.proposed.values())
        if state.roster.digest != roster or counts or state.no_more_hands:
            return False
        await self._send(self._participant.command(command))
        self._seat_command = roster, command
        return True

    # --- Questions ---

    async def _take_answer(self, status: TableStatus) -> bool:
        """Use the answer of the agent or the person, if there is one. Return whether there was."""
        if self._answer is None or not self._answer.done() or status.is_catching_up:
            # Frames that are still missing may answer the question, so the answer waits for them.
            return False
        done, question = self._answer, self._question
        self._answer = self._question = None
        if done.cancelled():
            return False
        answer = done.result()
        if isinstance(question, LobbyQuestion):
            if self._role is not None:
                self._role.answer(question, bool(answer))
        elif question is not None and not isinstance(answer, bool):
            try:
                await self._send(self._participant.command(AnswerQuestion(question, answer)))
            except IllegalMove as refused:
                # If the answer came too late, the current question is asked instead. A person hears what was wrong.
                if self._agent is None and self._is_open(question, status):
                    self._ui.show(events.CommandRefused("", str(refused)))
        return True

    def _ask(self, status: TableStatus) -> None:
        """Ask what is open, and cancel a question that no longer is."""
        if status.is_catching_up:
            return
        if not self._is_open(self._question, status):
            self._cancel_question()
        if self._answer is None:
            self._question = self._open_question(status)
            if self._question is not None:
                self._answer = asyncio.ensure_future(self._ask_decider(self._question))

    def _is_open(self, question: Question | LobbyQuestion | None, status: TableStatus) -> bool:
        """Return whether a question is the one that the table asks now."""
        if isinstance(question, Question):
            return status.options.required == question.duty
        return question is not None and not status.has_session and question == self._lobby_question

    def _open_question(self, status: TableStatus) -> Question | LobbyQuestion | None:
        """Return what is asked now, or None."""
        if not status.has_session:
            return self._lobby_question
        if status.options.required is None or self._participant.store.name is None:
            return None
        # A player with false cards who has already disputed one has nothing to decide.
        with suppress(CardUnreadable):
            return self._participant.question()
        return None

    @property
    def _lobby_question(self) -> LobbyQuestion | None:
        """The question to the person in the lobby. An open prompt for commands is not a question."""
        question = None if self._role is None else self._role.question
        return None if question is None or question.asked is Asked.GUESTS else question

    def _ask_decider(self, question: Question | LobbyQuestion) -> Coroutine[Any, Any, Decision | bool]:
        """Return the call that asks the agent, or else the person."""
        if self._agent is not None and isinstance(question, Question):
            return self._agent.decide(question)
        return self._ui.prompt(question)

    def _cancel_question(self) -> None:
        """Withdraw the question that the agent or the person is working on."""
        if self._answer is not None:
            self._answer.cancel()
        self._answer = self._question = None


def _next(source: AsyncIterator[Any]) -> asyncio.Future[Any]:
    """Return the future of the next element, or of None at the end."""
    return asyncio.ensure_future(anext(source, None))


async def _cancel_and_wait(*coming: asyncio.Future[Any]) -> None:
    """Cancel pending reads and wait until they have ended.

    A program that is shutting down may cancel this wait too. The readers must have finished all the same, because a
    running generator cannot be closed.
    """
    again: asyncio.CancelledError | None = None
    for one in coming:
        one.cancel()
    while pending := [one for one in coming if not one.done()]:
        try:
            await asyncio.wait(pending)
        except asyncio.CancelledError as error:
            again = error
            for one in pending:
                one.cancel()
    if again is not None:
        raise again
