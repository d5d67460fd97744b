"""The public state of an `offset` deck, and how its secrets are drawn.

Deal i has the key d[i] = Σ d[p,i]. Every pair of the deck satisfies A = (d[i] + the offsets so far)·B for one i. The
deals are what is shuffled; the place in the final deck is the face.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nodealer.errors import PeerFault, Undecided
from nodealer.group import Order, Points, Scalars, concat
from nodealer.proofs.encoding import encodings
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols.keyed_deck import KeyedDeck
from nodealer.tape import Tape, digest


@dataclass(frozen=True)
class OffsetPairs:
    """A deck as two parallel arrays of points."""

    A: Points
    B: Points
    #: Keys looked up so far and their places, because a seat asks for its own cards at every step of a game. It is kept
    #: in memory only; in a seat's own replica it holds what that seat knows anyway.
    _found: dict[bytes, int | None] = field(default_factory=dict, init=False, repr=False, compare=False)

    def find(self, key: Scalars) -> int | None:
        """Return the only place c with A[c] = key·B[c], or None if there is none or more than one.

        It costs one multiplication per card, once for each key.
        """
        name = key.to_bytes()
        if name not in self._found:
            pairs = zip(encodings(self.A), encodings(key.group.products(key, self.B)), strict=True)
            places = [place for place, (a, b) in enumerate(pairs) if a == b]
            self._found[name] = places[0] if len(places) == 1 else None
        return self._found[name]

    def digest(self) -> bytes:
        """Return the digest of this deck, from which secrets applied to it are derived."""
        return digest("offset deck", self.A.to_bytes(), self.B.to_bytes())

    def to_bytes(self) -> bytes:
        """Return A, then B."""
        return self.A.to_bytes() + self.B.to_bytes()


@dataclass(frozen=True)
class ShuffleStep:
    """The result of one seat's shuffle."""

    seat: int
    deck: OffsetPairs
    R: Points
    W: Points


@dataclass(frozen=True)
class OffsetDeck(KeyedDeck):
    """The public state of one `offset` deck."""

    size: int
    dealer: int
    #: Seat to its public key parts, one per deal.
    parts: Mapping[int, Points] = field(default_factory=dict, repr=False)
    #: The order in which the seats shuffle.
    order: tuple[int, ...] = ()
    #: The deck before the first shuffle, and the steps so far.
    start: OffsetPairs | None = field(default=None, repr=False)
    steps: tuple[ShuffleStep, ...] = field(default=(), repr=False)
    #: Seat to the offset it has revealed.
    offsets: Mapping[int, Scalars] = field(default_factory=dict, repr=False)

    # --- What a keyed deck needs ---

    def masked_by(self, position: int) -> tuple[int, ...]:
        """Return all players: every seat has a part of every key."""
        return self.binding.players

    def card_keys(self, positions: tuple[int, ...], seat: int) -> Points:
        """Return a seat's public key parts of these deals."""
        return self.parts[seat].take(positions)

    def card_secrets(self, tape: Tape, positions: tuple[int, ...], seat: int) -> Scalars:
        """Draw a seat's secret key parts of these deals from its tape."""
        return self.deal_parts(tape, seat).take(positions)

    def faces_at(self, positions: tuple[int, ...], secrets: Mapping[int, Scalars]) -> list[int | None]:
        """Return the card that each deal matches in the shuffled deck, or None if it does not match exactly one."""
        offset = concat(*(self.offsets[step.seat] for step in self.steps)).sum()
        return [self.steps[-1].deck.find(key) for key in _each(self._deal_keys(positions, secrets) + offset)]

    def faces_of(self, positions: tuple[int, ...]) -> dict[int, int]:
        """Return the faces of opened cards.

        If one does not match exactly one card of the deck, name the seat that broke it.

        This happens only here, where every key part is published and checked: no one is blamed for what only one seat
        can see.
        """
        try:
            return super().faces_of(positions)
        except Undecided:
            published = {seat: self.published(positions, seat) for seat in self.binding.players}
            for key in _each(self._deal_keys(positions, published)):
                self._trace(key)
            raise

    def _deal_keys(self, positions: tuple[int, ...], secrets: Mapping[int, Scalars]) -> Scalars:
        """Return the joint secrets of these deals."""
        keys = self.binding.group.integers([0] * len(positions))
        for secret in secrets.values():
            keys = keys + secret
        return keys

    def _trace(self, key: Scalars) -> None:
        """Raise `PeerFault` for the first step after which a deal does not match exactly one card."""
        for step in self.steps:
            key = key + self.offsets[step.seat]
            if step.deck.find(key) is None:
                raise PeerFault(step.seat, "after its shuffle a deal is not exactly one card of the deck")

    # --- Secrets ---

    def deal_parts(self, tape: Tape, seat: int) -> Scalars:
        """Return a seat's part of the key of every deal."""
        return draw_scalars(tape, "offset deal parts", self.inputs(seat, 0), self.binding.group, self.size)

    def step_secrets(self, tape: Tape, seat: int, before: OffsetPairs) -> tuple[Order, Scalars, Scalars]:
        """Return a step's permutation, the secret of each pair, and r, x and t, all derived from this input deck."""
        inputs, group, size = self.inputs(seat, 0, before.digest()), self.binding.group, len(before.A)
        order = tape.permutation("offset permutation", inputs, size)
        scales = draw_scalars(tape, "offset scales", inputs, group, size)
        return order, scales, draw_scalars(tape, "offset of a step", inputs, group, 3)


def _each(scalars: Scalars) -> list[Scalars]:
    """Split an array into single scalars."""
    return [scalars[place] for place in range(len(scalars))]
