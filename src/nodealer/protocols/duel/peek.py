"""The owner peeks at the top of the pile, and may put the cards back in another order or keep one.

The choice is private. An order is sent as a proven shuffle, so the rival learns nothing about it. A kept card is named
by its position, and all other cards are shuffled again.
"""

from __future__ import annotations

from dataclasses import dataclass

from nodealer.cards.events import Moved
from nodealer.cards.operations import Look, Peek, Place
from nodealer.errors import BadParameter, Malformed
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import read_choice, read_message
from nodealer.protocols.duel.deck import DuelDeck
from nodealer.protocols.duel.messages import Take
from nodealer.protocols.duel.shuffle import arrange, reshuffle
from nodealer.tape import Tape
from nodealer.wire import encode


def finish_peek(deck: DuelDeck, operation: Peek, positions: tuple[int, ...]) -> DeckChange:
    """Continue a peek after the rival has published the keys, so that the owner has seen the cards."""
    seen = deck.with_fields(peeked=tuple(dict.fromkeys((*deck.peeked, *positions))))
    if operation.then is Look.LOOK:
        return seen.finish()
    if operation.then is Look.TAKE:
        return DeckChange(seen.in_stage(KeepingCard(positions, deck.trail)))
    return arrange(seen, positions, seen.places.remove_from_pile(positions).restack(positions, Place.TOP))


@dataclass(frozen=True)
class KeepingCard:
    """Stage: the owner keeps one of the cards it has seen. The rest of the pile is then shuffled again."""

    positions: tuple[int, ...]
    anchor: bytes

    def duties(self, deck: DuelDeck) -> tuple[Duty, ...]:
        """Return the owner's duty to choose a card to keep."""
        return (deck.duty(deck.owner, "take", self.anchor, choice=True),)

    def message(self, deck: DuelDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the chosen position. Raise `BadParameter` unless it is one of the cards that the owner has seen."""
        # If a card cannot be read, the owner should claim that, not choose.
        deck.read(tape, self.positions)
        chosen = read_choice(choice)
        if len(chosen) != 1 or chosen[0] not in self.positions:
            raise BadParameter(f"choose exactly one of {list(self.positions)} to keep")
        return encode(Take(chosen[0]))

    # defence: another-place
    def apply(self, deck: DuelDeck, duty: Duty, message: bytes) -> DeckChange:
        """Move the named card to the owner's hand and begin to shuffle the rest.

        Raise `Malformed` for any other card.
        """
        position = read_message(Take, message).position
        if position not in self.positions:
            raise Malformed(f"card {position} is not one of the cards that the owner looked at")
        places = deck.places.move_to_hand((position,), deck.owner)
        moved = Moved(places.card(position), deck.owner)
        return reshuffle(deck.with_fields(places=places), places.pile, places.restack((), Place.SHUFFLED), (moved,))
