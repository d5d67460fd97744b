"""What each kind of entry does to a table: one function a body, from a state to a change.

Everything here has passed the replica: the entry is signed, it is its seat's next, and it saw a head of this log.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nodealer.cards import Operation, for_those_who_stay
from nodealer.errors import BadParameter, EntryRefused, IllegalMove, Malformed, PeerFault, Undecided
from nodealer.log.roster import refuse_bad_roster
from nodealer.play import openbook
from nodealer.play.bodies import Agree, Begin, Body, Book, Cards, Claim, End, Move, Propose, Without
from nodealer.play.records import replace
from nodealer.play.state import (
    Change,
    Deed,
    Phase,
    TableState,
    apply_step,
    begin_hand,
    drive,
    next_hand,
)
from nodealer.protocols.base import Duty

Answer = Begin | Cards | Move | Propose | Agree | Book | End


class TooLate(Exception):
    """The entry was due on what it saw and came too late. It stays in the log, changes nothing and blames nobody."""


@dataclass(frozen=True)
class Origin:
    """An entry on its way into the state: its number, its seat, and how much of the log it had seen."""

    entry: int
    seat: int
    hand: int
    seen: int


def _duty(state: TableState, origin: Origin, body: Answer, step: str | None) -> Duty:
    """The open duty that an entry fulfils. `step` is None for messages of the card protocol."""
    known = state.duties.get(body.duty)
    if known is None or known.duty.seat != origin.seat:
        if known is None and was_due(state, origin, body):
            raise TooLate
        raise EntryRefused(origin.seat, "the entry answers nothing that this seat owes", origin.entry)
    if (known.duty.deck is None) != (step is not None) or step not in (None, known.duty.kind):
        raise EntryRefused(origin.seat, f"the entry is not of the kind that {known.duty.kind} needs", origin.entry)
    if origin.seen < known.since:
        raise EntryRefused(origin.seat, "the entry was signed before what it answers", origin.entry)
    return known.duty


def was_due(state: TableState, origin: Origin, body: Body) -> bool:
    """Whether an entry answers a duty, now closed, that was open on the log it saw."""
    late = origin.seen < (state.ends[origin.hand] if origin.hand < state.hand else state.seated)
    if isinstance(body, Without | Claim):
        # These answer no duty of their own. Signed for an earlier hand or roster, they are late.
        return late
    if origin.hand + 1 < state.hand:
        # The duties of so old a hand are forgotten; a seat that comes back after it must not be stuck on its own words.
        return late
    seat, since, until = state.closed.get(body.duty) or state.closed_before.get(body.duty) or (origin.seat, 0, 0)
    return seat == origin.seat and since <= origin.seen < until


def _begin(state: TableState, origin: Origin, body: Begin) -> Change:
    _duty(state, origin, body, "begin")
    return begin_hand(replace(state, commitments={**state.commitments, origin.seat: body.commitment}))


def _cards(state: TableState, origin: Origin, body: Cards) -> Change:
    duty = _duty(state, origin, body, None)
    if duty.deck is None:
        raise EntryRefused(origin.seat, f"{duty.kind} is not a message of the card protocol", origin.entry)
    deck, message = state.decks[duty.deck], bytes(body.message)
    try:
        step = deck.apply(duty, message)
    except BadParameter as error:
        raise EntryRefused(origin.seat, str(error), origin.entry) from None
    deed = Deed(origin.entry, deck, duty, message)
    change = apply_step(Change(replace(state, deeds=(*state.deeds, deed))), duty.deck, step)
    try:
        return drive(change)
    except BadParameter as error:
        return _unplayable(change, str(error))


def _unplayable(change: Change, reason: str) -> Change:
    """The decks told what no true deck tells, such as one face twice; whoever spoke last need not be to blame.

    Where every hand ends with open books they are opened now, and name whom they name. Where everything is proven
    there is nothing that books could add: nobody is named.
    """
    if not change.state.config.protocol.claims.open_book_at_end:
        raise Undecided(f"the game cannot go on with these cards: {reason}")
    return replace(change, state=replace(change.state, phase=Phase.BOOKS, unplayable=reason))


def _move(state: TableState, origin: Origin, body: Move) -> Change:
    _duty(state, origin, body, "move")
    if state.game is None:
        raise EntryRefused(origin.seat, "there is no game to move in", origin.entry)
    game = state.game.moved(origin.seat, bytes(body.move))
    try:
        return drive(Change(replace(state, game=game, turn=state.turn + 1)))
    except BadParameter as error:
        raise EntryRefused(origin.seat, f"the move asks for what cannot be: {error}", origin.entry) from None


def _propose(state: TableState, origin: Origin, body: Propose) -> Change:
    _duty(state, origin, body, "propose")
    refuse_bad_roster(body.roster)
    claims = state.config.protocol.claims
    if not claims.seats[0] <= len(body.roster.with_cards) <= claims.seats[1]:
        raise Malformed(f"{claims.name} cannot serve a table of {len(body.roster.with_cards)}")
    if not set(claims.roles) <= {role for role, _ in body.roster.roles}:
        raise Malformed(f"{claims.name} needs a seat for each of its roles")
    # Whoever has begun must begin again: a hand is bound to its roster.
    agreed, proposals = frozenset({origin.seat}), state.proposals + 1
    return _adopt(replace(state, proposal=body.roster, agreed=agreed, proposals=proposals, commitments={}), origin)


def _agree(state: TableState, origin: Origin, body: Agree) -> Change:
    _duty(state, origin, body, "agree")
    if not body.yes:
        return Change(replace(state, proposal=None, agreed=frozenset()))
    return _adopt(replace(state, agreed=state.agreed | {origin.seat}), origin)


def _adopt(state: TableState, origin: Origin) -> Change:
    """Take the proposed roster once every seat that is present agrees."""
    if state.proposal is None or not set(state.present) <= state.agreed:
        return Change(state)
    roster = state.proposal
    stays = {player.seat for player in roster.players if player in state.roster.players}
    binding = state.config.binding(state.hand, roster, roster.seats)
    state = replace(state, roster=roster, binding=binding, seated=origin.entry + 1, proposal=None, agreed=frozenset())
    return Change(replace(state, gone=state.gone & stays, ended=state.ended & stays, withouts={}))


def _without(state: TableState, origin: Origin, body: Without) -> Change:
    named = frozenset(body.seats)
    if origin.seat in named or not named or list(body.seats) != sorted(named) or not named <= set(state.roster.seats):
        raise Malformed("the seats to go on without are not other seats, each once and in order")
    concerned = _concerned(state)
    if origin.seat not in concerned or not named <= set(concerned):
        raise TooLate
    if state.phase is Phase.BOOKS and (origin.seat not in state.books or named & state.books.keys()):
        # Here silence is a fault. Whoever says it of another has opened its own book, and the other has not.
        raise TooLate
    withouts = {**state.withouts, origin.seat: named}
    state = replace(state, withouts=withouts)
    staying = [seat for seat in concerned if seat not in named]
    if not all(withouts.get(seat) == named for seat in staying):
        return Change(state)
    return _leave(replace(state, withouts={}), named, origin)


def _concerned(state: TableState) -> tuple[int, ...]:
    """The seats whose word is needed: those that play, or between hands those that are present."""
    if state.phase is Phase.ENDED:
        return ()
    if state.phase in (Phase.PLAYING, Phase.BOOKS):
        return tuple(seat for seat in state.binding.seats if seat not in state.gone)
    return state.present


def _leave(state: TableState, seats: frozenset[int], origin: Origin) -> Change:
    if state.phase is Phase.BOOKS:
        # Silence where books are opened is the one silence that counts as a fault.
        silent = min(seats & set(state.binding.seats) - set(state.books), default=None)
        if silent is not None:
            raise PeerFault(silent, "silent when the books were to be opened", origin.entry)
    state = replace(state, gone=state.gone | seats)
    if state.phase is Phase.BETWEEN:
        begun = {seat: commitment for seat, commitment in state.commitments.items() if seat not in seats}
        state = replace(state, commitments=begun)
        return _adopt(state, origin) if state.proposal is not None else begin_hand(state)
    if state.game is None:
        return Change(state)
    leaving = tuple(sorted(seats))
    change = Change(replace(state, queues={deck: _staying(queue, seats) for deck, queue in state.queues.items()}))
    steps = {deck: value.without(leaving) for deck, value in state.decks.items()}
    cards = all(step is not None for step in steps.values())
    if cards:
        for deck, step in steps.items():
            if step is not None:
                change = apply_step(change, deck, step)
    else:
        change = Change(replace(state, decks={}, queues={}, asked=False, happened=()))
    game = state.game.left(leaving, cards=cards)
    return drive(replace(change, state=replace(change.state, game=game, turn=state.turn + 1)))


def _staying(queue: tuple[Operation, ...], gone: frozenset[int]) -> tuple[Operation, ...]:
    """A deck's queue without what nobody is there for. The first operation is in progress: the deck sees to it."""
    rest = (for_those_who_stay(operation, gone) for operation in queue[1:])
    return (*queue[:1], *(operation for operation in rest if operation is not None))


