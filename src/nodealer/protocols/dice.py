"""Numbers without cards: dice, coins, who begins. The same beside every card protocol: hashes, and no group.

Every seat commits to 32 bytes of its tape. When all have, every seat opens them, and the numbers are drawn from all of
them together: as long as one seat's bytes are unknown to the others, nobody could have aimed. Who opens last knows the
numbers first, and may be silent; then there are none, and they are never drawn again without it. docs/spec/dice.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

import msgspec

from nodealer.cards.events import Event, Finished, Rolled
from nodealer.cards.operations import Operation, Random, words
from nodealer.errors import BadParameter, PeerFault
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.cardless import Cardless
from nodealer.protocols.codec import read_message
from nodealer.protocols.text import StepText
from nodealer.records import replace
from nodealer.tape import Tape, digest
from nodealer.wire import Digest, Message, encode

#: What a seat adds to a roll.
SHARE_BYTES: Final = 32
Share = Annotated[bytes, msgspec.Meta(min_length=SHARE_BYTES, max_length=SHARE_BYTES)]

#: The two steps of a roll.
COMMIT: Final = "roll"
OPEN: Final = "roll open"

STEPS: Final = {
    COMMIT: StepText(
        "takes the dice", "A hash of 32 bytes that it has drawn: it can open them later, and can open no others."
    ),
    OPEN: StepText(
        "rolls", "The bytes that it had hashed before anybody opened any. All seats' bytes together are the numbers."
    ),
}


class RollCommit(Message, frozen=True, tag="roll"):
    """The hash of my share."""

    commitment: Digest


class RollOpen(Message, frozen=True, tag="roll-open"):
    """My share."""

    share: Share


@dataclass(frozen=True)
class Dice(Cardless):
    """One number of the table at which is rolled, now or before. Nothing in it is secret."""

    #: How often was rolled here before: the same roll asked for again is another one.
    rolls: int = 0
    #: What is asked for now, and those who take part; None between two rolls.
    asked: Random | None = None
    seats: tuple[int, ...] = ()
    #: What this roll is: everything that was agreed on before it.
    origin: bytes = b""
    commitments: Mapping[int, bytes] = field(default_factory=dict)
    shares: Mapping[int, bytes] = field(default_factory=dict)

    # --- What is owed ---

    @property
    def _all_in(self) -> bool:
        return self.commitments.keys() >= set(self.seats)

    @property
    def duties(self) -> tuple[Duty, ...]:
        """First everybody's commitment, then everybody's share."""
        if self.asked is None:
            return ()
        if not self._all_in:
            return tuple(self._duty(COMMIT, seat) for seat in self.seats if seat not in self.commitments)
        return tuple(self._duty(OPEN, seat) for seat in self.seats if seat not in self.shares)

    def _duty(self, kind: str, seat: int) -> Duty:
        anchor = self.origin if kind == COMMIT else digest("roll open", self.origin, self._committed)
        return self.binding.duty(self.number, seat, kind, anchor)

    @property
    def _committed(self) -> bytes:
        return encode([[seat, self.commitments[seat]] for seat in self.seats])

    # --- What is done ---

    def request(self, operation: Operation) -> DeckChange:
        """Roll. Raises `BadParameter` for a roll that cannot be, and for anything that takes cards."""
        if not isinstance(operation, Random) or self.asked is not None:
            raise BadParameter(f"{self.number} is rolled, and has no cards")
        operation.refuse_sides()
        seats = operation.seats or self.binding.players
        if len(set(seats)) != len(seats) or not set(seats) <= set(self.binding.players):
            raise BadParameter(f"seats {seats} are not each here once")
        origin = self.begun("roll", self.rolls, operation, seats)
        after = replace(self, rolls=self.rolls + 1, asked=operation, seats=seats, origin=origin)
        return DeckChange(replace(after, commitments={}, shares={}))

    def apply(self, duty: Duty, message: bytes) -> DeckChange:
        """A commitment, or the share that it commits to."""
        if duty.kind == COMMIT:
            commitment = read_message(RollCommit, message).commitment
            return DeckChange(replace(self, commitments={**self.commitments, duty.seat: commitment}))
        share = read_message(RollOpen, message).share
        if self._commitment(duty.seat, share) != self.commitments[duty.seat]:
            raise PeerFault(duty.seat, "what it opens for the roll is not what it committed to")
        return replace(self, shares={**self.shares, duty.seat: share})._rolled()

    def message(self, duty: Duty, tape: Tape, choice: bytes | None = None) -> bytes:
        """The share comes from the tape, so a seat that comes back opens what it committed to."""
        share = tape.draw("roll", digest("roll share", self.origin, duty.seat), size=SHARE_BYTES)
        if duty.kind == COMMIT:
            return encode(RollCommit(self._commitment(duty.seat, share)))
        return encode(RollOpen(share))

    # defence: copied-dice
    def _commitment(self, seat: int, share: bytes) -> bytes:
        # With the seat: a copied commitment opens to nothing.
        return digest("roll commitment", self.origin, seat, share)

    def _rolled(self) -> DeckChange:
        """The numbers, once all shares are there."""
        if self.asked is None or self.shares.keys() < set(self.seats):
            return DeckChange(self)
        shares = b"".join(self.shares[seat] for seat in self.seats)
        drawn = Tape(digest("rolled", self.origin, self._committed, shares)).draw_below(
            "numbers", b"", self.asked.sides
        )
        return self._finished(Rolled(self.number, drawn))

    def _finished(self, *events: Event) -> DeckChange:
        done = () if self.asked is None else (Finished(self.asked),)
        return DeckChange(replace(self, asked=None), (*events, *done))

    # --- Who leaves ---

    # defence: rolled-again
    def without(self, seats: tuple[int, ...]) -> DeckChange:
        """As long as a commitment is missing nobody has opened anything: the others go on, if there are several. One
        alone would try shares until it likes the numbers. After that a share that is missing is missing for good."""
        binding = self.binding_without(seats)
        if self.asked is None:
            return DeckChange(replace(self, binding=binding))
        if self._all_in:
            silent = tuple(seat for seat in self.seats if seat in seats and seat not in self.shares)
            after = replace(self, binding=binding)
            return after._finished(Rolled(self.number, (), silent)) if silent else DeckChange(after)
        here = tuple(seat for seat in self.seats if seat not in seats)
        if here != self.seats and len(here) < 2:
            silent = tuple(seat for seat in self.seats if seat in seats)
            return replace(self, binding=binding)._finished(Rolled(self.number, (), silent))
        return DeckChange(replace(self, binding=binding, seats=here))

    def digest(self) -> bytes:
        """For comparing replicas."""
        asked = b"" if self.asked is None else encode(words(self.asked))
        said = [sorted(self.commitments.items()), sorted(self.shares.items())]
        return digest("dice", self.number, self.rolls, asked, encode(list(self.seats)), self.origin, encode(said))
