"""The owner looks at the top of the pile: and that is all, or puts it back in an order of its own, or keeps one card.

What it chooses is private. An order leaves as a proven shuffle, so that the rival learns nothing of it; the card that
is kept is named by its place, and the whole rest is shuffled again.
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
    """The rival's keys are there; the owner has seen the cards."""
    seen = deck.at(peeked=tuple(dict.fromkeys((*deck.peeked, *positions))))
    if operation.then is Look.LOOK:
        return seen.finish()
    if operation.then is Look.TAKE:
        return DeckChange(seen.to(Taking(positions, deck.trail)))
    return arrange(seen, positions, seen.places.remove_from_pile(positions).restack(positions, Place.TOP))


@dataclass(frozen=True)
class Taking:
    """The owner keeps one of the cards it has seen. The rest of the pile is shuffled again."""

    positions: tuple[int, ...]
    anchor: bytes

    def duties(self, deck: DuelDeck) -> tuple[Duty, ...]:
        return (deck.duty(deck.owner, "take", self.anchor, choice=True),)

    def message(self, deck: DuelDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        # A card that cannot be read is a reason to claim, not to choose.
        deck.read(tape, self.positions)
        chosen = read_choice(choice)
        if len(chosen) != 1 or chosen[0] not in self.positions:
            raise BadParameter(f"one of {list(self.positions)} can be kept")
        return encode(Take(chosen[0]))

    # defence: another-place
    def apply(self, deck: DuelDeck, duty: Duty, message: bytes) -> DeckChange:
        position = read_message(Take, message).position
        if position not in self.positions:
            raise Malformed(f"card {position} is not one of those that were looked at")
        places = deck.places.move_to_hand((position,), deck.owner)
        moved = Moved(places.card(position), deck.owner)
        return reshuffle(deck.at(places=places), places.pile, places.restack((), Place.SHUFFLED), (moved,))
