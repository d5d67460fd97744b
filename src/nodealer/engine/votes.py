"""The table rules: who can vote, how votes are counted, and what leaving and faults do.

More than half of the voters can go on without a seat that owes something. Exactly half suffice if there is a timekeeper
and the duty is late. Without a timekeeper, half of them or more can abort the hand. Fewer can only wait or leave. None
of this names a culprit. A fault, which the log itself proves, removes a seat and names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nodealer.cards.operations import Operation, without_seats
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
    """Return the seats that can vote.

    During a hand these are the seats dealt in that have not left, folded or not; between hands those that could play.
    """
    if state.phase is Phase.PLAYING and state.hand.game is not None:
        return tuple(seat for seat in state.hand.game.players if seat not in state.gone)
    seats = tuple(seat for seat in state.roster.with_cards if seat not in state.gone | state.expelled)
    sitting = tuple(seat for seat in seats if seat not in state.ended)
    # If all but one have ended, or there are no more hands, seats that have ended can still vote.
    return seats if state.no_more_hands or len(sitting) <= 1 else sitting


# defence: burst
def can_vote(state: TableState, seat: int) -> bool:
    """Return whether a seat's vote counts now: it is a voter and does not owe a card message itself."""
    owes = any(known.duty.deck is not None and known.is_blocking for known in state.duties.of_seat(seat).values())
    return seat in voters(state) and not owes


# --- Counting ---


@dataclass(frozen=True)
class _Decisions:
    """What enough voters have decided: seats to remove, seats to move for, or an abort, each with the voters."""

    gone: Mapping[int, frozenset[int]]
    moves: Mapping[int, frozenset[int]]
    broken: frozenset[int] | None


# defence: late-alone
def count_votes(change: Change, entry: int) -> Change:
    """Refresh the duties after an entry, and count and apply votes until no further decision is reached."""
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
    """Count the votes, and return which seats to remove, which to move for, and whether to abort the hand."""
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
    # A disclosure is never late: as long as one is due, no vote can hurry the end of the log.
    waits = _after_last_hand(state) and bool(state.disclosures)
    return _Decisions(gone, moves, breaking if breaking and 2 * len(breaking) >= len(said) and not waits else None)


def _after_last_hand(state: TableState) -> bool:
    """Return whether no further hand is played and the session only waits for seats to sign its end."""
    return state.phase is Phase.BETWEEN and state.no_more_hands


def _voters_naming(state: TableState, said: frozenset[int], duties: Iterable[bytes]) -> frozenset[int]:
    """Return those of the voters `said` that have voted to skip at least one of these duties."""
    return frozenset(voter for voter in said if state.hand.skip_votes.get(voter, frozenset()).intersection(duties))


def _move_duties(owes: Mapping[bytes, OpenDuty]) -> list[bytes]:
    """Return the ids of the duties that are moves in the game, not card messages."""
    return [id for id, known in owes.items() if known.is_move]


# defence: hurried-book
def _apply_decisions(change: Change, reached: _Decisions, entry: int) -> Change:
    """Apply the decisions: remove all decided seats at once, or else make one move, or else abort."""
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
    """Close the session after the last hand without the seats that did not vote to abort.

    Only signatures of the end are missing then, so half of the table can decide that no one else will come.
    """
    missing = frozenset(change.state.present) - by
    change = change.with_state(change.state.with_hand(abort_votes={}))
    for seat in sorted(missing):
        change = change.with_state(_record_vote(change.state, entry, by, seat, "gone"))
    return remove_seats(change, missing)


def _record_vote(state: TableState, entry: int, by: frozenset[int], of: int | None, did: str) -> TableState:
    """Return the state with a successful vote added to the chronicle."""
    statement = VoteResult(entry, state.hand.number, tuple(sorted(by)), of, did)
    return state.with_chronicle(vote_results=(*state.chronicle.vote_results, statement))


def _make_default_move(change: Change, seat: int, by: frozenset[int], entry: int) -> Change:
    """Make the game's default move for a seat, or remove the seat if the game has none."""
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
    """Remove seats from the hand being played or, between hands, let them sit out."""
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
    # Any leaver counts, with or without cards: they may be a friend of a player who wants another try.
    tried = frozenset(leaving) if any(deck.outcome_seen for deck in hand.decks.values()) else frozenset()
    state = replace(state, tried=state.tried | tried)
    try:
        return _remove_from_hand(change.with_state(state), leaving)
    except (BadParameter, IllegalMove):
        # The game cannot go on without them, so the hand is aborted and no one else pays for it.
        return abort_hand(change.with_state(state))


# defence: price
def _remove_from_hand(change: Change, leaving: tuple[int, ...]) -> Change:
    """Charge the leavers, let the decks and the game go on without them, and drive the hand on."""
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
    """Let the game charge leavers for what they left half done.

    Leaving by choice, by vote or for a fault costs the same.
    """
    left = {(seat, half) for deck in hand.decks.values() for seat, half in deck.half.items() if seat in leaving}
    for seat, half in sorted(left, key=lambda one: (one[0], one[1].value)):
        if hand.game is not None:
            hand = advance_game(hand, hand.game.charged(seat, half), "charged", seat, half.value)
    return hand


def _begin_or_end(change: Change, state: TableState) -> Change:
    """Begin the hand or end the session if that only depended on seats that have now left."""
    if state.phase is not Phase.BETWEEN:
        return change.with_state(state)
    if not state.present and state.ended:
        return change.with_state(end_session(state))
    begun = begin_hand(state)
    return Change(begun.state, (*change.events, *begun.events), (*change.checks, *begun.checks))


def end_session(state: TableState) -> TableState:
    """Return the state after every remaining seat has signed the end. Held gains go back to those who paid."""
    return replace(state, phase=Phase.ENDED, ledger=state.ledger.close_session())


def _queue_without(queue: tuple[Operation, ...], gone: frozenset[int]) -> tuple[Operation, ...]:
    """Return a deck's queue without operations for absent seats.

    The first one is in progress, so the deck handles it.
    """
    rest = (without_seats(operation, gone) for operation in queue[1:])
    return (*queue[:1], *(operation for operation in rest if operation is not None))


def abort_hand(change: Change) -> Change:
    """End the hand without a result: chips are as before, no one is named, and no further hand is played."""
    state = replace(change.state, no_more_hands=True)
    if state.phase is not Phase.PLAYING:
        return change.with_state(state.with_hand(commitments={}, skip_votes={}, abort_votes={}))
    return change.with_state(void_hand(state, "broken off"))


# --- Faults ---


# defence: refund
def expel(change: Change, fault: Fault, *, play_on: bool = True) -> Change:
    """Record a fault and expel its seat for good. Its bets stay in the pot.

    With `play_on=False`, or if the fault names no seat, the hand is aborted.
    """
    state = change.state.with_chronicle(faults=(*change.state.faults, fault))
    if fault.seat is None:
        # All proofs were valid and yet the result is impossible: the hand stops, and no one is named.
        return abort_hand(change.with_state(state))
    if fault.seat in state.expelled:
        return change.with_state(state)
    owing = {hand: replace(books, owing=books.owing - {fault.seat}) for hand, books in state.disclosures.items()}
    books = {hand: one for hand, one in owing.items() if one.owing}
    state = replace(state, expelled=state.expelled | {fault.seat}, disclosures=books)
    if not play_on:
        return abort_hand(change.with_state(replace(state, gone=state.gone | {fault.seat})))
    return remove_seats(change.with_state(state), frozenset({fault.seat}))
