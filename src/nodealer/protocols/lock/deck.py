"""The public state of a `lock` deck, and how its secrets are drawn.

C[k] = (Π s[p,k])·face: every seat has a secret for every place, whose public key K[p,k] = s[p,k]·G everybody knows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from nodealer.cards import Close, Deal, Open, Operation, Portion, Return, for_those_who_stay
from nodealer.errors import BadParameter
from nodealer.group import Points, Scalars
from nodealer.proofs.encoding import encodings
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols.base import DeckChange
from nodealer.protocols.keyed import KeyedDeck
from nodealer.protocols.layers import Layers
from nodealer.protocols.lock import steps
from nodealer.protocols.staged import Idle, Quiet, close
from nodealer.tape import Tape, digest


@dataclass(frozen=True)
class LockDeck(KeyedDeck):
    """One deck."""

    #: How the deck goes on without seats.
    leave: Callable[[LockDeck, tuple[int, ...]], DeckChange | None] = field(repr=False, compare=False)
    layers: Layers[Points] = field(repr=False)
    size: int
    #: The seats in the order in which they may pick cards for the table.
    pickers: tuple[int, ...]
    #: The seat that picks for the whole hand, where there is a server.
    server: int | None = None
    #: The faces, once all fragments are in, and where to look them up.
    faces: Points | None = field(default=None, repr=False)
    face_index: Mapping[bytes, int] = field(default_factory=dict, repr=False)
    #: How many cascades were begun, recoveries that were broken off included.
    epoch: int = 0
    #: Positions that the server has set apart for the table, in order.
    apart: tuple[int, ...] | None = None
    #: Positions that lay in a pile when a seat left. Their cards are in the deck again, under other positions.
    dead: frozenset[int] = frozenset()
    #: Hidden positions that a seat held or had laid aside when it left. What is still asked about them is skipped.
    lost: frozenset[int] = frozenset()

    # --- What a deck with keys needs ---

    def masked_by(self, position: int) -> tuple[int, ...]:
        return self.layers.of(position).binding.players

    def card_keys(self, positions: tuple[int, ...], seat: int) -> Points:
        return self.layers.keys(positions, seat)

    def card_secrets(self, tape: Tape, positions: tuple[int, ...], seat: int) -> Scalars:
        return self.layers.secrets(tape, positions, seat)

    def faces_at(self, positions: tuple[int, ...], secrets: Mapping[int, Scalars]) -> list[int | None]:
        bare = steps.unlock(self.layers.cards(positions), list(secrets.values()))
        return [self.face_index.get(encoding) for encoding in encodings(bare)]

    # --- Requests around a seat's leaving ---

    def request(self, operation: Operation) -> DeckChange:
        """Take a request; while the deck recovers from a seat's leaving, it is begun when the deck is whole again.

        What makes no sense is refused now. A recovery never leaves fewer cards in the pile, so the rest will be served.
        """
        if self.asked is not None or isinstance(self.stage, Quiet):
            return self.begin(operation, operation)
        asked = self.at(trail=self.trail_with(operation), asked=operation)
        if isinstance(operation, Close):
            return close(asked, operation)
        self.at(stage=Idle()).begin(operation, operation)
        return DeckChange(asked)

    def begin(self, operation: Operation, asked: Operation) -> DeckChange:
        """Begin what is left of an operation: it may have waited while a seat left whose cards it names."""
        left = self._with_living_positions(operation)
        if left is not None:
            return super().begin(left, asked)
        if not isinstance(self.stage, Idle):
            raise BadParameter(f"deck {self.number} is busy or closed")
        return self.at(trail=self.trail_with(operation), asked=asked).finish()

    def _with_living_positions(self, operation: Operation) -> Operation | None:
        """The operation about cards that are still there; None if these are none.

        A request that names a dead position of the pile means any card that nobody has seen: the next ones.
        """
        match operation:
            case Deal(portions=portions) if any(self.dead & set(portion.positions) for portion in portions):
                counted = (Portion(portion.seat, portion.count or len(portion.positions)) for portion in portions)
                return replace(operation, portions=tuple(counted))
            case Open() if self.dead & set(operation.positions):
                return replace(operation, count=operation.count or len(operation.positions), positions=())
            case Return() if self.lost & set(operation.positions):
                positions = tuple(position for position in operation.positions if position not in self.lost)
                return replace(operation, positions=positions) if positions else None
            case _:
                return operation

    def without(self, seats: tuple[int, ...]) -> DeckChange | None:
        return self.leave(self, seats)

    def rebuilt(self, count: int) -> LockDeck:
        """The deck with a new pile of `count` cards. The old one is dead."""
        return self.at(places=self.places.rebuilt(count), dead=self.dead | self.places.in_pile)

    def resume(self) -> DeckChange:
        """Ask an idle deck again for what it had not finished. Cards that were on their way have gone back."""
        if self.asked is None:
            return DeckChange(self)
        seats = frozenset(seat for layer in self.layers.every for seat in layer.binding.players)
        again = for_those_who_stay(self.asked, seats - frozenset(self.binding.players))
        return self.finish() if again is None else self.begin(again, self.asked)

    # --- Secrets of a cascade ---

    def fragments(self, tape: Tape, seat: int) -> Points:
        """A seat's random fragment of every face, of which nobody knows a logarithm, not even the seat."""
        group = self.binding.group
        drawn = tape.draw("lock fragments", self.inputs(seat, self.epoch), size=self.size * group.uniform_size)
        return group.map_to_points(drawn)

    def cascade_secret(self, tape: Tape, seat: int) -> Scalars:
        """The one secret that a seat multiplies this epoch of the deck by."""
        return draw_scalars(tape, "lock cascade", self.inputs(seat, self.epoch), self.binding.group, 1)

    def cascade_order(self, tape: Tape, seat: int, cards: Points) -> list[int]:
        """The permutation of a cascade step, drawn for this input deck."""
        inputs = self.inputs(seat, self.epoch, deck_digest(cards))
        return tape.permutation("lock permutation", inputs, len(cards))


def deck_digest(cards: Points) -> bytes:
    """What secrets that are put on these cards depend on."""
    return digest("lock cards", cards.to_bytes())