def _claim(state: TableState, origin: Origin, body: Claim) -> Change:
    if state.phase is not Phase.PLAYING or origin.seat not in _concerned(state):
        raise TooLate
    book = (body.seed, {choice.duty: choice.choice for choice in body.choices})
    deck = state.decks_at(origin.seen).get(body.deck)
    openbook.refuse_false_claim(state, origin.seat, origin.entry, deck, (body.deck, body.position), book)
    books = {**state.books, origin.seat: book}
    return Change(replace(state, phase=Phase.BOOKS, books=books, claimed=(origin.seat, body.deck, body.position)))


def _book(state: TableState, origin: Origin, body: Book) -> Change:
    _duty(state, origin, body, "book")
    book = (body.seed, {choice.duty: choice.choice for choice in body.choices})
    openbook.refuse_other_seed(state, origin.seat, origin.entry, body.seed)
    state = replace(state, books={**state.books, origin.seat: book})
    if any(seat not in state.books and seat not in state.gone for seat in state.binding.seats):
        return Change(state)
    openbook.name_first_false_deed(state)
    if state.claimed is not None:
        # All messages are honest and the card still does not open: that cannot be, so nobody is named.
        raise Undecided("a card does not open, and every book is honest")
    if state.unplayable is not None:
        raise Undecided(f"every book is honest, and yet the game cannot go on: {state.unplayable}")
    return Change(next_hand(state))


