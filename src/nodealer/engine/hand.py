"""The course of a hand: which duties are open, and how the game and the decks drive each other until a seat must act.

Every function takes a state or a change and returns the next one. A function that refuses something raises, and nothing
changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nodealer.cards.events import Event, Finished, Moved, Opened, Rolled, Unsealed
from nodealer.cards.operations import WITHOUT_CARDS, NewDeck, Operation, Random, Seal, needed_capabilities
from nodealer.engine.duties import TableDuty
from nodealer.engine.phases import Phase
from nodealer.engine.rosters import adopt_agreed_roster
from nodealer.engine.state import Change, DueDisclosures, HandRecord, HandState, PendingRequests, TableState
from nodealer.errors import BadParameter
from nodealer.games.base import Ask, Done, Game, Turn
from nodealer.protocols.base import Binding, DeckChange, Duty
from nodealer.protocols.dice import Dice
from nodealer.protocols.envelopes import Envelopes
from nodealer.records import replace
from nodealer.tape import digest
from nodealer.wire import DECKS_MAX, encode


class TooFewSeats(Exception):
    """The game wants a deck, and too few seats are left to create it."""


# --- Duties ---


def open_duties(state: TableState) -> tuple[Duty, ...]:
    """Return every duty that is open in a state."""
    books = tuple(
        _book_duty(state, number, seat) for number, case in state.disclosures.items() for seat in sorted(case.owing)
    )
    if state.phase is Phase.BETWEEN:
        return (*books, *_duties_between_hands(state))
    if state.phase is Phase.PLAYING:
        hand = state.hand
        cards = (duty for deck in hand.decks.values() for duty in deck.duties)
        return (*books, *cards, *_move_duties(hand), *_early_begin_duties(state))
    return books


def _book_duty(state: TableState, hand: int, seat: int) -> Duty:
    """Return a seat's duty to disclose a hand."""
    return state.disclosures[hand].binding.duty(None, seat, TableDuty.BOOK, digest("book", hand))


def _duties_between_hands(state: TableState) -> Iterator[Duty]:
    """Yield the duties between hands: begin the next hand, or sign the end."""
    hand, out, anchor = state.hand, state.ended | state.expelled, digest("between", state.roster.digest)
    for seat in state.roster.awaited:
        if seat in out:
            continue
        gone = seat in state.gone
        # A seat that has begun may still end: if the others have ended, its hand will never start.
        if seat not in hand.commitments and not state.no_more_hands:
            # An absent seat may come back for the next hand, but no one waits for it.
            yield hand.binding.duty(None, seat, TableDuty.BEGIN, anchor, optional=gone)
        yield hand.binding.duty(None, seat, TableDuty.END, anchor, optional=not state.no_more_hands or gone)


def _early_begin_duties(state: TableState) -> tuple[Duty, ...]:
    """Return the optional duties of absent seats to begin the next hand while this one is still played.

    With them a player who is back can join in time: the next hand does not start before they had the chance.
    """
    if state.no_more_hands or not state.gone or state.hand.number + 1 == state.config.session.proposal.hands:
        return ()
    away = (
        state.gone.intersection(state.roster.awaited)
        - state.expelled
        - state.ended
        - state.hand.early_commitments.keys()
    )
    binding = state.config.binding(state.hand.number + 1, state.roster, state.roster.awaited)
    anchor = digest("between", state.roster.digest)
    return tuple(binding.duty(None, seat, TableDuty.BEGIN, anchor, optional=True) for seat in sorted(away))


def _move_duties(hand: HandState) -> tuple[Duty, ...]:
    """Return the moves that the game waits for or permits now."""
    if not isinstance(want := hand.want, Turn):
        return ()
    # In a round the seats move in parallel: a move answers the round, whatever others moved meanwhile.
    anchor = digest("move", hand.game_digest) if want.round is None else digest("round", want.round)
    return (
        *(hand.binding.duty(None, seat, TableDuty.MOVE, anchor, choice=True) for seat in want.seats),
        *(hand.binding.duty(None, seat, TableDuty.MOVE, anchor, choice=True, optional=True) for seat in want.may),
    )


