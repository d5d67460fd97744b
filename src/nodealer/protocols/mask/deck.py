"""The public state of a `mask` deck: its cards, in the layers in which they were made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nodealer.cards import Place, Return
from nodealer.errors import BadParameter
from nodealer.group import Points, Scalars
from nodealer.proofs.encoding import encodings
from nodealer.protocols.base import DeckChange
from nodealer.protocols.mask.cards import Layer, gather_cards, gather_keys, gather_secrets
from nodealer.protocols.mask.stages import Gathering
from nodealer.protocols.staged import StagedDeck
from nodealer.tape import Tape


@dataclass(frozen=True)
class MaskDeck(StagedDeck):
    """One deck."""

    faces: Points = field(repr=False)
    face_index: Mapping[bytes, int] = field(repr=False)
    layers: tuple[Layer, ...] = field(default=(), repr=False)

    def masked_by(self, position: int) -> tuple[int, ...]:
        return self.binding.players

    def card_keys(self, positions: tuple[int, ...], seat: int) -> Points:
        return gather_keys(self.layers, positions, seat)

    def card_secrets(self, tape: Tape, positions: tuple[int, ...], seat: int) -> Scalars:
        return gather_secrets(tape, self.binding, self.number, self.layers, positions, seat)

    def faces_at(self, positions: tuple[int, ...], secrets: Mapping[int, Scalars]) -> list[int | None]:
        cards = gather_cards(self.layers, positions)
        total = self.binding.group.integers([0] * len(positions))
        for secret in secrets.values():
            total = total + secret
        return [self.face_index.get(encoding) for encoding in encodings(cards.msg - total * cards.epk)]

    def give_back(self, operation: Return) -> DeckChange:
        if operation.place is Place.DISCARD:
            return super().give_back(operation)
        positions = self.places.given_back(operation)
        if operation.place is Place.SHUFFLED:
            positions = (*positions, *self.places.pile)
            if len(positions) < 2:
                raise BadParameter("one card cannot be shuffled")
        masked = tuple(position for position in positions if self.places.face(position) is None)
        return DeckChange(self.at(stage=Gathering(operation, positions, masked, self.trail)))
