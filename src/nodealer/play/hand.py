"""The course of a hand: who owes what, and how game and decks drive each other until a seat is wanted.

Every function takes a state or a change and gives the next; refusing something means raising, and changes nothing.
"""

from __future__ import annotations

from dataclasses import replace

from nodealer.cards import Finished, NewDeck, Operation
from nodealer.errors import BadParameter
from nodealer.games.base import Ask, Done, Turn
from nodealer.play.duties import Owed
from nodealer.play.phases import Phase
from nodealer.play.state import Asked, Change, HandState, TableState
from nodealer.protocols.base import DeckChange, Duty
from nodealer.tape import digest
from nodealer.wire import DECKS_MAX

# --- Duties ---


def owed(state: TableState) -> tuple[Duty, ...]:
    """Every duty that is open in a state."""
    hand = state.hand
    if state.phase is Phase.BETWEEN:
        if state.proposed is not None:
            waiting = tuple(seat for seat in state.present if seat not in state.proposed.agreed)
            anchor = digest("proposed", state.proposed.roster.digest, state.proposals)
            return tuple(Duty(hand.binding, None, seat, Owed.AGREE, anchor) for seat in waiting)
        return tuple(duty for seat in state.roster.seats for duty in _between(state, seat))
    if state.phase is Phase.BOOKS:
        waiting = tuple(seat for seat in hand.binding.seats if seat not in hand.books and seat not in state.gone)
        return tuple(Duty(hand.binding, None, seat, Owed.BOOK, digest("book", hand.number)) for seat in waiting)
    if state.phase is Phase.PLAYING:
        return (*(duty for deck in hand.decks.values() for duty in deck.duties), *_moves(hand))
    return ()


def _between(state: TableState, seat: int) -> tuple[Duty, ...]:
    """What a seat may do between hands: begin the next one, end, or propose another roster."""
    hand = state.hand
    anchor = digest("between", state.roster.digest, state.proposals)
    propose = Duty(hand.binding, None, seat, Owed.PROPOSE, anchor, optional=True)
    end = Duty(hand.binding, None, seat, Owed.END, anchor, optional=True)
    if seat in state.ended:
        return ()
    if seat in hand.commitments:
        # It may still leave: if the others have ended, the hand that it begun will never start.
        return propose, end
    # A seat that is gone may come back for the next hand; nobody waits for it.
    return propose, Duty(hand.binding, None, seat, Owed.BEGIN, anchor, optional=seat in state.gone), end


def _moves(hand: HandState) -> tuple[Duty, ...]:
    if hand.game is None or not isinstance(want := hand.game.wants, Turn):
        return ()
    exact = want.round is None
    anchor = digest("turn", hand.turn, hand.game.digest()) if exact else digest("round", want.round or 0)
    return (
        *(Duty(hand.binding, None, seat, Owed.MOVE, anchor, choice=True) for seat in want.seats),
        *(Duty(hand.binding, None, seat, Owed.MOVE, anchor, choice=True, optional=True) for seat in want.may),
    )


def refreshed(state: TableState, height: int) -> TableState:
    """The state with its duties brought up to date at this height of the log."""
    if len(state.ends) < state.hand.number:
        state = replace(state, ends=(*state.ends, height))
    if state.hand.past.newest is not state.hand.decks:
        state = state.with_hand(past=state.hand.past.grown([(height, state.hand.decks)]))
    return replace(state, duties=state.duties.refreshed(owed(state), height))


# --- The hand ---


def begin_hand(state: TableState) -> Change:
    """Start the hand once every seat that is present has begun it."""
    hand = state.hand
    if state.proposed is not None or not set(state.present) <= hand.commitments.keys():
        return Change(state)
    seats = tuple(seat for seat in state.roster.seats if seat in hand.commitments)
    players = tuple(seat for seat in state.roster.with_cards if seat in seats)
    claims, rules = state.config.protocol.claims, state.config.rules
    binding = state.config.binding(hand.number, state.roster, seats)
    filled = {role for role, _ in binding.roles}
    if not claims.seats[0] <= len(players) <= claims.seats[1] or not set(claims.roles) <= filled:
        return Change(state)
    game = rules.begin(hand.number, players, hand.game)
    begun = replace(hand, binding=binding, game=game, withouts={})
    return drive(Change(replace(state, phase=Phase.PLAYING, hand=begun, gone=state.gone - frozenset(seats))))