def refresh_duties(state: TableState, height: int) -> TableState:
    """Return the state with its duties and clock updated at this log height. Votes about closed duties are dropped."""
    if len(state.chronicle.hand_ends) < state.hand.number:
        state = state.with_chronicle(hand_ends=(*state.chronicle.hand_ends, height))
    if len(state.chronicle.key_heights) < len(state.chronicle.key_changes):
        state = state.with_chronicle(key_heights=(*state.chronicle.key_heights, height))
    hand, duties = state.hand, state.duties.with_open(open_duties(state), height)
    if hand.past_decks.newest is not hand.decks:
        hand = replace(hand, past_decks=hand.past_decks.extended([(height, hand.decks)]))
    state = replace(state, hand=hand, duties=duties)
    if state.clock is not None:
        state = replace(state, clock=state.clock.with_open_duties(state.duties, height))
    if not hand.skip_votes and not hand.abort_votes:
        return state
    still = state.duties.open.keys()
    if any(duties - still for duties in hand.skip_votes.values()) or any(
        duty not in still for duty in hand.abort_votes.values()
    ):
        votes = {seat: duties & still for seat, duties in hand.skip_votes.items() if duties & still}
        breaks = {seat: duty for seat, duty in hand.abort_votes.items() if duty in still}
        state = state.with_hand(skip_votes=votes, abort_votes=breaks)
    return state


# --- The game: its inputs are hashed, and moves are bound to that hash ---


def advance_game(hand: HandState, game: Game, what: str, *said: bytes | str | int) -> HandState:
    """Return the hand with the next state of its game.

    Everything that changed the game is hashed into `game_digest`, and the duties to move are bound to that digest.
    """
    return replace(hand, game=game, game_digest=digest(what, hand.game_digest, *said))


def _encode_events(events: Iterable[Event]) -> bytes:
    """Encode card events for hashing: one list for each card moved or opened, roll, or opened envelope."""
    words = list[list[object]]()
    for event in events:
        if isinstance(event, Moved):
            was = [] if event.was is None else [event.was.epoch, event.was.position]
            words.append(["moved", event.card.deck, event.card.epoch, event.card.position, event.holder, *was])
        elif isinstance(event, Opened):
            words.append(["opened", event.card.deck, event.card.epoch, event.card.position, event.face])
        elif isinstance(event, Rolled):
            words.append(["rolled", event.deck, event.numbers, event.silent])
        elif isinstance(event, Unsealed):
            words.append(["unsealed", event.deck, event.seat, event.value])
    return encode(words)


def make_move(change: Change, seat: int, move: bytes) -> Change:
    """Apply a seat's move. Raise `IllegalMove`, or `BadParameter` if it requests something impossible."""
    hand = change.state.hand
    if hand.game is None:
        raise BadParameter("no game is being played")
    after = advance_game(hand, hand.game.moved(seat, move), "moved", seat, move)
    return drive(change.with_state(replace(change.state, hand=after)))


# --- The hand ---


def begin_hand(state: TableState) -> Change:
    """Start the hand if every present seat has begun it and they can play; otherwise return the state unchanged."""
    hand = state.hand
    if state.no_more_hands or not set(state.present) <= hand.commitments.keys():
        return Change(state)
    began = tuple(seat for seat in state.roster.with_cards if seat in hand.commitments)
    claims, rules = state.config.protocol.claims, state.config.rules
    filled = {role for role, seat in state.roster.roles if seat in hand.commitments}
    if not claims.seats[0] <= len(began) <= claims.seats[1] or not set(claims.roles) <= filled:
        return Change(state)
    account = state.ledger.add_seats(began, rules.stake).release_covered()
    chips = {seat: account.chips[seat] for seat in began}
    try:
        game = rules.begin(hand.number, began, hand.game, chips)
    except BadParameter:
        # These seats cannot play another hand, so no one waits for one.
        return Change(
            replace(state, no_more_hands=True, hand=replace(hand, commitments={}, skip_votes={}, abort_votes={}))
        )
    others = tuple(seat for seat in hand.commitments if seat not in state.roster.with_cards)
    seats = tuple(sorted((*game.players, *others)))
    binding = replace(state.config.binding(hand.number, state.roster, seats), tried=state.tried)
    part = state.config.session.proposal.game
    agreed = encode([part.name, part.version, part.parameters, sorted(chips.items())])
    course = digest("game", state.config.session.id, hand.number, agreed)
    begun = replace(hand, binding=binding, game=game, game_digest=course, skip_votes={}, abort_votes={})
    proposed = {id: replace(one, begins=one.begins + 1) for id, one in state.proposed.items() if one.begins == 0}
    gone = state.gone - hand.commitments.keys()
    state = replace(state, phase=Phase.PLAYING, hand=begun, gone=gone, ledger=account, proposed=proposed)
    if state.clock is not None:
        state = replace(state, clock=state.clock.refill_banks())
    return drive(Change(state))


