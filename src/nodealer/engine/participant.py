"""A participant at a table: a player, a spectator or any other role, for every game and protocol.

Frames come in through `receive` in the order of the table; frames to send and events come out. A participant has no
socket, clock or randomness of its own: its driver provides them. Nothing that others send makes it raise. Everything
that it must not forget is in its store before it sends anything, so a participant that was killed resumes where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Final, Protocol

from nodealer.cards.operations import SEALED_MAX, Seal
from nodealer.engine.bodies import NewKey
from nodealer.engine.commands import (
    AdmitPlayer,
    AgreeToRoster,
    AnswerQuestion,
    ComeBack,
    Command,
    Consent,
    DeclineProposal,
    DiscloseHand,
    DismissOffer,
    DisputeCard,
    EndGame,
    LeaveHand,
    LeaveTable,
    MakeMove,
    OfferToPlay,
    ProposeRoster,
    ProposeSession,
    RemovePlayer,
    RequestSeat,
    SendTick,
    SitOut,
    VoteAbort,
    VoteSkip,
    VoteSkipDuties,
    WithdrawOffer,
    WriteNote,
)
from nodealer.engine.frame_result import Received, ReceivedEvent, Silenced
from nodealer.engine.inbox import EntryBatch, FrameInbox, HoldBackQueue
from nodealer.engine.lobby import Accept, Lobby, decline_rehearsals
from nodealer.engine.lobby_messages import OfferGone, OpenOffer, SeatRequest
from nodealer.engine.phases import Phase
from nodealer.engine.prompts import Decision, Options, Question
from nodealer.engine.replica import CheckRunner, Outcome, Replica, settle_in_process
from nodealer.engine.resolve import Parts, resolve_parts
from nodealer.engine.seat import Seat
from nodealer.engine.seat_requests import SeatRequests, find_request, roster_without
from nodealer.engine.state import Config, KeyChange, TableState, refuse_unfit
from nodealer.engine.store import PlayerStore
from nodealer.engine.view import choosing_view, find_choice, view_of
from nodealer.errors import (
    BadParameter,
    BadSignature,
    CardUnreadable,
    Declined,
    DecodeError,
    EntryAhead,
    EntryRefused,
    IllegalMove,
    JournalLost,
    Malformed,
    SawAnother,
)
from nodealer.games.view import View
from nodealer.log.entry import read_entry
from nodealer.log.names import refuse_bad_name
from nodealer.log.roster import Member, Roster
from nodealer.log.session import Proposal, Session
from nodealer.proofs.checks import Entropy
from nodealer.wire import LOG_ENTRIES_MAX, encode
from nodealer.wordlist import key_words, session_words

#: The most entries whose proofs are verified together: a cheater is named after this many at the latest.
TOGETHER_MAX: Final = 64

#: Decides, between hands, whether to begin the next one.
StayPolicy = Callable[[TableState], bool]


class KeySchedule(Protocol):
    """The keys with which a table's frames are sealed. A new one comes with each roster that removes a seat."""

    def refuse_key(self, participant: Participant, proposal: bytes) -> None:
        """Raise `DecodeError` if this participant could not read or write under a proposed roster."""

    def new_key(self, participant: Participant, roster: Roster) -> NewKey | None:
        """Return the key for a roster that this participant proposes, or None if the key does not change."""


class PlainFrames:
    """The schedule of a table whose frames are not sealed: there are no keys."""

    def refuse_key(self, participant: Participant, proposal: bytes) -> None:
        """Refuse nothing."""

    def new_key(self, participant: Participant, roster: Roster) -> NewKey | None:
        """Return None: there is no key to change."""
        return None


