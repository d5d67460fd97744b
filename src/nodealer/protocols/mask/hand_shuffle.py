"""A seat shuffles cards of its own hand, so that their positions reveal nothing about them to others.

The cards are under its keys alone. It moves them to one key of its own, masks and permutes them under it, and then
gives each card a new key. All three happen in one message, with a proof for each. The old positions are dead: their
keys are not published.
"""

from __future__ import annotations

from dataclasses import dataclass

from nodealer.cards.events import Moved
from nodealer.cards.operations import Mix
from nodealer.errors import Malformed
from nodealer.group import Order, Points, Scalars
from nodealer.proofs import equality, shuffle
from nodealer.proofs.encoding import encodings
from nodealer.proofs.equality import ManyEqualities
from nodealer.proofs.relations import Remask
from nodealer.proofs.transcript import Transcript, draw_scalars
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import read_message, read_points
from nodealer.protocols.layers import Layer
from nodealer.protocols.mask.deck import MaskDeck, Masked
from nodealer.protocols.mask.messages import MaskMix
from nodealer.records import replace
from nodealer.tape import Tape
from nodealer.wire import encode


# defence: followed
def mix(deck: MaskDeck, operation: Mix) -> DeckChange:
    """Begin to shuffle cards of a hand. A single card has no order to hide, so it finishes at once."""
    positions = deck.places.validate_mix(operation)
    if len(positions) == 1:
        return deck.finish()
    return DeckChange(deck.in_stage(Mixing(operation.seat, positions, deck.trail), epoch=deck.epoch + 1))


@dataclass(frozen=True)
class Mixing:
    """Stage: the holder sends the shuffled cards."""

    seat: int
    positions: tuple[int, ...]
    anchor: bytes

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]:
        """Return the holder's duty to shuffle the cards."""
        return (deck.duty(self.seat, "mix", self.anchor),)

    def message(self, deck: MaskDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the cards moved to one key, shuffled under it, and given a new key each, with three proofs."""
        group, held = deck.binding.group, deck.held_cards(self.positions)
        s = draw_scalars(tape, "mask own key", deck.inputs(self.seat, deck.epoch), group, 1)
        S, delta = s * group.G, s - deck.card_secrets(tape, self.positions, self.seat)
        gains = delta * held.epk
        one_key = Masked(held.epk, held.msg + gains)
        order, masks = self._draws(deck, tape, one_key, S)
        before = one_key.take(order)
        mixed = Masked(before.epk + masks * group.G, before.msg + masks * S)
        new = deck.layers.draw_secrets(tape, self._layer(deck, mixed), self.seat)
        keys, last = new * group.G, (new - s) * mixed.epk
        gathered = equality.prove_many_equalities(
            self._transcript(deck, duty), tape, self._gathered(deck, S, gains), delta
        )
        pairs = Remask(S, one_key.epk, one_key.msg, mixed.epk, mixed.msg)
        permuted = shuffle.prove(self._transcript(deck, duty), tape, pairs, order, lambda b: b.dot(masks))
        keyed = ManyEqualities(group.G, keys, mixed.epk, last, less=S)
        proof = equality.prove_many_equalities(self._transcript(deck, duty), tape, keyed, new - s)
        cards = mixed.epk.to_bytes(), mixed.msg.to_bytes()
        return encode(
            MaskMix(S.to_bytes(), gains.to_bytes(), *cards, keys.to_bytes(), last.to_bytes(), gathered, permuted, proof)
        )

    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        """Move the shuffled cards to new positions and return the checks of the proofs.

        Raise `Malformed` for a used key.
        """
        said, group, count = read_message(MaskMix, message), deck.binding.group, len(self.positions)
        S = read_points(group, said.key, 1, "the one key")
        gains = read_points(group, said.gains, count, "the gains")
        epk = read_points(group, said.epk, count, "epk")
        mixed = Masked(epk, read_points(group, said.msg, count, "msg"))
        keys = read_points(group, said.keys, count, "the new keys")
        last = read_points(group, said.last, count, "the last gains")
        # Each card needs its own key: publishing one key must never reveal another card.
        new = {*encodings(keys), *encodings(S)}
        if len(new) != count + 1 or not new.isdisjoint(deck.taken_keys()):
            raise Malformed("a new key is already in use")
        held = deck.held_cards(self.positions)
        pairs = Remask(S, held.epk, held.msg + gains, mixed.epk, mixed.msg)
        keyed = ManyEqualities(group.G, keys, mixed.epk, last, less=S)
        checks = (
            equality.check_many_equalities(self._transcript(deck, duty), self._gathered(deck, S, gains), said.gathered),
            shuffle.check(self._transcript(deck, duty), pairs, said.permuted),
            equality.check_many_equalities(self._transcript(deck, duty), keyed, said.proof),
        )
        layer = replace(self._layer(deck, mixed), cards=Masked(mixed.epk, mixed.msg + last), keys={self.seat: keys})
        return replace(self._finish(deck.with_fields(layers=deck.layers.with_layer(layer))), checks=checks)

    def _finish(self, deck: MaskDeck) -> DeckChange:
        """Finish with the cards at their new positions."""
        before, places = deck.places, deck.places.apply_mix(self.positions, self.seat)
        gone = (Moved(before.card(position), None) for position in self.positions)
        new = (Moved(places.card(at), self.seat) for at in range(before.position_count, places.position_count))
        return deck.finish(*gone, *new, places=places)

    def _transcript(self, deck: MaskDeck, duty: Duty) -> Transcript:
        """Return a fresh transcript for a proof of this message. Each of its three proofs starts from the same one."""
        return deck.transcript(duty, deck.epoch)

    def _gathered(self, deck: MaskDeck, S: Points, gains: Points) -> ManyEqualities:
        """Return the statement that each card moved to the common key: S − K_i = δ_i·G and D_i = δ_i·u_i."""
        held, own = deck.held_cards(self.positions), deck.card_keys(self.positions, self.seat)
        return ManyEqualities(deck.binding.group.G, S, held.epk, gains, less=own)

    def _draws(self, deck: MaskDeck, tape: Tape, cards: Masked, S: Points) -> tuple[Order, Scalars]:
        """Return the order and the masks, derived from these cards and this key."""
        inputs = deck.inputs(self.seat, deck.epoch, cards.digest(), S.to_bytes())
        order = tape.permutation("mask own permutation", inputs, len(cards))
        return order, draw_scalars(tape, "mask own masks", inputs, deck.binding.group, len(cards))

    def _layer(self, deck: MaskDeck, mixed: Masked) -> Layer[Masked]:
        """Return the new layer of the cards, under this seat's keys alone, derived from exactly these cards."""
        alone = deck.binding.without(tuple(seat for seat in deck.binding.players if seat != self.seat))
        return Layer(deck.places.position_count, deck.epoch, alone, mixed.digest(), mixed, {})
