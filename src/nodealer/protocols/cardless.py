"""What lies on a table among the decks and has no cards: dice, envelopes. To what a deck is asked it has no answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nodealer.cards.events import Half
from nodealer.cards.operations import Card, Operation, words
from nodealer.cards.places import Places
from nodealer.protocols.base import Binding
from nodealer.tape import Tape, digest
from nodealer.wire import encode


@dataclass(frozen=True)
class Cardless:
    """One number of the table, with no deck of cards."""

    binding: Binding = field(repr=False)
    number: int

    @property
    def places(self) -> Places:
        """There are no cards."""
        return Places(self.number, (0,), ())

    @property
    def tossed(self) -> bool:
        """Nothing here is made again."""
        return False

    @property
    def half(self) -> Mapping[int, Half]:
        """What it costs to leave something closed is the game's to say: it is told of it."""
        return {}

    def knows(self, seat: int, tape: Tape) -> Mapping[Card, int]:
        """There are no cards."""
        return {}

    def begun(self, label: str, times: int, operation: Operation, seats: tuple[int, ...]) -> bytes:
        """What is begun here for the nth time: everything that was agreed on before it."""
        binding = self.binding
        table = (binding.protocol, binding.version, binding.session, binding.roster, binding.hand)
        return digest(label, *table, self.number, times, encode(words(operation)), encode(list(seats)))

    def binding_without(self, seats: tuple[int, ...]) -> Binding:
        """The table after these seats have left, those that were there."""
        return self.binding.without(tuple(seat for seat in seats if seat in self.binding.seats))
