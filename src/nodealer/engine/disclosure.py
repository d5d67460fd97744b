"""Disclosures: one mechanism for all protocols to check a hand after the fact.

A seat discloses its seed and its private choices of a hand. Every message that it sent in that hand is then recomputed
and compared with what it sent. In a dispute the claimant discloses first: if their own disclosure refutes the claim,
they are at fault and no one else has to disclose. A disclosure costs the secrecy of that hand and of nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping

from nodealer.engine.persistent_map import VersionedMap
from nodealer.engine.state import Config, DueDisclosures, SentMessage
from nodealer.errors import CardUnreadable, NodealerError, PeerFault
from nodealer.protocols.base import Deck
from nodealer.tape import Tape, seed_commitment

#: The disclosed private choices, by the duties for which they were made.
Choices = Mapping[bytes, bytes]


# defence: another-key, conceded, double, false-deck, false-key, mark, other-card, products, searched, slot, twin,
#   unopened
def refuse_false_disclosure(
    config: Config, books: DueDisclosures, seat: int, entry: int, seed: bytes, choices: Choices
) -> None:
    """Raise `PeerFault` if a seat's disclosure is false.

    It is if the seed is not the one that the seat committed to, or if a message that it sent does not follow from it.
    """
    tape = Tape(seed)
    bound = seed_commitment(tape, session=config.session.id, seat=seat, hand=books.binding.hand)
    if bound != books.commitments.get(seat):
        raise PeerFault(seat, "the opened seed is not the one it committed to", entry)
    deed = _first_false_message(books.messages, seat, tape, choices)
    if deed is not None:
        raise PeerFault(seat, f"its {deed.duty.kind} is not what its book makes", deed.entry)


def _first_false_message(
    deeds: VersionedMap[int, SentMessage], seat: int, tape: Tape, choices: Choices
) -> SentMessage | None:
    """Return the first message of a seat that an honest seat with this disclosure would not have sent."""
    for _, deed in deeds.items():
        if deed.duty.seat != seat:
            continue
        try:
            honest = deed.deck.message(deed.duty, tape, choices.get(deed.duty.chosen))
        except NodealerError:
            # The disclosure lacks a choice that the message needs, or has one that no honest seat could make.
            return deed
        if honest != deed.message:
            return deed
    return None


def refuse_false_dispute(deck: Deck | None, seat: int, entry: int, card: tuple[int, int], seed: bytes) -> None:
    """Raise `PeerFault` if the claimant can read the disputed card. `deck` is the deck as the claimant saw it."""
    number, position = card
    try:
        if deck is not None:
            deck.knows(seat, Tape(seed))
    except CardUnreadable as unreadable:
        if (unreadable.deck, unreadable.position) == card:
            return
    raise PeerFault(seat, f"it claims that card {position} of deck {number} is false, and it is not", entry)
