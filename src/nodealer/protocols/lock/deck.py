"""The public state of a `lock` deck, and how its secrets are drawn.

C[k] = (Π s[p,k])·face: every seat has a secret for every place, whose public key K[p,k] = s[p,k]·G everybody knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nodealer.cards import Open, Operation
from nodealer.group import Points, Scalars, concat
from nodealer.proofs.encoding import encodings
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols.base import Binding, DeckChange
from nodealer.protocols.lock import leaving, steps
from nodealer.protocols.lock.picking import Picking, ServerPicking
from nodealer.protocols.lock.resuming import with_living_positions
from nodealer.protocols.staged import StagedDeck
from nodealer.tape import Tape, digest


@dataclass(frozen=True)
class Layer:
    """Cards that were locked together, the first at position `first`."""

    first: int
    epoch: int
    #: The table at which they were locked: those who have left since are still in their secrets.
    binding: Binding
    #: The digest of the deck that the secrets were put on: what they were drawn for.
    origin: bytes
    cards: Points
    keys: Mapping[int, Points]


@dataclass(frozen=True)
class LockDeck(StagedDeck):
    """One deck."""

    size: int
    #: The seats in the order in which they may pick cards for the table.
    pickers: tuple[int, ...]
    #: The seat that picks for the whole hand, where there is a server.
    server: int | None = None
    #: The faces, once all fragments are in, and where to look them up.
    faces: Points | None = field(default=None, repr=False)
    face_index: Mapping[bytes, int] = field(default_factory=dict, repr=False)
    layers: tuple[Layer, ...] = field(default=(), repr=False)
    #: How many cascades were begun, recoveries that were broken off included.
    epoch: int = 0
    #: Positions that the server has set apart for the table, in order.
    apart: tuple[int, ...] | None = None
    #: Positions that lay in a pile when a seat left. Their cards are in the deck again, under other positions.
    dead: frozenset[int] = frozenset()

    def layer(self, position: int) -> Layer:
        """The layer that a position belongs to."""
        return next(layer for layer in reversed(self.layers) if layer.first <= position)

    def cards_at(self, positions: tuple[int, ...]) -> Points:
        """The locked cards at these positions."""
        layers = [(self.layer(position), position) for position in positions]
        return concat(*(layer.cards[position - layer.first] for layer, position in layers))

    # --- What a staged deck needs ---

    def masked_by(self, position: int) -> tuple[int, ...]:
        return self.layer(position).binding.players

    def card_keys(self, positions: tuple[int, ...], seat: int) -> Points:
        layers = [(self.layer(position), position) for position in positions]
        return concat(*(layer.keys[seat][position - layer.first] for layer, position in layers))

    def card_secrets(self, tape: Tape, positions: tuple[int, ...], seat: int) -> Scalars:
        drawn: dict[int, Scalars] = {}
        parts = []
        for position in positions:
            layer = self.layer(position)
            if layer.first not in drawn:
                drawn[layer.first] = lock_secrets(tape, layer.binding, self.number, layer, len(layer.cards), seat)
            parts.append(drawn[layer.first][position - layer.first])
        return concat(*parts)

    def faces_at(self, positions: tuple[int, ...], secrets: Mapping[int, Scalars]) -> list[int | None]:
        bare = steps.unlock(self.cards_at(positions), list(secrets.values()))
        return [self.face_index.get(encoding) for encoding in encodings(bare)]

    def begin(self, operation: Operation, asked: Operation) -> DeckChange:
        return super().begin(with_living_positions(self, operation), asked)

    def _open(self, operation: Open) -> DeckChange:
        """Cards for the table are picked: by the first picker who is there, or by the server for the whole hand."""
        if operation.positions:
            return super()._open(operation)
        self.places.next_cards(operation.count)
        if self.apart is not None:
            return self.open_picked(operation, tuple(p for p in self.apart if p in self.places.pile)[: operation.count])
        picking = Picking if self.server is None else ServerPicking
        return DeckChange(self.at(stage=picking(operation, self.trail)))

    def open_picked(self, operation: Open, positions: tuple[int, ...]) -> DeckChange:
        """Open the cards that were picked."""
        return self.release(operation, dict.fromkeys(self.binding.players, positions), positions)

    def rebuilt(self, count: int) -> LockDeck:
        """The deck with a new pile of `count` cards. The old one is dead."""
        return self.at(places=self.places.rebuilt(count), dead=self.dead | frozenset(self.places.pile))

    def without(self, seats: tuple[int, ...]) -> DeckChange | None:
        return leaving.without(self, seats)


# --- Secrets ---


def fragments(tape: Tape, binding: Binding, deck: int, epoch: int, size: int, seat: int) -> Points:
    """A seat's random fragment of every face, of which nobody knows a logarithm, not even the seat."""
    inputs = binding.inputs(deck=deck, epoch=epoch, seat=seat)
    return binding.group.map_to_points(tape.draw("lock fragments", inputs, size=size * binding.group.uniform_size))


def cascade_secret(tape: Tape, binding: Binding, deck: int, epoch: int, seat: int) -> Scalars:
    """The one secret that a seat multiplies an epoch of a deck by."""
    return draw_scalars(tape, "lock cascade", binding.inputs(deck=deck, epoch=epoch, seat=seat), binding.group, 1)


def lock_secrets(tape: Tape, binding: Binding, deck: int, layer: Layer, count: int, seat: int) -> Scalars:
    """A seat's secret for each place, drawn for exactly the deck that is locked."""
    return fresh_secrets(tape, binding, deck, layer.epoch, layer.origin, count, seat)


def fresh_secrets(tape: Tape, binding: Binding, deck: int, epoch: int, origin: bytes, count: int, seat: int) -> Scalars:
    """Secrets for places, from what they are put on."""
    inputs = binding.inputs(deck=deck, epoch=epoch, seat=seat, others=(origin,))
    return draw_scalars(tape, "lock secrets", inputs, binding.group, count)


def cascade_order(tape: Tape, binding: Binding, deck: int, epoch: int, seat: int, cards: Points) -> list[int]:
    """The permutation of a cascade step, drawn for this input deck."""
    inputs = binding.inputs(deck=deck, epoch=epoch, seat=seat, others=(deck_digest(cards),))
    return tape.permutation("lock permutation", inputs, len(cards))


def deck_digest(cards: Points) -> bytes:
    """What secrets that are put on these cards depend on."""
    return digest("lock cards", cards.to_bytes())
