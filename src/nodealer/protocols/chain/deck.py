"""The public state of a `chain` deck, and how its secrets are drawn.

Every seat in turn, the dealer first, has put a layer on the deck: new names, numbers under its key, another order. A
card in the layer of the seat at index j is its number to the power of K_0·…·K_j.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nodealer.cards import Card, Deal, Open, Show
from nodealer.errors import BadParameter, CardUnreadable
from nodealer.group import Points, Scalars, concat
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols.base import MISDEAL, DeckChange, Duty
from nodealer.protocols.chain.lists import Lists, card_number, name_of, read_number, value_names
from nodealer.protocols.chain.parameters import Parameters
from nodealer.protocols.staged import Closed, StagedDeck
from nodealer.tape import Tape, digest

if TYPE_CHECKING:
    from nodealer.protocols.chain.candidates import Made


@dataclass(frozen=True)
class Layer:
    """What one seat made of the deck. `key` is g^K."""

    seat: int
    key: Points
    cards: Lists


@dataclass(frozen=True)
class Held:
    """A card in the hand of the seat at `index`: its place in that seat's layer, its number under that key alone."""

    index: int
    place: int
    number: Points


@dataclass(frozen=True)
class Own:
    """A seat's secrets of its layer: its key and, for every place, the nonce and the place in the layer before."""

    key: Scalars
    nonces: tuple[bytes, ...]
    prior: tuple[int, ...]


