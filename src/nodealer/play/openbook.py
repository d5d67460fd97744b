"""The open-book audit: one mechanism for all protocols.

A seat opens its seed of a hand and its private choices; every message it sent in that hand is made again and held
against what it sent. The claimant of a dispute opens first: if its own book refutes the claim, that is the fault, and
nobody else opens. It costs the secrecy of that hand and of nothing else. A seat that left cannot be replayed: what it
proved stands.
"""

from __future__ import annotations

from collections.abc import Mapping

from nodealer.errors import CardUnreadable, NodealerError, PeerFault
from nodealer.play.state import Deed, OpenedBook, TableState
from nodealer.protocols.base import Deck
from nodealer.tape import Tape, commitment


def refuse_other_seed(state: TableState, seat: int, entry: int, seed: bytes) -> None:
    """A seed that is not the one committed to at the begin of the hand is a fault of its sender."""
    tape = Tape(seed)
    session = state.config.session.id
    if commitment(tape, session=session, seat=seat, hand=state.hand.number) != state.hand.commitments.get(seat):
        raise PeerFault(seat, "the opened seed is not the one it committed to", entry)


def first_false_deed(state: TableState, books: Mapping[int, OpenedBook]) -> Deed | None:
    """The first message of this hand that an honest seat with this book would not have sent."""
    for _, deed in state.hand.deeds.items():
        if deed.duty.seat not in books:
            continue
        seed, choices = books[deed.duty.seat]
        try:
            honest = deed.deck.message(deed.duty, Tape(seed), choices.get(deed.duty.id))
        except NodealerError:
            # The book lacks a choice that the message needs, or has one that no honest seat could make.
            return deed
        if honest != deed.message:
            return deed
    return None


def name_first_false_deed(state: TableState) -> None:
    """Raise `PeerFault` for the first false message among all opened books."""
    deed = first_false_deed(state, state.hand.books)
    if deed is not None:
        raise PeerFault(deed.duty.seat, f"its {deed.duty.kind} is not what its book makes", deed.entry)


def refuse_false_claim(
    state: TableState, seat: int, entry: int, deck: Deck | None, card: tuple[int, int], book: OpenedBook
) -> None:
    """Raise `PeerFault` for the claimant when its own book refutes its claim. `deck` is the deck as it saw it."""
    deck_number, position = card
    refuse_other_seed(state, seat, entry, book[0])
    deed = first_false_deed(state, {seat: book})
    if deed is not None:
        raise PeerFault(seat, f"it claims a false card, but its own {deed.duty.kind} is false", deed.entry)
    try:
        if deck is not None:
            deck.knows(seat, Tape(book[0]))
    except CardUnreadable as unreadable:
        if (unreadable.deck, unreadable.position) == card:
            return
    raise PeerFault(seat, f"it claims that card {position} of deck {deck_number} is false, and it is not", entry)
