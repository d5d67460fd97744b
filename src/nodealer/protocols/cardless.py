"""The base of table objects that have a deck number but no cards: dice and envelopes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nodealer.cards.events import Half
from nodealer.cards.operations import Card, Operation, operation_fields
from nodealer.cards.places import Places
from nodealer.protocols.base import Binding
from nodealer.tape import Tape, digest
from nodealer.wire import encode


@dataclass(frozen=True)
class Cardless:
    """Dice or envelopes: they have a deck number but no cards, so every question about cards has an empty answer."""

    binding: Binding = field(repr=False)
    number: int

    @property
    def places(self) -> Places:
        """An empty deck."""
        return Places(self.number, (0,), ())

    @property
    def outcome_seen(self) -> bool:
        """Always False: nothing here is ever repeated."""
        return False

    @property
    def half(self) -> Mapping[int, Half]:
        """Always empty.

        The game learns from an event that a seat left something closed, and decides what that costs.
        """
        return {}

    def knows(self, seat: int, tape: Tape) -> Mapping[Card, int]:
        """Return no faces: there are no cards."""
        return {}

    def origin_digest(self, label: str, times: int, operation: Operation, seats: tuple[int, ...]) -> bytes:
        """Return the digest that identifies the nth operation here, from everything agreed on before it."""
        binding = self.binding
        table = (binding.protocol, binding.version, binding.session, binding.roster, binding.hand)
        return digest(label, *table, self.number, times, encode(operation_fields(operation)), encode(list(seats)))

    def binding_without(self, seats: tuple[int, ...]) -> Binding:
        """Return the table after these seats have left. Seats that were not there are ignored."""
        return self.binding.without(tuple(seat for seat in seats if seat in self.binding.seats))
