"""Sealed values without cards: each seat commits now to a bid or a guess that is opened later. Needs only hashes.

A seat commits to the value that its player chose, with a salt from its tape, so that hashing all likely bids finds
nothing. The opened value is checked against the hash. If a seat leaves in between, its value is lost. See
docs/spec/dice.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

import msgspec

from nodealer.cards.events import Finished, Unsealed
from nodealer.cards.operations import SEALED_MAX, Operation, Seal, Unseal, operation_fields
from nodealer.errors import BadParameter, PeerFault
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.cardless import Cardless
from nodealer.protocols.codec import read_message
from nodealer.protocols.text import StepText
from nodealer.records import replace
from nodealer.tape import Tape, digest
from nodealer.wire import Digest, Message, encode

SALT_BYTES: Final = 32
Salt = Annotated[bytes, msgspec.Meta(min_length=SALT_BYTES, max_length=SALT_BYTES)]

SEAL: Final = "seal"
UNSEAL: Final = "unseal"

STEPS: Final = {
    SEAL: StepText(
        "seals a value",
        "A hash of the value and of 32 random bytes. The player can later open this value and no other.",
    ),
    UNSEAL: StepText(
        "opens a sealed value", "The value and the 32 random bytes. Everyone can check that they give the same hash."
    ),
}


class Sealing(Message, frozen=True, tag="seal"):
    """The hash of the sender's value."""

    commitment: Digest


class Unsealing(Message, frozen=True, tag="unseal"):
    """The sender's value, and the salt that it was hashed with."""

    salt: Salt
    value: Annotated[bytes, msgspec.Meta(max_length=SEALED_MAX)]


