"""The public state of a `chain` deck, and how its secrets are drawn.

Each seat in turn, the dealer first, adds a layer to the deck: new names, numbers under its key, another order. A card
in the layer of the seat at index j is its number to the power of K_0·…·K_j.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from nodealer.cards.operations import Card
from nodealer.errors import BadParameter, CardUnreadable, DecodeError
from nodealer.group import Points, Scalars, concat
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols.base import MISDEAL, DeckChange, Duty
from nodealer.protocols.chain.lists import (
    CardPlace,
    Lists,
    PublicCards,
    card_number,
    name_of,
    read_number,
    value_names,
)
from nodealer.protocols.chain.parameters import ChainParameters
from nodealer.protocols.stages import Quiet, Stage, StagedDeck
from nodealer.tape import DIGEST_BYTES, Tape, digest


@dataclass(frozen=True)
class SeatLayer:
    """The deck after one seat's shuffle. `key` is g^K."""

    seat: int
    key: Points
    cards: Lists


@dataclass(frozen=True)
class HeldNumber:
    """A card in the hand of the seat at `index`: its place in that layer, and its number under that key alone."""

    index: int
    place: int
    number: Points


@dataclass(frozen=True)
class LayerSecrets:
    """A seat's secrets of its layer: its key and, for every place, the nonce and the place in the previous layer."""

    key: Scalars
    nonces: tuple[bytes, ...]
    prior: tuple[int, ...]


@dataclass(frozen=True)
class DealersDeck:
    """One of the dealer's decks with all its secrets. `own.prior` are the values in the deck's order."""

    own: LayerSecrets
    cards: Points

    @property
    def lists(self) -> Lists:
        """The deck as it is published."""
        names = value_names(len(self.cards))
        chained = (name_of(nonce, names[value]) for nonce, value in zip(self.own.nonces, self.own.prior, strict=True))
        return Lists(tuple(chained), self.own.key * self.cards)


class OpenedCoins:
    """A stage in which the coins are open but the decks are not: a seat that leaves now may want other coins."""


@dataclass(frozen=True)
class ContradictedCard(Quiet):
    """Stage: messages about a card contradict each other, so one of their proofs is false.

    The proof that is checked next will show whose. If all were valid, which cannot happen, the deck would stop here and
    disclosure would remain.
    """

    position: int
    reason: str


