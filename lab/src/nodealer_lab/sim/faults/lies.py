"""What a liar signs in place of its true entries: mostly nonsense, sometimes a plausible lie."""

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

#: A body that no one can read.
NONSENSE: Final = b'{"type":"nonsense"}'
#: How many of a thousand lies are plausible, in protocols without disclosures.
MEANT: Final = 500


def forge_body(participant: Participant, body: bytes, dice: SeededDice) -> bytes:
    """Return a false body for the entry that the participant is about to send."""
    said = read_body(body)
    # With disclosures, the liar should get as far as making one, and a plausible lie would expose it before.
    books = participant.replica.config.protocol.claims.open_book_at_end
    if not participant.has_seat or not (isinstance(said, Book) if books else dice.chance(MEANT)):
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
    """Return a begin of the next hand while the seat still owes a disclosure, or None."""
    duties = seat.replica.state.duties.of_seat(seat.number).values()
    begin = next((one.duty for one in duties if one.duty.deck is None and one.duty.kind == TableDuty.BEGIN), None)
    return None if begin is None else Begin(begin.id, dice(SEED_BYTES))


def _without(seat: Seat) -> Without | None:
    """Return a vote to skip the other seats while the liar itself owes a message, or None."""
    owed = tuple(sorted(seat.blocking_duties))
    return Without(owed) if owed else None


def _claim(participant: Participant) -> Claim | None:
    """Return a false claim that a readable card of the seat does not open, or None."""
    seat, home, state = participant.seat, participant.store, participant.replica.state
    try:
        known = seat.known_cards()
    except CardUnreadable:
        return None
    mine = {deck.places.card(one) for deck in state.hand.decks.values() for one in deck.places.hand(seat.number)}
    card = next((card for card in known if card in mine), None)
    if card is None:
        return None
    tape = hand_tape(home.root, session=participant.session.id, seat=seat.number, hand=state.hand.number)
    return Claim(card.deck, card.position, tape.seed, tuple[Choice, ...]())
