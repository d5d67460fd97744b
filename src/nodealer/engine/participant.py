"""One who takes part at a table: player, spectator or any other role, for every game and protocol.

Frames come in by `receive`, in the order of the table; frames to send come out, and what happened. No socket, no clock
and no randomness of its own: whatever drives it brings these. Nothing that others send makes it raise. What it must not
forget is in its home before it speaks, so that one that was killed goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from nodealer.cards.operations import SEALED_MAX, Seal
from nodealer.engine.bodies import NewKey
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
from nodealer.protocols.base import Duty
from nodealer.wire import LOG_ENTRIES_MAX, encode
from nodealer.wordlist import key_words, session_words

#: How many entries are looked at together at most: a liar among them is not named later than that.
TOGETHER_MAX: Final = 64

#: Whether to begin the next hand. Asked between hands.
StayPolicy = Callable[[TableState], bool]


class Participant:
    """Somebody at a table, from the lobby to the end."""

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
    ) -> None:
        """Come to a table, or come back to it, with what is in the home. `begin` settles the checks of its log.

        `keeps_time`: to be its timekeeper, and no player.

        Raises `LogRolledBack` or `JournalLost` for a home whose parts do not belong together, and `BadParameter` for
        one whose game is not here.
        """
        if store.name is not None:
            refuse_bad_name(store.name, "the name")
        self.store = store
        #: The mark of the key that opened this table, if it is known.
        self.host = host
        #: Whether to begin the next hand; may be changed at any time.
        self.stay_policy = stay_policy
        #: Whether to sit out from the next hand on: nobody waits for this player, and it keeps its number and chips.
        self.sits_out = False
        self._seat_requests = SeatRequests(table, store)
        #: Whether a person is asked before a dispute opens a book; may be changed at any time.
        self.asks_before_disclosing = False
        #: Raises `DecodeError` for a proposed roster with a key that this participant could not read with: whoever has
        #: the keys sets this.
        self.refuse_key: Callable[[bytes], None] = lambda proposal: None
        #: The key that comes with a roster that this participant proposes, where frames are sealed and it needs one.
        self.new_key: Callable[[Roster], NewKey | None] = lambda roster: None
        #: Why this participant signs nothing any more, where that is so.
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
        #: How many entries of the log the home has.
        self._stored_entries = 0
        #: The frames of the table, where they are numbered, and how many of them are there to be heard.
        self._inbox = FrameInbox()
        self._frames_announced = 0
        #: How many of those that came wait behind the one that is judged now.
        self._frames_queued = 0
        #: Entries of this seat that came before those they follow.
        self._sent_early: set[bytes] = set()
        self._held_back = HoldBackQueue()
        #: Whether more frames may come at once: then what needs no answer is looked at with them. Whoever drives this
        #: participant says so, and says when there are no more (`rest`).
        self.more_coming = False
        self._batch: EntryBatch | None = None
        #: What came of looking at it because somebody asked: for the next step.
        self._pending_frames: list[bytes] = []
        self._pending_events: list[ReceivedEvent] = []
        for frame in store.lobby:
            self.lobby.receive(frame)
        if store.session is not None:
            self._load_log(store.session, store.entries)
        elif self.lobby.session is not None:
            self._start_session(self.lobby.session)
        self._check_runner = settle_in_process
        self._restored_height = 0 if self._replica is None else self._replica.height
        self._inbox.skip_stored([*store.lobby, *(() if self._replica is None else self._replica.entries)])

    # --- In ---

    def receive(self, frame: bytes, number: int | None = None) -> Received:
        """A frame of the table. Raises only what is wrong with this participant's own home.

        `number` says which frame of the table it is, from 0: then frames may come repeated or too soon, each is judged
        where it stands, and one that saw another log is known to have seen another one. Who comes back with a home
        hears them from 0 again. Without numbers, what does not fit may still be explained by what comes.
        """
        send, happened = self._take_pending()
        ready = [frame] if number is None else self._inbox.take(frame, number)
        for place, data in enumerate(ready, 1):
            self._frames_queued = len(ready) - place
            if self._replica is None:
                self._receive_in_lobby(data, send, happened)
            elif number is None or not self._defer(data):
                self._settle_batch(send, happened)
                self._append_and_release(self._replica, data, number is not None, happened)
        if number is not None and self._inbox.next_number == self._frames_announced:
            self._check_for_rollback(happened)
        if self.more_coming and self._can_defer and self._batch is not None:
            self._batch.mark_pause()
            return Received(tuple(send), tuple(happened))
        self._settle_batch(send, happened)
        return Received((*send, *self._early_frames(), *self.outgoing()), tuple(happened))

    # --- What comes in together ---

    @property
    def has_deferred(self) -> bool:
        """Whether there is something for `rest` to say: proofs that wait to be looked at, for one."""
        return self._batch is not None or bool(self._pending_frames) or bool(self._pending_events)

    def settle(self) -> Received:
        """Nothing more comes for now: look at what was put off."""
        self._settle_before_reading()
        send, happened = self._take_pending()
        return Received(tuple(send), tuple(happened))

    def _settle_before_reading(self) -> None:
        """Whoever asks something of this participant is answered on a log that was looked at."""
        if self._batch is not None:
            self._settle_batch(self._pending_frames, self._pending_events)
            self._pending_frames += [*self._early_frames(), *self.outgoing()]

    def _take_pending(self) -> tuple[list[bytes], list[ReceivedEvent]]:
        send, happened = self._pending_frames, self._pending_events
        self._pending_frames, self._pending_events = [], []
        return send, happened

    def _defer(self, data: bytes) -> bool:
        """Take an entry whose proofs are looked at with those of the next ones. Whether that can be."""
        if self._batch is None:
            if (
                self._seat is None
                or not self.more_coming
                or self.silenced is not None
                or self.is_catching_up
                or self._held_back
            ):
                return False
            self._batch = EntryBatch(self._seat)
        return self._batch.take(data)

    @property
    def _can_defer(self) -> bool:
        """Whether there are proofs to look at, and nothing to say or to decide, on what was taken."""
        seat, together = self._seat, self._batch
        if seat is None or together is None or together.size >= TOGETHER_MAX or not seat.replica.has_pending_checks:
            return False
        state = seat.replica.state
        waits = self._sent_early or self._seat_requests.wants_seat or seat.open_duties
        return not waits and state.phase is Phase.PLAYING and seat.number not in state.gone

    def _settle_batch(self, send: list[bytes], happened: list[ReceivedEvent]) -> None:
        """What was put off. Where a proof is false, all of it is taken again, one by one: then the same is said at the
        same places of the log as if it had never been put off. Not between two that came at once: the second may be an
        answer to the first that this seat has signed before."""
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
        """All is heard that was there to be heard."""
        if self._inbox.count_missing_stored and self.silenced is None:
            self.silenced = "the table lacks what this player has seen of it: it was rolled back, or is another one"
            happened.append(Silenced(self.silenced))

    @property
    def next_frame_number(self) -> int:
        """The number of the next frame of the table, where the transport numbers them."""
        return self._inbox.next_number

    @property
    def missing_frames(self) -> int:
        """How many frames the table has, as the transport said, that have not been heard. Those that came too soon, and
        are judged one after the other now, are heard when they are judged."""
        return max(0, self._frames_announced - (self._inbox.next_number - self._frames_queued))

    # defence: restored
    @property
    def is_catching_up(self) -> bool:
        """Whether there is more to be heard than has been. So long nothing is signed: it may have been signed before,
        by somebody whose home this one is an old copy of. A transport that says too much silences a participant this
        way: whoever drives it says so after a while."""
        return self.missing_frames > 0

    @property
    def key_changes(self) -> tuple[KeyChange, ...]:
        """The keys that have come with rosters, in their order: the first one is that of key epoch 1."""
        return () if self._replica is None else self._replica.state.chronicle.key_changes

    @property
    def key_epoch(self) -> int:
        """The key epoch of the next frame that is heard. Who comes back hears frames of earlier epochs again."""
        if self._replica is None:
            return 0
        height = self._replica.height - min(self._inbox.count_missing_stored, self._restored_height)
        return sum(since <= height for since in self._replica.state.chronicle.key_heights)

    def _consider_proposal(self, proposal: Proposal) -> bool | None:
        """What this player agrees to: what it wants, and can run."""
        accepted = self._accept(proposal)
        try:
            protocol, rules, _ = self._parts(proposal)
            refuse_unfit(proposal, protocol, rules)
        except (BadParameter, Malformed) as error:
            raise Declined(str(error)) from None
        return accepted

    def _receive_in_lobby(self, frame: bytes, send: list[bytes], happened: list[ReceivedEvent]) -> None:
        heard = self.lobby.receive(frame)
        if heard.changed:
            # On the disk before it is answered: after a restart another proposal must not count.
            self.store.append_lobby_frame(frame)
        send.extend(heard.answers)
        happened.extend(heard.events)
        if not self.is_catching_up and any(self.is_own_dismissal(news) for news in heard.events):
            # Not by itself: who was sent away may come again, and the host is asked again.
            self._wants_to_sit = False
        if heard.changed and self.lobby.session is not None:
            try:
                self._start_session(self.lobby.session)
            except (BadParameter, Malformed) as error:
                # Only who watches comes here: a player has looked at the proposal.
                self.silenced = str(error)
                happened.append(Silenced(self.silenced))

    def _start_session(self, session: Session) -> None:
        self._load_log(session, ())
        self.store.save_session(session)

    def _load_log(self, session: Session, log: Iterable[bytes]) -> None:
        """Take the log from its beginning, as the seat that this key has in it, or as somebody who watches."""
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
        """The seat of this key, for one who has come to play: from the first roster on that it was in."""
        if self._replica is None or self.store.name is None:
            return None
        known, key = self._replica.state.all_members, self.store.identity.public
        return next((seat for seat, member in known.items() if member.key == key), None)

    def _take_seat(self, number: int, log: Iterable[bytes]) -> None:
        self._seat = self._create_seat(number, log)
        self._replica = self._seat.replica
        self._finish_loading(self._replica)

    def _create_seat(self, number: int, log: Iterable[bytes]) -> Seat:
        """Who signs for this participant."""
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
        # From here on each entry is judged as it comes: when players stop at a false proof, no further one may come.
        replica.settle()
        replica.eager, replica.check_runner = True, settle_in_process

    # --- The log ---

    def _append_and_release(self, replica: Replica, data: bytes, numbered: bool, happened: list[ReceivedEvent]) -> None:
        """An entry, and then those that were waiting for it."""
        self._append(replica, data, numbered, happened)
        while (released := self._held_back.pop_ready(replica)) is not None:
            self._append(replica, released, numbered, happened)

    def _append(self, replica: Replica, data: bytes, numbered: bool, happened: list[ReceivedEvent]) -> None:
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
            # Not part of the log, whoever sent it.
            return
        except JournalLost as lost:
            self.silenced = str(lost)
            happened.append(Silenced(self.silenced))
        else:
            if applied.outcome is not Outcome.REPEATED:
                happened.append(applied)

    # --- Out ---

    def resend(self, known: int | None = None) -> list[bytes]:
        """What to send when a connection is new, the first one too: what was said and has not come back.

        `known` is how many frames the table has, where the transport can tell. Until they have come, nothing is signed
        that was not signed before.
        """
        self._settle_before_reading()
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
        """What this seat said too early, once more, now that what it follows is there."""
        waiting = () if self._seat is None else self._seat.unconfirmed
        if not waiting or waiting[0] not in self._sent_early:
            return []
        again = [data for data in waiting if data in self._sent_early]
        self._sent_early.clear()
        return again

    def outgoing(self) -> list[bytes]:
        """What this participant owes and needs no person for. First, what it has seen is kept."""
        replica, seat = self._replica, self._seat
        if replica is None:
            return []
        replica.settle()
        for data in replica.entries[self._stored_entries :]:
            self.store.append(data)
        self._stored_entries = replica.height
        if seat is None and (number := self._own_seat_number) is not None:
            # A newcomer: the roster with its key has come into force.
            self._take_seat(number, tuple(replica.entries))
            replica, seat = self.replica, self._seat
        if self.silenced is not None or self.is_catching_up:
            return []
        asking = self._seat_requests.outgoing(replica.state)
        if seat is None:
            return asking
        state = replica.state
        if state.phase is Phase.BETWEEN:
            seat.stays = self.stay_policy(state)
        elif seat.number in state.gone:
            # It may begin the next hand while this one is played without it.
            seat.stays = self.stay_policy(state.with_hand(number=state.hand.number + 1))
        seat.sits_out, seat.asks_before_disclosing = self.sits_out, self.asks_before_disclosing
        return [*asking, *seat.answer_duties()]

    # --- The lobby ---

    def propose(self, proposal: Proposal) -> list[bytes]:
        """Ask those who have come to play this."""
        return [self.lobby.propose(proposal)]

    def withdraw(self) -> list[bytes]:
        """Do not want to play after all."""
        self._wants_to_sit = False
        return [self.lobby.withdraw()]

    def dismiss(self, offered: OpenOffer) -> list[bytes]:
        """Do not let somebody sit: what a host says."""
        return [self.lobby.dismiss(offered)]

    def is_own_dismissal(self, news: object) -> bool:
        """Whether this says that the host does not let this player sit."""
        return isinstance(news, OfferGone) and news.dismissed and news.who.key == self.store.identity.public

    def consent(self) -> list[bytes]:
        """Agree to what is proposed, where `accept` has left that to a person."""
        return [self.lobby.consent()]

    def decline(self, reason: str) -> list[bytes]:
        """Do not agree to what is proposed."""
        return [self.lobby.decline(reason)]

    @property
    def offers(self) -> tuple[OpenOffer, ...]:
        """Who has come."""
        return self.lobby.offers

    # --- The person ---

    def options(self) -> Options:
        """Whether the person is asked something, and what may be done. The one answer to whose turn it is."""
        self._settle_before_reading()
        seat = self._seat
        if seat is None or self.is_over or self.is_catching_up:
            return Options()
        unreadable: CardUnreadable | None = None
        # To look at cards settles what was not checked yet, so it is done when something is owed here, or nowhere: at a
        # table without rules nobody is ever waited for.
        if not self.replica.state.duties.blocking or any(not duty.optional for duty in seat.open_duties):
            try:
                seat.known_cards()
            except CardUnreadable as error:
                # Once: what comes of it is for the table to say.
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

    def move(self, move: object) -> list[bytes]:
        """Make a move in the game. Raises `IllegalMove` when it is not this seat's turn or the rules forbid it."""
        return [self._signing_seat.move(move)]

    def choose(self, duty: Duty, choice: bytes) -> list[bytes]:
        """Settle a private choice about cards."""
        self._signing_seat.choose(duty, choice)
        return self.outgoing()

    def question(self) -> Question | None:
        """What the table waits for from this person, with what the person sees."""
        duty = self.options().required
        if duty is None:
            return None
        choice = None if duty.deck is None else find_choice(self.seat, duty)
        if isinstance(choice, Seal):
            return Question(duty, self.view(), None, choice)
        return Question(duty, self.view() if choice is None else choosing_view(self.seat, choice), choice)

    def answer(self, question: Question, decision: Decision) -> list[bytes]:
        """Say what was decided. Raises `IllegalMove`, also for what is not asked any more."""
        if question.duty not in self._signing_seat.open_duties:
            raise IllegalMove("that is not asked any more")
        if question.seal is not None:
            if not isinstance(decision, bytes):
                raise IllegalMove(f"what is sealed is at most {SEALED_MAX} bytes")
            return self.choose(question.duty, decision)
        if question.peek is None:
            return self.move(decision)
        return self.choose(question.duty, encode(decision))

    def dispute(self) -> list[bytes]:
        """Dispute the card that does not open."""
        seat = self._signing_seat
        try:
            seat.known_cards()
        except CardUnreadable as unreadable:
            return [seat.dispute(unreadable)]
        raise IllegalMove("every card of this seat opens")

    def disclose(self) -> list[bytes]:
        """Open the books that a dispute asks for, where a person is asked."""
        return self._signing_seat.disclose()

    def leave(self) -> list[bytes]:
        """Leave the hand, or between hands sit out."""
        return [self._signing_seat.leave()]

    def sit_out(self) -> list[bytes]:
        """Play this hand to its end, and not the next ones: nobody waits for this seat until it comes back."""
        self.sits_out = True
        return self.outgoing()

    def come_back(self) -> list[bytes]:
        """Play again, from the next hand on, with the same number and chips."""
        self.sits_out = False
        return self.outgoing()

    def send_note(self, text: str) -> list[bytes]:
        """Say something that the log keeps and that changes nothing."""
        return [self._signing_seat.send_note(text)]

    def vote_skip(self, seats: Iterable[int]) -> list[bytes]:
        """Say that the table should not wait for what these seats owe now."""
        return [self._signing_seat.vote_skip(seats)]

    def vote_skip_duties(self, duties: Iterable[bytes]) -> list[bytes]:
        """Say that the table should not wait for these duties of others."""
        return [self._signing_seat.vote_skip_duties(duties)]

    def send_tick(self, time: int) -> list[bytes]:
        """Say what time it is, as the timekeeper."""
        return [self._signing_seat.send_tick(time)]

    def vote_abort(self) -> list[bytes]:
        """Say that the hand should be broken off, because another seat does not do what it owes."""
        return [self._signing_seat.vote_abort()]

    def propose_roster(self, roster: Roster, newcomers: Mapping[int, bytes] | None = None) -> list[bytes]:
        """Propose another roster, with the signature of each seat that is new in it, and a new key if it needs one."""
        return [self._signing_seat.propose_roster(roster, newcomers, self.new_key(roster))]

    def request_seat(self) -> list[bytes]:
        """Ask for a seat at a table that plays: a new one, or the one that a roster has left out. Raises `IllegalMove`
        where there is none to be had. Asked again by itself, when another roster comes into force."""
        said = [self._seat_requests.request_seat(self.replica.state)]
        # Who sat out until it lost its seat, and asks for it, wants to play.
        self.sits_out = False
        return said

    @property
    def seat_requests(self) -> tuple[SeatRequest, ...]:
        """Those who would like to sit, and could in the roster that is in force."""
        return self._seat_requests.acceptable(self.replica.state)

    def admit(self, name: str) -> list[bytes]:
        """Propose the roster that somebody who asks for a seat would have."""
        asks = find_request(self.seat_requests, name)
        return self.propose_roster(asks.roster, asks.newcomers)

    def propose_removal(self, name: str) -> list[bytes]:
        """Propose the roster without somebody who is gone, or has ended: it loses its place."""
        return self.propose_roster(roster_without(self.replica.state, name))

    def agree_to_roster(self, proposal: bytes) -> list[bytes]:
        """Agree to a proposed roster. Raises `IllegalMove`, also for one whose key this seat cannot open."""
        try:
            self.refuse_key(proposal)
        except DecodeError as error:
            raise IllegalMove(f"that table would have a key that you cannot read with: {error}") from None
        return [self._signing_seat.agree_to_roster(proposal)]

    @property
    def _signing_seat(self) -> Seat:
        if self.silenced is not None:
            raise IllegalMove(self.silenced)
        if self.is_catching_up:
            raise IllegalMove("there is more to be heard of this table before anything is signed")
        return self.seat

    # --- What there is to see ---

    @property
    def seat(self) -> Seat:
        """The seat, once the players have agreed and this participant is one of them."""
        self._settle_before_reading()
        if self._seat is None:
            raise IllegalMove(
                "the players have not agreed on a session yet" if self._replica is None else "who watches has no seat"
            )
        return self._seat

    @property
    def has_seat(self) -> bool:
        """Whether this participant has a seat."""
        return self._seat is not None

    @property
    def is_in_roster(self) -> bool:
        """Whether it has one in the roster in force: who was taken out of it still has its number, and its chips."""
        return self._seat is not None and self._seat.number in self.replica.state.roster.seats

    @property
    def has_session(self) -> bool:
        """Whether the players have agreed on a session."""
        return self._replica is not None

    @property
    def replica(self) -> Replica:
        """The table, once the players have agreed."""
        self._settle_before_reading()
        if self._replica is None:
            raise IllegalMove(self.silenced or "the players have not agreed on a session yet")
        return self._replica

    @property
    def blocking_duties(self) -> dict[bytes, int]:
        """The duties of others that hold the table up, with their seats. Who watches waits for everybody."""
        self._settle_before_reading()
        if self._seat is not None:
            return self._seat.blocking_duties
        return {} if self._replica is None else self._replica.state.duties.blocking

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes from this participant: all have signed the end, or it has no word any more."""
        self._settle_before_reading()
        if self.silenced is not None:
            return True
        if self._replica is None:
            return False
        state = self._replica.state
        return self.has_ended or (self._seat is not None and self._seat.number in state.expelled)

    @property
    def has_ended(self) -> bool:
        """Whether the session has ended, as all have signed who should."""
        self._settle_before_reading()
        return self._replica is not None and self._replica.state.phase is Phase.ENDED

    def view(self) -> View:
        """What the person sees. Raises `CardUnreadable` where a card does not open."""
        return view_of(self.seat)

    @property
    def session(self) -> Session:
        """What was agreed; `id` is the number that everything binds."""
        return self.replica.config.session

    @property
    def members(self) -> tuple[Member, ...]:
        """Who sits at the table, with their keys."""
        return self.replica.state.roster.members

    @property
    def session_words(self) -> tuple[str, ...]:
        """Three words that are the same for everybody at this table, and at no other."""
        return session_words(self.session.id)

    def key_words_of(self, seat: int) -> tuple[str, ...]:
        """Six words of a seat's key."""
        return key_words(self.replica.state.roster.member(seat).key)