def drive(change: Change) -> Change:
    """Pass requests of the game to the decks, and their events back, until a seat must act or the hand is over."""
    while True:
        state, hand, game = change.state, change.state.hand, change.state.hand.game
        if state.phase is not Phase.PLAYING or game is None:
            return change
        want = hand.want
        if isinstance(want, Done):
            return change.with_state(_end_hand(state, want))
        if want is not None and (hand.cached_want is None or hand.cached_want[0] is not game):
            hand = replace(hand, cached_want=(game, want))
            change = change.with_state(replace(state, hand=hand))
            state = change.state
        if not isinstance(want, Ask):
            return change
        try:
            if hand.requests is None:
                change = _start_requests(change, want)
            elif not hand.requests.is_done:
                return change
            else:
                events = hand.requests.events
                after = advance_game(hand, game.told(events), "told", _encode_events(events))
                change = change.with_state(replace(state, hand=replace(after, requests=None)))
        except TooFewSeats:
            change = change.with_state(replace(state, hand=continue_without_cards(hand)))


def continue_without_cards(hand: HandState, leaving: tuple[int, ...] = ()) -> HandState:
    """Return the hand after all cards are lost: the game ends it by its own rule for these leavers."""
    if hand.game is None:
        return hand
    after = advance_game(hand, hand.game.left(leaving, cards=False), "left", 0, *leaving)
    return replace(after, decks={}, requests=None)


def _start_requests(change: Change, ask: Ask) -> Change:
    """Queue the operations that the game asks for, and start the first of each deck."""
    queues = dict[int, tuple[Operation, ...]]()
    for operation in ask.operations:
        queues[operation.deck] = (*queues.get(operation.deck, ()), operation)
    change = change.with_state(change.state.with_hand(requests=PendingRequests(queues)))
    for deck in queues:
        change = _request_operation(change, deck, queues[deck][0])
    return change


def _request_operation(change: Change, deck: int, operation: Operation) -> Change:
    """Start an operation on a deck, creating the deck if necessary.

    Raise `BadParameter` if the game may not request it, and `TooFewSeats` if a new deck cannot be created.
    """
    state, hand = change.state, change.state.hand
    _refuse_unannounced(state, operation)
    if isinstance(operation, NewDeck):
        if deck in hand.decks or not 0 <= deck < DECKS_MAX:
            raise BadParameter(f"deck {deck} exists already, or its number is not below {DECKS_MAX}")
        if operation.faces > (most := state.config.rules.deck_max):
            raise BadParameter(f"a deck of {operation.faces} cards, and the game announced {most}")
        binding = _present_binding(state)
        if len(binding.players) < state.config.protocol.claims.seats[0]:
            raise TooFewSeats
        made = state.config.protocol.new_deck(binding, deck, operation.faces, operation.owner)
        return update_deck(change, deck, DeckChange(made))
    lies = hand.decks.get(deck)
    if lies is None and isinstance(operation, Random | Seal) and 0 <= deck < DECKS_MAX:
        here = _present_binding(state)
        lies = Dice(here, deck) if isinstance(operation, Random) else Envelopes(here, deck)
    if lies is None:
        raise BadParameter(f"there is no deck {deck}")
    if not isinstance(lies, Dice | Envelopes) and not needed_capabilities(operation, None).isdisjoint(WITHOUT_CARDS):
        raise BadParameter(f"deck {deck} has cards: it cannot be rolled or used for envelopes")
    return update_deck(change, deck, lies.request(operation))


