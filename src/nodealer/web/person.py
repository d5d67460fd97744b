"""The person behind a page, as the agent of a seat: questions go to their pages, and pages answer."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final

from nodealer.engine.chat import ChatFilter, read_chat, sign_chat
from nodealer.engine.frame_result import Received
from nodealer.engine.participant import Participant
from nodealer.engine.prompts import Decision, Question
from nodealer.engine.replica import Replica
from nodealer.engine.store import PlayerStore
from nodealer.errors import BadParameter, IllegalMove
from nodealer.web import messages as doc
from nodealer.web.recall import OwnSecrets, replay_hand
from nodealer.web.seat import PageSeat
from nodealer.web.timed_participant import PageParticipant

#: How many chat messages of a seat are shown within how many seconds. More would push the log off the page.
CHATS_MAX: Final = 10
CHATS_WITHIN: Final = 10.0
#: How many messages may wait for the next tick. A page that shows a saved log has no ticks.
PENDING_MAX: Final = 100


class PagePerson:
    """An agent that decides what its pages say. Messages to the table are handled at the next tick."""

    def __init__(self, seat: PageSeat, now: Callable[[], int]) -> None:
        """Decide for this seat. `now` returns milliseconds since 1970."""
        self.seat = seat
        #: Returns milliseconds since 1970, for chat.
        self._now = now
        self._decided: asyncio.Future[Decision] | None = None
        self._pending: list[doc.AnyClientMessage] = []
        self._chats = ChatFilter()
        #: When each seat's last chat messages arrived.
        self._chat_times: defaultdict[int, deque[float]] = defaultdict(lambda: deque(maxlen=CHATS_MAX))
        #: The table, once the players have agreed, and the participant. A saved log has no participant.
        self.replica: Replica | None = None
        self._participant: Participant | None = None
        self._replaying: asyncio.Future[tuple[doc.ReplayFrame, ...]] | None = None

    # --- For the client loop ---

    async def decide(self, question: Question) -> Decision:
        """Show a question on the pages and return the first valid answer."""
        self.seat.ask(question)
        self._decided = asyncio.get_running_loop().create_future()
        try:
            return await self._decided
        finally:
            self._decided = None
            self.seat.withdraw_question()

    def on_tick(self, participant: Participant, now: float) -> list[bytes]:
        """Carry out what the pages asked for, update waiting times, and return the frames to send."""
        self.seat.update_waiting(participant)
        frames: list[bytes] = []
        acted = bool(self._pending)
        while self._pending:
            message = self._pending.pop(0)
            try:
                frames += self._carry_out(participant, message)
            except (IllegalMove, BadParameter) as refused:
                self.seat.send(doc.Refused(str(refused)))
        if acted:
            self.seat.refresh(participant)
        return frames

    def create_participant(self, home: PlayerStore, **rest: Any) -> Participant:
        """Create the participant of this person."""
        clock, on_checked = self.seat.now, self.seat.record_check_time
        return PageParticipant(home, clock=clock, on_checked=on_checked, on_frame=self.on_frame, by_person=True, **rest)

    def observer_of(self, participant: Participant) -> Callable[[Received], list[bytes]]:
        """Return a function that shows on the pages what a participant received."""

        def observe(received: Received) -> list[bytes]:
            """Remember the participant once it has a session, and show the page what it received. Sends no frames."""
            if participant.has_session:
                self.replica, self._participant = participant.replica, participant
            self.seat.on_received(participant, received)
            return []

        return observe

    def on_frame(self, participant: Participant, frame: bytes) -> None:
        """Show a frame on the pages if it is chat."""
        if not participant.has_session or participant.is_catching_up:
            return
        state = participant.replica.state
        keys = {seat: member.key for seat, member in state.all_members.items()}
        with suppress(BadParameter):
            chat = read_chat(frame, participant.session.id, keys)
            if chat is not None and self._chats.is_new(chat) and self._may_chat(chat.seat):
                self.seat.send(doc.ChatLine(chat.seat, state.all_members[chat.seat].name, chat.text))

    def _may_chat(self, seat: int) -> bool:
        """Return whether a seat may chat again: it has a limited number of messages per time."""
        times, now = self._chat_times[seat], self.seat.now()
        if len(times) == CHATS_MAX and now - times[0] < CHATS_WITHIN:
            return False
        times.append(now)
        return True

    # --- Messages from pages ---

    def receive(self, message: doc.AnyClientMessage) -> None:
        """Handle a message from a page: an answer, a request for a replay, or something to do at the next tick."""
        if isinstance(message, doc.Move | doc.TypedMove | doc.Choose | doc.SealText):
            decision = self.seat.read_decision(message)
            if decision is not None and self._decided is not None and not self._decided.done():
                self._decided.set_result(decision)
        elif isinstance(message, doc.Replay):
            self._replay(message.hand)
        elif self.replica is None or len(self._pending) >= PENDING_MAX:
            # Not stored for later: someone who clicks "leave" in the lobby would otherwise leave the table.
            self.seat.refuse("not now")
        else:
            self._pending.append(message)

    def _replay(self, hand: int) -> None:
        """Show a hand again: from memory, or read from the log in the background, one at a time."""
        stored, replica = self.seat.stored_replay(hand), self.replica
        if stored is not None or replica is None:
            self.seat.send(stored or doc.HandReplay(hand, ()))
        elif self._replaying is not None and not self._replaying.done():
            self.seat.refuse("not now")
        else:
            config, entries, moments = (
                replica.config,
                tuple(replica.entries),
                self.seat.moment_collector(hand, replica.config),
            )
            whole = partial(replay_hand, config, entries, moments, self._own_secrets(), replica.entropy)
            self._replaying = asyncio.get_running_loop().run_in_executor(None, whole)
            self._replaying.add_done_callback(lambda done: self.seat.send(doc.HandReplay(hand, done.result())))

    def _own_secrets(self) -> OwnSecrets | None:
        """Return what is needed to show this person their own cards again, or None if they have none."""
        one = self._participant
        if one is None or not one.has_seat:
            return None
        return OwnSecrets(one.seat.number, one.store.root, one.store.identity, tuple(one.store.journal.records))

    def _carry_out(self, participant: Participant, message: doc.AnyClientMessage) -> list[bytes]:
        """Carry out one message from a page and return the frames to send."""
        match message:
            case doc.Without(seats=seats):
                return participant.vote_skip(seats)
            case doc.Break():
                return participant.vote_abort()
            case doc.Leave():
                return participant.leave_table()
            case doc.SitOut():
                return participant.sit_out()
            case doc.Back():
                return participant.come_back()
            case doc.Claim():
                return participant.dispute()
            case doc.Book():
                return participant.disclose()
            case doc.LetIn(name=name):
                return participant.admit(name)
            case doc.Agree(proposal=proposal):
                return participant.agree_to_roster(bytes.fromhex(proposal))
            case doc.Chat(text=text):
                seat, home = participant.seat.number, participant.store
                return [sign_chat(home.identity, participant.session.id, seat, self._now(), text)]
        self.seat.refuse("not here")
        return []
