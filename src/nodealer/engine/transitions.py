"""The effect of each kind of entry on a table: one function per body, from a state to a change.

The replica has already checked every entry that gets here: it is signed, it is its seat's next one, and its signer had
seen a head of this log.
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
from nodealer.engine.disclosure import refuse_false_disclosure, refuse_false_dispute
from nodealer.engine.duties import OpenDuty, TableDuty
from nodealer.engine.hand import begin_hand, drive, make_move, require_disclosures, update_deck, void_hand
from nodealer.engine.phases import Phase
from nodealer.engine.rosters import adopt_agreed_roster, proposal_id, refuse_roster
from nodealer.engine.state import Change, DueDisclosures, Fault, ProposedRoster, SentMessage, TableState
from nodealer.engine.votes import can_vote, end_session, expel, remove_seats, voters
from nodealer.errors import BadParameter, EntryRefused, IllegalMove, Malformed, PeerFault, Undecided
from nodealer.protocols.base import Duty
from nodealer.records import replace
from nodealer.wire import WORD_BYTES_MAX


class TooLate(Exception):
    """The entry was due on the log it had seen and came too late.

    It stays in the log without effect and blames no one.
    """


@dataclass(frozen=True)
class Origin:
    """The origin of an entry: its number and seat, the hand that it was signed for, and the log height it had seen."""

    entry: int
    seat: int
    hand: int
    seen: int


# defence: another-seat
def _find_duty(state: TableState, origin: Origin, body: Answer, kind: TableDuty | None) -> Duty:
    """Return the open duty that an entry fulfils. `kind` is None for messages of the card protocol.

    Raise `TooLate` if it was closed meanwhile, or `EntryRefused` if the seat does not owe it.
    """
    known = state.duties.open.get(body.duty)
    if (known is None or origin.seen < known.since) and was_due(state, origin, body):
        raise TooLate
    if known is None or known.duty.seat != origin.seat:
        raise EntryRefused(origin.seat, "the entry answers nothing that this seat owes", origin.entry)
    if (known.duty.deck is None) != (kind is not None) or kind not in (None, known.duty.kind):
        raise EntryRefused(
            origin.seat, f"the entry is not of the kind that the duty {known.duty.kind} needs", origin.entry
        )
    if origin.seen < known.since:
        raise EntryRefused(origin.seat, "the entry was signed before what it answers", origin.entry)
    return known.duty


def was_due(state: TableState, origin: Origin, body: Body) -> bool:
    """Return whether an entry answers a closed duty that was open on the log it had seen."""
    ends = state.chronicle.hand_ends
    late = origin.seen < (ends[origin.hand] if origin.hand < state.hand.number else state.chronicle.roster_since)
    if not isinstance(body, Answer):
        # These answer no duty. If they were signed for an earlier hand or roster, they are late.
        return late
    if origin.hand + 1 < state.hand.number:
        # Duties of hands this old are forgotten, but a seat that comes back must not get stuck on its own entries.
        return late
    known = state.duties.find_closed(body.duty, origin.seen)
    return known is not None and known.seat == origin.seat


# --- Playing ---


def _apply_begin(state: TableState, origin: Origin, body: Begin) -> Change:
    """Let a seat begin the next hand, which starts if it was the last one missing."""
    _find_duty(state, origin, body, TableDuty.BEGIN)
    if any(origin.seat in books.owing for books in state.disclosures.values()):
        if origin.hand < state.hand.number:
            # It owed none when it signed: the hand that it must disclose ended while the entry was on its way.
            raise TooLate
        raise EntryRefused(origin.seat, "a seat that owes a disclosure is not dealt in", origin.entry)
    if state.phase is Phase.PLAYING:
        return Change(state.with_hand(early_commitments={**state.hand.early_commitments, origin.seat: body.commitment}))
    return begin_hand(state.with_hand(commitments={**state.hand.commitments, origin.seat: body.commitment}))


# defence: starved
def _apply_cards(state: TableState, origin: Origin, body: Cards) -> Change:
    """Apply a message of the card protocol to its deck and drive the hand on."""
    duty = _find_duty(state, origin, body, None)
    if duty.deck is None:
        raise EntryRefused(origin.seat, f"{duty.kind} is not a message of the card protocol", origin.entry)
    deck, message = state.hand.decks[duty.deck], bytes(body.message)
    try:
        made = deck.apply(duty, message)
    except BadParameter as error:
        raise EntryRefused(origin.seat, str(error), origin.entry) from None
    deed = SentMessage(origin.entry, deck, duty, message)
    done = state.with_hand(messages=state.hand.messages.extended([(origin.entry, deed)]))
    try:
        return drive(update_deck(Change(done), duty.deck, made))
    except BadParameter as error:
        return _stop_unplayable_hand(Change(done, made.events, made.checks), str(error))


def _stop_unplayable_hand(change: Change, reason: str) -> Change:
    """Stop a hand whose decks report the impossible, such as one face twice.

    The last sender need not be to blame. If every hand ends with disclosures, they are due now and show who is at
    fault. If everything is proven, disclosures could add nothing: raise `Undecided`, which names no one.
    """
    if not change.state.config.protocol.claims.open_book_at_end:
        raise Undecided(f"the game cannot go on with these cards: {reason}")
    return change.with_state(_void_disputed_hand(change.state, f"the game cannot go on with these cards: {reason}"))


def _void_disputed_hand(state: TableState, reason: str) -> TableState:
    """Return the state after a dispute: the hand is void, and each seat's bets are held until it has disclosed."""
    hand = state.hand
    paid = hand.game.paid if hand.game is not None else {}
    state = replace(state, ledger=state.ledger.hold_bets(hand.number, paid))
    return void_hand(require_disclosures(state, disputed=True), reason)


