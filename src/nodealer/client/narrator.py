"""Turns log entries into events: what each entry says, and what it did to the table, with the game's own texts.

The library returns the public ones. A terminal renders them as lines, a page in its own way, and a program reads them
as JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from nodealer.cards import events as card_events
from nodealer.cards.operations import Card, NoneOf, Peek, Prove
from nodealer.client import events
from nodealer.client.events import TableEvent
from nodealer.client.seat_names import names_of, with_names
from nodealer.engine import bodies
from nodealer.engine.leave_policy import stay_while_playable
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Applied, Outcome, Replica
from nodealer.engine.state import Config, TableState, VoteResult
from nodealer.errors import IllegalMove, Malformed
from nodealer.games.free import face_of
from nodealer.games.text import Text, Words
from nodealer.protocols import STEPS
from nodealer.protocols.dice import STEPS as DICE_STEPS
from nodealer.protocols.envelopes import STEPS as ENVELOPE_STEPS
from nodealer.protocols.text import StepText
from nodealer.wire import decode

#: Returns the faces that the person knows of the cards of a seat, in a state of the table.
KnownCards = Callable[[int, TableState], Mapping[Card, int]]

#: For a step without a text.
_NO_WORDS: Final = StepText("", "")
#: How a protocol message starts: with its type.
_TYPE: Final = b'{"type":"'
#: Cards of one deck to which the same thing happened: positions, and faces if they are open.
_CardGroup = list[tuple[int, int | None]]


def _know_nothing(seat: int, state: TableState) -> Mapping[Card, int]:
    """Return no faces, as for a spectator."""
    return {}


class Narrator:
    """Describes what entries did to a table, for the person at a seat or for a spectator."""

    def __init__(
        self,
        words: Words,
        steps: Mapping[str, StepText],
        *,
        proven: bool = True,
        secret: bool = True,
        you: int | None = None,
        known_cards: KnownCards = _know_nothing,
    ) -> None:
        """Use the game's texts `words` and the protocol's texts `steps`.

        Addresses the person at seat `you`, if any. `proven`: card operations are proven at once, not by later
        disclosures. `secret`: the cards are hidden, which a rehearsal's are not. `known_cards` adds the faces of the
        person's own cards.
        """
        self._words = words
        self._steps = steps
        #: Whether shuffles are proven at once, and whether the order is secret: in rehearsals nothing is.
        self._proven = proven
        self._secret = secret
        self._you = you
        self._known_cards = known_cards

    @classmethod
    def for_table(cls, config: Config, you: int | None = None, known_cards: KnownCards = _know_nothing) -> Narrator:
        """Return the narrator for a table with this configuration."""
        claims, rehearsal = config.protocol.claims, config.session.proposal.rehearsal
        steps = {**DICE_STEPS, **ENVELOPE_STEPS, **STEPS.get(claims.name, {})}
        proven, secret = not claims.open_book_at_end, not rehearsal
        return cls(config.words, steps, proven=proven, secret=secret, you=you, known_cards=known_cards)

    @property
    def you(self) -> int | None:
        """The seat of the person who is addressed, or None for a spectator."""
        return self._you

    def step_text(self, kind: str) -> StepText:
        """Return the text for a kind of protocol step."""
        return self._steps.get(kind, _NO_WORDS)

    def describe(self, applied: Applied, seconds: float | None = None) -> Iterator[TableEvent]:
        """Yield the events that an entry caused, in order. Checking it took this many seconds, if that is known."""
        outcome = applied.outcome
        if outcome is Outcome.REPEATED:
            return
        if outcome is Outcome.DROPPED:
            seat, number = applied.entry.seat, applied.number
            name = applied.after.all_members[seat].name
            yield events.Late(name, _tag_of(applied.body), seat=seat, entry=number)
            return
        if isinstance(applied.body, bodies.Cards):
            yield self._card_operation(applied, applied.body, seconds)
            if outcome is Outcome.ACCEPTED:
                yield from _describe_proof(applied)
        else:
            yield from self._describe_body(applied)
        if outcome is Outcome.ACCEPTED:
            if applied.events:
                yield from self._describe_cards(applied)
            yield from self._describe_changes(applied.before, applied.after)
        yield from self._describe_state(applied.before, applied.after)

    # --- What an entry says ---

    def _describe_body(self, applied: Applied) -> Iterator[TableEvent]:
        """Yield the event for what the entry itself says."""
        before, seat, number = applied.before, applied.entry.seat, applied.number
        name = applied.after.all_members[seat].name
        match applied.body:
            case bodies.Move(move=move):
                text = self._move_text(before, seat, bytes(move))
                yield events.Moved(name, _move_data(bytes(move)), str(text), seat=seat, entry=number, line=text)
            case bodies.Begin():
                yield events.ReadyForHand(name, seat, number, before.hand.number + 1)
            case bodies.Tick(time=time):
                yield events.Ticked(name, seat, number, time)
            case bodies.Without(duties=duties):
                owing = {known.duty.seat for duty in duties if (known := before.duties.open.get(duty)) is not None}
                names = tuple(before.all_members[seat].name for seat in sorted(owing))
                yield events.WouldNotWait(name, names, seat=seat, entry=number)
            case bodies.Break():
                yield events.WouldBreakOff(name, seat=seat, entry=number)
            case bodies.Leave():
                yield events.LeaveSigned(name, seat, number, before.phase is Phase.PLAYING)
            case bodies.Word(text=text):
                yield events.Word(name, text, seat=seat, entry=number)
            case bodies.Claim():
                yield events.CardDisputed(name, seat, number)
            case bodies.Book():
                yield events.HandDisclosed(name, seat, number)
            case bodies.Propose(roster=roster):
                names = tuple(roster.member(seat).name for seat in roster.with_cards)
                yield events.SeatsProposed(name, names, seat=seat, entry=number)
            case bodies.Agree():
                yield events.RosterAgreed(name, seat, number)
            case bodies.End():
                yield events.EndSigned(name, seat, number, stay_while_playable(before))

    def _move_text(self, before: TableState, seat: int, move: bytes) -> Text:
        """Return the game's text for a move."""
        try:
            return self._words.move(before.hand.game, seat, move, names_of(before))
        except IllegalMove:
            return "makes an invalid move"

    def _default_move_text(self, before: TableState, seat: int) -> Text:
        """Return the text for the move that the rules made for a seat, or an empty text."""
        move = None if before.hand.game is None else before.hand.game.default(seat)
        return "" if move is None else self._move_text(before, seat, move)

    # --- Card operations ---

    def _card_operation(self, applied: Applied, body: bodies.Cards, seconds: float | None) -> events.CardOperation:
        """Return the event for a protocol step, with what this machine has checked."""
        seat, known = applied.entry.seat, applied.before.duties.open.get(body.duty)
        step = _message_type(applied, bytes(body.message))
        kind = step if known is None else known.duty.kind
        words = self.step_text(kind)
        mine, false = seat == self._you, applied.outcome is Outcome.FAULT
        return events.CardOperation(
            name=applied.after.all_members[seat].name,
            seat=seat,
            entry=applied.number,
            hand=applied.before.hand.number + 1,
            step=step,
            kind=kind,
            size=applied.size,
            proofs=tuple(check.name for check in applied.checks),
            text=self._step_line(applied, kind, words) if words.done else "",
            state="false" if false else "own" if mine else "verified" if applied.checks else "unproven",
            doing=words.doing,
            means=words.means,
            seconds=seconds,
        )

    def _step_line(self, applied: Applied, kind: str, words: StepText) -> str:
        """Return the line for a protocol step and what it proves, or an empty text if it was not accepted."""
        if applied.outcome is not Outcome.ACCEPTED:
            return ""
        mine = applied.entry.seat == self._you
        name = "You" if mine else applied.after.all_members[applied.entry.seat].name
        text = f"{name} {words.done}{self._deck_owner_text(applied)}"
        if not self._proven or not applied.checks:
            return f"{text}; not proven yet: all players disclose after the hand"
        settled = self._secret and words.last and not _still_owed(applied, kind)
        claim = proven_claim(applied)
        shows = words.last if settled else words.shows
        if claim is not None:
            shows = self._words.proven(applied.before.hand.game, *claim)
        checked = "proven, you checked it" if self._you is not None and not mine else "proven"
        return f"{text}; {checked}: {shows}"

    def _deck_owner_text(self, applied: Applied) -> str:
        """Return whose deck a step was about, or an empty text if the deck has no owner."""
        number = _deck_of(applied)
        deck = None if number is None else applied.before.hand.decks.get(number)
        owner = None if deck is None else deck.places.belongs_to
        if owner is None:
            return ""
        return " your deck" if owner == self._you else f" {applied.after.all_members[owner].name}'s deck"

    # --- What happened to cards ---

    def _describe_cards(self, applied: Applied) -> Iterator[TableEvent]:
        """Yield the events for what an entry did to cards, dice and envelopes."""
        before, owners = applied.before, self._owners(applied)
        yield from self._describe_opened_cards(before, owners)
        yield from self._describe_peeks(before, applied.events)
        yield from self._describe_rolls(before, applied.events)
        yield from self._describe_places(applied, owners)

    def _owners(self, applied: Applied) -> list[tuple[card_events.Opened, int | None]]:
        """Return the opened cards in order, and whose each is: a seat's, or the table's."""
        found: list[tuple[card_events.Opened, int | None]] = []
        hand = applied.before.hand
        for event in applied.events:
            if isinstance(event, card_events.Opened):
                deck = hand.decks.get(event.card.deck)
                holder = None if deck is None else deck.places.holder(event.card.position)
                found.append((event, self._words.owner(hand.game, event, holder)))
        return found

    def _describe_opened_cards(
        self, before: TableState, owners: Sequence[tuple[card_events.Opened, int | None]]
    ) -> Iterator[TableEvent]:
        """Yield an event for the opened cards of each owner."""
        game, words = before.hand.game, self._words
        by_seat: dict[int | None, list[card_events.Opened]] = {}
        for event, owner in owners:
            by_seat.setdefault(owner, []).append(event)
        for seat, opened in by_seat.items():
            cards = tuple(words.face(game, event.card.deck, event.face) for event in opened)
            name = None if seat is None else before.roster.member(seat).name
            yield events.CardsOpened(name, seat, cards, words.cards(game, opened))

    def _describe_peeks(self, before: TableState, happened: Sequence[card_events.Event]) -> Iterator[TableEvent]:
        """Yield an event for each peek at cards by another player."""
        for event in happened:
            if isinstance(event, card_events.Finished) and isinstance(event.operation, Peek):
                seat = event.operation.seat
                if seat != self._you:
                    text = self._words.looked(before.hand.game, event.operation)
                    yield events.Peeked(before.roster.member(seat).name, seat, text)

    def _describe_rolls(self, before: TableState, happened: Sequence[card_events.Event]) -> Iterator[TableEvent]:
        """Yield an event for each roll and each opened envelope."""
        for event in happened:
            if isinstance(event, card_events.Rolled):
                text = self._words.rolled(before.hand.game, event, names_of(before))
                silent = tuple(before.all_members[seat].name for seat in event.silent)
                yield events.Rolled(event.numbers, silent, silent_seats=event.silent, line=text)
            elif isinstance(event, card_events.Unsealed):
                text, name = self._words.unsealed(before.hand.game, event), before.all_members[event.seat].name
                yield events.Unsealed(name, event.value, seat=event.seat, line=text)

    def _describe_places(
        self, applied: Applied, owners: Sequence[tuple[card_events.Opened, int | None]]
    ) -> Iterator[TableEvent]:
        """Yield an event for each group of cards with the same fate: dealt, given back, opened or shown."""
        groups, opened = dict[tuple[str, int, int | None], _CardGroup](), iter(owners)
        for event in applied.events:
            match event:
                case card_events.Moved(card=card, holder=holder):
                    what = "given back" if holder is None else "dealt"
                    groups.setdefault((what, card.deck, holder), []).append((card.position, None))
                case card_events.Opened(card=card, face=face):
                    groups.setdefault(("opened", card.deck, next(opened)[1]), []).append((card.position, face))
        for (what, deck, whose), group in groups.items():
            yield self._place_event(applied, what, deck, whose, group)

    def _place_event(self, applied: Applied, what: str, deck: int, whose: int | None, group: _CardGroup) -> TableEvent:
        """Return the event for one group of cards."""
        positions = tuple(position for position, _ in group)
        if whose is None and what == "given back":
            return events.GivenBack(deck, positions)
        game = applied.before.hand.game
        faces = tuple(face_of(game, deck, face) for _, face in group if face is not None)
        if whose is None:
            return events.Opened(deck, positions, faces)
        name = applied.before.all_members[whose].name
        if what == "opened":
            return events.Shown(name, deck, positions, faces)
        known = self._known_cards(whose, applied.after)
        seen = {card.position: face for card, face in known.items() if card.deck == deck}
        own = tuple(face_of(game, deck, seen[at]) for at in positions if at in seen)
        return events.Dealt(name, deck, positions, own)

    def _describe_changes(self, before: TableState, after: TableState) -> Iterator[TableEvent]:
        """Yield an event for each change that the game reports."""
        if before.hand.game is not None and after.hand.game is not before.hand.game:
            for text in self._words.changed(before.hand.game, after.hand.game, names_of(before)):
                yield events.TableChanged(text)

    # --- What changed at the table ---

    def _describe_state(self, before: TableState, after: TableState) -> Iterator[TableEvent]:
        """Yield events for new faults, votes that decided something, seats that changed, and the end of a hand."""
        for fault in after.faults[len(before.faults) :]:
            name = None if fault.seat is None else after.all_members[fault.seat].name
            reason = with_names(fault.reason, names_of(after))
            yield events.Fault(
                name, reason, seat=fault.seat, entry=fault.entry, finding=fault.reason, check=fault.check
            )
        decided: Sequence[VoteResult] = ()
        if after.chronicle is not before.chronicle:
            decided = after.chronicle.vote_results[len(before.chronicle.vote_results) :]
        for vote in decided:
            yield from self._describe_vote(before, after, vote)
        if before.clock is not None and after.clock is not None and after.clock is not before.clock:
            late = {before.clock.timed[duty].seat for duty in after.clock.late - before.clock.late}
            yield from (events.TimeIsUp(after.all_members[seat].name) for seat in sorted(late))
        if after.roster is not before.roster and after.roster.with_cards != before.roster.with_cards:
            yield events.Seated(tuple(after.all_members[seat].name for seat in after.roster.with_cards))
        for seat in sorted(after.gone - before.gone - after.expelled):
            thrown_out = any((one.of, one.did) == (seat, "gone") for one in decided)
            yield events.Left(after.all_members[seat].name, thrown_out)
        if after.chronicle is not before.chronicle:
            yield from self._describe_results(before, after)
        if after.phase is not before.phase:
            yield from _describe_phase(before, after)

    def _describe_vote(self, before: TableState, after: TableState, vote: VoteResult) -> Iterator[TableEvent]:
        """Yield events for a vote that decided something, and for the move that the rules then made."""
        name = None if vote.of is None else after.all_members[vote.of].name
        moved = vote.did == "move" and vote.of is not None
        move = self._default_move_text(before, vote.of) if moved and vote.of is not None else ""
        yield events.VoteDecided(name, vote.of, vote.did, tuple(vote.by), move)
        if moved and name is not None:
            yield events.Moved(name, None, "", by_rules=True)

    def _describe_results(self, before: TableState, after: TableState) -> Iterator[TableEvent]:
        """Yield an event for each hand that is over."""
        for record in after.chronicle.records[len(before.chronicle.records) :]:
            names, words, result = names_of(after), self._words, record.result
            net = {names[seat]: amount for seat, amount in record.net.items()}
            if record.void is not None:
                yield events.Result(record.hand, result, net, "", with_names(record.void, names), reason=record.void)
                continue
            text, outcome = words.result(result, names), tuple(words.outcome(result, names))
            parting = "" if self._you is None else words.parting(result, self._you)
            yield events.Result(record.hand, result, net, str(text), line=text, outcome=outcome, parting=parting)


