"""What each kind of entry does to a table: one function a body, from a state to a change.

Everything here has passed the replica: the entry is signed, it is its seat's next, and it saw a head of this log.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nodealer.engine.bodies import (
    Agree,
    Answer,
    Begin,
    Body,
    Book,
    Break,
    Cards,
    Choice,
    Claim,
    End,
    Leave,
    Move,
    Propose,
    Tick,
    Without,
    Word,
)
from nodealer.engine.disclosure import refuse_false_book, refuse_false_claim
from nodealer.engine.duties import OpenDuty, Owed
from nodealer.engine.hand import begin_hand, drive, moved, take_deck, void_hand, with_books
from nodealer.engine.phases import Phase
from nodealer.engine.rosters import in_force, proposal_id, refuse_roster
from nodealer.engine.state import Books, Change, Deed, Fault, ProposedRoster, TableState
from nodealer.engine.votes import ended, expel, has_word, leave, voters
from nodealer.errors import BadParameter, EntryRefused, IllegalMove, Malformed, PeerFault, Undecided
from nodealer.protocols.base import Duty
from nodealer.records import replace
from nodealer.wire import WORD_BYTES_MAX


class TooLate(Exception):
    """The entry was due on what it saw and came too late. It stays in the log, changes nothing and blames nobody."""


@dataclass(frozen=True)
class Origin:
    """An entry on its way into the state: its number, its seat, and how much of the log it had seen."""

    entry: int
    seat: int
    hand: int
    seen: int


# defence: another-seat
def _duty(state: TableState, origin: Origin, body: Answer, kind: Owed | None) -> Duty:
    """The open duty that an entry fulfils. `kind` is None for messages of the card protocol."""
    known = state.duties.open.get(body.duty)
    if (known is None or origin.seen < known.since) and was_due(state, origin, body):
        raise TooLate
    if known is None or known.duty.seat != origin.seat:
        raise EntryRefused(origin.seat, "the entry answers nothing that this seat owes", origin.entry)
    if (known.duty.deck is None) != (kind is not None) or kind not in (None, known.duty.kind):
        raise EntryRefused(origin.seat, f"the entry is not of the kind that {known.duty.kind} needs", origin.entry)
    if origin.seen < known.since:
        raise EntryRefused(origin.seat, "the entry was signed before what it answers", origin.entry)
    return known.duty


def was_due(state: TableState, origin: Origin, body: Body) -> bool:
    """Whether an entry answers a duty, now closed, that was open on the log it saw."""
    ends = state.chronicle.ends
    late = origin.seen < (ends[origin.hand] if origin.hand < state.hand.number else state.chronicle.seated)
    if not isinstance(body, Answer):
        # These answer no duty of their own. Signed for an earlier hand or roster, they are late.
        return late
    if origin.hand + 1 < state.hand.number:
        # The duties of so old a hand are forgotten; a seat that comes back after it must not be stuck on its own words.
        return late
    known = state.duties.closed_since(body.duty, origin.seen)
    return known is not None and known.seat == origin.seat


# --- Playing ---


def _begin(state: TableState, origin: Origin, body: Begin) -> Change:
    _duty(state, origin, body, Owed.BEGIN)
    if any(origin.seat in books.owing for books in state.books.values()):
        if origin.hand < state.hand.number:
            # It owed none when it signed: the hand whose book it owes ended on its way.
            raise TooLate
        raise EntryRefused(origin.seat, "a seat that owes a book is not dealt in", origin.entry)
    if state.phase is Phase.PLAYING:
        return Change(state.with_hand(early={**state.hand.early, origin.seat: body.commitment}))
    return begin_hand(state.with_hand(commitments={**state.hand.commitments, origin.seat: body.commitment}))


# defence: starved
def _cards(state: TableState, origin: Origin, body: Cards) -> Change:
    duty = _duty(state, origin, body, None)
    if duty.deck is None:
        raise EntryRefused(origin.seat, f"{duty.kind} is not a message of the card protocol", origin.entry)
    deck, message = state.hand.decks[duty.deck], bytes(body.message)
    try:
        made = deck.apply(duty, message)
    except BadParameter as error:
        raise EntryRefused(origin.seat, str(error), origin.entry) from None
    deed = Deed(origin.entry, deck, duty, message)
    done = state.with_hand(deeds=state.hand.deeds.grown([(origin.entry, deed)]))
    try:
        return drive(take_deck(Change(done), duty.deck, made))
    except BadParameter as error:
        return _unplayable(Change(done, made.events, made.checks), str(error))


def _unplayable(change: Change, reason: str) -> Change:
    """The decks told what no true deck tells, such as one face twice; whoever spoke last need not be to blame.

    Where every hand ends with open books they are opened now, and name whom they name. Where everything is proven
    there is nothing that books could add: nobody is named.
    """
    if not change.state.config.protocol.claims.open_book_at_end:
        raise Undecided(f"the game cannot go on with these cards: {reason}")
    return change.to(_disputed(change.state, f"the game cannot go on with these cards: {reason}"))


def _disputed(state: TableState, reason: str) -> TableState:
    """The hand ends without result; each seat's bets are held for it until its own book is open."""
    hand = state.hand
    paid = hand.game.paid if hand.game is not None else {}
    state = replace(state, account=state.account.claimed(hand.number, paid))
    return void_hand(with_books(state, disputed=True), reason)


