"""A promise: something that a seat has fixed and nobody can read yet.

Its commitment is a hash of where it belongs, of a blinding of 32 bytes from the seat's tape, and of the value. It hides
the value, its length too, however few values there are; and it can be opened to one value and by its own seat only, as
the seat is in the hash: a copied commitment is of no use.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from nodealer.errors import PeerFault
from nodealer.protocols.base import Binding
from nodealer.tape import DIGEST_BYTES, Item, Tape, digest

BLINDING_BYTES: Final = DIGEST_BYTES


@dataclass(frozen=True)
class Promise:
    """What a seat promises, what for (`label`), and where: `anchor` is that of the duty which asks for it."""

    label: str
    binding: Binding = field(repr=False)
    seat: int
    anchor: bytes
    value: bytes = field(repr=False)

    @property
    def _place(self) -> tuple[Item, ...]:
        table = self.binding
        where = (table.protocol, table.version, table.session, table.roster, table.hand)
        return (*where, self.label, self.seat, self.anchor)

    def blinding(self, tape: Tape) -> bytes:
        """Drawn for this place *and this value*: a fork on which the seat promises something else, once opened, says
        nothing about this one."""
        return tape.draw(f"{self.label} blinding", digest("promised", *self._place, self.value), size=BLINDING_BYTES)

    def commitment(self, blinding: bytes) -> bytes:
        """What is said at first."""
        return digest("promise", *self._place, blinding, self.value)

    def refuse_other(self, commitment: bytes, blinding: bytes) -> None:
        """Raise `PeerFault` when this is not what the seat has committed to."""
        if self.commitment(blinding) != commitment:
            raise PeerFault(self.seat, f"the {self.label} is not the one that it committed to")
