"""The law of the table: who has a word, how words are counted, and what leaving and a fault do.

More than half of the voters can go on without a seat that owes something; exactly half can where somebody keeps the
time, and what it owes is late. Where nobody does, half of them or more can break the hand off. Fewer can do nothing but
wait, or leave. None of it names a culprit. A fault, which the log itself shows, is a leaving with a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nodealer.cards.operations import Operation, for_those_who_stay
from nodealer.engine.duties import OpenDuty
from nodealer.engine.hand import (
    advance_game,
    begin_hand,
    continue_without_cards,
    drive,
    make_move,
    refresh_duties,
    update_deck,
    void_hand,
)
from nodealer.engine.phases import Phase
from nodealer.engine.state import Change, Fault, HandState, TableState, VoteResult
from nodealer.errors import BadParameter, IllegalMove
from nodealer.records import replace


def voters(state: TableState) -> tuple[int, ...]:
    """The seats that have a word: those dealt in and not gone, folded or not; between hands those that could play."""
    if state.phase is Phase.PLAYING and state.hand.game is not None:
        return tuple(seat for seat in state.hand.game.players if seat not in state.gone)
    seats = tuple(seat for seat in state.roster.with_cards if seat not in state.gone | state.expelled)
    sitting = tuple(seat for seat in seats if seat not in state.ended)
    # When all but one have ended, or no hand comes any more, those who have ended can still say that they wait.
    return seats if state.no_more_hands or len(sitting) <= 1 else sitting


# defence: burst
def can_vote(state: TableState, seat: int) -> bool:
    """Whether what a seat says now counts: a voter that owes a card message itself has no word."""
    owes = any(known.duty.deck is not None and known.is_blocking for known in state.duties.of_seat(seat).values())
    return seat in voters(state) and not owes


# --- Counting ---


@dataclass(frozen=True)
class _Decisions:
    """What enough voters have said: seats that are gone, seats that a move is made for, each with who said so."""

    gone: Mapping[int, frozenset[int]]
    moves: Mapping[int, frozenset[int]]
    broken: frozenset[int] | None


# defence: late-alone
def count_votes(change: Change, entry: int) -> Change:
    """After every entry: bring the duties up to date, count, do what was reached, and count again."""
    while True:
        change = change.with_state(refresh_duties(change.state, entry + 1))
        if not change.state.hand.skip_votes and not change.state.hand.abort_votes:
            return change
        reached = _decide(change.state)
        if not reached.gone and not reached.moves and reached.broken is None:
            return change
        change = _apply_decisions(change, reached, entry)


# defence: break-alone, half, late-alone, stall, throw-out, withhold
def _decide(state: TableState) -> _Decisions:
    hand, said = state.hand, frozenset(voters(state))
    late = frozenset[bytes]() if state.clock is None else state.clock.late
    gone, moves = dict[int, frozenset[int]](), dict[int, frozenset[int]]()
    for seat in {known.duty.seat for known in state.duties.open.values()} if hand.skip_votes else ():
        owes = {id: known for id, known in state.duties.of_seat(seat).items() if known.is_blocking}
        for of, results in (([id for id in owes if not owes[id].is_move], gone), (_move_duties(owes), moves)):
            by, pressing = _voters_naming(state, said, of), _voters_naming(state, said, late.intersection(of))
            if 2 * len(by) > len(said) or (pressing and 2 * len(pressing) == len(said)):
                results[seat] = by
    breaking = said & hand.abort_votes.keys()
    # A book is never too late: as long as somebody owes one, nobody can hurry the end of the log.
    waits = _after_last_hand(state) and bool(state.disclosures)
    return _Decisions(gone, moves, breaking if breaking and 2 * len(breaking) >= len(said) and not waits else None)


def _after_last_hand(state: TableState) -> bool:
    return state.phase is Phase.BETWEEN and state.no_more_hands


def _voters_naming(state: TableState, said: frozenset[int], duties: Iterable[bytes]) -> frozenset[int]:
    """The voters that have named one of these duties."""
    return frozenset(voter for voter in said if state.hand.skip_votes.get(voter, frozenset()).intersection(duties))


def _move_duties(owes: Mapping[bytes, OpenDuty]) -> list[bytes]:
    return [id for id, known in owes.items() if known.is_move]


# defence: hurried-book
def _apply_decisions(change: Change, reached: _Decisions, entry: int) -> Change:
    """Take out at once all who reached it; make moves; break off where nothing else was reached."""
    if reached.gone:
        for seat, by in sorted(reached.gone.items()):
            change = change.with_state(_record_vote(change.state, entry, by, seat, "gone"))
        return remove_seats(change, frozenset(reached.gone))
    if reached.moves:
        seat, by = min(reached.moves.items())
        return _make_default_move(change, seat, by, entry)
    if _after_last_hand(change.state):
        return _close_without_missing(change, reached.broken or frozenset(), entry)
    return abort_hand(
        change.with_state(_record_vote(change.state, entry, reached.broken or frozenset(), None, "broken off"))
    )


def _close_without_missing(change: Change, by: frozenset[int], entry: int) -> Change:
    """After the last hand only ends are missing: half of the table can sign for itself that nobody else comes."""
    missing = frozenset(change.state.present) - by
    change = change.with_state(change.state.with_hand(abort_votes={}))
    for seat in sorted(missing):
        change = change.with_state(_record_vote(change.state, entry, by, seat, "gone"))
    return remove_seats(change, missing)


def _record_vote(state: TableState, entry: int, by: frozenset[int], of: int | None, did: str) -> TableState:
    statement = VoteResult(entry, state.hand.number, tuple(sorted(by)), of, did)
    return state.with_chronicle(vote_results=(*state.chronicle.vote_results, statement))


def _make_default_move(change: Change, seat: int, by: frozenset[int], entry: int) -> Change:
    """The move that the game makes for a seat; where it has none, the seat is gone."""
    game = change.state.hand.game
    move = game.default(seat) if game is not None else None
    try:
        if move is not None:
            return make_move(change.with_state(_record_vote(change.state, entry, by, seat, "move")), seat, move)
    except (BadParameter, IllegalMove):
        pass
    return remove_seats(change.with_state(_record_vote(change.state, entry, by, seat, "gone")), frozenset({seat}))


# --- Leaving ---


# defence: deals-again, friend-leaves
def remove_seats(change: Change, seats: frozenset[int]) -> Change:
    """Seats are gone: from the hand that is played, or between hands they sit out."""
    state, hand = change.state, change.state.hand
    state = replace(state, gone=state.gone | seats)
    votes = {seat: duties for seat, duties in hand.skip_votes.items() if seat not in seats}
    breaks = {seat: duty for seat, duty in hand.abort_votes.items() if seat not in seats}
    state = state.with_hand(skip_votes=votes, abort_votes=breaks)
    if state.phase is not Phase.PLAYING or hand.game is None:
        begun = {seat: commitment for seat, commitment in hand.commitments.items() if seat not in seats}
        return _begin_or_end(change, state.with_hand(commitments=begun))
    leaving = tuple(sorted(seats.intersection(hand.binding.seats) - change.state.gone))
    if not leaving:
        return change.with_state(state)
    # Whoever goes, with cards or without: it may be a friend of who would like to try again.
    tried = frozenset(leaving) if any(deck.tossed for deck in hand.decks.values()) else frozenset()
    state = replace(state, tried=state.tried | tried)
    try:
        return _remove_from_hand(change.with_state(state), leaving)
    except (BadParameter, IllegalMove):
        # The game cannot say how it goes on: then it does not, and nobody else pays for it.
        return abort_hand(change.with_state(state))


# defence: price
def _remove_from_hand(change: Change, leaving: tuple[int, ...]) -> Change:
    state, hand, seats = change.state, change.state.hand, frozenset(leaving)
    if hand.game is None:
        return change
    hand = _charge_leavers(hand, seats)
    state = replace(state, hand=hand)
    decks = {number: deck.without(leaving) for number, deck in hand.decks.items()}
    if any(made is None for made in decks.values()):
        return drive(change.with_state(replace(state, hand=continue_without_cards(hand, leaving))))
    asked = hand.requests
    if asked is not None:
        asked = replace(asked, queues={deck: _queue_without(queue, seats) for deck, queue in asked.queues.items()})
    change = change.with_state(state.with_hand(requests=asked))
    for number, made in decks.items():
        if made is not None:
            change = update_deck(change, number, made)
    if (game := change.state.hand.game) is None:
        return change
    after = advance_game(change.state.hand, game.left(leaving, cards=True), "left", 1, *leaving)
    return drive(change.with_state(replace(change.state, hand=after)))


def _charge_leavers(hand: HandState, leaving: frozenset[int]) -> HandState:
    """The game is told who leaves what half done: an own word, the others' and a fault cost the same."""
    left = {(seat, half) for deck in hand.decks.values() for seat, half in deck.half.items() if seat in leaving}
    for seat, half in sorted(left, key=lambda one: (one[0], one[1].value)):
        if hand.game is not None:
            hand = advance_game(hand, hand.game.charged(seat, half), "charged", seat, half.value)
    return hand