def _move(state: TableState, origin: Origin, body: Move) -> Change:
    _duty(state, origin, body, Owed.MOVE)
    try:
        return moved(Change(state), origin.seat, bytes(body.move))
    except BadParameter as error:
        raise EntryRefused(origin.seat, f"the move asks for what cannot be: {error}", origin.entry) from None


# --- Rosters ---


def _propose(state: TableState, origin: Origin, body: Propose) -> Change:
    seat, hand = origin.seat, state.hand.number
    if seat not in state.roster.with_cards or seat in state.ended:
        raise EntryRefused(seat, "only a seat with cards that has not ended proposes a roster", origin.entry)
    if any((one.by, one.hand) == (seat, hand) for one in state.proposed.values()):
        raise EntryRefused(seat, "a seat proposes one roster a hand", origin.entry)
    refuse_roster(state, body)
    one = ProposedRoster(body.roster, seat, hand, frozenset({seat}), key=body.key)
    return _rostered(replace(state, proposed={**state.proposed, proposal_id(body.roster, seat, hand): one}), origin)


def _agree(state: TableState, origin: Origin, body: Agree) -> Change:
    one = state.proposed.get(body.proposal)
    if origin.seat not in state.roster.with_cards or origin.seat in state.ended:
        raise EntryRefused(origin.seat, "only a seat with cards that has not ended agrees to a roster", origin.entry)
    if one is None:
        # It has lapsed, or another one has come into force.
        raise TooLate
    agreed = replace(one, agreed=one.agreed | {origin.seat})
    return _rostered(replace(state, proposed={**state.proposed, body.proposal: agreed}), origin)


def _rostered(state: TableState, origin: Origin) -> Change:
    after = in_force(state)
    if after.roster is not state.roster:
        after = after.noted(seated=origin.entry + 1)
    return Change(after)


# --- Going on without a seat ---


def _named(state: TableState, origin: Origin, duty: bytes) -> OpenDuty | None:
    """A duty of another seat that a statement names; None where it was closed meanwhile. Refuses any other."""
    known = state.duties.open.get(duty)
    if known is not None and known.duty.seat != origin.seat and known.holds_up and known.since <= origin.seen:
        return known
    if state.duties.closed_since(duty, origin.seen) is None:
        raise EntryRefused(origin.seat, "the statement names what nobody waits for", origin.entry)
    return None


def _without(state: TableState, origin: Origin, body: Without) -> Change:
    if list(body.duties) != sorted(set(body.duties)):
        raise Malformed("the duties of a statement are not each there once and in order")
    named = frozenset(duty for duty in body.duties if _named(state, origin, duty) is not None)
    if not named or not has_word(state, origin.seat):
        raise TooLate
    votes = state.hand.votes.get(origin.seat, frozenset()) | named
    return Change(state.with_hand(votes={**state.hand.votes, origin.seat: votes}))


def _break(state: TableState, origin: Origin, body: Break) -> Change:
    if state.roster.timekeeper is not None:
        raise EntryRefused(origin.seat, "where somebody keeps the time nothing is broken off", origin.entry)
    if _named(state, origin, body.duty) is None or not has_word(state, origin.seat):
        raise TooLate
    return Change(state.with_hand(breaks={**state.hand.breaks, origin.seat: body.duty}))


def _leave(state: TableState, origin: Origin, body: Leave) -> Change:
    if origin.seat not in state.present:
        raise TooLate
    return leave(Change(state), frozenset({origin.seat}))


# --- Time ---


