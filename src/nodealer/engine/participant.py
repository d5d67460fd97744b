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
from nodealer.engine.lobby_messages import Asks, Offered, Went
from nodealer.engine.phases import Phase
from nodealer.engine.prompts import Decision, Options, Question
from nodealer.engine.replica import CheckRunner, Outcome, Replica, settle_in_process
from nodealer.engine.resolve import Parts, parts_of
from nodealer.engine.seat import Seat
from nodealer.engine.seat_requests import SeatRequests, asked_by, roster_without
from nodealer.engine.state import Config, KeyChange, TableState, refuse_unfit
from nodealer.engine.store import PlayerStore
from nodealer.engine.view import choice_of, choosing_view, view_of
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
        home: PlayerStore,
        *,
        entropy: Entropy,
        accept: Accept = decline_rehearsals,
        stays: StayPolicy = lambda state: True,
        table: str = "",
        host: bytes | None = None,
        parts: Callable[[Proposal], Parts] = parts_of,
        begin: CheckRunner = settle_in_process,
        keeps_time: bool = False,
    ) -> None:
        """Come to a table, or come back to it, with what is in the home. `begin` settles the checks of its log.

        `keeps_time`: to be its timekeeper, and no player.

        Raises `LogRolledBack` or `JournalLost` for a home whose parts do not belong together, and `BadParameter` for
        one whose game is not here.
        """
        if home.name is not None:
            refuse_bad_name(home.name, "the name")
        self.home = home
        #: The mark of the key that opened this table, if it is known.
        self.host = host
        #: Whether to begin the next hand; may be changed at any time.
        self.stays = stays
        #: Whether to sit out from the next hand on: nobody waits for this player, and it keeps its number and chips.
        self.sits_out = False
        self._door = SeatRequests(table, home)
        #: Whether a person is asked before a dispute opens a book; may be changed at any time.
        self.asks_for_books = False
        #: Raises `DecodeError` for a proposed roster with a key that this participant could not read with: whoever has
        #: the keys sets this.
        self.refuse_key: Callable[[bytes], None] = lambda proposal: None
        #: The key that comes with a roster that this participant proposes, where frames are sealed and it needs one.
        self.new_key: Callable[[Roster], NewKey | None] = lambda roster: None
        #: Why this participant signs nothing any more, where that is so.
        self.silenced: str | None = None
        self.lobby = Lobby(
            table=table,
            identity=home.identity,
            root=home.root,
            name=home.name,
            accept=self._looks_at,
            host=host,
            keeps_time=keeps_time,
        )
        self._accept = accept
        self._wants_to_sit = True
        self._entropy = entropy
        self._parts = parts
        self._begin_checks = begin
        self._seat: Seat | None = None
        self._replica: Replica | None = None
        #: How many entries of the log the home has.
        self._kept = 0
        #: The frames of the table, where they are numbered, and how many of them are there to be heard.
        self._order = FrameInbox()
        self._known = 0
        #: How many of those that came wait behind the one that is judged now.
        self._behind = 0
        #: Entries of this seat that came before those they follow.
        self._early: set[bytes] = set()
        self._waiting = HoldBackQueue()
        #: Whether more frames may come at once: then what needs no answer is looked at with them. Whoever drives this
        #: participant says so, and says when there are no more (`rest`).
        self.more = False
        self._together: EntryBatch | None = None
        #: What came of looking at it because somebody asked: for the next step.
        self._unsaid: list[bytes] = []
        self._untold: list[ReceivedEvent] = []
        for frame in home.lobby:
            self.lobby.receive(frame)
        if home.session is not None:
            self._sit(home.session, home.entries)
        elif self.lobby.session is not None:
            self._begin(self.lobby.session)
        self._begin_checks = settle_in_process
        self._came_with = 0 if self._replica is None else self._replica.height
        self._order.came_back([*home.lobby, *(() if self._replica is None else self._replica.entries)])

    # --- In ---

    def receive(self, frame: bytes, number: int | None = None) -> Received:
        """A frame of the table. Raises only what is wrong with this participant's own home.

        `number` says which frame of the table it is, from 0: then frames may come repeated or too soon, each is judged
        where it stands, and one that saw another log is known to have seen another one. Who comes back with a home
        hears them from 0 again. Without numbers, what does not fit may still be explained by what comes.
        """
        send, happened = self._left_over()
        ready = [frame] if number is None else self._order.take(frame, number)
        for place, data in enumerate(ready, 1):
            self._behind = len(ready) - place
            if self._replica is None:
                self._greet(data, send, happened)
            elif number is None or not self._put_off(data):
                self._look_at_all(send, happened)
                self._enter(self._replica, data, number is not None, happened)
        if number is not None and self._order.taken == self._known:
            self._notice_rollback(happened)
        if self.more and self._rests and self._together is not None:
            self._together.pause()
            return Received(tuple(send), tuple(happened))
        self._look_at_all(send, happened)
        return Received((*send, *self._late(), *self.due()), tuple(happened))

    # --- What comes in together ---

    @property
    def puts_off(self) -> bool:
        """Whether there is something for `rest` to say: proofs that wait to be looked at, for one."""
        return self._together is not None or bool(self._unsaid) or bool(self._untold)

    def rest(self) -> Received:
        """Nothing more comes for now: look at what was put off."""
        self._look()
        send, happened = self._left_over()
        return Received(tuple(send), tuple(happened))

    def _look(self) -> None:
        """Whoever asks something of this participant is answered on a log that was looked at."""
        if self._together is not None:
            self._look_at_all(self._unsaid, self._untold)
            self._unsaid += [*self._late(), *self.due()]

    def _left_over(self) -> tuple[list[bytes], list[ReceivedEvent]]:
        send, happened = self._unsaid, self._untold
        self._unsaid, self._untold = [], []
        return send, happened

    def _put_off(self, data: bytes) -> bool:
        """Take an entry whose proofs are looked at with those of the next ones. Whether that can be."""
        if self._together is None:
            if self._seat is None or not self.more or self.silenced is not None or self.hearing or self._waiting:
                return False
            self._together = EntryBatch(self._seat)
        return self._together.take(data)

    @property
    def _rests(self) -> bool:
        """Whether there are proofs to look at, and nothing to say or to decide, on what was taken."""
        seat, together = self._seat, self._together
        if seat is None or together is None or together.size >= TOGETHER_MAX or not seat.replica.has_pending_checks:
            return False
        state = seat.replica.state
        waits = self._early or self._door.wants or seat.open_duties
        return not waits and state.phase is Phase.PLAYING and seat.number not in state.gone

    def _look_at_all(self, send: list[bytes], happened: list[ReceivedEvent]) -> None:
        """What was put off. Where a proof is false, all of it is taken again, one by one: then the same is said at the
        same places of the log as if it had never been put off. Not between two that came at once: the second may be an
        answer to the first that this seat has signed before."""
        together, self._together = self._together, None
        if together is None:
            return
        if together.hold():
            happened += together.applied
            return
        for data, paused in together.undo():
            self._enter(self.replica, data, True, happened)
            if paused:
                send += [*self._late(), *self.due()]

    def _notice_rollback(self, happened: list[ReceivedEvent]) -> None:
        """All is heard that was there to be heard."""
        if self._order.lacking and self.silenced is None:
            self.silenced = "the table lacks what this player has seen of it: it was rolled back, or is another one"
            happened.append(Silenced(self.silenced))

    @property
    def expects(self) -> int:
        """The number of the next frame of the table, where the transport numbers them."""
        return self._order.taken

    @property
    def missing(self) -> int:
        """How many frames the table has, as the transport said, that have not been heard. Those that came too soon, and
        are judged one after the other now, are heard when they are judged."""
        return max(0, self._known - (self._order.taken - self._behind))

    # defence: restored
    @property
    def hearing(self) -> bool:
        """Whether there is more to be heard than has been. So long nothing is signed: it may have been signed before,
        by somebody whose home this one is an old copy of. A transport that says too much silences a participant this
        way: whoever drives it says so after a while."""
        return self.missing > 0

    @property
    def keys(self) -> tuple[KeyChange, ...]:
        """The keys that have come with rosters, in their order: the first one is that of key epoch 1."""
        return () if self._replica is None else self._replica.state.chronicle.key_changes

    @property
    def epoch(self) -> int:
        """The key epoch of the next frame that is heard. Who comes back hears frames of earlier epochs again."""
        if self._replica is None:
            return 0
        height = self._replica.height - min(self._order.lacking, self._came_with)
        return sum(since <= height for since in self._replica.state.chronicle.key_heights)

    def _looks_at(self, proposal: Proposal) -> bool | None:
        """What this player agrees to: what it wants, and can run."""
        accepted = self._accept(proposal)
        try:
            protocol, rules, _ = self._parts(proposal)
            refuse_unfit(proposal, protocol, rules)
        except (BadParameter, Malformed) as error:
            raise Declined(str(error)) from None
        return accepted

    def _greet(self, frame: bytes, send: list[bytes], happened: list[ReceivedEvent]) -> None:
        heard = self.lobby.receive(frame)
        if heard.kept:
            # On the disk before it is answered: after a restart another proposal must not count.
            self.home.heard(frame)
        send.extend(heard.answers)
        happened.extend(heard.news)
        if not self.hearing and any(self.is_sent_away(news) for news in heard.news):
            # Not by itself: who was sent away may come again, and the host is asked again.
            self._wants_to_sit = False
        if heard.kept and self.lobby.session is not None:
            try:
                self._begin(self.lobby.session)
            except (BadParameter, Malformed) as error:
                # Only who watches comes here: a player has looked at the proposal.
                self.silenced = str(error)
                happened.append(Silenced(self.silenced))

    def _begin(self, session: Session) -> None:
        self._sit(session, ())
        self.home.begin(session)

    def _sit(self, session: Session, log: Iterable[bytes]) -> None:
        """Take the log from its beginning, as the seat that this key has in it, or as somebody who watches."""
        config = Config(session, *self._parts(session.proposal))
        self._replica = Replica(
            config, entropy=self._entropy, eager=False, check_runner=self._begin_checks, settle_after_hand=False
        )
        number = self._mine
        if number is None:
            for data in log:
                self._replica.append(data)
            self._settle(self._replica)
            number, log = self._mine, tuple(self._replica.entries)
        if number is not None:
            self._be_seated(number, log)
        self._kept = self._replica.height

    @property
    def _mine(self) -> int | None:
        """The seat of this key, for one who has come to play: from the first roster on that it was in."""
        if self._replica is None or self.home.name is None:
            return None
        known, key = self._replica.state.all_members, self.home.identity.public
        return next((seat for seat, member in known.items() if member.key == key), None)

    def _be_seated(self, number: int, log: Iterable[bytes]) -> None:
        self._seat = self._new_seat(number, log)
        self._replica = self._seat.replica
        self._settle(self._replica)

    def _new_seat(self, number: int, log: Iterable[bytes]) -> Seat:
        """Who signs for this participant."""
        home, config = self.home, self.replica.config
        return Seat(
            config,
            number,
            root=home.root,
            key=home.identity,
            journal=home.journal,
            entropy=self._entropy,
            log=log,
            begin=self._begin_checks,
        )

    def _settle(self, replica: Replica) -> None:
        # From here on each entry is judged as it comes: when players stop at a false proof, no further one may come.
        replica.settle()
        replica.eager, replica.check_runner = True, settle_in_process

    # --- The log ---

    def _enter(self, replica: Replica, data: bytes, numbered: bool, happened: list[ReceivedEvent]) -> None:
        """An entry, and then those that were waiting for it."""
        self._take(replica, data, numbered, happened)
        while (released := self._waiting.released(replica)) is not None:
            self._take(replica, released, numbered, happened)

    def _take(self, replica: Replica, data: bytes, numbered: bool, happened: list[ReceivedEvent]) -> None:
        try:
            applied = replica.append(data) if self._seat is None else self._seat.receive(data)
        except (EntryAhead, SawAnother) as refused:
            if not numbered:
                happened += self._waiting.hold(replica, refused.seat, data)
            elif not replica.has_seen(read_entry(data).entry.seen):
                happened += self._waiting.part(replica, refused.seat, data)
            elif self._seat is not None and data in self._seat.unconfirmed:
                self._early.add(data)
        except Malformed:
            happened += self._door.hear(replica.state, data)
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
        self._look()
        if known is not None:
            if not 0 <= known <= LOG_ENTRIES_MAX:
                raise BadParameter(f"no table has {known} frames: a log has at most {LOG_ENTRIES_MAX}")
            self._known = known
            if known <= self._order.taken:
                self._notice_rollback([])
            if known < self._order.taken and self.silenced is None:
                self.silenced = "the table has fewer frames than this player has heard: it was rolled back"
        if self._replica is None:
            if self.home.name is not None and self.lobby.mine is None and self._wants_to_sit:
                self.lobby.offer()
            return list(self.lobby.unconfirmed)
        self._door.forget()
        return [*(() if self._seat is None else self._seat.unconfirmed), *self.due()]

    def _late(self) -> list[bytes]:
        """What this seat said too early, once more, now that what it follows is there."""
        waiting = () if self._seat is None else self._seat.unconfirmed
        if not waiting or waiting[0] not in self._early:
            return []
        again = [data for data in waiting if data in self._early]
        self._early.clear()
        return again

    def due(self) -> list[bytes]:
        """What this participant owes and needs no person for. First, what it has seen is kept."""
        replica, seat = self._replica, self._seat
        if replica is None:
            return []
        replica.settle()
        for data in replica.entries[self._kept :]:
            self.home.append(data)
        self._kept = replica.height
        if seat is None and (number := self._mine) is not None:
            # A newcomer: the roster with its key has come into force.
            self._be_seated(number, tuple(replica.entries))
            replica, seat = self.replica, self._seat
        if self.silenced is not None or self.hearing:
            return []
        asking = self._door.due(replica.state)
        if seat is None:
            return asking
        state = replica.state
        if state.phase is Phase.BETWEEN:
            seat.stays = self.stays(state)
        elif seat.number in state.gone:
            # It may begin the next hand while this one is played without it.
            seat.stays = self.stays(state.with_hand(number=state.hand.number + 1))
        seat.sits_out, seat.asks_for_books = self.sits_out, self.asks_for_books
        return [*asking, *seat.due()]

    # --- The lobby ---

    def propose(self, proposal: Proposal) -> list[bytes]:
        """Ask those who have come to play this."""
        return [self.lobby.propose(proposal)]

    def withdraw(self) -> list[bytes]:
        """Do not want to play after all."""
        self._wants_to_sit = False
        return [self.lobby.withdraw()]

    def dismiss(self, offered: Offered) -> list[bytes]:
        """Do not let somebody sit: what a host says."""
        return [self.lobby.dismiss(offered)]

    def is_sent_away(self, news: object) -> bool:
        """Whether this says that the host does not let this player sit."""
        return isinstance(news, Went) and news.dismissed and news.who.key == self.home.identity.public

    def consent(self) -> list[bytes]:
        """Agree to what is proposed, where `accept` has left that to a person."""
        return [self.lobby.consent()]

    def decline(self, reason: str) -> list[bytes]:
        """Do not agree to what is proposed."""
        return [self.lobby.decline(reason)]

    @property
    def offers(self) -> tuple[Offered, ...]:
        """Who has come."""
        return self.lobby.offers

    # --- The person ---

    def options(self) -> Options:
        """Whether the person is asked something, and what may be done. The one answer to whose turn it is."""
        self._look()
        seat = self._seat
        if seat is None or self.over or self.hearing:
            return Options()
        unreadable: CardUnreadable | None = None
        # To look at cards settles what was not checked yet, so it is done when something is owed here, or nowhere: at a
        # table without rules nobody is ever waited for.
        if not self.replica.state.duties.blocking or any(not duty.optional for duty in seat.open_duties):
            try:
                seat.cards()
            except CardUnreadable as error:
                # Once: what comes of it is for the table to say.
                unreadable = None if seat.disputes or not seat.may_claim(error) else error
        held_up = tuple(sorted(set(seat.waits_for.values())))
        return Options(
            seat.move_duty,
            seat.must_move,
            seat.to_choose,
            unreadable,
            next(iter(seat.unprovable), None),
            seat.disputed_books,
            held_up,
            bool(held_up) and seat.may_vote,
            bool(held_up) and seat.may_break,
        )

    def move(self, move: object) -> list[bytes]:
        """Make a move in the game. Raises `IllegalMove` when it is not this seat's turn or the rules forbid it."""
        return [self._speaking.move(move)]

    def choose(self, duty: Duty, choice: bytes) -> list[bytes]:
        """Settle a private choice about cards."""
        self._speaking.choose(duty, choice)
        return self.due()

    def question(self) -> Question | None:
        """What the table waits for from this person, with what the person sees."""
        duty = self.options().asked
        if duty is None:
            return None
        choice = None if duty.deck is None else choice_of(self.seat, duty)
        if isinstance(choice, Seal):
            return Question(duty, self.view(), None, choice)
        return Question(duty, self.view() if choice is None else choosing_view(self.seat, choice), choice)

    def answer(self, question: Question, decision: Decision) -> list[bytes]:
        """Say what was decided. Raises `IllegalMove`, also for what is not asked any more."""
        if question.duty not in self._speaking.open_duties:
            raise IllegalMove("that is not asked any more")
        if question.seal is not None:
            if not isinstance(decision, bytes):
                raise IllegalMove(f"what is sealed is at most {SEALED_MAX} bytes")
            return self.choose(question.duty, decision)
        if question.peek is None:
            return self.move(decision)
        return self.choose(question.duty, encode(decision))

    def claim(self) -> list[bytes]:
        """Dispute the card that does not open."""
        seat = self._speaking
        try:
            seat.cards()
        except CardUnreadable as unreadable:
            return [seat.claim(unreadable)]
        raise IllegalMove("every card of this seat opens")

    def open_books(self) -> list[bytes]:
        """Open the books that a dispute asks for, where a person is asked."""
        return self._speaking.open_books()

    def leave(self) -> list[bytes]:
        """Leave the hand, or between hands sit out."""
        return [self._speaking.leave()]

    def sit_out(self) -> list[bytes]:
        """Play this hand to its end, and not the next ones: nobody waits for this seat until it comes back."""
        self.sits_out = True
        return self.due()

    def come_back(self) -> list[bytes]:
        """Play again, from the next hand on, with the same number and chips."""
        self.sits_out = False
        return self.due()

    def word(self, text: str) -> list[bytes]:
        """Say something that the log keeps and that changes nothing."""
        return [self._speaking.word(text)]

    def without(self, seats: Iterable[int]) -> list[bytes]:
        """Say that the table should not wait for what these seats owe now."""
        return [self._speaking.without(seats)]

    def without_duties(self, duties: Iterable[bytes]) -> list[bytes]:
        """Say that the table should not wait for these duties of others."""
        return [self._speaking.without_duties(duties)]

    def tick(self, time: int) -> list[bytes]:
        """Say what time it is, as the timekeeper."""
        return [self._speaking.tick(time)]

    def break_off(self) -> list[bytes]:
        """Say that the hand should be broken off, because another seat does not do what it owes."""
        return [self._speaking.break_off()]

    def propose_roster(self, roster: Roster, newcomers: Mapping[int, bytes] | None = None) -> list[bytes]:
        """Propose another roster, with the signature of each seat that is new in it, and a new key if it needs one."""
        return [self._speaking.propose(roster, newcomers, self.new_key(roster))]

    def ask_to_sit(self) -> list[bytes]:
        """Ask for a seat at a table that plays: a new one, or the one that a roster has left out. Raises `IllegalMove`
        where there is none to be had. Asked again by itself, when another roster comes into force."""
        said = [self._door.knock(self.replica.state)]
        # Who sat out until it lost its seat, and asks for it, wants to play.
        self.sits_out = False
        return said

    @property
    def asking(self) -> tuple[Asks, ...]:
        """Those who would like to sit, and could in the roster that is in force."""
        return self._door.waiting(self.replica.state)

    def let_in(self, name: str) -> list[bytes]:
        """Propose the roster that somebody who asks for a seat would have."""
        asks = asked_by(self.asking, name)
        return self.propose_roster(asks.roster, asks.newcomers)

    def remove(self, name: str) -> list[bytes]:
        """Propose the roster without somebody who is gone, or has ended: it loses its place."""
        return self.propose_roster(roster_without(self.replica.state, name))

    def agree(self, proposal: bytes) -> list[bytes]:
        """Agree to a proposed roster. Raises `IllegalMove`, also for one whose key this seat cannot open."""
        try:
            self.refuse_key(proposal)
        except DecodeError as error:
            raise IllegalMove(f"that table would have a key that you cannot read with: {error}") from None
        return [self._speaking.agree(proposal)]

    @property
    def _speaking(self) -> Seat:
        if self.silenced is not None:
            raise IllegalMove(self.silenced)
        if self.hearing:
            raise IllegalMove("there is more to be heard of this table before anything is signed")
        return self.seat

    # --- What there is to see ---

    @property
    def seat(self) -> Seat:
        """The seat, once the players have agreed and this participant is one of them."""
        self._look()
        if self._seat is None:
            raise IllegalMove(
                "the players have not agreed on a session yet" if self._replica is None else "who watches has no seat"
            )
        return self._seat

    @property
    def seated(self) -> bool:
        """Whether this participant has a seat."""
        return self._seat is not None

    @property
    def sits(self) -> bool:
        """Whether it has one in the roster in force: who was taken out of it still has its number, and its chips."""
        return self._seat is not None and self._seat.number in self.replica.state.roster.seats

    @property
    def begun(self) -> bool:
        """Whether the players have agreed on a session."""
        return self._replica is not None

    @property
    def replica(self) -> Replica:
        """The table, once the players have agreed."""
        self._look()
        if self._replica is None:
            raise IllegalMove(self.silenced or "the players have not agreed on a session yet")
        return self._replica

    @property
    def waits_for(self) -> dict[bytes, int]:
        """The duties of others that hold the table up, with their seats. Who watches waits for everybody."""
        self._look()
        if self._seat is not None:
            return self._seat.waits_for
        return {} if self._replica is None else self._replica.state.duties.blocking

    @property
    def over(self) -> bool:
        """Whether nothing more comes from this participant: all have signed the end, or it has no word any more."""
        self._look()
        if self.silenced is not None:
            return True
        if self._replica is None:
            return False
        state = self._replica.state
        return self.ended or (self._seat is not None and self._seat.number in state.expelled)

    @property
    def ended(self) -> bool:
        """Whether the session has ended, as all have signed who should."""
        self._look()
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
    def words(self) -> tuple[str, ...]:
        """Three words that are the same for everybody at this table, and at no other."""
        return session_words(self.session.id)

    def words_of(self, seat: int) -> tuple[str, ...]:
        """Six words of a seat's key."""
        return key_words(self.replica.state.roster.member(seat).key)
