"""The seat behind a page: turns what a participant receives into messages, and messages from pages into decisions.

It has no socket, clock or thread of its own. The local page talks to it over a WebSocket, the page in a tab through
worker messages. Everything a page gets passes through here, and all of it is made from the view of its own seat.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from heapq import merge
from typing import Any, Final

import msgspec

from nodealer import __version__
from nodealer.client import events
from nodealer.client.event_json import event_tag
from nodealer.client.event_text import event_text
from nodealer.client.events import CardOperation, TableEvent
from nodealer.client.narrator import Narrator
from nodealer.engine.frame_result import Diverged, Received, Silenced
from nodealer.engine.leave_policy import has_too_few_players
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.prompts import Decision, Question, legal_choice, legal_move
from nodealer.engine.replica import Applied, Outcome, Replica
from nodealer.engine.state import Config, TableState
from nodealer.engine.view import public_view, view_of
from nodealer.engine.votes import voters
from nodealer.errors import CardUnreadable, IllegalMove
from nodealer.games.base import Turn
from nodealer.games.package import GamePackage
from nodealer.games.text import Words, table_lines
from nodealer.games.view import View as GameView
from nodealer.log.roster import Roster
from nodealer.web import messages as doc
from nodealer.web.messages import ServerMessage, spans
from nodealer.web.recall import MomentCollector, hand_number, replay_entries
from nodealer.wire import Message, encode
from nodealer.wordlist import key_words, session_words

#: How many lines of the log a page gets, and for how many hands every moment is kept. The log has everything.
LINES_KEPT: Final = 300
HANDS_KEPT: Final = 20
#: After how many seconds the page shows who the table is waiting for, and how often it gets new times.
WAIT_SHOWN_AFTER: Final = 5
TIMES_RESENT_AFTER: Final = 5

Send = Callable[[ServerMessage], None]


class PageSeat:
    """One person's place at one table, as their pages see it.

    Messages go out through `send`, and `snapshot` returns them again for a page that connects later.
    """

    def __init__(
        self,
        send: Send,
        clock: Callable[[], float],
        role: str = "player",
        name: str | None = None,
        question_number: int = 0,
    ) -> None:
        """Create the seat. `question_number` is the number of the last question at the previous table."""
        self._output = send
        self._clock = clock
        self._began = clock()
        self._hello = doc.Hello(doc.PAGE_VERSION, __version__, role, name)  # type: ignore[arg-type]
        self._narrator = Narrator(Words(), {})
        self._package: GamePackage | None = None
        self._you: int | None = None
        #: The roster that the pages know, and this person's seat in it.
        self._known_roster: tuple[bytes, int | None] = (b"", None)
        #: The current message of each type. A new one replaces it.
        self._latest: dict[str, ServerMessage] = {}
        self._notices: dict[str, doc.Notice] = {}
        self._lines: deque[ServerMessage] = deque(maxlen=LINES_KEPT)
        self._proofs: list[doc.Proof] = []
        self._hands: dict[int, doc.HandDone] = {}
        #: The status of each key that was compared with the contacts.
        self.key_statuses: dict[bytes, str] = {}
        self._frames: dict[int, list[doc.ReplayFrame]] = {}
        #: The first hand that was seen here from its start. After a restart, the current one is not.
        self._first_complete_hand = 1
        self._pending_lines: list[doc.Line] = []
        self._bytes = 0
        self._reported_height = 0
        #: The last view in which the cards could be read, for the showdown.
        self._last_view: GameView | None = None
        #: Since when the table has been waiting for each seat.
        self._waiting_since: dict[int, float] = {}
        #: The last tick, and when it arrived by this seat's clock.
        self._tick: tuple[int, float] = (-1, 0.0)
        #: When the view was last sent, and since when there have been too few players for another hand.
        self._view_sent_at = 0.0
        self._alone_since: float | None = None
        self._question: Question | None = None
        #: The number of the last question. It continues from the previous table, so that a late answer to a question
        #: there is not taken for an answer here.
        self.question_number = question_number
        #: How many seconds the check of the newest entry took, by its number.
        self._check_seconds: dict[int, float] = {}
        self.opened = False

    def now(self) -> float:
        """Return the time of this seat's clock, in seconds."""
        return self._clock()

    def record_check_time(self, number: int, seconds: float) -> None:
        """Record how long the check of an entry took. Only the latest is kept."""
        self._check_seconds = {number: seconds}

    # --- Messages to pages ---

    def snapshot(self) -> Iterator[ServerMessage]:
        """Yield every message that a newly connected page needs."""
        yield self._hello
        yield from self._latest_of("offers", "lobby", "table", "cheat")
        yield from self._history()
        yield from self._hands.values()
        yield from self._latest_of("working", "log", "view", "ask", "fault", "verdict", "over")
        yield from self._notices.values()

    def _history(self) -> Iterator[ServerMessage]:
        """Yield the log lines and card operations in the order they happened."""
        placed, at = list[tuple[int, ServerMessage]](), 0
        for one in self._lines:
            at = one.entry if isinstance(one, doc.Line) and one.entry is not None else at
            placed.append((at, one))
        steps = ((one.entry, one) for one in self._proofs)
        return (one for _, one in merge(placed, steps, key=lambda pair: pair[0]))

    def _latest_of(self, *kinds: str) -> Iterator[ServerMessage]:
        """Yield the last message that was sent of each of these types."""
        return (self._latest[kind] for kind in kinds if kind in self._latest)

    def send(self, message: ServerMessage) -> None:
        """Send a message to the pages, and keep it for pages that connect later."""
        kind = str(message.__struct_config__.tag)
        if isinstance(message, doc.Line | doc.ChatLine):
            self._lines.append(message)
        elif isinstance(message, doc.Proof):
            self._proofs.append(message)
        elif isinstance(message, doc.HandDone):
            self._hands[message.hand] = message
        elif isinstance(message, doc.Notice):
            self._notices.pop(message.about, None)
            self._notices[message.about] = message
        elif isinstance(message, doc.QuestionClosed):
            self._latest.pop("ask", None)
        elif not isinstance(message, doc.Refused | doc.Doubt | doc.HandReplay | doc.File):
            self._latest[kind] = message
        self._output(message)

    def notify(self, kind: str, code: str, about: str = "", /, **of: str | int) -> None:
        """Send a notice to the person. It replaces an earlier one about the same topic."""
        self.send(doc.Notice(kind, code, of, about))  # type: ignore[arg-type]

    def refuse(self, code: str, ask: int | None = None) -> None:
        """Tell the pages that something is not possible."""
        self.send(doc.Refused("", ask, code))  # type: ignore[arg-type]

    # --- The table ---

    def open_table(self, replica: Replica, you: int | None) -> None:
        """Show the table: the players have agreed."""
        self.opened, self._package = True, replica.config.package
        self._latest.pop("lobby", None)
        self._send_table(replica.config, replica.config.session.proposal.roster, you)

    def _send_table(self, config: Config, roster: Roster, you: int | None) -> None:
        """Send what was agreed and who is seated: once, and again after a new roster or if this person gets a seat."""
        self._you, self._known_roster = you, (roster.digest, you)
        self._narrator = Narrator.for_table(config, you)
        proposal, claims = config.session.proposal, config.protocol.claims
        package, words = config.package, config.words
        module = None if package is None or package.table is None else f"game/{package.name}/table.js"
        self.send(
            doc.Table(
                session=config.session.id.hex(),
                words=session_words(config.session.id),
                game=proposal.game.name,
                module=module,
                note=words.note,
                rules=tuple(map(spans, words.rules)),
                protocol=claims.name,
                proven=not claims.open_book_at_end,
                claims=tuple((one.cheat, one.seen, one.culprit) for one in claims.cheats),
                warning=claims.warning,
                rehearsal=proposal.rehearsal,
                you=you,
                seats=tuple(
                    doc.SeatedPlayer(one.seat, one.name, " ".join(key_words(one.key)))
                    for one in roster.members
                    if one.seat in roster.with_cards
                ),
            )
        )

    def on_received(self, participant: Participant, received: Received) -> None:
        """Show on the pages what a participant received."""
        if not participant.has_session:
            return
        you = participant.seat.number if participant.has_seat else None
        if not self.opened:
            self.open_table(participant.replica, you)
            first = next(
                (one.number for one in received.happened if isinstance(one, Applied)), participant.replica.height
            )
            self._show_past(participant.replica, first)
        for one in received.happened:
            if isinstance(one, Applied):
                self.on_entry(one)
            elif isinstance(one, Diverged):
                name = participant.replica.state.all_members[one.seat].name
                theirs, ours = one.theirs.hex()[:16], one.ours.hex()[:16]
                self.notify("bad", "diverged", "diverged", name=name, theirs=theirs, ours=ours)
            elif isinstance(one, Silenced):
                self.notify("bad", "silenced", "silenced", reason=one.reason)
        roster = participant.replica.state.roster
        if self._known_roster != (roster.digest, you):
            self._send_table(participant.replica.config, roster, you)
        self.refresh(participant)

    def _show_past(self, replica: Replica, height: int) -> None:
        """Show what was played before this process started: all hands and the last lines, in one go."""
        if not height:
            return
        out, self._output = self._output, lambda message: None
        for applied in replay_entries(replica.config, replica.entries[:height], replica.entropy):
            self.on_entry(applied)
        self._pending_lines = []
        self._first_complete_hand = hand_number(replica.state) + 1
        self._output = out
        for message in tuple(self.snapshot()):
            out(message)

    def on_entry(self, applied: Applied) -> None:
        """Send the lines and card operations of one log entry."""
        if applied.outcome is Outcome.REPEATED:
            return
        if applied.before.phase is not Phase.PLAYING and applied.after.phase is Phase.PLAYING:
            self._proofs.clear()
        self._bytes += applied.size
        before = len(applied.before.faults)
        for event in self._narrator.describe(applied):
            if isinstance(event, CardOperation):
                self._send_operation(event)
            else:
                self._send_line(applied, event)
        for fault in applied.after.faults[before:]:
            name = None if fault.seat is None else applied.after.all_members[fault.seat].name
            self.send(doc.FaultFound(fault.entry, fault.seat, name, fault.check, fault.reason))

    def _send_line(self, applied: Applied, event: TableEvent) -> None:
        """Send an event as a line of the log panel, if it is worth one."""
        line = _line_of(applied, event)
        if line is None:
            return
        if isinstance(event, events.Result):
            text = event.reason if event.void is not None else event.line or event.result.get("reason") or ""
            self.send(doc.HandDone(event.hand + 1, "; ".join(line.data["outcome"]) or str(text)))
        self._pending_lines.append(line)
        self.send(line)

    def _send_operation(self, event: CardOperation) -> None:
        """Send a card operation, with what this machine has checked."""
        took = self._check_seconds.pop(event.entry, None)
        self.send(
            doc.Proof(
                entry=event.entry,
                hand=event.hand,
                seat=event.seat,
                name=event.name,
                kind=event.kind,
                doing=event.doing,
                text=event.text,
                bytes=event.size,
                checks=event.proofs,
                state=event.state,
                at=round((self._clock() - self._began) * 1000),
                took=None if took is None or event.seat == self._you else round(took * 1000, 1),
                means=event.means,
            )
        )

    # --- The view ---

    def refresh(self, participant: Participant) -> None:
        """Send the current state of the table, if it has changed."""
        replica = participant.replica
        state = replica.state
        working = doc.CardWork(state.hand.number + 1, tuple(self._pending_operations(state)))
        if working != self._latest.get("working"):
            self.send(working)
        view = self._view(participant)
        if self._has_changed(view):
            self._store_moment(view)
            self._view_sent_at = self._clock()
            self.send(view)
        if replica.height != self._reported_height:
            self._reported_height = replica.height
            size = max(self._bytes, 1)
            self.send(doc.LogStatus(replica.height, size, replica.head.hex()[:16], replica.checks_settled))

    def _has_changed(self, view: doc.View) -> bool:
        """Return whether a view has to be sent. The page counts seconds itself and is only corrected now and then."""
        old = self._latest.get("view")
        if not isinstance(old, doc.View) or _without_times(old) != _without_times(view):
            return True
        return view.seats != old.seats and self._clock() - self._view_sent_at >= TIMES_RESENT_AFTER

    def _pending_operations(self, state: TableState) -> Iterator[tuple[int, str, str]]:
        """Yield the card operations that players still owe: seat, kind and description."""
        for known in state.duties.open.values():
            duty = known.duty
            if duty.deck is not None and not duty.optional:
                yield duty.seat, duty.kind, self._narrator.step_text(duty.kind).doing

    def _view(self, participant: Participant) -> doc.View:
        """Return the current view as a message."""
        state = participant.replica.state
        seen, unreadable = public_view(state), False
        if participant.has_seat:
            try:
                seen = view_of(participant.seat)
            except CardUnreadable:
                unreadable = True
        return self.view_at(state, self._with_old_cards(state, seen), participant, claim=unreadable)

    def _with_old_cards(self, state: TableState, seen: GameView) -> GameView:
        """Return the view with the person's cards of the last hand if that hand is over.

        Its decks no longer exist, but the person still wants to see the cards.
        """
        last = self._last_view
        if state.phase is Phase.PLAYING:
            self._last_view = seen
        elif last is not None and seen.game is not None:
            return replace(seen, cards=last.cards)
        return seen

    def view_at(
        self, state: TableState, seen: GameView, participant: Participant | None, *, claim: bool = False
    ) -> doc.View:
        """Return the view of a moment as a message: of the table now, or of any moment in a log."""
        package, words, game = self._package, state.config.words, seen.game
        page = {"version": 0} if package is None else package.page(seen)
        want = None if game is None else game.wants
        playing = state.phase is Phase.PLAYING
        named = tuple(
            doc.OwnCard(deck, position, words.face(game, deck, face))
            for (deck, position), face in sorted(seen.cards.items())
        )
        return doc.View(
            entry=0 if participant is None else participant.replica.height,
            hand=hand_number(state),
            phase=state.phase.value,
            page=page,
            seats=tuple(self._seat_statuses(state, participant)),
            turn=tuple(want.seats) if playing and isinstance(want, Turn) else (),
            mine=named,
            text=tuple(map(spans, table_lines(words, seen))) if self._has_plain_table else (),
            may=doc.AllowedActions() if participant is None else self._allowed_actions(state, participant, claim),
            alone=None if participant is None else self._missing_players(state, participant),
            asking=tuple(self._seat_requests(participant)),
            proposed=tuple(self._open_proposals(state, participant)),
        )

    def _missing_players(self, state: TableState, participant: Participant) -> tuple[str, ...] | None:
        """Return who would have to come back for another hand, or None if there are enough players.

        Reported only after a while, because it happens briefly between hands.
        """
        if not participant.has_seat or participant.is_catching_up or not has_too_few_players(state):
            self._alone_since = None
            return None
        now = self._clock()
        self._alone_since = now if self._alone_since is None else self._alone_since
        if now - self._alone_since < WAIT_SHOWN_AFTER:
            return None
        return tuple(state.all_members[seat].name for seat in sorted(state.gone - state.ended - state.expelled))

    def _seat_requests(self, participant: Participant | None) -> Iterator[doc.SeatRequest]:
        """Yield the people who ask for a seat."""
        if participant is not None and participant.has_seat:
            for asks in participant.seat_requests:
                key = asks.who.key
                yield doc.SeatRequest(asks.who.name, " ".join(key_words(key)), self.key_statuses.get(key, ""))

    def _open_proposals(self, state: TableState, participant: Participant | None) -> Iterator[doc.ProposedTable]:
        """Yield the proposed rosters that this person has not agreed to."""
        if participant is None or not participant.has_seat:
            return
        for number, one in state.proposed.items():
            if participant.seat.number not in one.agreed:
                out = (seat for seat in state.roster.with_cards if seat not in one.roster.seats)
                keeper = one.roster.timekeeper
                yield doc.ProposedTable(
                    number.hex(),
                    state.all_members[one.by].name,
                    tuple(one.roster.member(seat).name for seat in one.roster.with_cards),
                    tuple(state.all_members[seat].name for seat in out),
                    None if keeper is None else keeper.name,
                )

    @property
    def _has_plain_table(self) -> bool:
        """True if the game has no table of its own."""
        return self._package is None or self._package.table is None

    def _seat_statuses(self, state: TableState, participant: Participant | None) -> Iterator[doc.SeatStatus]:
        """Yield the status of each seat: presence, chips, duty, how long others have waited, and its time left."""
        waited = set() if participant is None else set(participant.blocking_duties.values())
        owing = {known.duty.seat: known.duty for known in state.duties.open.values() if known.is_blocking}
        chips = state.ledger.chips if state.config.rules.stake else {}
        for seat in state.roster.with_cards:
            member = state.roster.member(seat)
            status = "out" if seat in state.expelled else "ended" if seat in state.ended else "here"
            status = "gone" if status == "here" and seat in state.gone else status
            duty = owing.get(seat)
            owes = None if duty is None else self._narrator.step_text(duty.kind).doing or duty.kind
            seconds = 0
            if seat in waited and seat in self._waiting_since:
                seconds = int(self._clock() - self._waiting_since[seat])
            waits, left = (
                seconds if seconds >= WAIT_SHOWN_AFTER else 0,
                None if participant is None else self._time_left(state, seat),
            )
            yield doc.SeatStatus(seat, member.name, status, chips.get(seat), owes, waits, left)  # type: ignore[arg-type]

    def _time_left(self, state: TableState, seat: int) -> int | None:
        """Return the milliseconds a seat has left, or None if no timekeeper is counting."""
        clock = state.clock
        if clock is None or clock.last_tick is None:
            return None
        if clock.last_tick != self._tick[0]:
            self._tick = clock.last_tick, self._clock()
        used = [
            one.limit - (clock.last_tick - one.started)
            for one in clock.timed.values()
            if one.seat == seat and one.started is not None
        ]
        if not used:
            return None
        return max(0, min(used) + clock.bank(seat) - round(1000 * (self._clock() - self._tick[1])))

    def _allowed_actions(self, state: TableState, participant: Participant, claim: bool) -> doc.AllowedActions:
        """Return what the person may do besides playing."""
        if not participant.has_seat or participant.is_over:
            return doc.AllowedActions()
        options, count = participant.options(), len(voters(state))
        is_shown = any(self._clock() - since >= WAIT_SHOWN_AFTER for since in self._waiting_since.values())
        timed, between = state.roster.timekeeper is not None, state.phase is not Phase.PLAYING
        mine = participant.seat.number
        waited, votes = participant.blocking_duties, state.hand.skip_votes.get(mine, frozenset())
        stays = state.phase is not Phase.ENDED and mine not in state.ended
        return doc.AllowedActions(
            vote=is_shown and options.can_vote_skip and (count > 2 or timed),
            voted=tuple(sorted(set(waited.values()) - {seat for duty, seat in waited.items() if duty not in votes})),
            votes_needed=count // 2 + 1,
            voters=count,
            late_needed=count // 2 if timed and count % 2 == 0 else 0,
            break_off=is_shown and options.can_vote_abort,
            breaks_needed=0 if count <= 2 else -(-count // 2),
            breaks="hand" if not between else "log" if state.no_more_hands else "game",
            leave=stays,
            sit_out=stays and not participant.sits_out and not state.no_more_hands,
            back=stays and participant.sits_out,
            claim=claim,
            unprovable=options.unprovable is not None,
            books=tuple(hand + 1 for hand in options.hands_to_disclose),
        )

    def _store_moment(self, view: doc.View) -> None:
        """Keep a moment for replays, unless only time has passed since the last one."""
        hand = view.hand
        if hand < self._first_complete_hand:
            self._pending_lines = []
            return
        frames = self._frames.setdefault(hand, [])
        lines, self._pending_lines = tuple(self._pending_lines), []
        if lines or not frames or frames[-1].view.page != view.page:
            frames.append(doc.ReplayFrame(without_actions(view), lines))
        for old in sorted(self._frames)[:-HANDS_KEPT]:
            del self._frames[old]

    def update_waiting(self, participant: Participant) -> None:
        """Update who the table is waiting for, and since when."""
        if not participant.has_session:
            return
        now, waited = self._clock(), set(participant.blocking_duties.values())
        self._waiting_since = {seat: self._waiting_since.get(seat, now) for seat in waited}
        is_shown = any(now - since >= WAIT_SHOWN_AFTER for since in self._waiting_since.values())
        if is_shown or has_too_few_players(participant.replica.state):
            self.refresh(participant)

    # --- Questions ---

    def ask(self, question: Question) -> None:
        """Show a question to the person."""
        self._question = question
        self.question_number += 1
        words, view, peek = self._words, question.view, question.peek
        if question.seal is not None:
            sealing, helped = spans(words.sealing(view, question.seal)), tuple(map(spans, words.help))
            asked = doc.QuestionOpen(self.question_number, "seal", sealing, helped)
        elif peek is None:
            asked = doc.QuestionOpen(
                self.question_number,
                "move",
                spans(words.prompt(view)) if self._has_plain_table else (),
                tuple(map(spans, words.help)),
                typed=self._package is not None and self._package.listens,
            )
        else:
            seen = tuple(
                doc.PeekedCard(position, spans(words.looked_at(view.game, peek.deck, face)))
                for position, face in view.seen_in(peek.deck).items()
            )
            asked = doc.QuestionOpen(self.question_number, "choose", (), (), peek.then.value, seen)
        self.send(asked)

    def withdraw_question(self) -> None:
        """Withdraw the open question, if there is one."""
        if self._question is not None:
            self._question = None
            self.send(doc.QuestionClosed())

    def read_decision(self, message: doc.Move | doc.TypedMove | doc.Choose | doc.SealText) -> Decision | None:
        """Return the decision in a message, or None if it was refused or doubted. The page is then told why."""
        question = self._question
        if question is None or message.ask != self.question_number:
            self.refuse("late", message.ask)
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
            self.send(doc.Refused(str(error), message.ask))
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
            read = legal_move(self._package, view, message.move)
        doubt = "" if message.sure else self._words.sure(view, read)
        if doubt:
            self.send(doc.Doubt(message.ask, doubt))
            return None
        return read

    @property
    def _words(self) -> Words:
        """The texts of the game."""
        return Words() if self._package is None else self._package.words

    # --- History ---

    def show_entry(self, applied: Applied, replica: Replica) -> None:
        """Show one entry of a saved log, as a spectator sees it."""
        self.on_entry(applied)
        state = replica.state
        view = self.view_at(state, public_view(state), None)
        self._store_moment(view)
        self._latest["view"] = view
        self._latest["log"] = doc.LogStatus(
            replica.height, self._bytes, replica.head.hex()[:16], replica.checks_settled
        )

    def stored_replay(self, hand: int) -> doc.HandReplay | None:
        """Return a hand, moment by moment, if its moments are still in memory."""
        return doc.HandReplay(hand, tuple(self._frames[hand])) if hand in self._frames else None

    def moment_collector(self, hand: int, config: Config) -> MomentCollector:
        """Return a collector for a hand of the log, which shows it as this page would have."""
        narrator = Narrator.for_table(config, self._you)

        def lines(applied: Applied) -> Iterator[doc.Line]:
            """Return the lines that the page shows for an entry. Card operations are shown elsewhere."""
            told = (event for event in narrator.describe(applied) if not isinstance(event, CardOperation))
            found = (_line_of(applied, event) for event in told)
            return (line for line in found if line is not None)

        return MomentCollector(hand, lambda state, seen: without_actions(self.view_at(state, seen, None)), lines)


def without_actions(view: doc.View) -> doc.View:
    """Return a view without actions, seat requests and proposed rosters, which a replay does not show."""
    return doc.View(view.entry, view.hand, view.phase, view.page, view.seats, view.turn, view.mine, view.text)


def _without_times(view: doc.View) -> doc.View:
    """Return a view without its times. It still shows which seats the table waits for and which have a time limit."""
    seats = tuple(
        msgspec.structs.replace(one, waited=int(one.waited > 0), left=None if one.left is None else 0)
        for one in view.seats
    )
    return msgspec.structs.replace(view, seats=seats)


def _hand_number(applied: Applied) -> int:
    """Return the hand that an entry belongs to, counted from 1."""
    return applied.before.hand.number + 1


def _line_of(applied: Applied, event: TableEvent) -> doc.Line | None:
    """Return an event as a line of the log panel, or None if it is not worth one."""
    kind = event_tag(event)
    if kind is None or isinstance(event, events.Ticked):
        return None
    name = event.by if isinstance(event, events.SeatsProposed) else getattr(event, "name", None)
    return doc.Line(
        entry=getattr(event, "entry", None),
        hand=_hand_number(applied),
        event=kind,
        seat=getattr(event, "seat", None),
        name=name,
        lines=tuple(_text_of(event)),
        data=_data_of(event),
    )


def _data_of(event: TableEvent) -> Any:
    """Return what the page needs of an event besides its text, or None."""
    match event:
        case events.ReadyForHand(hand=hand):
            return {"hand": hand}
        case events.Moved(move=move):
            return move
        case events.VoteDecided(did=did):
            return {"did": did}
        case events.Result():
            return {"outcome": [str(line) for line in event.outcome], "parting": str(event.parting)}
    return None


def _text_of(event: TableEvent) -> Iterator[doc.Spans]:
    """Yield the text of an event: nothing if it would be noise, or if the page has its own text."""
    match event:
        case events.Result(void=None):
            yield from (spans(line) for line in event.outcome)
            if event.line:
                yield spans(event.line)
            if event.parting:
                yield spans(event.parting)
        case events.Result():
            yield ((event.reason, None),)
        case events.Fault():
            yield ((event.finding, None),)
        case _:
            text = event_text(event)
            if str(text):
                yield spans(text)
