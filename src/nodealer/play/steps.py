"""What each kind of entry does to a table: one function a body, from a state to a change.

Everything here has passed the replica: the entry is signed, it is its seat's next, and it saw a head of this log.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from nodealer.cards import Operation, for_those_who_stay
from nodealer.errors import BadParameter, EntryRefused, IllegalMove, Malformed, PeerFault, Undecided
from nodealer.log.roster import refuse_bad_roster
from nodealer.play import openbook
from nodealer.play.bodies import Agree, Begin, Body, Book, Cards, Claim, End, Move, Propose, Without
from nodealer.play.duties import Owed
from nodealer.play.hand import begin_hand, drive, next_hand, take_deck
from nodealer.play.phases import Phase
from nodealer.play.state import Change, Deed, Proposed, TableState
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


def _duty(state: TableState, origin: Origin, body: Answer, kind: Owed | None) -> Duty:
    """The open duty that an entry fulfils. `kind` is None for messages of the card protocol."""
    known = state.duties.open.get(body.duty)
    if known is None or known.duty.seat != origin.seat:
        if known is None and was_due(state, origin, body):
            raise TooLate
        raise EntryRefused(origin.seat, "the entry answers nothing that this seat owes", origin.entry)
    if (known.duty.deck is None) != (kind is not None) or kind not in (None, known.duty.kind):
        raise EntryRefused(origin.seat, f"the entry is not of the kind that {known.duty.kind} needs", origin.entry)
    if origin.seen < known.since:
        raise EntryRefused(origin.seat, "the entry was signed before what it answers", origin.entry)
    return known.duty


def was_due(state: TableState, origin: Origin, body: Body) -> bool:
    """Whether an entry answers a duty, now closed, that was open on the log it saw."""
    late = origin.seen < (state.ends[origin.hand] if origin.hand < state.hand.number else state.seated)
    if isinstance(body, Without | Claim):
        # These answer no duty of their own. Signed for an earlier hand or roster, they are late.
        return late
    if origin.hand + 1 < state.hand.number:
        # The duties of so old a hand are forgotten; a seat that comes back after it must not be stuck on its own words.
        return late
    return state.duties.was_open(body.duty, origin.seat, origin.seen)


def _begin(state: TableState, origin: Origin, body: Begin) -> Change:
    _duty(state, origin, body, Owed.BEGIN)
    return begin_hand(state.with_hand(commitments={**state.hand.commitments, origin.seat: body.commitment}))


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
    change = take_deck(Change(done), duty.deck, made)
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
    return change.to(replace(change.state.with_hand(unplayable=reason), phase=Phase.BOOKS))


def _move(state: TableState, origin: Origin, body: Move) -> Change:
    _duty(state, origin, body, Owed.MOVE)
    hand = state.hand
    if hand.game is None:
        raise EntryRefused(origin.seat, "there is no game to move in", origin.entry)
    game = hand.game.moved(origin.seat, bytes(body.move))
    try:
        return drive(Change(state.with_hand(game=game, turn=hand.turn + 1)))
    except BadParameter as error:
        raise EntryRefused(origin.seat, f"the move asks for what cannot be: {error}", origin.entry) from None


def _propose(state: TableState, origin: Origin, body: Propose) -> Change:
    _duty(state, origin, body, Owed.PROPOSE)
    refuse_bad_roster(body.roster)
    claims = state.config.protocol.claims
    if not claims.seats[0] <= len(body.roster.with_cards) <= claims.seats[1]:
        raise Malformed(f"{claims.name} cannot serve a table of {len(body.roster.with_cards)}")
    if not set(claims.roles) <= {role for role, _ in body.roster.roles}:
        raise Malformed(f"{claims.name} needs a seat for each of its roles")
    # Whoever has begun must begin again: a hand is bound to its roster.
    proposed = Proposed(body.roster, frozenset({origin.seat}))
    state = replace(state.with_hand(commitments={}), proposed=proposed, proposals=state.proposals + 1)
    return _adopt(state, origin)


def _agree(state: TableState, origin: Origin, body: Agree) -> Change:
    _duty(state, origin, body, Owed.AGREE)
    if not body.yes or state.proposed is None:
        return Change(replace(state, proposed=None))
    agreed = state.proposed.agreed | {origin.seat}
    return _adopt(replace(state, proposed=replace(state.proposed, agreed=agreed)), origin)


def _adopt(state: TableState, origin: Origin) -> Change:
    """Take the proposed roster once every seat that is present agrees."""
    if state.proposed is None or not set(state.present) <= state.proposed.agreed:
        return Change(state)
    roster = state.proposed.roster
    stays = {player.seat for player in roster.players if player in state.roster.players}
    hand = replace(state.hand, binding=state.config.binding(state.hand.number, roster, roster.seats), withouts={})
    gone, ended = state.gone & stays, state.ended & stays
    seated = replace(state, roster=roster, hand=hand, seated=origin.entry + 1, gone=gone, ended=ended, proposed=None)
    return Change(seated)


def _without(state: TableState, origin: Origin, body: Without) -> Change:
    named = frozenset(body.seats)
    if origin.seat in named or not named or list(body.seats) != sorted(named) or not named <= set(state.roster.seats):
        raise Malformed("the seats to go on without are not other seats, each once and in order")
    concerned = _concerned(state)
    if origin.seat not in concerned or not named <= set(concerned):
        raise TooLate
    books = state.hand.books
    if state.phase is Phase.BOOKS and (origin.seat not in books or named & books.keys()):
        # Here silence is a fault. Whoever says it of another has opened its own book, and the other has not.
        raise TooLate
    withouts = {**state.hand.withouts, origin.seat: named}
    staying = [seat for seat in concerned if seat not in named]
    if not all(withouts.get(seat) == named for seat in staying):
        return Change(state.with_hand(withouts=withouts))
    return _leave(state.with_hand(withouts={}), named, origin)


def _concerned(state: TableState) -> tuple[int, ...]:
    """The seats whose word is needed: those that play, or between hands those that are present."""
    if state.phase is Phase.ENDED:
        return ()
    if state.phase in (Phase.PLAYING, Phase.BOOKS):
        return tuple(seat for seat in state.hand.binding.seats if seat not in state.gone)
    return state.present


def _leave(state: TableState, seats: frozenset[int], origin: Origin) -> Change:
    hand = state.hand
    if state.phase is Phase.BOOKS:
        # Silence where books are opened is the one silence that counts as a fault.
        silent = min(seats & set(hand.binding.seats) - set(hand.books), default=None)
        if silent is not None:
            raise PeerFault(silent, "silent when the books were to be opened", origin.entry)
    state = replace(state, gone=state.gone | seats)
    if state.phase is Phase.BETWEEN:
        state = state.with_hand(commitments=_less(hand.commitments, seats))
        return _adopt(state, origin) if state.proposed is not None else begin_hand(state)
    if hand.game is None:
        return Change(state)
    leaving = tuple(sorted(seats))
    decks = {number: deck.without(leaving) for number, deck in hand.decks.items()}
    cards = all(made is not None for made in decks.values())
    asked = hand.asked
    if asked is not None:
        asked = replace(asked, queues={deck: _staying(queue, seats) for deck, queue in asked.queues.items()})
    change = Change(state.with_hand(asked=asked) if cards else state.with_hand(decks={}, asked=None))
    for number, made in decks.items() if cards else ():
        if made is not None:
            change = take_deck(change, number, made)
    game = hand.game.left(leaving, cards=cards)
    return drive(change.to(change.state.with_hand(game=game, turn=hand.turn + 1)))


def _less(commitments: Mapping[int, bytes], seats: frozenset[int]) -> dict[int, bytes]:
    return {seat: commitment for seat, commitment in commitments.items() if seat not in seats}


def _staying(queue: tuple[Operation, ...], gone: frozenset[int]) -> tuple[Operation, ...]:
    """A deck's queue without what nobody is there for. The first operation is in progress: the deck sees to it."""
    rest = (for_those_who_stay(operation, gone) for operation in queue[1:])
    return (*queue[:1], *(operation for operation in rest if operation is not None))