@dataclass(frozen=True)
class Envelopes(Cardless):
    """The envelopes of one deck number. All state is public."""

    #: The number of times that values were sealed here.
    times: int = 0
    #: The current request, and the seats that still owe a message for it.
    asked: Seal | Unseal | None = None
    owing: tuple[int, ...] = ()
    #: The identity of this round of envelopes: a digest of everything agreed on before it.
    origin: bytes = b""
    #: The commitments of closed envelopes, by seat.
    closed: Mapping[int, bytes] = field(default_factory=dict)
    #: The envelopes opened by the current request: seat to value, or None if it is lost.
    opened: Mapping[int, bytes | None] = field(default_factory=dict)
    gone: frozenset[int] = frozenset()
    #: Whether values were sealed and not opened since. If all seats that should have sealed left, there is no envelope,
    #: but opening them is still allowed: the game need not know, and no one can break off a hand by leaving.
    sealed: bool = False

    # --- Duties ---

    @property
    def duties(self) -> tuple[Duty, ...]:
        """The message that each seat owes. No seat waits for another."""
        return tuple(self._duty(seat) for seat in self.owing)

    def _duty(self, seat: int) -> Duty:
        """Return a seat's duty to seal or, if values are being opened, to open what it chose when sealing."""
        sealing = self.binding.duty(self.number, seat, SEAL, self.origin, choice=True)
        if isinstance(self.asked, Seal):
            return sealing
        anchor = digest("unseal", self.origin, self._encoded_envelopes)
        return self.binding.duty(self.number, seat, UNSEAL, anchor, recalls=sealing.id)

    @property
    def _encoded_envelopes(self) -> bytes:
        """The encoding of all closed envelopes, in the order of seats."""
        return encode(sorted(self.closed.items()))

    # --- Operations ---

    def request(self, operation: Operation) -> DeckChange:
        """Begin to seal or open envelopes. Raise `BadParameter` if that is not possible now."""
        if self.asked is not None or not isinstance(operation, Seal | Unseal):
            raise BadParameter(f"deck {self.number} is used for envelopes and has no cards")
        return self._seal(operation) if isinstance(operation, Seal) else self._unseal(operation)

    def _seal(self, operation: Seal) -> DeckChange:
        """Begin to seal. Raise `BadParameter` if envelopes are still closed or the seats are not valid."""
        seats = operation.seats or self.binding.players
        if self.closed:
            raise BadParameter(f"deck {self.number} has envelopes that have not been opened")
        if not seats or len(set(seats)) != len(seats) or not set(seats) <= set(self.binding.players):
            raise BadParameter(f"seats {seats} are not all at the table, or one appears twice")
        origin = self.origin_digest("seal", self.times, operation, seats)
        after = replace(self, times=self.times + 1, asked=operation, owing=seats, origin=origin, opened={})
        return DeckChange(replace(after, sealed=True))

    def _unseal(self, operation: Unseal) -> DeckChange:
        """Begin to open the closed envelopes. Those of seats that left are lost."""
        if not self.sealed:
            raise BadParameter(f"deck {self.number} has no closed envelopes")
        owing = tuple(seat for seat in sorted(self.closed) if seat not in self.gone)
        lost = dict.fromkeys(self.closed.keys() & self.gone)
        return replace(self, asked=operation, owing=owing, opened=lost)._finish_if_complete()

    # defence: two-bids
    def apply(self, duty: Duty, message: bytes) -> DeckChange:
        """Apply a commitment or an opened value. Raise `PeerFault` if the value does not match its commitment."""
        rest = tuple(seat for seat in self.owing if seat != duty.seat)
        if duty.kind == SEAL:
            commitment = read_message(Sealing, message).commitment
            return replace(self, owing=rest, closed={**self.closed, duty.seat: commitment})._finish_if_complete()
        said = read_message(Unsealing, message)
        if self._commitment(duty.seat, said.salt, said.value) != self.closed[duty.seat]:
            raise PeerFault(duty.seat, "the value it opened is not the one it sealed")
        return replace(self, owing=rest, opened={**self.opened, duty.seat: said.value})._finish_if_complete()

    def message(self, duty: Duty, tape: Tape, choice: bytes | None = None) -> bytes:
        """Return the commitment or the opened value. Both times, `choice` is the value that the player chose."""
        if choice is None or len(choice) > SEALED_MAX:
            raise BadParameter(f"a sealed value is missing or longer than {SEALED_MAX} bytes")
        # The salt depends on the value: opening another value on a fork then reveals nothing about this one.
        salt = tape.draw("seal", digest("seal salt", self.origin, duty.seat, choice), size=SALT_BYTES)
        if duty.kind == SEAL:
            return encode(Sealing(self._commitment(duty.seat, salt, choice)))
        return encode(Unsealing(salt, choice))

    # defence: two-bids
    def _commitment(self, seat: int, salt: bytes, value: bytes) -> bytes:
        """Return the commitment of a seat to its value."""
        # The seat is included so that a copied envelope cannot be opened.
        return digest("sealed", self.origin, seat, salt, value)

    def _finish_if_complete(self) -> DeckChange:
        """Finish the request if no seat owes a message."""
        if self.owing or self.asked is None:
            return DeckChange(self)
        done = Finished(self.asked)
        if isinstance(self.asked, Seal):
            return DeckChange(replace(self, asked=None), (done,))
        events = tuple(Unsealed(self.number, seat, value) for seat, value in sorted(self.opened.items()))
        return DeckChange(replace(self, asked=None, closed={}, opened={}, sealed=False), (*events, done))

    # --- Seats that leave ---

    def without(self, seats: tuple[int, ...]) -> DeckChange:
        """Continue without these seats. Values that they sealed and did not open are lost."""
        binding = self.binding_without(seats)
        rest = tuple(seat for seat in self.owing if seat not in seats)
        lost = dict.fromkeys(set(self.owing).intersection(seats)) if isinstance(self.asked, Unseal) else {}
        after = replace(self, binding=binding, owing=rest, gone=self.gone | set(seats), opened={**self.opened, **lost})
        return after._finish_if_complete()

    def digest(self) -> bytes:
        """Return a digest for comparing replicas."""
        asked = b"" if self.asked is None else encode(operation_fields(self.asked))
        said = [sorted(self.closed.items()), sorted(self.opened.items()), sorted(self.gone), list(self.owing)]
        return digest("envelopes", self.number, self.times, self.sealed, asked, self.origin, encode(said))
