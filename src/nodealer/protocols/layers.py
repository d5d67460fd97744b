"""The cards of a deck in layers, and the faces that they encode.

A deck starts with one layer. Each return or recovery that gives cards new keys adds a layer with new positions.
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
    """An array of cards: points, or several parallel arrays of points."""

    @property
    def group(self) -> Group:
        """The group that the points of these cards belong to."""

    def __len__(self) -> int:
        """Return the number of cards."""

    def take(self, places: Sequence[int], /) -> Self:
        """Return the cards at these places."""

    def concat(self, others: Sequence[Self], /) -> Self:
        """Return these cards followed by those of the others."""


C = TypeVar("C", bound=CardArray)


@dataclass(frozen=True)
class Layer(Generic[C]):
    """Cards that got their keys together. The first is at position `first`."""

    first: int
    epoch: int
    #: The table at which the layer was created. Seats that have left since are still part of its keys.
    binding: Binding
    #: The digest of the cards that the keys were applied to, which the keys are derived from.
    origin: bytes
    cards: C
    #: Seat to its public key for each card. Empty if the keys have no public part.
    keys: Mapping[int, Points]


@dataclass(frozen=True)
class Layers(Generic[C]):
    """All layers of a deck. `label` separates the secrets that are drawn for its cards."""

    label: str
    deck: int
    all_layers: tuple[Layer[C], ...] = ()

    def __bool__(self) -> bool:
        """Return whether there is any layer yet."""
        return bool(self.all_layers)

    def with_layer(self, layer: Layer[C]) -> Layers[C]:
        """Return the layers with one more added."""
        return Layers(self.label, self.deck, (*self.all_layers, layer))

    def layer_at(self, position: int) -> Layer[C]:
        """Return the layer that a position belongs to."""
        if len(self.all_layers) == 1:
            return self.all_layers[0]
        return self.all_layers[bisect_right(self.all_layers, position, key=lambda layer: layer.first) - 1]

    def cards(self, positions: tuple[int, ...]) -> C:
        """Return the cards at these positions, in this order."""
        first, *rest = [layer.cards.take(places) for layer, places in self._runs(positions)]
        return first.concat(rest) if rest else first

    def keys(self, positions: tuple[int, ...], seat: int) -> Points:
        """Return a seat's public keys for the cards at these positions."""
        return concat(*(_keys(layer, seat).take(places) for layer, places in self._runs(positions)))

    def secrets(self, tape: Tape, positions: tuple[int, ...], seat: int) -> Scalars:
        """Return a seat's own secrets for the cards at these positions."""
        drawn: dict[int, Scalars] = {}
        for layer, _ in self._runs(positions):
            if layer.first not in drawn:
                drawn[layer.first] = self.draw_secrets(tape, layer, seat)
        return concat(*(drawn[layer.first].take(places) for layer, places in self._runs(positions)))

    def draw_secrets(self, tape: Tape, layer: Layer[C], seat: int) -> Scalars:
        """Draw a seat's secrets for all cards of a layer, derived from exactly the cards they are applied to.

        They are zero for a seat that has no part in the layer's keys.
        """
        if seat not in layer.binding.players:
            return layer.cards.group.integers([0] * len(layer.cards))
        inputs = layer.binding.inputs(deck=self.deck, epoch=layer.epoch, seat=seat, others=(layer.origin,))
        return draw_scalars(tape, self.label, inputs, layer.cards.group, len(layer.cards))

    def _runs(self, positions: tuple[int, ...]) -> Iterator[tuple[Layer[C], list[int]]]:
        """Group positions into runs within one layer, in order. Most requests are a single run."""
        places: list[int] = []
        layer = self.layer_at(positions[0])
        for position in positions:
            if self.layer_at(position) is not layer:
                yield layer, places
                layer, places = self.layer_at(position), []
            places.append(position - layer.first)
        yield layer, places


def _keys(layer: Layer[C], seat: int) -> Points:
    """Return a seat's keys for all cards of a layer. They are the identity if the seat has no part in the layer."""
    return layer.keys[seat] if seat in layer.keys else layer.cards.group.identity(len(layer.cards))


@dataclass(frozen=True)
class Faces:
    """The faces of a deck, hashed to the group.

    No one knows a relation between two of them; identical cards differ too.

    They are computed when first needed, so creating a deck costs nothing.
    """

    group: Group = field(repr=False)
    #: The domain label of the hash, and the digest of the table and deck that the faces are bound to.
    label: bytes
    bound: bytes
    size: int

    @cached_property
    def points(self) -> Points:
        """The point of each face."""
        made = hash_to_points(self.group, self.label, [framed("face", self.bound, face) for face in range(self.size)])
        # Encode once here, so that subsets of the points already have their encodings.
        made.to_bytes()
        return made

    @cached_property
    def index(self) -> Mapping[bytes, int]:
        """Map from a point's encoding to its face."""
        return point_index(self.points)

    def find(self, points: Points) -> list[int | None]:
        """Return the face of each point, or None if it is not a face."""
        return [self.index.get(encoding) for encoding in encodings(points)]