def _apply_move(state: TableState, origin: Origin, body: Move) -> Change:
    """Apply a move in the game."""
    _find_duty(state, origin, body, TableDuty.MOVE)
    try:
        return make_move(Change(state), origin.seat, bytes(body.move))
    except BadParameter as error:
        raise EntryRefused(origin.seat, f"the move requests something impossible: {error}", origin.entry) from None


# --- Rosters ---


def _apply_propose(state: TableState, origin: Origin, body: Propose) -> Change:
    """Add a proposed roster, to which its proposer agrees."""
    seat, hand = origin.seat, state.hand.number
    if seat not in state.roster.with_cards or seat in state.ended:
        raise EntryRefused(seat, "only a seat with cards that has not ended can propose a roster", origin.entry)
    if any((one.by, one.hand) == (seat, hand) for one in state.proposed.values()):
        raise EntryRefused(seat, "a seat can propose only one roster per hand", origin.entry)
    refuse_roster(state, body)
    one = ProposedRoster(body.roster, seat, hand, frozenset({seat}), key=body.key)
    return _adopt_roster(replace(state, proposed={**state.proposed, proposal_id(body.roster, seat, hand): one}), origin)


def _apply_agree(state: TableState, origin: Origin, body: Agree) -> Change:
    """Add a seat's agreement to a proposed roster."""
    one = state.proposed.get(body.proposal)
    if origin.seat not in state.roster.with_cards or origin.seat in state.ended:
        raise EntryRefused(origin.seat, "only a seat with cards that has not ended agrees to a roster", origin.entry)
    if one is None:
        # The proposal has lapsed, or another roster has come into force.
        raise TooLate
    agreed = replace(one, agreed=one.agreed | {origin.seat})
    return _adopt_roster(replace(state, proposed={**state.proposed, body.proposal: agreed}), origin)


def _adopt_roster(state: TableState, origin: Origin) -> Change:
    """Adopt a roster if it now has enough agreement, and note the log height."""
    after = adopt_agreed_roster(state)
    if after.roster is not state.roster:
        after = after.with_chronicle(roster_since=origin.entry + 1)
    return Change(after)


# --- Going on without a seat ---


def _find_named_duty(state: TableState, origin: Origin, duty: bytes) -> OpenDuty | None:
    """Return the duty of another seat that a vote names, or None if it was closed meanwhile.

    Raise `EntryRefused` if no one was waiting for it.
    """
    known = state.duties.open.get(duty)
    if known is not None and known.duty.seat != origin.seat and known.is_blocking and known.since <= origin.seen:
        return known
    if state.duties.find_closed(duty, origin.seen) is None:
        raise EntryRefused(origin.seat, "the vote names a duty that no one is waiting for", origin.entry)
    return None


def _apply_without(state: TableState, origin: Origin, body: Without) -> Change:
    """Record a skip vote."""
    if list(body.duties) != sorted(set(body.duties)):
        raise Malformed("the duties in a vote must be sorted and unique")
    named = frozenset(duty for duty in body.duties if _find_named_duty(state, origin, duty) is not None)
    if not named or not can_vote(state, origin.seat):
        raise TooLate
    votes = state.hand.skip_votes.get(origin.seat, frozenset()) | named
    return Change(state.with_hand(skip_votes={**state.hand.skip_votes, origin.seat: votes}))


def _apply_break(state: TableState, origin: Origin, body: Break) -> Change:
    """Record an abort vote."""
    if state.roster.timekeeper is not None:
        raise EntryRefused(origin.seat, "a hand cannot be aborted at a table with a timekeeper", origin.entry)
    if _find_named_duty(state, origin, body.duty) is None or not can_vote(state, origin.seat):
        raise TooLate
    return Change(state.with_hand(abort_votes={**state.hand.abort_votes, origin.seat: body.duty}))


def _apply_leave(state: TableState, origin: Origin, body: Leave) -> Change:
    """Remove the seat from the hand or, between hands, let it sit out."""
    if origin.seat not in state.present:
        raise TooLate
    return remove_seats(Change(state), frozenset({origin.seat}))


# --- Time ---


def _apply_tick(state: TableState, origin: Origin, body: Tick) -> Change:
    """Advance the clock."""
    keeper, clock = state.roster.timekeeper, state.clock
    if keeper is None or clock is None or origin.seat != keeper.seat:
        raise EntryRefused(origin.seat, "only the timekeeper can send ticks", origin.entry)
    if state.phase is Phase.ENDED:
        raise TooLate
    if (reason := clock.find_tick_error(body.time, origin.seen, state.duties)) is not None:
        raise EntryRefused(origin.seat, reason, origin.entry)
    return Change(replace(state, clock=clock.apply_tick(body.time, origin.seen)))