def _end(state: TableState, origin: Origin, body: End) -> Change:
    _duty(state, origin, body, "end")
    begun = {seat: commitment for seat, commitment in state.commitments.items() if seat != origin.seat}
    state = replace(state, ended=state.ended | {origin.seat}, commitments=begun)
    return begin_hand(state) if state.present else Change(replace(state, phase=Phase.ENDED))


_STEPS: dict[type, Callable[[TableState, Origin, Any], Change]] = {
    Begin: _begin,
    Cards: _cards,
    Move: _move,
    Propose: _propose,
    Agree: _agree,
    Without: _without,
    Claim: _claim,
    Book: _book,
    End: _end,
}


def apply_body(state: TableState, origin: Origin, body: Body) -> Change:
    """What an entry does. Raises `Dropped`, `EntryRefused`, `PeerFault` or `Undecided`."""
    try:
        change = _STEPS[type(body)](state, origin, body)
    except (Malformed, IllegalMove) as error:
        raise EntryRefused(origin.seat, str(error), origin.entry) from None
    # A seat that speaks has not left: what others said of it before is void.
    withouts = {seat: named for seat, named in change.state.withouts.items() if origin.seat not in named}
    if len(withouts) != len(change.state.withouts):
        change = replace(change, state=replace(change.state, withouts=withouts))
    return change