def _claim(state: TableState, origin: Origin, body: Claim) -> Change:
    if state.phase is not Phase.PLAYING or origin.seat not in _concerned(state):
        raise TooLate
    book = (body.seed, {choice.duty: choice.choice for choice in body.choices})
    deck = state.hand.decks_at(origin.seen).get(body.deck)
    openbook.refuse_false_claim(state, origin.seat, origin.entry, deck, (body.deck, body.position), book)
    books = {**state.hand.books, origin.seat: book}
    state = state.with_hand(books=books, claimed=(origin.seat, body.deck, body.position))
    return Change(replace(state, phase=Phase.BOOKS))


def _book(state: TableState, origin: Origin, body: Book) -> Change:
    _duty(state, origin, body, Owed.BOOK)
    book = (body.seed, {choice.duty: choice.choice for choice in body.choices})
    openbook.refuse_other_seed(state, origin.seat, origin.entry, body.seed)
    state = state.with_hand(books={**state.hand.books, origin.seat: book})
    hand = state.hand
    if any(seat not in hand.books and seat not in state.gone for seat in hand.binding.seats):
        return Change(state)
    openbook.name_first_false_deed(state)
    if hand.claimed is not None:
        # All messages are honest and the card still does not open: that cannot be, so nobody is named.
        raise Undecided("a card does not open, and every book is honest")
    if hand.unplayable is not None:
        raise Undecided(f"every book is honest, and yet the game cannot go on: {hand.unplayable}")
    return Change(next_hand(state))


def _end(state: TableState, origin: Origin, body: End) -> Change:
    _duty(state, origin, body, Owed.END)
    state = state.with_hand(commitments=_less(state.hand.commitments, frozenset({origin.seat})))
    state = replace(state, ended=state.ended | {origin.seat})
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
    withouts = {seat: named for seat, named in change.state.hand.withouts.items() if origin.seat not in named}
    if len(withouts) != len(change.state.hand.withouts):
        change = change.to(change.state.with_hand(withouts=withouts))
    return change
