"""The public state of a `mask` deck, and how its secrets are drawn.

A card is (msg, pk, epk). `pk` is the sum of the seats' keys for that card and is never sent: the keys are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nodealer.group import Group, Points, Scalars, concat
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols.keyed import KeyedDeck
from nodealer.protocols.layers import Faces, Layers
from nodealer.tape import Tape, digest


@dataclass(frozen=True)
class Masked:
    """Cards on their way: epk and msg, one array each."""

    epk: Points
    msg: Points

    @property
    def group(self) -> Group:
        return self.epk.group

    def __len__(self) -> int:
        return len(self.epk)

    def digest(self) -> bytes:
        """What secrets that are put on these cards depend on."""
        return digest("mask cards", self.epk.to_bytes(), self.msg.to_bytes())

    def take(self, places: Sequence[int]) -> Masked:
        """The cards at these places."""
        return Masked(self.epk.take(places), self.msg.take(places))

    def concat(self, others: Sequence[Masked]) -> Masked:
        """These cards and then others."""
        epk, msg = (other.epk for other in others), (other.msg for other in others)
        return Masked(concat(self.epk, *epk), concat(self.msg, *msg))


@dataclass(frozen=True)
class MaskDeck(KeyedDeck):
    """One deck."""

    faces: Faces = field(repr=False)
    layers: Layers[Masked] = field(repr=False)
    #: How many returns to the deck were begun, those included that were broken off: no number is used twice.
    epoch: int = 0

    def bare(self, faces: Sequence[int]) -> Masked:
        """Cards without a mask."""
        return Masked(self.binding.group.identity(len(faces)), self.faces.points.take(faces))

    def masked_by(self, position: int) -> tuple[int, ...]:
        return self.binding.players

    def card_keys(self, positions: tuple[int, ...], seat: int) -> Points:
        return self.layers.keys(positions, seat)

    def card_secrets(self, tape: Tape, positions: tuple[int, ...], seat: int) -> Scalars:
        return self.layers.secrets(tape, positions, seat)

    def faces_at(self, positions: tuple[int, ...], secrets: Mapping[int, Scalars]) -> list[int | None]:
        cards = self.layers.cards(positions)
        total = self.binding.group.integers([0] * len(positions))
        for secret in secrets.values():
            total = total + secret
        return self.faces.find(cards.msg - total * cards.epk)

    # --- Secrets of a shuffle ---

    def shuffle_secret(self, tape: Tape, seat: int, epoch: int) -> Scalars:
        """The one key that a seat shuffles an epoch of the deck with."""
        return draw_scalars(tape, "mask shuffle key", self.inputs(seat, epoch), self.binding.group, 1)

    def shuffle_draws(
        self, tape: Tape, seat: int, epoch: int, cards: Masked, joint: Points
    ) -> tuple[list[int], Scalars]:
        """The permutation and the masks of a shuffle step, drawn for these input cards and this joint key."""
        inputs = self.inputs(seat, epoch, cards.digest(), joint.to_bytes())
        order = tape.permutation("mask permutation", inputs, len(cards))
        return order, draw_scalars(tape, "mask masks", inputs, self.binding.group, len(cards))

    def mask_draws(self, tape: Tape, seat: int, epoch: int, cards: Masked, joint: Points) -> Scalars:
        """The masks for cards that stay where they lie.

        Never those of a shuffle: published here one by one, they would undo it on a fork that shuffles the same cards.
        """
        inputs = self.inputs(seat, epoch, cards.digest(), joint.to_bytes())
        return draw_scalars(tape, "mask masks in place", inputs, self.binding.group, len(cards))
