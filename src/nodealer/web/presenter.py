"""Messages to the pages of one person: made from events and statuses, and kept for pages that connect later.

It has no socket, clock or thread of its own. Everything a page gets passes through here, and all of it is made from
what its own seat has received.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
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
from nodealer.client.status import TableStatus
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Applied, Replica
from nodealer.engine.state import Config, TableState
from nodealer.engine.view import public_view
from nodealer.games.base import Turn
from nodealer.games.package import GamePackage
from nodealer.games.text import Words, table_lines
from nodealer.games.view import View as GameView
from nodealer.log.roster import Roster
from nodealer.web import messages as doc
from nodealer.web.messages import ServerMessage, spans
from nodealer.web.replay import MomentCollector, hand_number, replay_entries
from nodealer.wordlist import key_words, session_words

#: How many lines of the log a page gets, and for how many hands every moment is kept. The log has everything.
LINES_KEPT: Final = 300
HANDS_KEPT: Final = 20
#: After how many seconds the page shows who the table is waiting for, and how often it gets new times.
WAIT_SHOWN_AFTER: Final = 5
TIMES_RESENT_AFTER: Final = 5
#: The events that are lines of the log panel, if they have a tag.
LINES: Final = (
    events.ReadyForHand,
    events.Moved,
    events.Late,
    events.Word,
    events.WouldNotWait,
    events.WouldBreakOff,
    events.LeaveSigned,
    events.CardDisputed,
    events.HandDisclosed,
    events.SeatsProposed,
    events.RosterAgreed,
    events.EndSigned,
    events.CardsOpened,
    events.Peeked,
    events.TableChanged,
    events.Rolled,
    events.Unsealed,
    events.VoteDecided,
    events.Fault,
    events.Result,
)

Send = Callable[[ServerMessage], None]


class TablePresenter:
    """One table, as the pages of one person see it.

    Messages go out through `output`, and `snapshot` returns them again for a page that connects later.
    """

    def __init__(
        self,
        output: Send,
        clock: Callable[[], float],
        role: str,
        name: str | None,
        standing: Sequence[ServerMessage] = (),
    ) -> None:
        """Show a table that is not open yet. `standing` are messages that every page gets."""
        self._output = output
        self._clock = clock
        self._began = clock()
        self._hello = doc.Hello(doc.PAGE_VERSION, __version__, role, name)  # type: ignore[arg-type]
        self._narrator = Narrator(Words(), {})
        self.package: GamePackage | None = None
        #: This person's seat, or None for a spectator.
        self.you: int | None = None
        #: The table that the pages know: its roster, and this person's seat in it; None before it is opened.
        self._known_roster: tuple[bytes, int | None] | None = None
        #: The current message of each type. A new one replaces it.
        self._latest: dict[str, ServerMessage] = {}
        self._notices: dict[str, doc.Notice] = {}
        self._lines: deque[ServerMessage] = deque(maxlen=LINES_KEPT)
        self._proofs: list[doc.Proof] = []
        self._hands: dict[int, doc.HandDone] = {}
        #: How each key compares with the known players.
        self.contacts: dict[bytes, events.CheckedContact] = {}
        self._frames: dict[int, list[doc.ReplayFrame]] = {}
        #: The first hand that was seen here from its start, and the last one whose view was shown.
        self._first_complete_hand = 1
        self._last_hand: int | None = None
        self._pending_lines: list[doc.Line] = []
        #: The hand that the next line belongs to, counted from 1.
        self._hand = 1
        #: How many entries of the log were counted, and their bytes.
        self._counted = 0
        self._bytes = 0
        #: The last view in which the cards could be read, for the showdown.
        self._last_view: GameView | None = None
        #: What the last view was made of, and when it was sent.
        self._viewed: tuple[object, ...] | None = None
        self._view_sent_at = 0.0
        for message in standing:
            self._keep(message)

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
        self._keep(message)
        self._output(message)

    def send_if_new(self, message: ServerMessage) -> None:
        """Send a message unless it is the one of its type that was sent last."""
        if message != self._latest.get(str(message.__struct_config__.tag)):
            self.send(message)

    def _keep(self, message: ServerMessage) -> None:
        """Keep a message for pages that connect later, if they need it."""
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
            self._latest[str(message.__struct_config__.tag)] = message

    def refuse(self, code: doc.RefusedCode, ask: int | None = None) -> None:
        """Tell the pages that something is not possible."""
        self.send(doc.Refused("", ask, code))

    # --- The table ---

    def open_table(self, replica: Replica, you: int | None, past: int = 0) -> None:
        """Show the table: the players have agreed. `past` entries were there before this process started."""
        self.package = replica.config.package
        self._latest.pop("lobby", None)
        self._send_table(replica.config, replica.config.session.proposal.roster, you)
        if past:
            self._show_past(replica, past)

    def _send_table(self, config: Config, roster: Roster, you: int | None) -> None:
        """Send what was agreed and who is seated: once, and again after a new roster or if this person gets a seat."""
        self.you, self._known_roster = you, (roster.digest, you)
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

    def _show_past(self, replica: Replica, height: int) -> None:
        """Show what was played before this process started: all hands and the last lines, in one go."""
        out, self._output = self._output, lambda message: None
        try:
            for applied in replay_entries(replica.config, replica.entries[:height], replica.entropy):
                for event in self._narrator.describe(applied):
                    self.show(event)
        finally:
            self._pending_lines = []
            self._first_complete_hand = hand_number(replica.state) + 1
            self._output = out
        for message in tuple(self.snapshot()):
            out(message)

    def show(self, event: TableEvent) -> None:
        """Show what an entry of the log did: as a card operation, or as a line of the log panel."""
        if isinstance(event, CardOperation):
            self._hand = event.hand
            self._send_operation(event)
        elif isinstance(event, events.Began):
            self._proofs.clear()
        elif isinstance(event, LINES):
            self._send_line(event)

    def _send_line(self, event: TableEvent) -> None:
        """Send an event as a line of the log panel, if it is worth one."""
        if isinstance(event, events.ReadyForHand):
            self._hand = event.hand
        line = _line_of(event, self._hand)
        if line is None:
            return
        if isinstance(event, events.Result):
            text = event.reason if event.void is not None else event.line or event.result.get("reason") or ""
            self.send(doc.HandDone(event.hand + 1, "; ".join(line.data["outcome"]) or str(text)))
            # What comes after a hand belongs to the next one.
            self._hand = event.hand + 2
        self._pending_lines.append(line)
        self.send(line)
        if isinstance(event, events.Fault):
            self.send(doc.FaultFound(event.entry, event.seat, event.name, event.check, event.finding))

    def _send_operation(self, event: CardOperation) -> None:
        """Send a card operation, with what this machine has checked."""
        took = event.seconds
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
                took=None if took is None or event.seat == self.you else round(took * 1000, 1),
                means=event.means,
            )
        )

    # --- The view ---

    def status(self, status: TableStatus) -> None:
        """Show the table as it is now, if that has changed."""
        replica, state = status.replica, status.state
        if replica is None or state is None or self._known_roster is None:
            return
        if self._known_roster != (state.roster.digest, status.seat):
            self._send_table(replica.config, state.roster, status.seat)
        self._hand = state.hand.number + 1
        made_of = status.frames, status.seat, status.sits_out, status.is_over
        if made_of == self._viewed and not _is_wait_shown(status) and status.gone is None:
            return
        self._viewed = made_of
        self.send_if_new(doc.CardWork(state.hand.number + 1, tuple(self._pending_operations(state))))
        view = self._view(status, state)
        if self._has_changed(view, status.now):
            self._check_completeness(view.hand, status)
            self._store_moment(view)
            self._view_sent_at = status.now
            self.send(view)
        if replica.height != self._counted:
            self.send(self._log_status(replica))

    def _log_status(self, replica: Replica) -> doc.LogStatus:
        """Return the length of the log and its head, after counting the bytes of its new entries."""
        if replica.height < self._counted:
            self._counted = self._bytes = 0
        self._bytes += sum(map(len, replica.entries[self._counted :]))
        self._counted = replica.height
        return doc.LogStatus(replica.height, self._bytes, replica.head.hex()[:16], replica.checks_settled)

    def _has_changed(self, view: doc.View, now: float) -> bool:
        """Return whether a view has to be sent. The page counts seconds itself and is only corrected now and then."""
        old = self._latest.get("view")
        if not isinstance(old, doc.View) or _without_times(old) != _without_times(view):
            return True
        return view.seats != old.seats and now - self._view_sent_at >= TIMES_RESENT_AFTER

    def _pending_operations(self, state: TableState) -> Iterator[tuple[int, str, str]]:
        """Yield the card operations that players still owe: seat, kind and description."""
        for known in state.duties.open.values():
            duty = known.duty
            if duty.deck is not None and not duty.optional:
                yield duty.seat, duty.kind, self._narrator.step_text(duty.kind).doing

    def _view(self, status: TableStatus, state: TableState) -> doc.View:
        """Return the current view as a message."""
        seen = status.view or public_view(state)
        return self.view_at(state, self._with_old_cards(state, seen), status)

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

    def view_at(self, state: TableState, seen: GameView, status: TableStatus | None) -> doc.View:
        """Return the view of a moment as a message: of the table now, or of any moment in a log."""
        package, words, game = self.package, state.config.words, seen.game
        page = {"version": 0} if package is None else package.page(seen)
        want = None if game is None else game.wants
        playing = state.phase is Phase.PLAYING
        named = tuple(
            doc.OwnCard(deck, position, words.face(game, deck, face))
            for (deck, position), face in sorted(seen.cards.items())
        )
        return doc.View(
            entry=0 if status is None or status.replica is None else status.replica.height,
            hand=hand_number(state),
            phase=state.phase.value,
            page=page,
            seats=tuple(self._seat_statuses(state, status)),
            turn=tuple(want.seats) if playing and isinstance(want, Turn) else (),
            mine=named,
            text=tuple(map(spans, table_lines(words, seen))) if self.has_plain_table else (),
            may=doc.AllowedActions() if status is None else _allowed_actions(state, status),
            # Only after a while, because it happens briefly between hands.
            alone=None if status is None or status.alone_for < WAIT_SHOWN_AFTER else status.gone,
            asking=() if status is None else tuple(self._seat_requests(status)),
            proposed=() if status is None else tuple(_open_proposals(state, status)),
        )

    def _seat_requests(self, status: TableStatus) -> Iterator[doc.SeatRequest]:
        """Yield the people who ask for a seat."""
        for asks in status.requests:
            key = asks.who.key
            contact = self.contacts.get(key)
            known = "" if contact is None else contact.status.value
            yield doc.SeatRequest(asks.who.name, " ".join(key_words(key)), known)

    @property
    def has_plain_table(self) -> bool:
        """True if the game has no table of its own."""
        return self.package is None or self.package.table is None

    def _seat_statuses(self, state: TableState, status: TableStatus | None) -> Iterator[doc.SeatStatus]:
        """Yield the status of each seat: presence, chips, duty, how long others have waited, and its time left."""
        waits = {} if status is None else {one.seat: int(status.now - one.since) for one in status.awaited.values()}
        owing = {known.duty.seat: known.duty for known in state.duties.open.values() if known.is_blocking}
        chips = state.ledger.chips if state.config.rules.stake else {}
        for seat in state.roster.with_cards:
            member = state.roster.member(seat)
            presence = "out" if seat in state.expelled else "ended" if seat in state.ended else "here"
            presence = "gone" if presence == "here" and seat in state.gone else presence
            duty, seconds = owing.get(seat), waits.get(seat, 0)
            owes = None if duty is None else self._narrator.step_text(duty.kind).doing or duty.kind
            waited = seconds if seconds >= WAIT_SHOWN_AFTER else 0
            left = None if status is None else _time_left(state, seat, status.tick_age)
            yield doc.SeatStatus(seat, member.name, presence, chips.get(seat), owes, waited, left)  # type: ignore[arg-type]

    def _check_completeness(self, hand: int, status: TableStatus) -> None:
        """Take note of a hand whose moments were not all shown, because much of the log came at once."""
        last, self._last_hand = self._last_hand, hand
        missed = status.replica is not None and status.replica.height > 0 if last is None else hand > last + 1
        if missed or status.is_catching_up:
            self._first_complete_hand = max(self._first_complete_hand, hand + 1)

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

    # --- History ---

    def show_entry(self, applied: Applied, replica: Replica) -> None:
        """Show one entry of a saved log, as a spectator sees it."""
        for event in self._narrator.describe(applied):
            self.show(event)
        state = replica.state
        view = self.view_at(state, public_view(state), None)
        self._store_moment(view)
        self._latest["view"], self._latest["log"] = view, self._log_status(replica)

    def stored_replay(self, hand: int) -> doc.HandReplay | None:
        """Return a hand, moment by moment, if its moments are still in memory."""
        return doc.HandReplay(hand, tuple(self._frames[hand])) if hand in self._frames else None

    def moment_collector(self, hand: int, config: Config) -> MomentCollector:
        """Return a collector for a hand of the log, which shows it as this page would have."""
        narrator = Narrator.for_table(config, self.you)

        def lines(applied: Applied) -> Iterator[doc.Line]:
            """Return the lines that the page shows for an entry. Card operations are shown elsewhere."""
            hand = applied.before.hand.number + 1
            told = (event for event in narrator.describe(applied) if isinstance(event, LINES))
            found = (_line_of(event, hand) for event in told)
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


def _is_wait_shown(status: TableStatus) -> bool:
    """Return whether the table has waited for another player for so long that the page shows it."""
    return any(status.now - one.since >= WAIT_SHOWN_AFTER for one in status.awaited.values())


def _open_proposals(state: TableState, status: TableStatus) -> Iterator[doc.ProposedTable]:
    """Yield the proposed rosters that this person has not agreed to."""
    for offer in status.rosters:
        roster, keeper = offer.proposed.roster, offer.proposed.roster.timekeeper
        out = (seat for seat in state.roster.with_cards if seat not in roster.seats)
        yield doc.ProposedTable(
            offer.id.hex(),
            state.all_members[offer.proposed.by].name,
            tuple(roster.member(seat).name for seat in roster.with_cards),
            tuple(state.all_members[seat].name for seat in out),
            None if keeper is None else keeper.name,
        )


def _time_left(state: TableState, seat: int, tick_age: float) -> int | None:
    """Return the milliseconds a seat has left, or None if no timekeeper is counting."""
    clock = state.clock
    if clock is None or clock.last_tick is None:
        return None
    used = [
        one.limit - (clock.last_tick - one.started)
        for one in clock.timed.values()
        if one.seat == seat and one.started is not None
    ]
    return max(0, min(used) + clock.bank(seat) - round(1000 * tick_age)) if used else None


def _allowed_actions(state: TableState, status: TableStatus) -> doc.AllowedActions:
    """Return what the person may do besides playing."""
    mine, options, actions, is_shown = status.seat, status.options, status.actions, _is_wait_shown(status)
    if mine is None or status.is_over:
        return doc.AllowedActions()
    votes = state.hand.skip_votes.get(mine, frozenset())
    voted = sorted(one.seat for one in status.awaited.values() if one.seat is not None and one.duties <= votes)
    playing = state.phase is Phase.PLAYING
    return doc.AllowedActions(
        vote=is_shown and actions.skip,
        voted=tuple(voted),
        votes_needed=actions.skip_needs,
        voters=actions.voters,
        late_needed=actions.late_needs or 0,
        break_off=is_shown and actions.abort,
        breaks_needed=0 if actions.voters <= 2 else actions.abort_needs,
        breaks="hand" if playing else "log" if state.no_more_hands else "game",
        leave=actions.leave,
        sit_out=actions.sit_out,
        back=actions.come_back,
        claim=status.view is None,
        unprovable=options.unprovable is not None,
        books=tuple(hand + 1 for hand in options.hands_to_disclose),
    )


def _line_of(event: TableEvent, hand: int) -> doc.Line | None:
    """Return an event of this hand as a line of the log panel, or None if it is not worth one."""
    kind = event_tag(event)
    if kind is None:
        return None
    name = event.by if isinstance(event, events.SeatsProposed) else getattr(event, "name", None)
    return doc.Line(
        entry=getattr(event, "entry", None),
        hand=event.hand + 1 if isinstance(event, events.Result) else hand,
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