def _tick(state: TableState, origin: Origin, body: Tick) -> Change:
    keeper, clock = state.roster.timekeeper, state.clock
    if keeper is None or clock is None or origin.seat != keeper.seat:
        raise EntryRefused(origin.seat, "only the timekeeper says what time it is", origin.entry)
    if state.phase is Phase.ENDED:
        raise TooLate
    if (reason := clock.refusal(body.time, origin.seen, state.duties)) is not None:
        raise EntryRefused(origin.seat, reason, origin.entry)
    return Change(replace(state, clock=clock.ticked(body.time, origin.seen)))


# --- Words ---


# defence: oversize
def _word(state: TableState, origin: Origin, body: Word) -> Change:
    if len(body.text.encode()) > WORD_BYTES_MAX:
        raise Malformed(f"a word has at most {WORD_BYTES_MAX} bytes of UTF-8")
    if state.phase is Phase.ENDED or origin.seat not in state.roster.seats or origin.seat in state.ended:
        raise TooLate
    return Change(state)


# --- Books ---


def _choices(choices: tuple[Choice, ...]) -> dict[bytes, bytes]:
    return {choice.duty: choice.choice for choice in choices}


def _claim(state: TableState, origin: Origin, body: Claim) -> Change:
    hand, seat = state.hand, origin.seat
    if state.phase is not Phase.PLAYING or seat not in voters(state):
        raise TooLate
    books = Books(hand.binding, hand.commitments, hand.deeds, frozenset())
    refuse_false_book(state.config, books, seat, origin.entry, body.seed, _choices(body.choices))
    deck = hand.decks_at(origin.seen).get(body.deck)
    refuse_false_claim(deck, seat, origin.entry, (body.deck, body.position), body.seed)
    reason = f"seat {seat} showed that card {body.position} of deck {body.deck} does not open"
    return Change(_opened(_disputed(state, reason), hand.number, seat))


def _book(state: TableState, origin: Origin, body: Book) -> Change:
    hand = _duty(state, origin, body, Owed.BOOK).binding.hand
    seat, books = origin.seat, state.books[hand]
    try:
        refuse_false_book(state.config, books, seat, origin.entry, body.seed, _choices(body.choices))
    except PeerFault as fault:
        return _named_by_book(state, hand, origin, fault)
    return Change(_opened(state, hand, seat))


def _opened(state: TableState, hand: int, seat: int) -> TableState:
    """A seat's book of a hand holds."""
    rest = replace(state.books[hand], owing=state.books[hand].owing - {seat})
    books = {**state.books, hand: rest} if rest.owing else {n: b for n, b in state.books.items() if n != hand}
    return replace(state, books=books, account=state.account.covered(hand, seat))


def _named_by_book(state: TableState, hand: int, origin: Origin, fault: PeerFault) -> Change:
    """A book names its own seat. Nothing of the hand counts then, but for what has counted already: that is final."""
    record = state.chronicle.records[hand]
    held = next((one for one in state.account.held if one.hand == hand), None)
    final = held.final if held is not None else any(net > 0 for net in record.net.values())
    if record.void is None and not final:
        voided = replace(record, void=f"seat {origin.seat} was found at fault by its book")
        records = state.chronicle.records
        state = state.noted(records=(*records[:hand], voided, *records[hand + 1 :]))
    state = replace(state, account=state.account.named(hand, origin.seat))
    entry = fault.entry if fault.entry is not None else origin.entry
    return expel(Change(state), Fault(entry, origin.seat, "book", fault.reason))


# --- The end ---


def _end(state: TableState, origin: Origin, body: End) -> Change:
    _duty(state, origin, body, Owed.END)
    begun = {seat: one for seat, one in state.hand.commitments.items() if seat != origin.seat}
    state = replace(state.with_hand(commitments=begun), ended=state.ended | {origin.seat})
    if not state.present:
        return Change(ended(state))
    return begin_hand(_rostered(state, origin).state)


_STEPS: dict[type, Callable[[TableState, Origin, Any], Change]] = {
    Begin: _begin,
    Cards: _cards,
    Move: _move,
    Propose: _propose,
    Agree: _agree,
    Without: _without,
    Break: _break,
    Leave: _leave,
    Tick: _tick,
    Word: _word,
    Claim: _claim,
    Book: _book,
    End: _end,
}


def apply_body(state: TableState, origin: Origin, body: Body) -> Change:
    """What an entry does. Raises `TooLate`, `EntryRefused`, `PeerFault` or `Undecided`."""
    try:
        return _STEPS[type(body)](state, origin, body)
    except (Malformed, IllegalMove) as error:
        raise EntryRefused(origin.seat, str(error), origin.entry) from None