@dataclass(frozen=True)
class ChainDeck(StagedDeck):
    """The public state of one `chain` deck."""

    #: A pseudo-stage for the message that is possible in every stage: reporting a misdeal.
    disputes: Stage[Self] = field(repr=False, compare=False)
    size: int
    parameters: ChainParameters
    #: The seats in the order in which they shuffle: the dealer, then the players.
    order: tuple[int, ...]
    #: The cards before the first layer, if they are public.
    public: PublicCards | None = field(default=None, repr=False)
    layers: tuple[SeatLayer, ...] = field(default=(), repr=False)
    held: Mapping[int, HeldNumber] = field(default_factory=dict, repr=False)
    #: The number of the dealer's deck that is played.
    candidate: int | None = None

    @property
    def dealer(self) -> int:
        """The seat that shuffles first."""
        return self.order[0]

    @property
    def base(self) -> Lists | None:
        """The cards before the first layer, if they are public."""
        return None if self.public is None else self.public.lists

    # --- The bottom of the chain ---

    def names_before(self, index: int) -> Mapping[bytes, int]:
        """Return a map from name to place in the previous layer. Before the dealer's layer, the place is the face."""
        if index:
            return self.layers[index - 1].cards.places
        names = value_names(self.size) if self.base is None else self.base.names
        return {name: face for face, name in enumerate(names)}

    def number_before(self, index: int, place: int, nonce: bytes) -> Points:
        """Return the number at a place of the previous layer. Before the dealer's layer, that is the bare card."""
        if index:
            return self.layers[index - 1].cards.numbers[place]
        return self.card(place, nonce)

    def card(self, face: int, nonce: bytes) -> Points:
        """Return a bare card. If the dealer made the cards, `nonce` is the dealer's."""
        if self.base is not None:
            return self.base.numbers[face]
        return card_number(self.binding.group, self.card_place(self._played), nonce, face)

    def card_place(self, candidate: int) -> CardPlace:
        """Return the place that the cards of one of the dealer's decks are bound to."""
        return CardPlace(self.binding.session, self.binding.hand, self.number, candidate)

    @property
    def _played(self) -> int:
        """The number of the dealer's deck that is played. Raise `BadParameter` before it is picked."""
        if self.candidate is None:
            raise BadParameter("none of the dealer's decks has been picked yet")
        return self.candidate

    def read(self, bare: Points) -> tuple[int, bytes] | None:
        """Return the face of a bare number and the dealer's nonce, if it has one. Return None if it is not a card."""
        if self.base is not None:
            face = self.base.found.get(bare.to_bytes())
            return None if face is None else (face, b"")
        found = read_number(bare, self.card_place(self._played), self.size)
        if found is None or name_of(found[0], value_names(self.size)[found[1]]) not in self.layers[0].cards.places:
            return None
        return found[1], found[0]

    # --- Secrets ---

    # defence: only-friends
    def layer_secrets(self, tape: Tape, index: int) -> LayerSecrets:
        """Return the secrets of the seat at an index for its layer, which it has made or is about to make."""
        if self.base is None and index == 0:
            return self.dealers_deck(tape, self._played).own
        before = self.layers[index - 1].cards if index else self.base
        if before is None:
            raise BadParameter("there is no deck yet")
        seat = self.order[index]
        key = draw_scalars(tape, "chain key", self.inputs(seat, 0), self.binding.group, 1)
        inputs = self.inputs(seat, 0, before.digest, index.to_bytes(2, "big"))
        nonces = tape.draw("chain nonces", inputs, size=32 * self.size)
        # This protocol handles names, numbers and therefore the order in Python, which promises no constant time.
        prior = tape.permutation("chain permutation", inputs, self.size).vartime_list()
        return LayerSecrets(key, tuple(nonces[at : at + 32] for at in range(0, len(nonces), 32)), tuple(prior))

    def dealers_deck(self, tape: Tape, number: int) -> DealersDeck:
        """Return the dealer's deck of this number, from its tape."""
        inputs = self.inputs(self.dealer, 0, number.to_bytes(4, "big"))
        key = draw_scalars(tape, "chain candidate key", inputs, self.binding.group, 1)
        # Plain integers, because the nonces are derived from them.
        values = tape.permutation("chain candidate order", inputs, self.size).vartime_list()
        place = self.card_place(number)
        drawn = [self._square(tape, inputs, place, value) for value in values]
        own = LayerSecrets(key, tuple(nonce for nonce, _ in drawn), tuple(values))
        return DealersDeck(own, concat(*(card for _, card in drawn)))

    def _square(self, tape: Tape, inputs: bytes, place: CardPlace, value: int) -> tuple[bytes, Points]:
        """Return a nonce with which the card's number is a square, and the number.

        Every second nonce gives one. Numbers that are not squares would identify themselves.
        """
        bound, attempt = digest("chain card nonce", inputs, value), 0
        while True:
            nonce = tape.draw("chain card nonce", bound, size=DIGEST_BYTES, index=attempt)
            try:
                return nonce, card_number(self.binding.group, place, nonce, value)
            except DecodeError:
                attempt += 1

    # --- The `Deck` interface ---

    @property
    def duties(self: Self) -> tuple[Duty, ...]:
        """The messages owed in the current stage, and the optional duties to report a misdeal."""
        return (*self.stage.duties(self), *self.disputes.duties(self))

    def apply(self, duty: Duty, message: bytes) -> DeckChange:
        """Add a message to the trail and apply it: as a misdeal report, or in the current stage."""
        return self._stage_of(duty).apply(self.with_message(duty, message), duty, message)

    def message(self, duty: Duty, tape: Tape, choice: bytes | None = None) -> bytes:
        """Return an honest seat's message for `duty`: a misdeal report, or what the current stage asks for."""
        return self._stage_of(duty).message(self, duty, tape, choice)

    @property
    def outcome_seen(self) -> bool:
        """Whether the coins are open, so that a seat that leaves now may want other coins."""
        return isinstance(self.stage, OpenedCoins)

    def _stage_of(self, duty: Duty) -> Stage[Self]:
        """Return the stage that handles a duty."""
        return self.disputes if duty.kind == MISDEAL else self.stage

    def hidden(self, seat: int) -> tuple[int, ...]:
        """Return the hidden positions that a seat holds."""
        return self.places.only_hidden(self.places.hand(seat))

    def bare(self, seat: int, tape: Tape, positions: tuple[int, ...]) -> Points:
        """Return the numbers of cards in a seat's hand with its key removed."""
        key = self.layer_secrets(tape, self.order.index(seat)).key
        return key.invert() * concat(*(self.held[position].number for position in positions))

    # defence: false-deck
    def knows(self, seat: int, tape: Tape) -> Mapping[Card, int]:
        """Return open faces and those of the seat's hand.

        Raise `CardUnreadable` if one is not a card or appears twice.
        """
        if isinstance(self.stage, ContradictedCard):
            raise CardUnreadable(self.number, self.stage.position, self.stage.reason)
        known = {self.places.card(position): face for position, face in self.places.opened.items()}
        hidden = self.hidden(seat) if seat in self.order else ()
        if not hidden:
            return known
        bare = self.bare(seat, tape, hidden)
        for place, position in enumerate(hidden):
            card = self.read(bare[place])
            if card is None:
                raise CardUnreadable(self.number, position, "it is not one of the cards of the deck")
            if card[0] in known.values():
                raise CardUnreadable(self.number, position, "its face is in the deck twice")
            known[self.places.card(position)] = card[0]
        return known


# defence: false-deck
def find_repeated_face(deck: ChainDeck, faces: Mapping[int, int]) -> int | None:
    """Return a face that is open twice, or would be if these were opened too. Return None if there is none."""
    seen = [*deck.places.opened.values(), *faces.values()]
    return next((face for face in seen if seen.count(face) > 1), None)


def apply_layer(own: LayerSecrets, before: Lists) -> Lists:
    """Return the layer that these secrets make of the previous one."""
    names = tuple(name_of(nonce, before.names[place]) for nonce, place in zip(own.nonces, own.prior, strict=True))
    return Lists(names, own.key * before.numbers.take(own.prior))
