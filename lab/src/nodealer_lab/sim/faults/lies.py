"""What a liar signs in the place of its entries: mostly nonsense, and now and then something that could be meant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from nodealer.engine.bodies import Begin, Body, Book, Cards, Choice, Claim, Move, Without, read_body
from nodealer.engine.duties import TableDuty
from nodealer.engine.participant import Participant
from nodealer.engine.seat import Seat
from nodealer.errors import CardUnreadable
from nodealer.tape import SEED_BYTES, hand_tape
from nodealer.wire import encode
from nodealer_lab.sim.dice import SeededDice

#: What nobody reads.
NONSENSE: Final = b'{"type":"nonsense"}'
#: Of a thousand lies, how many could be meant, where there are no books.
MEANT: Final = 500


def false_words(participant: Participant, body: bytes, dice: SeededDice) -> bytes:
    """A lie in the place of what it is about to say."""
    said = read_body(body)
    # Where there are books it is to come to them: what could be meant names it.
    books = participant.replica.config.protocol.claims.open_book_at_end
    if not participant.seated or not (isinstance(said, Book) if books else dice.chance(MEANT)):
        return NONSENSE
    seat = participant.seat
    ways: tuple[Callable[[], Body | None], ...] = ()
    if isinstance(said, Book):
        another = Book(said.duty, dice(SEED_BYTES), said.choices)
        ways = (lambda: another, lambda: _begin(seat, dice) or another)
    elif isinstance(said, Cards):
        ways = (lambda: _without(seat), lambda: _claim(participant))
    elif isinstance(said, Move):
        ways = (lambda: _claim(participant),)
    lie = dice.pick(ways)() if ways else None
    return NONSENSE if lie is None else encode(lie)


def _begin(seat: Seat, dice: SeededDice) -> Begin | None:
    """The next hand, while it owes a book."""
    duties = seat.replica.state.duties.of_seat(seat.number).values()
    begin = next((one.duty for one in duties if one.duty.deck is None and one.duty.kind == TableDuty.BEGIN), None)
    return None if begin is None else Begin(begin.id, dice(SEED_BYTES))


def _without(seat: Seat) -> Without | None:
    """That nobody should wait for the others, while it owes a message itself."""
    owed = tuple(sorted(seat.waits_for))
    return Without(owed) if owed else None


def _claim(participant: Participant) -> Claim | None:
    """That a card of its own does not open, which does."""
    seat, home, state = participant.seat, participant.home, participant.replica.state
    try:
        known = seat.cards()
    except CardUnreadable:
        return None
    mine = {deck.places.card(one) for deck in state.hand.decks.values() for one in deck.places.hand(seat.number)}
    card = next((card for card in known if card in mine), None)
    if card is None:
        return None
    tape = hand_tape(home.root, session=participant.session.id, seat=seat.number, hand=state.hand.number)
    return Claim(card.deck, card.position, tape.seed, tuple[Choice, ...]())
