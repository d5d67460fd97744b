"""A seat reorders the cards it has peeked at, and perhaps keeps one.

All seats move the cards to one new key each. The peeking seat alone masks them again in a secret order of its choice,
and proves that they are the same cards. If it keeps one, that is the first, which is dealt to it at the end. In a
search, all seats then shuffle the rest of the pile. The old positions of the cards are dead: no key to them was ever
published.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nodealer.cards.operations import Look, Peek
from nodealer.errors import BadParameter
from nodealer.group import Points, Scalars
from nodealer.group.order import order_of
from nodealer.proofs import shuffle
from nodealer.proofs.relations import Remask
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import read_choice, read_message, read_points
from nodealer.protocols.mask.deck import MaskDeck, Masked
from nodealer.protocols.mask.messages import MaskArrange
from nodealer.protocols.mask.rekey import Arranged, Rekeying
from nodealer.protocols.mask.shuffle import MaskShuffling
from nodealer.tape import Tape
from nodealer.wire import encode


def arrange(
    deck: MaskDeck, operation: Peek, cards: Masked, joint: Points, keys: Mapping[int, Points]
) -> Arranging | MaskShuffling | Rekeying:
    """Return the next stage, given all cards under the joint key, those that were peeked at first.

    A single card has no order to choose.
    """
    positions = deck.places.next_cards(operation.count)
    given, rest = cards.take(range(len(positions))), _after(cards, len(positions))
    ordering = Arranging(operation, positions, given, rest, joint, keys, deck.trail)
    return ordering if operation.count > 1 else ordering.arranged(deck, given)


def _after(cards: Masked, count: int) -> Masked | None:
    """Return all but the first `count` cards, or None if there are no more."""
    return cards.take(range(count, len(cards))) if len(cards) > count else None


@dataclass(frozen=True)
class Arranging:
    """Stage: the peeking seat masks the cards again, in the order that it chooses."""

    operation: Peek
    #: The positions of the cards that were peeked at, and the cards in their present form.
    positions: tuple[int, ...]
    given: Masked
    #: The other gathered cards: in a search, the rest of the pile.
    rest: Masked | None
    joint: Points
    keys: Mapping[int, Points]
    anchor: bytes

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]:
        """Return the peeking seat's duty to choose an order."""
        return (deck.duty(self.operation.seat, "arrange", self.anchor, choice=True),)

    def message(self, deck: MaskDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the cards masked again in the chosen order, with a shuffle proof.

        Raise `BadParameter` for a bad choice.
        """
        chosen, given = self._places(choice), self.given
        # A person chose the order, so it is plain integers. The cards themselves are processed in the core.
        order, masks = order_of(chosen), self._masks(deck, tape, chosen)
        before = given.take(order)
        after = Masked(before.epk + masks * deck.binding.group.G, before.msg + masks * self.joint)
        pairs = Remask(self.joint, given.epk, given.msg, after.epk, after.msg)
        proof = shuffle.prove(deck.transcript(duty, deck.epoch), tape, pairs, order, lambda b: b.dot(masks))
        return encode(MaskArrange(after.epk.to_bytes(), after.msg.to_bytes(), proof))

    def _places(self, choice: bytes | None) -> list[int]:
        """Return the choice as places among the cards: an order of all, or the one to keep first."""
        chosen, positions = read_choice(choice), self.positions
        if self.operation.then is Look.TAKE:
            if len(chosen) != 1 or chosen[0] not in positions:
                raise BadParameter(f"choose exactly one of {list(positions)} to keep")
            # The order of the others does not matter: all seats shuffle them.
            chosen = [*chosen, *(position for position in positions if position not in chosen)]
        elif sorted(chosen) != sorted(positions):
            what = "the card you keep first" if self.operation.then is Look.KEEP else "the top card first"
            raise BadParameter(f"list all of {list(positions)} in the order you want, {what}")
        at = {position: place for place, position in enumerate(positions)}
        return [at[position] for position in chosen]

    def _masks(self, deck: MaskDeck, tape: Tape, chosen: list[int]) -> Scalars:
        """Return the masks for a chosen order, derived from these cards, this joint key and exactly this order.

        With the same masks for two orders, the difference would reveal both.
        """
        given, joint = self.given.digest(), self.joint.to_bytes()
        inputs = deck.inputs(self.operation.seat, deck.epoch, given, joint, encode(chosen))
        return draw_scalars(tape, "mask arranged cards", inputs, deck.binding.group, len(chosen))

    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        """Accept the reordered cards and return the check of their shuffle proof."""
        said, group, given = read_message(MaskArrange, message), deck.binding.group, self.given
        epk = read_points(group, said.epk, len(given), "epk")
        after = Masked(epk, read_points(group, said.msg, len(given), "msg"))
        pairs = Remask(self.joint, given.epk, given.msg, after.epk, after.msg)
        check = shuffle.check(deck.transcript(duty, deck.epoch), pairs, said.proof)
        return DeckChange(deck.in_stage(self.arranged(deck, after)), (), (check,))

    def arranged(self, deck: MaskDeck, after: Masked) -> MaskShuffling | Rekeying:
        """Return the stage in which the reordered cards get their own keys.

        After a search, all seats shuffle the rest first.
        """
        cards = after if self.rest is None else after.concat([self.rest])
        left = _after(cards, 1)
        if self.operation.then is Look.TAKE and left is not None and len(left) > 1:
            purpose = Arranged(self.operation, cards.take([0]))
            return MaskShuffling(purpose, deck.epoch, left, self.joint, self.keys, 0, deck.trail)
        return Rekeying(Arranged(self.operation), deck.epoch, cards, self.keys, deck.trail)
