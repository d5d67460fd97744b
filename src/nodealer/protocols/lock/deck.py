"""The public state of a `lock` deck, and how its secrets are drawn.

C[k] = (Π s[p,k])·face: every seat p has a secret for every position k, with a known public key K[p,k] = s[p,k]·G.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import mul

from nodealer.errors import BadParameter
from nodealer.group import Order, Points, Scalars, concat
from nodealer.proofs.encoding import encodings
from nodealer.proofs.hidden_cards import LockedCards
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols.lock import bare_steps
from nodealer.protocols.recoverable import RecoverableDeck
from nodealer.tape import Tape, digest


@dataclass(frozen=True)
class LockDeck(RecoverableDeck[Points]):
    """The public state of one `lock` deck."""

    size: int
    #: The seats in the order in which they may pick cards for the table.
    pickers: tuple[int, ...]
    #: The seat that picks for the whole hand, if there is a server.
    server: int | None = None
    #: The faces, once all fragments are open, and the index to find them by.
    faces: Points | None = field(default=None, repr=False)
    face_index: Mapping[bytes, int] = field(default_factory=dict, repr=False)
    #: Positions that the server has reserved for the table, in order.
    apart: tuple[int, ...] | None = None

    def faces_at(self, positions: tuple[int, ...], secrets: Mapping[int, Scalars]) -> list[int | None]:
        """Return the faces at these positions, given every seat's secrets, or None for a card that is not a face."""
        bare = bare_steps.unlock(self.layers.cards(positions), list(secrets.values()))
        return [self.face_index.get(encoding) for encoding in encodings(bare)]

    # --- Proofs about hidden cards ---

    def hidden_cards(self, positions: tuple[int, ...], seat: int) -> LockedCards:
        """Return a seat's cards for a proof: locked points, what others have published, and the seat's keys."""
        off = concat(*(self._published_by_others(position, seat) for position in positions))
        return LockedCards(self.layers.cards(positions), off, self.card_keys(positions, seat))

    def _published_by_others(self, position: int, seat: int) -> Scalars:
        """Return the product of the secrets that all other seats have published for a card."""
        published = (self.released[position][other] for other in self.masked_by(position) if other != seat)
        return reduce(mul, published, self.binding.group.integers([1]))

    def face_points(self, faces: tuple[int, ...]) -> Points:
        """Return these faces as points. Raise `BadParameter` before all fragments are open."""
        if self.faces is None:
            raise BadParameter(f"deck {self.number} has no faces yet")
        return self.faces.take(faces)

    # --- Secrets of a cascade ---

    def fragments(self, tape: Tape, seat: int) -> Points:
        """Return a seat's random fragment of every face. No one knows its logarithm, not even the seat."""
        group = self.binding.group
        drawn = tape.draw("lock fragments", self.inputs(seat, self.epoch), size=self.size * group.uniform_size)
        return group.map_to_points(drawn)

    # defence: linked-decks
    def cascade_secret(self, tape: Tape, seat: int) -> Scalars:
        """Return the one secret that a seat multiplies this epoch of the deck by."""
        return draw_scalars(tape, "lock cascade", self.inputs(seat, self.epoch), self.binding.group, 1)

    def cascade_order(self, tape: Tape, seat: int, cards: Points) -> Order:
        """Return the permutation of a cascade step, derived from this input deck."""
        inputs = self.inputs(seat, self.epoch, deck_digest(cards))
        return tape.permutation("lock permutation", inputs, len(cards))


def deck_digest(cards: Points) -> bytes:
    """Return the digest of these cards, from which secrets applied to them are derived."""
    return digest("lock cards", cards.to_bytes())