@dataclass(frozen=True)
class ChainDeck(StagedDeck):
    """One deck."""

    size: int
    parameters: Parameters
    #: The seats in the order in which they shuffle: the dealer, then the players.
    order: tuple[int, ...]
    #: The cards before anybody touched them, where they are public.
    base: Lists | None = field(default=None, repr=False)
    layers: tuple[Layer, ...] = field(default=(), repr=False)
    held: Mapping[int, Held] = field(default_factory=dict, repr=False)
    #: Which of the dealer's decks is played.
    candidate: int | None = None

    @property
    def dealer(self) -> int:
        return self.order[0]

    # --- The bottom of the chain ---

    def names_before(self, index: int) -> Mapping[bytes, int]:
        """Name to place in the layer before this one; before the dealer's it is the face."""
        if index:
            return self.layers[index - 1].cards.places
        names = value_names(self.size) if self.base is None else self.base.names
        return {name: face for face, name in enumerate(names)}

    def number_before(self, index: int, place: int, nonce: bytes) -> Points:
        """The number at a place of the layer before; before the dealer's it is the bare card."""
        if index:
            return self.layers[index - 1].cards.numbers[place]
        return self.card(place, nonce)

    def card(self, face: int, nonce: bytes) -> Points:
        """A bare card. Where the dealer made it, `nonce` is the dealer's."""
        return card_number(self.binding.group, nonce, face) if self.base is None else self.base.numbers[face]

    def read(self, bare: Points) -> tuple[int, bytes] | None:
        """The face of a bare number, and the dealer's nonce where it has one; None where it is no card of the deck."""
        if self.base is not None:
            face = self.base.found.get(bare.to_bytes())
            return None if face is None else (face, b"")
        found = read_number(bare, self.size)
        if found is None or name_of(found[0], value_names(self.size)[found[1]]) not in self.layers[0].cards.places:
            return None
        return found[1], found[0]

    # --- Secrets ---

    def own(self, tape: Tape, index: int) -> Own:
        """The secrets of the seat at an index, for its layer, which it is about to make or has made."""
        if self.base is None and index == 0:
            if self.candidate is None:
                raise BadParameter("no deck of the dealer's has been picked yet")
            return self.made(tape, self.candidate).own
        before = self.layers[index - 1].cards if index else self.base
        if before is None:
            raise BadParameter("there is no deck yet")
        seat = self.order[index]
        place = self.binding.inputs(deck=self.number, epoch=0, seat=seat)
        key = draw_scalars(tape, "chain key", place, self.binding.group, 1)
        step = (before.digest, index.to_bytes(2, "big"))
        inputs = self.binding.inputs(deck=self.number, epoch=0, seat=seat, others=step)
        nonces = tape.draw("chain nonces", inputs, size=32 * self.size)
        prior = tape.permutation("chain permutation", inputs, self.size)
        return Own(key, tuple(nonces[at : at + 32] for at in range(0, len(nonces), 32)), tuple(prior))

    def made(self, tape: Tape, number: int) -> Made:
        """One of the dealer's decks, with all its secrets."""
        from nodealer.protocols.chain.candidates import made_candidate

        return made_candidate(self, tape, number)

    # --- What a staged deck needs. No seat ever publishes its key: faces come from the chain of names ---

    def masked_by(self, position: int) -> tuple[int, ...]:
        return self.order

    def card_keys(self, positions: tuple[int, ...], seat: int) -> Points:
        return concat(*(self.layers[self.order.index(seat)].key for _ in positions))

    def card_secrets(self, tape: Tape, positions: tuple[int, ...], seat: int) -> Scalars:
        return self.own(tape, self.order.index(seat)).key.take([0] * len(positions))

    def faces_at(self, positions: tuple[int, ...], secrets: Mapping[int, Scalars]) -> list[int | None]:
        """With everybody's keys, the faces at these places of the last layer."""
        product = self.binding.group.integers([1] * len(positions))
        for secret in secrets.values():
            product = product * secret
        bare = product.invert() * self.layers[-1].cards.numbers.take(positions)
        found = [self.read(bare[place]) for place in range(len(positions))]
        return [None if card is None else card[0] for card in found]

    # --- The interface of a deck ---

    @property
    def duties(self) -> tuple[Duty, ...]:
        return (*self.stage.duties(self), *self._disputes())

    def _disputes(self) -> tuple[Duty, ...]:
        """Every player with hidden cards may say that they are none. The dealer's own layer is all that it reads."""
        from nodealer.protocols.chain.misdeal import is_disclosing

        if not self.held or isinstance(self.stage, Closed) or is_disclosing(self.stage):
            return ()
        duties = []
        for seat in self.order[1:]:
            if hidden := self.hidden(seat):
                anchor = digest("chain misdeal", self.layers[-1].cards.digest, seat, *hidden)
                duties.append(Duty(self.binding, self.number, seat, MISDEAL, anchor, optional=True))
        return tuple(duties)

    def apply(self, duty: Duty, message: bytes) -> DeckChange:
        from nodealer.protocols.chain import misdeal

        if duty.kind != MISDEAL:
            return super().apply(duty, message)
        return misdeal.apply(self.at(trail=digest("said", self.trail, duty.id, message)), duty, message)

    def message(self, duty: Duty, tape: Tape, choice: bytes | None = None) -> bytes:
        from nodealer.protocols.chain import misdeal

        if duty.kind != MISDEAL:
            return super().message(duty, tape, choice)
        return misdeal.message(self, duty, tape)

    def hidden(self, seat: int) -> tuple[int, ...]:
        """The positions that a seat holds and that are not open."""
        return tuple(p for p in self.places.hand(seat) if self.places.face(p) is None)

    def bare(self, seat: int, tape: Tape, positions: tuple[int, ...]) -> Points:
        """The numbers of cards in a seat's hand, without its key."""
        key = self.own(tape, self.order.index(seat)).key
        return key.invert() * concat(*(self.held[position].number for position in positions))

    def knows(self, seat: int, tape: Tape) -> Mapping[Card, int]:
        from nodealer.protocols.chain.drawing import Stuck

        if isinstance(self.stage, Stuck):
            raise CardUnreadable(self.number, self.stage.position, self.stage.reason)
        known = {self.places.card(position): face for position, face in self.places.opened}
        hidden = self.hidden(seat) if seat in self.order else ()
        if not hidden:
            return known
        bare = self.bare(seat, tape, hidden)
        for place, position in enumerate(hidden):
            card = self.read(bare[place])
            if card is None:
                raise CardUnreadable(self.number, position, "it is none of the cards of the deck")
            if card[0] in known.values():
                raise CardUnreadable(self.number, position, "its face is in the deck twice")
            known[self.places.card(position)] = card[0]
        return known

    def _deal(self, deal: Deal) -> DeckChange:
        from nodealer.protocols.chain.drawing import begin_deal

        return begin_deal(self, deal)

    def _open(self, operation: Open) -> DeckChange:
        from nodealer.protocols.chain.drawing import begin_open

        return begin_open(self, operation)

    def release(
        self, operation: Deal | Open | Show, owing: Mapping[int, tuple[int, ...]], positions: tuple[int, ...]
    ) -> DeckChange:
        """Only a show comes here: deals and openings have begun already."""
        from nodealer.protocols.chain.drawing import begin_show

        if not isinstance(operation, Show):
            raise BadParameter("only a show is begun by its holder")
        return begin_show(self, operation)


def doubled(deck: ChainDeck, faces: Mapping[int, int]) -> int | None:
    """A face that is open twice, or would be with these."""
    seen = [*dict(deck.places.opened).values(), *faces.values()]
    return next((face for face in seen if seen.count(face) > 1), None)


def after(own: Own, before: Lists) -> Lists:
    """The layer that these secrets make of the one before."""
    names = tuple(name_of(nonce, before.names[place]) for nonce, place in zip(own.nonces, own.prior, strict=True))
    return Lists(names, own.key * before.numbers.take(own.prior))