def drive(change: Change) -> Change:
    """Let the game ask and the decks answer until something is owed by a seat, or the hand is over."""
    while True:
        state, hand = change.state, change.state.hand
        if state.phase is not Phase.PLAYING or hand.game is None:
            return change
        want = hand.game.wants
        if isinstance(want, Done):
            return change.to(_end_hand(state, want))
        if isinstance(want, Turn):
            return change
        if hand.asked is None:
            change = _ask(change, want)
        elif not hand.asked.done:
            return change
        else:
            game = hand.game.told(hand.asked.happened)
            change = change.to(state.with_hand(game=game, asked=None, turn=hand.turn + 1))


def _ask(change: Change, ask: Ask) -> Change:
    queues = dict[int, tuple[Operation, ...]]()
    for operation in ask.operations:
        queues[operation.deck] = (*queues.get(operation.deck, ()), operation)
    change = change.to(change.state.with_hand(asked=Asked(queues)))
    for deck in queues:
        change = _request(change, deck, queues[deck][0])
    return change


def _request(change: Change, deck: int, operation: Operation) -> Change:
    """Give a deck the operation that is next in its queue."""
    state, hand = change.state, change.state.hand
    if type(operation) not in state.config.rules.operations:
        raise BadParameter(f"the game asks for {type(operation).__name__.lower()}, which it did not announce")
    if isinstance(operation, NewDeck):
        if deck in hand.decks or not 0 <= deck < DECKS_MAX:
            raise BadParameter(f"deck {deck} exists already, or is not one of {DECKS_MAX}")
        if operation.faces > (most := state.config.rules.deck_max):
            raise BadParameter(f"a deck of {operation.faces} cards, and the game announced {most}")
        gone = tuple(sorted(state.gone & set(hand.binding.seats)))
        binding = hand.binding.without(gone) if gone else hand.binding
        made = state.config.protocol.new_deck(binding, deck, operation.faces, operation.owner)
        return take_deck(change, deck, DeckChange(made))
    if deck not in hand.decks:
        raise BadParameter(f"there is no deck {deck}")
    return take_deck(change, deck, hand.decks[deck].request(operation))


def take_deck(change: Change, deck: int, made: DeckChange) -> Change:
    """Take what a deck did; when its operation is finished, begin the next one in its queue."""
    state, hand = change.state, change.state.hand
    asked, rest = hand.asked, tuple[Operation, ...]()
    if asked is not None:
        queue = asked.queues.get(deck, ())
        # A deck may also finish what no game asked for, such as going on without a seat.
        finished = bool(queue) and Finished(queue[0]) in made.events
        queue = queue[1:] if finished else queue
        rest = queue if finished else ()
        asked = Asked({**asked.queues, deck: queue}, (*asked.happened, *made.events))
    state = state.with_hand(decks={**hand.decks, deck: made.deck}, asked=asked)
    change = Change(state, (*change.events, *made.events), (*change.checks, *made.checks))
    return _request(change, deck, rest[0]) if rest else change


def _end_hand(state: TableState, done: Done) -> TableState:
    """The hand is over: open the books where the protocol needs it, or go on to the next hand."""
    state = replace(state.with_hand(asked=None), results=(*state.results, done.result))
    if state.config.protocol.claims.open_book_at_end:
        return replace(state, phase=Phase.BOOKS)
    return next_hand(state)


def next_hand(state: TableState) -> TableState:
    """Between this hand and the next."""
    number = state.hand.number + 1
    binding = state.config.binding(number, state.roster, state.roster.seats)
    fresh = HandState(number, binding, game=state.hand.game)
    return replace(state, phase=Phase.BETWEEN, hand=fresh, duties=state.duties.next_hand())
