"""The cards of a `mask` deck: what is public about them, and how their secrets are drawn.

A card is (msg, pk, epk). `pk` is the sum of the seats' keys for that card and is never sent: the keys are. Cards that
were made together stand in one *layer*; every reshuffle and every return makes a new one, with new positions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from nodealer.group import Points, Scalars, concat, hash_to_points
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols.base import Binding
from nodealer.tape import Tape, digest, framed

FACES: Final = b"nodealer/v0/mask faces"


def faces(binding: Binding, deck: int, size: int) -> Points:
    """M_j, hashed to the group: nobody knows a relation between two of them, and equal printed faces differ."""
    bound = digest("mask faces", binding.session, binding.hand, deck)
    return hash_to_points(binding.group, FACES, [framed("face", bound, index) for index in range(size)])


@dataclass(frozen=True)
class Masked:
    """Cards on their way: epk and msg, one array each."""

    epk: Points
    msg: Points

    def __len__(self) -> int:
        return len(self.epk)

    def digest(self) -> bytes:
        """What secrets that are put on these cards depend on."""
        return digest("mask cards", self.epk.to_bytes(), self.msg.to_bytes())

    def take(self, places: list[int]) -> Masked:
        """The cards at these places."""
        return Masked(self.epk.take(places), self.msg.take(places))


@dataclass(frozen=True)
class Layer:
    """Cards made together, the first at position `first`, with every seat's public key for each."""

    first: int
    epoch: int
    #: The digest of the cards that the keys were put on: what the keys were drawn for.
    origin: bytes
    cards: Masked
    keys: Mapping[int, Points]


def layer_of(layers: tuple[Layer, ...], position: int) -> Layer:
    """The layer that a position belongs to."""
    return next(layer for layer in reversed(layers) if layer.first <= position)


def gather_cards(layers: tuple[Layer, ...], positions: tuple[int, ...]) -> Masked:
    """The cards at these positions, from all layers, in this order."""
    parts = [layer.cards.take(places) for layer, places in _runs(layers, positions)]
    return Masked(concat(*(part.epk for part in parts)), concat(*(part.msg for part in parts)))


def gather_keys(layers: tuple[Layer, ...], positions: tuple[int, ...], seat: int) -> Points:
    """A seat's public keys for the cards at these positions."""
    return concat(*(layer.keys[seat].take(places) for layer, places in _runs(layers, positions)))


def gather_secrets(
    tape: Tape, binding: Binding, deck: int, layers: tuple[Layer, ...], positions: tuple[int, ...], seat: int
) -> Scalars:
    """A seat's own secrets for the cards at these positions."""
    runs = _runs(layers, positions)
    return concat(*(card_secrets(tape, binding, deck, layer, seat).take(places) for layer, places in runs))


def _runs(layers: tuple[Layer, ...], positions: tuple[int, ...]) -> list[tuple[Layer, list[int]]]:
    """Positions as runs of places in one layer, in order: most requests are one run."""
    runs: list[tuple[Layer, list[int]]] = []
    for position in positions:
        layer = layer_of(layers, position)
        if not runs or runs[-1][0] is not layer:
            runs.append((layer, []))
        runs[-1][1].append(position - layer.first)
    return runs


# --- Secrets ---


def shuffle_secret(tape: Tape, binding: Binding, deck: int, epoch: int, seat: int) -> Scalars:
    """The one key that a seat shuffles an epoch of a deck with."""
    return draw_scalars(tape, "mask shuffle key", binding.inputs(deck=deck, epoch=epoch, seat=seat), binding.group, 1)


def card_secrets(tape: Tape, binding: Binding, deck: int, layer: Layer, seat: int) -> Scalars:
    """A seat's keys for all cards of a layer."""
    return fresh_secrets(tape, binding, deck, layer.epoch, layer.origin, len(layer.cards), seat)


def fresh_secrets(tape: Tape, binding: Binding, deck: int, epoch: int, origin: bytes, count: int, seat: int) -> Scalars:
    """Keys for cards, drawn for exactly the cards they are put on."""
    inputs = binding.inputs(deck=deck, epoch=epoch, seat=seat, others=(origin,))
    return draw_scalars(tape, "mask card keys", inputs, binding.group, count)


def shuffle_draws(
    tape: Tape, binding: Binding, deck: int, epoch: int, seat: int, cards: Masked, joint: Points
) -> tuple[list[int], Scalars]:
    """The permutation and the masks of a shuffle step, drawn for this input deck and this joint key."""
    inputs = binding.inputs(deck=deck, epoch=epoch, seat=seat, others=(cards.digest(), joint.to_bytes()))
    order = tape.permutation("mask permutation", inputs, len(cards))
    return order, draw_scalars(tape, "mask masks", inputs, binding.group, len(cards))


def mask_draws(tape: Tape, binding: Binding, deck: int, epoch: int, seat: int, cards: Masked, joint: Points) -> Scalars:
    """The masks for cards that stay where they lie.

    Never those of a shuffle: published here one by one, they would undo it on a fork that shuffles the same cards.
    """
    inputs = binding.inputs(deck=deck, epoch=epoch, seat=seat, others=(cards.digest(), joint.to_bytes()))
    return draw_scalars(tape, "mask masks in place", inputs, binding.group, len(cards))
