"""Secrets without cards: each seat says something now that is read later, a bid or a guess. Hashes, and no group.

A seat commits to what its person chose, with a salt of its tape: who hashes all likely bids finds nothing. What it
opens later is held against the hash. Who leaves in between takes what it said along. docs/spec/dice.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

import msgspec

from nodealer.cards.events import Finished, Unsealed
from nodealer.cards.operations import SEALED_MAX, Operation, Seal, Unseal, words
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
        "seals something", "A hash of what it says and of 32 bytes of its own: it can open that later, and no other."
    ),
    UNSEAL: StepText("opens what it sealed", "What it said, with the 32 bytes: everybody makes the same hash of it."),
}


class Sealing(Message, frozen=True, tag="seal"):
    """The hash of what I say."""

    commitment: Digest


class Unsealing(Message, frozen=True, tag="unseal"):
    """What I said, and the salt that it was hashed with."""

    salt: Salt
    value: Annotated[bytes, msgspec.Meta(max_length=SEALED_MAX)]


@dataclass(frozen=True)
class Envelopes(Cardless):
    """The envelopes of one number of the table. Nothing in it is secret."""

    #: How often was sealed here before.
    times: int = 0
    #: What is asked for now, and who still owes it.
    asked: Seal | Unseal | None = None
    owing: tuple[int, ...] = ()
    #: What this sealing is: everything that was agreed on before it.
    origin: bytes = b""
    #: The envelopes that are closed.
    closed: Mapping[int, bytes] = field(default_factory=dict)
    #: Those that are being opened: what was in which.
    opened: Mapping[int, bytes | None] = field(default_factory=dict)
    gone: frozenset[int] = frozenset()
    #: Whether was sealed and not opened since. If all who should have sealed are gone there is no envelope, and yet it
    #: can be asked for: the game need not know, and nobody gets a hand broken off by going.
    sealed: bool = False

    # --- What is owed ---

    @property
    def duties(self) -> tuple[Duty, ...]:
        """What each seat has to say, or to open. Nobody waits for another."""
        return tuple(self._duty(seat) for seat in self.owing)

    def _duty(self, seat: int) -> Duty:
        sealing = self.binding.duty(self.number, seat, SEAL, self.origin, choice=True)
        if isinstance(self.asked, Seal):
            return sealing
        anchor = digest("unseal", self.origin, self._said)
        return self.binding.duty(self.number, seat, UNSEAL, anchor, recalls=sealing.id)

    @property
    def _said(self) -> bytes:
        return encode(sorted(self.closed.items()))

    # --- What is done ---

    def request(self, operation: Operation) -> DeckChange:
        """Seal, or open what is sealed. Raises `BadParameter` for what makes no sense now."""
        if self.asked is not None or not isinstance(operation, Seal | Unseal):
            raise BadParameter(f"{self.number} has envelopes, and no cards")
        return self._seal(operation) if isinstance(operation, Seal) else self._unseal(operation)

    def _seal(self, operation: Seal) -> DeckChange:
        seats = operation.seats or self.binding.players
        if self.closed:
            raise BadParameter(f"{self.number} has envelopes that were not opened")
        if not seats or len(set(seats)) != len(seats) or not set(seats) <= set(self.binding.players):
            raise BadParameter(f"seats {seats} are not each here once")
        origin = self.begun("seal", self.times, operation, seats)
        after = replace(self, times=self.times + 1, asked=operation, owing=seats, origin=origin, opened={})
        return DeckChange(replace(after, sealed=True))

    def _unseal(self, operation: Unseal) -> DeckChange:
        if not self.sealed:
            raise BadParameter(f"{self.number} has no envelope that is closed")
        owing = tuple(seat for seat in sorted(self.closed) if seat not in self.gone)
        lost = dict.fromkeys(self.closed.keys() & self.gone)
        return replace(self, asked=operation, owing=owing, opened=lost)._done()

    # defence: two-bids
    def apply(self, duty: Duty, message: bytes) -> DeckChange:
        """An envelope, or what is in it."""
        rest = tuple(seat for seat in self.owing if seat != duty.seat)
        if duty.kind == SEAL:
            commitment = read_message(Sealing, message).commitment
            return replace(self, owing=rest, closed={**self.closed, duty.seat: commitment})._done()
        said = read_message(Unsealing, message)
        if self._commitment(duty.seat, said.salt, said.value) != self.closed[duty.seat]:
            raise PeerFault(duty.seat, "what it opens is not what it sealed")
        return replace(self, owing=rest, opened={**self.opened, duty.seat: said.value})._done()

    def message(self, duty: Duty, tape: Tape, choice: bytes | None = None) -> bytes:
        """`choice` is what the person says, then and when it is opened."""
        if choice is None or len(choice) > SEALED_MAX:
            raise BadParameter(f"what is sealed has at most {SEALED_MAX} bytes")
        # For this value: what is opened on a fork, where another was chosen, says nothing about this one.
        salt = tape.draw("seal", digest("seal salt", self.origin, duty.seat, choice), size=SALT_BYTES)
        if duty.kind == SEAL:
            return encode(Sealing(self._commitment(duty.seat, salt, choice)))
        return encode(Unsealing(salt, choice))

    # defence: two-bids
    def _commitment(self, seat: int, salt: bytes, value: bytes) -> bytes:
        # With the seat: a copied envelope opens to nothing.
        return digest("sealed", self.origin, seat, salt, value)

    def _done(self) -> DeckChange:
        """Once nobody owes anything."""
        if self.owing or self.asked is None:
            return DeckChange(self)
        done = Finished(self.asked)
        if isinstance(self.asked, Seal):
            return DeckChange(replace(self, asked=None), (done,))
        events = tuple(Unsealed(self.number, seat, value) for seat, value in sorted(self.opened.items()))
        return DeckChange(replace(self, asked=None, closed={}, opened={}, sealed=False), (*events, done))

    # --- Who leaves ---

    def without(self, seats: tuple[int, ...]) -> DeckChange:
        """The others go on. What a seat sealed and did not open is lost with it."""
        binding = self.binding_without(seats)
        rest = tuple(seat for seat in self.owing if seat not in seats)
        lost = dict.fromkeys(set(self.owing).intersection(seats)) if isinstance(self.asked, Unseal) else {}
        after = replace(self, binding=binding, owing=rest, gone=self.gone | set(seats), opened={**self.opened, **lost})
        return after._done()

    def digest(self) -> bytes:
        """For comparing replicas."""
        asked = b"" if self.asked is None else encode(words(self.asked))
        said = [sorted(self.closed.items()), sorted(self.opened.items()), sorted(self.gone), list(self.owing)]
        return digest("envelopes", self.number, self.times, self.sealed, asked, self.origin, encode(said))
