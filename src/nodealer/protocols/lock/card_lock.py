"""The lock: each seat in turn replaces its cascade secret on every card with one secret per card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nodealer.cards.operations import NewDeck
from nodealer.errors import Malformed
from nodealer.group import Points
from nodealer.proofs import equality
from nodealer.proofs.equality import ManyEqualities
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import point_index, read_message, read_points
from nodealer.protocols.layers import Layer
from nodealer.protocols.lock import bare_steps
from nodealer.protocols.lock.deck import LockDeck, deck_digest
from nodealer.protocols.lock.messages import LockedCards
from nodealer.protocols.stages import Idle
from nodealer.records import replace
from nodealer.tape import Tape
from nodealer.wire import encode


@dataclass(frozen=True)
class Locking:
    """Stage: each seat in turn moves every card from its cascade secret to a secret for that card."""

    #: The cards so far, with the keys of the seats that have had their turn.
    layer: Layer[Points]
    #: Seat to the public key of its cascade secret.
    old: Mapping[int, Points]
    anchor: bytes

    @staticmethod
    def of(deck: LockDeck, cards: Points, keys: Mapping[int, Points]) -> Locking:
        """Return the first locking stage of a deck after its cascade."""
        first = deck.places.position_count if deck.layers else 0
        return Locking(Layer(first, deck.epoch, deck.binding, deck_digest(cards), cards, {}), keys, deck.trail)

    def duties(self, deck: LockDeck) -> tuple[Duty, ...]:
        """Return the duty of the next seat to lock the deck."""
        return (deck.duty(deck.binding.players[len(self.layer.keys)], "lock", self.anchor),)

    # defence: only-friends
    def message(self, deck: LockDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return all cards under one new secret each, with the public keys of the secrets and a proof."""
        seat, before = duty.seat, self.layer.cards
        old, new = deck.cascade_secret(tape, seat), deck.layers.draw_secrets(tape, self.layer, seat)
        ratio = bare_steps.lock_factors(old, new)
        group = deck.binding.group
        keys, cards = group.products(new, group.G), group.products(ratio, before)
        each = ManyEqualities(self.old[seat], keys, before, cards)
        proof = equality.prove_many_equalities(deck.transcript(duty, deck.epoch), tape, each, ratio)
        return encode(LockedCards(keys.to_bytes(), cards.to_bytes(), proof))

    def apply(self, deck: LockDeck, duty: Duty, message: bytes) -> DeckChange:
        """Accept a seat's locked cards and return the check of its proof. Raise `Malformed` if a key is used twice."""
        said, group, before = read_message(LockedCards, message), deck.binding.group, self.layer.cards
        keys = read_points(group, said.keys, len(before), "the keys")
        cards = read_points(group, said.cards, len(before), "the cards")
        # Publishing one secret must never reveal another.
        index = point_index(keys)
        if len(index) != len(before) or self.old[duty.seat].to_bytes() in index:
            raise Malformed("two cards have the same key, or one has the key of the cascade")
        each = ManyEqualities(self.old[duty.seat], keys, before, cards)
        check = equality.check_many_equalities(deck.transcript(duty, deck.epoch), each, said.proof)
        layer = replace(self.layer, cards=cards, keys={**self.layer.keys, duty.seat: keys})
        if len(layer.keys) < len(deck.binding.players):
            return DeckChange(deck.in_stage(replace(self, layer=layer, anchor=deck.trail)), (), (check,))
        done = deck.with_new_pile(len(cards)) if deck.layers else deck
        done = done.with_fields(layers=deck.layers.with_layer(layer))
        # Finish the new deck, or resume what a leaving seat interrupted.
        step = done.finish() if isinstance(deck.asked, NewDeck) else done.in_stage(Idle()).resume()
        return replace(step, checks=(check, *step.checks))