class Participant:
    """One participant at a table, from the lobby to the end."""

    def __init__(
        self,
        store: PlayerStore,
        *,
        entropy: Entropy,
        accept: Accept = decline_rehearsals,
        stay_policy: StayPolicy = lambda state: True,
        table: str = "",
        host: bytes | None = None,
        parts: Callable[[Proposal], Parts] = resolve_parts,
        check_runner: CheckRunner = settle_in_process,
        keeps_time: bool = False,
        keys: KeySchedule | None = None,
        by_person: bool = False,
    ) -> None:
        """Join a table, or resume, with what is in the store.

        `check_runner` settles the checks of the stored log. `keeps_time` makes this participant the timekeeper instead
        of a player. `keys` is the key schedule of a table whose frames are sealed. `by_person` says that a person
        decides: a disputed hand is not disclosed without their consent, and if they had left the hand or sat out
        before this program started, they are not dealt in until they come back.

        Raise `LogRolledBack` or `JournalLost` if the parts of the store do not belong together, and `BadParameter` if
        its game is not available.
        """
        if store.name is not None:
            refuse_bad_name(store.name, "the name")
        self.store = store
        self._stay_policy = stay_policy
        #: Whether this player ends the game as soon as they can.
        self._is_leaving = False
        self._sits_out = False
        self._by_person = by_person
        self._keeps_time = keeps_time
        self._keys: KeySchedule = keys or PlainFrames()
        self._seat_requests = SeatRequests(table, store)
        #: Why this participant no longer signs anything, or None.
        self.silenced: str | None = None
        self.lobby = Lobby(
            table=table,
            identity=store.identity,
            root=store.root,
            name=store.name,
            accept=self._consider_proposal,
            host=host,
            keeps_time=keeps_time,
        )
        self._accept = accept
        self._wants_to_sit = True
        self._entropy = entropy
        self._parts = parts
        self._check_runner = check_runner
        self._seat: Seat | None = None
        self._replica: Replica | None = None
        #: How many entries of the log the store has.
        self._stored_entries = 0
        #: The numbered frames of the table, and how many of them the transport has announced.
        self._inbox = FrameInbox()
        self._frames_announced = 0
        #: How many frames wait behind the one that is being judged.
        self._frames_queued = 0
        #: Entries of this seat that arrived before those that they follow.
        self._sent_early: set[bytes] = set()
        self._held_back = HoldBackQueue()
        #: Entries whose proofs are verified together by `settle`.
        self._batch: EntryBatch | None = None
        for frame in store.lobby:
            self.lobby.receive(frame)
        if store.session is not None:
            self._load_log(store.session, store.entries)
        elif self.lobby.session is not None:
            self._start_session(self.lobby.session)
        self._check_runner = settle_in_process
        self._restored_height = 0 if self._replica is None else self._replica.height
        self._inbox.skip_stored([*store.lobby, *(() if self._replica is None else self._replica.entries)])
        if by_person and self.has_seat:
            self._sits_out = self.seat.has_left

    # --- Receiving ---

    def receive(self, frame: bytes, number: int | None = None, *, more: bool = False) -> Received:
        """Process a frame of the table. Raise only for problems with this participant's own store.

        `number` says which frame of the table it is, from 0. Frames may then come repeatedly or too early, each is
        judged at its place, and one that was signed on an unknown head is known to come from another log. A participant
        that resumes with a store receives them from 0 again. Without numbers, later frames may still explain one that
        does not fit.

        With `more`, further frames may arrive at once. If this frame needs no answer, its proofs may then be left for
        `settle`, which the caller must call when no more frames come. Then the result is empty, `is_settled` is false,
        and the state of the table is not verified.
        """
        send, happened = list[bytes](), list[ReceivedEvent]()
        ready = [frame] if number is None else self._inbox.take(frame, number)
        for place, data in enumerate(ready, 1):
            self._frames_queued = len(ready) - place
            if self._replica is None:
                self._receive_in_lobby(data, send, happened)
            elif number is None or not self._defer(data, more):
                self._settle_batch(send, happened)
                self._append_and_release(self._replica, data, number is not None, happened)
        if number is not None and self._inbox.next_number == self._frames_announced:
            self._check_for_rollback(happened)
        if more and self._can_defer and self._batch is not None and not send and not happened:
            self._batch.mark_pause()
            return Received()
        return self._finish(send, happened)

    # --- Deferred entries ---

    @property
    def is_settled(self) -> bool:
        """True if the proofs of everything received are verified. Otherwise call `settle` before anything else."""
        return self._batch is None

    def settle(self) -> Received:
        """Verify what was deferred, because no more frames come for now. Return the frames to send and the events."""
        return self._finish([], []) if self._batch is not None else Received()

    def _finish(self, send: list[bytes], happened: list[ReceivedEvent]) -> Received:
        """Verify what was deferred, and return everything that resulted, with the frames that this participant owes."""
        self._settle_batch(send, happened)
        return Received((*send, *self._early_frames(), *self.outgoing()), tuple(happened))

    def _refuse_unsettled(self) -> None:
        """Raise `IllegalMove` if something was received whose proofs are not verified: nothing may build on it."""
        if self._batch is not None:
            raise IllegalMove("what was received last is not verified yet")

    def _defer(self, data: bytes, more: bool) -> bool:
        """Apply an entry whose proofs are verified together with the next ones. Return whether that is possible."""
        if self._batch is None:
            if self._seat is None or not more or self.silenced is not None or self.is_catching_up or self._held_back:
                return False
            self._batch = EntryBatch(self._seat)
        return self._batch.take(data)

    @property
    def _can_defer(self) -> bool:
        """Whether there are proofs to verify, and nothing to send or decide because of the entries so far."""
        seat, together = self._seat, self._batch
        if seat is None or together is None or together.size >= TOGETHER_MAX or not seat.replica.has_pending_checks:
            return False
        state = seat.replica.state
        waits = self._sent_early or self._seat_requests.wants_seat or seat.open_duties
        return not waits and state.phase is Phase.PLAYING and seat.number not in state.gone

    def _settle_batch(self, send: list[bytes], happened: list[ReceivedEvent]) -> None:
        """Verify the deferred entries. If a proof is false, apply them again one by one.

        Then the same is sent at the same places of the log as without deferring. Nothing is sent between two frames
        that arrived together: the second may be an answer to the first that this seat has already signed.
        """
        together, self._batch = self._batch, None
        if together is None:
            return
        if together.verify():
            happened += together.applied
            return
        for data, paused in together.undo():
            self._append_and_release(self.replica, data, True, happened)
            if paused:
                send += [*self._early_frames(), *self.outgoing()]

    def _check_for_rollback(self, happened: list[ReceivedEvent]) -> None:
        """Silence this participant if the table lacks frames that its store has."""
        if self._inbox.count_missing_stored and self.silenced is None:
            self.silenced = "the table lacks what this player has seen of it: it was rolled back, or is another one"
            happened.append(Silenced(self.silenced))

    @property
    def next_frame_number(self) -> int:
        """The number of the next frame of the table, if the transport numbers them."""
        return self._inbox.next_number

    @property
    def missing_frames(self) -> int:
        """How many frames the table has, as the transport said, that were not processed yet.

        Frames that came too early count until they are judged.
        """
        return max(0, self._frames_announced - (self._inbox.next_number - self._frames_queued))

    # defence: restored
    @property
    def is_catching_up(self) -> bool:
        """Whether frames are missing. Until they arrive nothing is signed.

        This store may be an old copy, and the missing frames may contain what was signed since. A transport that
        announces too many frames silences a participant this way; its driver reports that after a while.
        """
        return self.missing_frames > 0

    @property
    def key_changes(self) -> tuple[KeyChange, ...]:
        """The keys that came with rosters, in order. The first one is that of key epoch 1."""
        return () if self._replica is None else self._replica.state.chronicle.key_changes

    @property
    def key_epoch(self) -> int:
        """The key epoch of the next frame. A participant that resumes receives frames of earlier epochs again."""
        if self._replica is None:
            return 0
        height = self._replica.height - min(self._inbox.count_missing_stored, self._restored_height)
        return sum(since <= height for since in self._replica.state.chronicle.key_heights)

    def _consider_proposal(self, proposal: Proposal) -> bool | None:
        """Return whether this player accepts a proposal; raise `Declined` if they refuse it or cannot run it."""
        accepted = self._accept(proposal)
        try:
            protocol, rules, _ = self._parts(proposal)
            refuse_unfit(proposal, protocol, rules)
        except (BadParameter, Malformed) as error:
            raise Declined(str(error)) from None
        return accepted

    def _receive_in_lobby(self, frame: bytes, send: list[bytes], happened: list[ReceivedEvent]) -> None:
        """Process a frame before the session, adding to the frames to send and the events."""
        heard = self.lobby.receive(frame)
        if heard.changed:
            # Store it before answering: after a restart no other proposal may count.
            self.store.append_lobby_frame(frame)
        send.extend(heard.answers)
        happened.extend(heard.events)
        if not self.is_catching_up and any(self.is_own_dismissal(news) for news in heard.events):
            # Do not offer again automatically. The player may, and then the host is asked again.
            self._wants_to_sit = False
        if heard.changed and self.lobby.session is not None:
            try:
                self._start_session(self.lobby.session)
            except (BadParameter, Malformed) as error:
                # Only spectators get here: a player has checked the proposal before.
                self.silenced = str(error)
                happened.append(Silenced(self.silenced))

    def _start_session(self, session: Session) -> None:
        """Take a seat in a new session and store it."""
        self._load_log(session, ())
        self.store.save_session(session)

    def _load_log(self, session: Session, log: Iterable[bytes]) -> None:
        """Apply a log from its beginning, as the seat that this key has in it or as a spectator."""
        config = Config(session, *self._parts(session.proposal))
        self._replica = Replica(
            config, entropy=self._entropy, eager=False, check_runner=self._check_runner, settle_after_hand=False
        )
        number = self._own_seat_number
        if number is None:
            for data in log:
                self._replica.append(data)
            self._finish_loading(self._replica)
            number, log = self._own_seat_number, tuple(self._replica.entries)
        if number is not None:
            self._take_seat(number, log)
        self._stored_entries = self._replica.height

    @property
    def _own_seat_number(self) -> int | None:
        """The seat of this player's key from the first roster that had it, or None for spectators."""
        if self._replica is None or self.store.name is None:
            return None
        known, key = self._replica.state.all_members, self.store.identity.public
        return next((seat for seat, member in known.items() if member.key == key), None)

    def _take_seat(self, number: int, log: Iterable[bytes]) -> None:
        """Create the seat of this player and use its replica."""
        self._seat = self._create_seat(number, log)
        self._replica = self._seat.replica
        self._finish_loading(self._replica)

    def _create_seat(self, number: int, log: Iterable[bytes]) -> Seat:
        """Return the seat that signs for this participant."""
        home, config = self.store, self.replica.config
        return Seat(
            config,
            number,
            root=home.root,
            key=home.identity,
            journal=home.journal,
            entropy=self._entropy,
            log=log,
            check_runner=self._check_runner,
        )

    def _finish_loading(self, replica: Replica) -> None:
        """Settle the loaded log, and settle each further entry as it arrives."""
        # From here on verify each entry as it arrives: if players stop at a false proof, no further entry may come.
        replica.settle()
        replica.eager, replica.check_runner = True, settle_in_process

    # --- The log ---

    def _append_and_release(self, replica: Replica, data: bytes, numbered: bool, happened: list[ReceivedEvent]) -> None:
        """Apply an entry, and then those that were waiting for it."""
        self._append(replica, data, numbered, happened)
        while (released := self._held_back.pop_ready(replica)) is not None:
            self._append(replica, released, numbered, happened)

    def _append(self, replica: Replica, data: bytes, numbered: bool, happened: list[ReceivedEvent]) -> None:
        """Apply an entry, hold it back, or report a divergence or seat request."""
        try:
            applied = replica.append(data) if self._seat is None else self._seat.receive(data)
        except (EntryAhead, SawAnother) as refused:
            if not numbered:
                happened += self._held_back.hold(replica, refused.seat, data)
            elif not replica.has_seen(read_entry(data).entry.seen):
                happened += self._held_back.report_divergence(replica, refused.seat, data)
            elif self._seat is not None and data in self._seat.unconfirmed:
                self._sent_early.add(data)
        except Malformed:
            happened += self._seat_requests.receive(replica.state, data)
        except (EntryRefused, BadSignature):
            # It is not part of the log, whoever sent it.
            return
        except JournalLost as lost:
            self.silenced = str(lost)
            happened.append(Silenced(self.silenced))
        else:
            if applied.outcome is not Outcome.REPEATED:
                happened.append(applied)

    # --- Sending ---

    def resend(self, known: int | None = None) -> list[bytes]:
        """Return the frames to send on a new connection, including the first: those sent and not received back.

        `known` is how many frames the table has, if the transport can tell. Until they have arrived, nothing new is
        signed.
        """
        self._refuse_unsettled()
        if known is not None:
            if not 0 <= known <= LOG_ENTRIES_MAX:
                raise BadParameter(f"no table has {known} frames: a log has at most {LOG_ENTRIES_MAX}")
            self._frames_announced = known
            if known <= self._inbox.next_number:
                self._check_for_rollback([])
            if known < self._inbox.next_number and self.silenced is None:
                self.silenced = "the table has fewer frames than this player has heard: it was rolled back"
        if self._replica is None:
            if self.store.name is not None and self.lobby.own_offer is None and self._wants_to_sit:
                self.lobby.offer()
            return list(self.lobby.unconfirmed)
        self._seat_requests.ask_again()
        return [*(() if self._seat is None else self._seat.unconfirmed), *self.outgoing()]

    def _early_frames(self) -> list[bytes]:
        """Return this seat's frames that arrived too early, to be sent again now that those before them are there."""
        waiting = () if self._seat is None else self._seat.unconfirmed
        if not waiting or waiting[0] not in self._sent_early:
            return []
        again = [data for data in waiting if data in self._sent_early]
        self._sent_early.clear()
        return again

    def outgoing(self) -> list[bytes]:
        """Store what was received, and return the frames that this participant owes and that need no person."""
        self._refuse_unsettled()
        replica, seat = self._replica, self._seat
        if replica is None:
            return []
        replica.settle()
        for data in replica.entries[self._stored_entries :]:
            self.store.append(data)
        self._stored_entries = replica.height
        if seat is None and (number := self._own_seat_number) is not None:
            # This is a newcomer, and the roster with its key has come into force.
            self._take_seat(number, tuple(replica.entries))
            replica, seat = self.replica, self._seat
        if self.silenced is not None or self.is_catching_up:
            return []
        asking = self._seat_requests.outgoing(replica.state)
        if seat is None:
            return asking
        state = replica.state
        if state.phase is Phase.BETWEEN:
            seat.stays = self._wants_hand(state)
        elif seat.number in state.gone:
            # An absent seat may begin the next hand while this one is played without it.
            seat.stays = self._wants_hand(state.with_hand(number=state.hand.number + 1))
        seat.sits_out, seat.asks_before_disclosing = self._sits_out, self._by_person
        return [*asking, *seat.answer_duties()]

    def _wants_hand(self, state: TableState) -> bool:
        """Return whether this player wants to play the next hand, rather than sign the end of the game."""
        return not self._is_leaving and self._stay_policy(state)

    # --- Commands ---

    def command(self, command: Command) -> list[bytes]:
        """Carry out a command and return the frames to send.

        Raise `IllegalMove` if the table does not allow it now, and `BadParameter` if it makes no sense in this lobby.
        """
        match command:
            case OfferToPlay():
                return [self.lobby.offer()]
            case WithdrawOffer():
                self._wants_to_sit = False
                return [self.lobby.withdraw()]
            case DismissOffer(offer=offer):
                return [self.lobby.dismiss(offer)]
            case ProposeSession(proposal=proposal):
                return [self.lobby.propose(proposal)]
            case Consent():
                return [self.lobby.consent()]
            case DeclineProposal(reason=reason):
                return [self.lobby.decline(reason)]
            case MakeMove(move=move):
                return [self._signing_seat.move(move)]
            case AnswerQuestion(question=question, decision=decision):
                return self._answer(question, decision)
            case DisputeCard():
                return [self._dispute()]
            case DiscloseHand():
                return self._signing_seat.disclose()
            case LeaveHand():
                return [self._signing_seat.leave()]
            case LeaveTable():
                return self._leave_table()
            case EndGame() | SitOut() | ComeBack():
                return self._change_presence(command)
            case WriteNote(text=text):
                return [self._signing_seat.send_note(text)]
            case SendTick(time=time):
                return [self._signing_seat.send_tick(time)]
            case VoteSkip(seats=seats):
                return [self._signing_seat.vote_skip(seats)]
            case VoteSkipDuties(duties=duties):
                return [self._signing_seat.vote_skip_duties(duties)]
            case VoteAbort():
                return [self._signing_seat.vote_abort()]
            case RequestSeat():
                return [self._request_seat()]
            case AdmitPlayer(name=name):
                asks = find_request(self.seat_requests, name)
                return [self._propose_roster(asks.roster, asks.newcomers)]
            case RemovePlayer(name=name):
                return [self._propose_roster(roster_without(self.replica.state, name), {})]
            case ProposeRoster(roster=roster, newcomers=newcomers):
                return [self._propose_roster(roster, newcomers)]
            case AgreeToRoster(proposal=proposed):
                return [self._agree_to_roster(proposed)]

    def _answer(self, question: Question, decision: Decision) -> list[bytes]:
        """Return the frames that carry a decision. Raise `IllegalMove` if the question is no longer open."""
        seat = self._signing_seat
        if question.duty not in seat.open_duties:
            raise IllegalMove("this question is no longer open")
        if question.seal is None and question.peek is None:
            return [seat.move(decision)]
        if question.seal is None:
            seat.choose(question.duty, encode(decision))
        elif isinstance(decision, bytes):
            seat.choose(question.duty, decision)
        else:
            raise IllegalMove(f"at most {SEALED_MAX} bytes can be sealed")
        return self.outgoing()

    def _dispute(self) -> bytes:
        """Dispute the card that does not open. Raise `IllegalMove` if every card opens."""
        seat = self._signing_seat
        try:
            seat.known_cards()
        except CardUnreadable as unreadable:
            return seat.dispute(unreadable)
        raise IllegalMove("every card of this seat opens")

    def _leave_table(self) -> list[bytes]:
        """Leave the hand, and end the game for this seat. Raise `IllegalMove` before the session and for spectators."""
        self._refuse_unsettled()
        if self.seat.number not in self.replica.state.ended:
            self._is_leaving = True
        # Players who sit out have already left the hand.
        with suppress(IllegalMove):
            return [self._signing_seat.leave()]
        return self.outgoing()

    def _change_presence(self, command: EndGame | SitOut | ComeBack) -> list[bytes]:
        """Take note of whether this player plays the next hands, and return what follows from it.

        Raise `IllegalMove` before the session and for spectators.
        """
        self._refuse_unsettled()
        if self.seat.number in self.replica.state.ended:
            # Its end is in the log, and nothing changes that.
            return self.outgoing()
        if isinstance(command, EndGame):
            self._is_leaving = True
        elif isinstance(command, SitOut):
            self._sits_out = True
        else:
            self._is_leaving = self._sits_out = False
        return self.outgoing()

    def _request_seat(self) -> bytes:
        """Ask for a seat. The request is repeated when another roster comes into force."""
        self._refuse_unsettled()
        frame = self._seat_requests.request_seat(self.replica.state)
        # A player who lost their seat while sitting out, and asks for it, wants to play.
        self._sits_out = False
        return frame

    def _propose_roster(self, roster: Roster, newcomers: Mapping[int, bytes]) -> bytes:
        """Propose another roster, with the signatures of the seats that are new in it, and a new key if needed."""
        return self._signing_seat.propose_roster(roster, newcomers, self._keys.new_key(self, roster))

    def _agree_to_roster(self, proposal: bytes) -> bytes:
        """Agree to a proposed roster. Raise `IllegalMove` if this seat cannot open its key."""
        problem = self.find_key_problem(proposal)
        if problem is not None:
            raise IllegalMove(f"that table would have a key that you cannot read with: {problem}")
        return self._signing_seat.agree_to_roster(proposal)

    def find_key_problem(self, proposal: bytes) -> str | None:
        """Return why this player could not read or write under a proposed roster, or None. No one else can see that."""
        try:
            self._keys.refuse_key(self, proposal)
        except DecodeError as error:
            return str(error)
        return None

    @property
    def _signing_seat(self) -> Seat:
        """The seat, if it may sign now. Raise `IllegalMove` otherwise."""
        self._refuse_unsettled()
        if self.silenced is not None:
            raise IllegalMove(self.silenced)
        if self.is_catching_up:
            raise IllegalMove("nothing can be signed before all frames of this table have arrived")
        return self.seat

    # --- The lobby ---

    def is_own_dismissal(self, news: object) -> bool:
        """Return whether an event says that the host refused this player."""
        return isinstance(news, OfferGone) and news.dismissed and news.who.key == self.store.identity.public

    @property
    def offers(self) -> tuple[OpenOffer, ...]:
        """The open offers in the lobby."""
        return self.lobby.offers

    # --- The person ---

    def options(self) -> Options:
        """Return what the person may do now, and whether the table waits for them."""
        seat = self._seat
        if seat is None or self._batch is not None or self.is_over or self.is_catching_up:
            return Options()
        unreadable: CardUnreadable | None = None
        # Reading cards settles all checks, so it is only done if this seat owes something, or if no one does: at a free
        # table no one is ever waited for.
        if not self.replica.state.duties.blocking or any(not duty.optional for duty in seat.open_duties):
            try:
                seat.known_cards()
            except CardUnreadable as error:
                # Offer a dispute only once. The table decides its outcome.
                unreadable = None if seat.has_disputed or not seat.can_dispute(error) else error
        held_up = tuple(sorted(set(seat.blocking_duties.values())))
        return Options(
            seat.move_duty,
            seat.must_move,
            seat.pending_choices,
            unreadable,
            next(iter(seat.unprovable_duties), None),
            seat.hands_to_disclose,
            held_up,
            bool(held_up) and seat.can_vote_skip,
            bool(held_up) and seat.can_vote_abort,
        )

    def question(self) -> Question | None:
        """Return the decision that the table waits for from this person, with what they see, or None."""
        duty = self.options().required
        if duty is None:
            return None
        choice = None if duty.deck is None else find_choice(self.seat, duty)
        if isinstance(choice, Seal):
            return Question(duty, self.view(), None, choice)
        return Question(duty, self.view() if choice is None else choosing_view(self.seat, choice), choice)

    @property
    def seat_requests(self) -> tuple[SeatRequest, ...]:
        """The seat requests that could be granted with the roster in force."""
        return self._seat_requests.acceptable(self.replica.state)

    # --- State ---

    @property
    def by_person(self) -> bool:
        """True if a person decides for this participant, who is asked before a disputed hand is disclosed."""
        return self._by_person

    @property
    def keeps_time(self) -> bool:
        """True if this participant would be the timekeeper instead of a player."""
        return self._keeps_time

    @property
    def sits_out(self) -> bool:
        """True if this player sits out from the next hand on. The table does not wait for them."""
        return self._sits_out

    @property
    def seat(self) -> Seat:
        """This participant's seat. Raise `IllegalMove` before the session and for spectators."""
        if self._seat is None:
            raise IllegalMove(
                "the players have not agreed on a session yet" if self._replica is None else "a spectator has no seat"
            )
        return self._seat

    @property
    def has_seat(self) -> bool:
        """Whether this participant has a seat."""
        return self._seat is not None

    @property
    def is_in_roster(self) -> bool:
        """Whether its seat is in the roster in force. A removed player keeps their seat number and chips."""
        return self._seat is not None and self._seat.number in self.replica.state.roster.seats

    @property
    def has_session(self) -> bool:
        """Whether the players have agreed on a session."""
        return self._replica is not None

    @property
    def replica(self) -> Replica:
        """The table. Raise `IllegalMove` before the session."""
        if self._replica is None:
            raise IllegalMove(self.silenced or "the players have not agreed on a session yet")
        return self._replica

    @property
    def blocking_duties(self) -> dict[bytes, int]:
        """The duties of others that the table waits for, with their seats. For spectators, those of all seats."""
        if self._seat is not None:
            return self._seat.blocking_duties
        return {} if self._replica is None else self._replica.state.duties.blocking

    @property
    def is_over(self) -> bool:
        """Whether this participant will send nothing more: the session has ended, or it is silenced or expelled."""
        if self.silenced is not None:
            return True
        if self._replica is None:
            return False
        state = self._replica.state
        return self.has_ended or (self._seat is not None and self._seat.number in state.expelled)

    @property
    def has_ended(self) -> bool:
        """Whether the session has ended with all required signatures."""
        return self._replica is not None and self._replica.state.phase is Phase.ENDED

    def view(self) -> View:
        """Return what the person sees. Raise `CardUnreadable` if a card does not open."""
        self._refuse_unsettled()
        return view_of(self.seat)

    @property
    def session(self) -> Session:
        """The agreed session. Everything is bound to its `id`."""
        return self.replica.config.session

    @property
    def members(self) -> tuple[Member, ...]:
        """The members of the roster in force, with their keys."""
        return self.replica.state.roster.members

    @property
    def session_words(self) -> tuple[str, ...]:
        """Three words that are the same for everyone at this table, and at no other."""
        return session_words(self.session.id)

    def key_words_of(self, seat: int) -> tuple[str, ...]:
        """Return the six words for a seat's key."""
        return key_words(self.replica.state.roster.member(seat).key)