def _begin_or_end(change: Change, state: TableState) -> Change:
    """Whoever was waited for has gone or ended: perhaps the hand can begin now, or the session is over."""
    if state.phase is not Phase.BETWEEN:
        return change.with_state(state)
    if not state.present and state.ended:
        return change.with_state(end_session(state))
    begun = begin_hand(state)
    return Change(begun.state, (*change.events, *begun.events), (*change.checks, *begun.checks))


def end_session(state: TableState) -> TableState:
    """Every seat that still sat has signed the end: what is held goes back."""
    return replace(state, phase=Phase.ENDED, ledger=state.ledger.close_session())


def _queue_without(queue: tuple[Operation, ...], gone: frozenset[int]) -> tuple[Operation, ...]:
    """A deck's queue without what nobody is there for. The first operation is in progress: the deck sees to it."""
    rest = (for_those_who_stay(operation, gone) for operation in queue[1:])
    return (*queue[:1], *(operation for operation in rest if operation is not None))


def abort_hand(change: Change) -> Change:
    """The hand does not count, chips are as before it, nobody is named, and it is the session's last."""
    state = replace(change.state, no_more_hands=True)
    if state.phase is not Phase.PLAYING:
        return change.with_state(state.with_hand(commitments={}, skip_votes={}, abort_votes={}))
    return change.with_state(void_hand(state, "broken off"))


# --- Faults ---


# defence: refund
def expel(change: Change, fault: Fault, *, play_on: bool = True) -> Change:
    """A fault is decided where the log shows it: the seat is gone for good, and its bets stay where they are."""
    state = change.state.with_chronicle(faults=(*change.state.faults, fault))
    if fault.seat is None:
        # Everything verified, and yet it cannot be: the hand stops, and nobody is named.
        return abort_hand(change.with_state(state))
    if fault.seat in state.expelled:
        return change.with_state(state)
    owing = {hand: replace(books, owing=books.owing - {fault.seat}) for hand, books in state.disclosures.items()}
    books = {hand: one for hand, one in owing.items() if one.owing}
    state = replace(state, expelled=state.expelled | {fault.seat}, disclosures=books)
    if not play_on:
        return abort_hand(change.with_state(replace(state, gone=state.gone | {fault.seat})))
    return remove_seats(change.with_state(state), frozenset({fault.seat}))