def session_opened(replica: Replica, seat: int | None = None, past: int = 0) -> events.SessionOpened:
    """Return the event for the session that the players agreed on, for the player at a seat or a spectator.

    `past` is how many entries the log had before those that are shown next.
    """
    config = replica.config
    proposal = config.session.proposal
    names = tuple(proposal.roster.member(seat).name for seat in proposal.roster.awaited)
    about = config.session.id, names, proposal, config.words
    return events.SessionOpened(*about, replica=replica, seat=seat, past=past)


def game_summary(replica: Replica, seconds: float) -> events.GameSummary:
    """Return the summary of a table's whole log, including what was played before this program started."""
    # The kind comes first in a body.
    cards = sum(len(entry) for entry in replica.entries if b'"body":{"type":"cards"' in entry)
    return events.GameSummary(seconds, replica.height, sum(map(len, replica.entries)), replica.checks_settled, cards)


def proven_claim(applied: Applied) -> tuple[int, NoneOf] | None:
    """Return the deck and the claim that an entry proves, or None if it is not such a proof."""
    number, asked = _deck_of(applied), applied.before.hand.requests
    queue = () if asked is None or number is None else asked.queues.get(number, ())
    if number is None or not queue or not isinstance(queue[0], Prove):
        return None
    claims = (claim for claim in queue[0].claims if claim.seat == applied.entry.seat)
    return next(((number, claim) for claim in claims), None)