# --- Notes ---


# defence: oversize
def _apply_word(state: TableState, origin: Origin, body: Word) -> Change:
    """Accept a note, which changes nothing."""
    if len(body.text.encode()) > WORD_BYTES_MAX:
        raise Malformed(f"a note has at most {WORD_BYTES_MAX} bytes of UTF-8")
    if state.phase is Phase.ENDED or origin.seat not in state.roster.seats or origin.seat in state.ended:
        raise TooLate
    return Change(state)


# --- Disclosures ---


def _choices_by_duty(choices: tuple[Choice, ...]) -> dict[bytes, bytes]:
    """Return disclosed choices by the id of their duty."""
    return {choice.duty: choice.choice for choice in choices}


def _apply_claim(state: TableState, origin: Origin, body: Claim) -> Change:
    """Void the hand because of a card that does not open. The claimant discloses first; the others must follow."""
    hand, seat = state.hand, origin.seat
    if state.phase is not Phase.PLAYING or seat not in voters(state):
        raise TooLate
    books = DueDisclosures(hand.binding, hand.commitments, hand.messages, frozenset())
    refuse_false_disclosure(state.config, books, seat, origin.entry, body.seed, _choices_by_duty(body.choices))
    deck = hand.decks_at(origin.seen).get(body.deck)
    refuse_false_dispute(deck, seat, origin.entry, (body.deck, body.position), body.seed)
    reason = f"seat {seat} proved that card {body.position} of deck {body.deck} does not open"
    return Change(_record_disclosure(_void_disputed_hand(state, reason), hand.number, seat))


def _apply_book(state: TableState, origin: Origin, body: Book) -> Change:
    """Check a seat's disclosure of a hand, and expel the seat if it is false."""
    hand = _find_duty(state, origin, body, TableDuty.BOOK).binding.hand
    seat, books = origin.seat, state.disclosures[hand]
    try:
        refuse_false_disclosure(state.config, books, seat, origin.entry, body.seed, _choices_by_duty(body.choices))
    except PeerFault as fault:
        return _expel_for_disclosure(state, hand, origin, fault)
    return Change(_record_disclosure(state, hand, seat))


def _record_disclosure(state: TableState, hand: int, seat: int) -> TableState:
    """Return the state after a seat's disclosure of a hand was verified."""
    rest = replace(state.disclosures[hand], owing=state.disclosures[hand].owing - {seat})
    books = (
        {**state.disclosures, hand: rest} if rest.owing else {n: b for n, b in state.disclosures.items() if n != hand}
    )
    return replace(state, disclosures=books, ledger=state.ledger.mark_covered(hand, seat))


def _expel_for_disclosure(state: TableState, hand: int, origin: Origin, fault: PeerFault) -> Change:
    """Expel a seat whose own disclosure shows a fault, and void the hand unless some of it has counted already."""
    record = state.chronicle.records[hand]
    held = next((one for one in state.ledger.held if one.hand == hand), None)
    final = held.final if held is not None else any(net > 0 for net in record.net.values())
    if record.void is None and not final:
        voided = replace(record, void=f"seat {origin.seat} was found at fault by its book")
        records = state.chronicle.records
        state = state.with_chronicle(records=(*records[:hand], voided, *records[hand + 1 :]))
    state = replace(state, ledger=state.ledger.forfeit(hand, origin.seat))
    entry = fault.entry if fault.entry is not None else origin.entry
    return expel(Change(state), Fault(entry, origin.seat, "book", fault.reason))


# --- The end ---


def _apply_end(state: TableState, origin: Origin, body: End) -> Change:
    """Record that a seat has signed the end, which may end the session or start the hand for the others."""
    _find_duty(state, origin, body, TableDuty.END)
    begun = {seat: one for seat, one in state.hand.commitments.items() if seat != origin.seat}
    state = replace(state.with_hand(commitments=begun), ended=state.ended | {origin.seat})
    if not state.present:
        return Change(end_session(state))
    return begin_hand(_adopt_roster(state, origin).state)


_HANDLERS: dict[type, Callable[[TableState, Origin, Any], Change]] = {
    Begin: _apply_begin,
    Cards: _apply_cards,
    Move: _apply_move,
    Propose: _apply_propose,
    Agree: _apply_agree,
    Without: _apply_without,
    Break: _apply_break,
    Leave: _apply_leave,
    Tick: _apply_tick,
    Word: _apply_word,
    Claim: _apply_claim,
    Book: _apply_book,
    End: _apply_end,
}


def apply_body(state: TableState, origin: Origin, body: Body) -> Change:
    """Return what an entry does. Raise `TooLate`, `EntryRefused`, `PeerFault` or `Undecided`."""
    try:
        return _HANDLERS[type(body)](state, origin, body)
    except (Malformed, IllegalMove) as error:
        raise EntryRefused(origin.seat, str(error), origin.entry) from None
