"""Cards in the layers in which they got their keys, and the faces that they are.

A deck is made in one layer; every return or recovery that gives cards new keys makes a new one, with new positions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, Protocol, Self, TypeVar

from nodealer.group import Group, Points, Scalars, concat, hash_to_points
from nodealer.proofs.encoding import encodings
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols.base import Binding
from nodealer.protocols.codec import point_index
from nodealer.tape import Tape, framed


class CardArray(Protocol):
    """An array of cards: points, or several arrays of them side by side."""

    @property
    def group(self) -> Group: ...
    def __len__(self) -> int: ...
    def take(self, places: Sequence[int], /) -> Self: ...
    def concat(self, others: Sequence[Self], /) -> Self: ...


C = TypeVar("C", bound=CardArray)


@dataclass(frozen=True)
class Layer(Generic[C]):
    """Cards that got their keys together, the first at position `first`."""

    first: int
    epoch: int
    #: The table at which they were made: those who have left since are still in their keys.
    binding: Binding
    #: The digest of the cards that the keys are put on: what the keys are drawn for.
    origin: bytes
    cards: C
    #: Seat to its public key for each card; empty where keys have none.
    keys: Mapping[int, Points]


@dataclass(frozen=True)
class Layers(Generic[C]):
    """All layers of a deck. `label` is the one that secrets of cards are drawn under."""

    label: str
    deck: int
    every: tuple[Layer[C], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.every)

    def with_layer(self, layer: Layer[C]) -> Layers[C]:
        """With one layer more."""
        return Layers(self.label, self.deck, (*self.every, layer))

    def of(self, position: int) -> Layer[C]:
        """The layer that a position belongs to."""
        if len(self.every) == 1:
            return self.every[0]
        return self.every[bisect_right(self.every, position, key=lambda layer: layer.first) - 1]

    def cards(self, positions: tuple[int, ...]) -> C:
        """The cards at these positions, in this order."""
        first, *rest = [layer.cards.take(places) for layer, places in self._runs(positions)]
        return first.concat(rest) if rest else first

    def keys(self, positions: tuple[int, ...], seat: int) -> Points:
        """A seat's public keys for the cards at these positions."""
        return concat(*(_keys(layer, seat).take(places) for layer, places in self._runs(positions)))

    def secrets(self, tape: Tape, positions: tuple[int, ...], seat: int) -> Scalars:
        """A seat's own secrets for the cards at these positions."""
        drawn: dict[int, Scalars] = {}
        for layer, _ in self._runs(positions):
            if layer.first not in drawn:
                drawn[layer.first] = self.drawn(tape, layer, seat)
        return concat(*(drawn[layer.first].take(places) for layer, places in self._runs(positions)))

    def drawn(self, tape: Tape, layer: Layer[C], seat: int) -> Scalars:
        """A seat's secrets for all cards of a layer, drawn for exactly the cards they are put on; zero for a seat that
        has none in them."""
        if seat not in layer.binding.players:
            return layer.cards.group.integers([0] * len(layer.cards))
        inputs = layer.binding.inputs(deck=self.deck, epoch=layer.epoch, seat=seat, others=(layer.origin,))
        return draw_scalars(tape, self.label, inputs, layer.cards.group, len(layer.cards))

    def _runs(self, positions: tuple[int, ...]) -> Iterator[tuple[Layer[C], list[int]]]:
        """Positions as runs of places in one layer, in order: most requests are one run."""
        places: list[int] = []
        layer = self.of(positions[0])
        for position in positions:
            if self.of(position) is not layer:
                yield layer, places
                layer, places = self.of(position), []
            places.append(position - layer.first)
        yield layer, places


def _keys(layer: Layer[C], seat: int) -> Points:
    """A seat's keys for all cards of a layer: the identity, where the cards are not under any of its own."""
    return layer.keys[seat] if seat in layer.keys else layer.cards.group.identity(len(layer.cards))


@dataclass(frozen=True)
class Faces:
    """The faces of a deck, hashed to the group: nobody knows a relation between two of them, and equal prints differ.

    They are made when somebody needs them: asking for a deck costs nothing.
    """

    group: Group = field(repr=False)
    #: The label of the hash, and the digest of the table and the deck that the faces are for.
    label: bytes
    bound: bytes
    size: int

    @cached_property
    def points(self) -> Points:
        made = hash_to_points(self.group, self.label, [framed("face", self.bound, face) for face in range(self.size)])
        # Encoded once, here: whoever takes some of them has their encodings too.
        made.to_bytes()
        return made

    @cached_property
    def index(self) -> Mapping[bytes, int]:
        return point_index(self.points)

    def find(self, points: Points) -> list[int | None]:
        """The faces that these points are; None for one that is none."""
        return [self.index.get(encoding) for encoding in encodings(points)]