def _describe_proof(applied: Applied) -> Iterator[TableEvent]:
    """Yield an event if the entry proved what hidden cards are not."""
    proof = proven_claim(applied)
    if proof is not None:
        deck, claim = proof
        none_of = tuple(face_of(applied.before.hand.game, deck, face) for face in claim.faces)
        name = applied.after.all_members[applied.entry.seat].name
        yield events.Proven(name, deck, claim.positions, none_of)


def _describe_phase(before: TableState, after: TableState) -> Iterator[TableEvent]:
    """Yield an event if a hand or the whole game began or ended."""
    if (before.phase, after.phase) == (Phase.BETWEEN, Phase.PLAYING) and after.hand.game is not None:
        players = tuple(after.all_members[seat].name for seat in after.hand.game.players)
        yield events.Began(after.hand.number, players)
    if after.phase is Phase.ENDED:
        yield events.Ended()


def _move_data(move: bytes) -> Any:
    """Return a move as decoded JSON, or None if it is malformed."""
    try:
        return decode(dict, move, what="the move")
    except Malformed:
        return None


def _message_type(applied: Applied, message: bytes) -> str:
    """Return the type of a protocol message, or an empty text if it is malformed."""
    if applied.outcome is Outcome.ACCEPTED and message.startswith(_TYPE):
        # The protocol has read it, so its form is known. It may be long.
        return message[len(_TYPE) : message.index(b'"', len(_TYPE))].decode()
    try:
        return str(decode(dict, message, what="a message").get("type", ""))
    except Malformed:
        return ""


def _tag_of(body: bodies.Body | None) -> str:
    """Return the tag of an entry's body."""
    return "" if body is None else str(body.__struct_config__.tag)


def _deck_of(applied: Applied) -> int | None:
    """Return the deck that a protocol step was about, or None."""
    known = applied.before.duties.open.get(applied.body.duty) if isinstance(applied.body, bodies.Cards) else None
    return None if known is None else known.duty.deck


def _still_owed(applied: Applied, kind: str) -> bool:
    """Return whether other seats still have to take such a step on the same deck."""
    deck = _deck_of(applied)
    owed = (known.duty for known in applied.after.duties.open.values())
    return any(duty.deck == deck and duty.kind == kind for duty in owed)