def _present_binding(state: TableState) -> Binding:
    """Return the binding of the hand without the seats that have left it."""
    hand = state.hand
    gone = tuple(sorted(state.gone & set(hand.binding.seats)))
    return replace(hand.binding.without(gone), tried=state.tried) if gone else hand.binding


def _refuse_unannounced(state: TableState, operation: Operation) -> None:
    """Raise `BadParameter` if the game requests an operation that it did not announce for the session."""
    deck = state.hand.decks.get(operation.deck)
    asked = needed_capabilities(operation, None if deck is None else deck.places.belongs_to)
    if unannounced := sorted(one.value for one in asked - state.config.rules.operations):
        raise BadParameter(f"the game asks for {', '.join(unannounced)}, which it did not announce")


def update_deck(change: Change, deck: int, made: DeckChange) -> Change:
    """Apply a change to a deck. If it finishes an operation, start the next one in the deck's queue."""
    state, hand = change.state, change.state.hand
    asked = hand.requests
    rest: tuple[Operation, ...] = ()
    if asked is not None:
        queue = asked.queues.get(deck, ())
        # A deck may also finish something that no game requested, such as going on without a seat.
        finished = bool(queue) and Finished(queue[0]) in made.events
        queue = queue[1:] if finished else queue
        rest = queue if finished else ()
        asked = PendingRequests({**asked.queues, deck: queue}, (*asked.events, *made.events))
    state = state.with_hand(decks={**hand.decks, deck: made.deck}, requests=asked)
    change = Change(state, (*change.events, *made.events), (*change.checks, *made.checks))
    return _request_operation(change, deck, rest[0]) if rest else change


# --- The end of the hand ---


def _end_hand(state: TableState, done: Done) -> TableState:
    """Return the state after the hand's result. If the protocol requires disclosures, gains are held until then."""
    books = state.config.protocol.claims.open_book_at_end
    players = () if state.hand.game is None else state.hand.game.players
    account = state.ledger.close_hand(state.hand.number, done, players, books=books)
    record = HandRecord(state.hand.number, _player_names(state), done.result, done.net, charged=done.charged)
    state = replace(state, ledger=account)
    return prepare_next_hand(require_disclosures(state) if books else state, record)


def require_disclosures(state: TableState, *, disputed: bool = False) -> TableState:
    """Return the state in which every seat that was dealt in, even if it left, must disclose this hand."""
    hand = state.hand
    owing = frozenset(hand.binding.players) - state.expelled
    books = DueDisclosures(hand.binding, hand.commitments, hand.messages, owing, disputed)
    return replace(state, disclosures={**state.disclosures, hand.number: books})


def void_hand(state: TableState, reason: str) -> TableState:
    """Return the state after the hand ended without a result, for this reason."""
    return prepare_next_hand(state, HandRecord(state.hand.number, _player_names(state), void=reason))


def prepare_next_hand(state: TableState, record: HandRecord) -> TableState:
    """Return the state between this hand and the next. A roster that was agreed on meanwhile is adopted."""
    number = state.hand.number + 1
    binding = state.config.binding(number, state.roster, state.roster.awaited)
    state = replace(state, no_more_hands=state.no_more_hands or number == state.config.session.proposal.hands)
    owing = frozenset(seat for books in state.disclosures.values() for seat in books.owing)
    out = owing | state.expelled | state.ended
    begun = {seat: commitment for seat, commitment in state.hand.early_commitments.items() if seat not in out}
    fresh = HandState(number, binding, game=state.hand.game, commitments={} if state.no_more_hands else begun)
    state = state.with_chronicle(records=(*state.chronicle.records, record))
    return adopt_agreed_roster(replace(state, phase=Phase.BETWEEN, hand=fresh, duties=state.duties.next_hand()))


def _player_names(state: TableState) -> dict[int, str]:
    """Return the names of the seats in this hand that are still in the roster."""
    return {seat: state.roster.member(seat).name for seat in state.hand.binding.seats if seat in state.roster.seats}
