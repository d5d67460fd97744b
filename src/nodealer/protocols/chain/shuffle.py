"""The shuffle round: each seat in turn gives every card a new name, encrypts its number, and permutes both lists."""

from __future__ import annotations

from dataclasses import dataclass

from nodealer.errors import BadParameter, Malformed
from nodealer.group.order import order_of
from nodealer.proofs import equality, shuffle
from nodealer.proofs.relations import OneScalar
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.chain.deck import ChainDeck, SeatLayer, apply_layer
from nodealer.protocols.chain.lists import Lists, read_lists
from nodealer.protocols.chain.messages import ChainShuffle
from nodealer.protocols.codec import read_message, read_points
from nodealer.records import replace
from nodealer.tape import Tape
from nodealer.wire import encode


@dataclass(frozen=True)
class ChainShuffling:
    """Stage: each seat in turn adds a layer to the deck."""

    anchor: bytes

    def _before(self, deck: ChainDeck) -> Lists:
        """Return the deck that the next seat starts from."""
        before = deck.layers[-1].cards if deck.layers else deck.base
        if before is None:
            raise BadParameter("there is no deck to shuffle yet")
        return before

    def duties(self, deck: ChainDeck) -> tuple[Duty, ...]:
        """Return the duty of the next seat in the order to shuffle."""
        return (deck.duty(deck.order[len(deck.layers)], "shuffle", self.anchor),)

    def message(self, deck: ChainDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the seat's layer and key, a proof of knowing the key and, if shuffles are proven, a shuffle proof."""
        before, own = self._before(deck), deck.layer_secrets(tape, len(deck.layers))
        key, cards = own.key * deck.binding.group.G, apply_layer(own, before)
        transcript = deck.transcript(duty, 0)
        knowledge = equality.prove_knowledge(transcript, tape, key, own.key)
        proof = b""
        if deck.parameters.proven:
            relation = OneScalar(key, before.numbers, cards.numbers)
            proof = shuffle.prove(transcript, tape, relation, order_of(own.prior), lambda b: own.key)
        said = (b"".join(cards.names), cards.numbers.to_bytes(), proof)
        return encode(ChainShuffle(key.to_bytes(), knowledge, *said))

    def apply(self, deck: ChainDeck, duty: Duty, message: bytes) -> DeckChange:
        """Add a seat's layer and return the checks of its proofs.

        Raise `Malformed` if a key, name or number is not new.
        """
        said, group = read_message(ChainShuffle, message), deck.binding.group
        before = self._before(deck)
        key = read_points(group, said.key, 1, "the key")
        if any(key == layer.key for layer in deck.layers):
            raise Malformed("the key is another seat's")
        cards = read_lists(group, said.names, said.numbers, deck.size)
        _refuse_old(before, cards)
        transcript = deck.transcript(duty, 0)
        checks = [equality.check_knowledge(transcript, key, said.knowledge)]
        if deck.parameters.proven:
            checks.append(shuffle.check(transcript, OneScalar(key, before.numbers, cards.numbers), said.proof))
        elif said.proof:
            raise Malformed("the message has a proof, but shuffles are not proven here")
        layers = (*deck.layers, SeatLayer(duty.seat, key, cards))
        if len(layers) < len(deck.order):
            return DeckChange(deck.in_stage(ChainShuffling(deck.trail), layers=layers), (), tuple(checks))
        return replace(deck.finish(layers=layers), checks=tuple(checks))


def _refuse_old(before: Lists, cards: Lists) -> None:
    """Raise `Malformed` if a number was not encrypted or a name not changed."""
    if before.found.keys() & cards.found.keys():
        raise Malformed("a number is the same as before the shuffle")
    if before.places.keys() & cards.places.keys():
        raise Malformed("a name is the same as before the shuffle")
