"""Random numbers without cards: dice, coins, who begins. They work with every card protocol and need only hashes.

Every seat commits to 32 bytes from its tape. Once all have committed, every seat opens its bytes, and the numbers are
derived from all of them together. If at least one seat's bytes are unknown to the others, no one can influence the
numbers. The seat that opens last knows the numbers first and may stay silent. Then there are no numbers, and the roll
is never repeated without that seat. See docs/spec/dice.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

import msgspec

from nodealer.cards.events import Event, Finished, Rolled
from nodealer.cards.operations import Operation, Random, operation_fields
from nodealer.errors import BadParameter, PeerFault
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.cardless import Cardless
from nodealer.protocols.codec import read_message
from nodealer.protocols.text import StepText
from nodealer.records import replace
from nodealer.tape import Tape, digest
from nodealer.wire import Digest, Message, encode

#: The size of a seat's contribution to a roll.
SHARE_BYTES: Final = 32
Share = Annotated[bytes, msgspec.Meta(min_length=SHARE_BYTES, max_length=SHARE_BYTES)]

#: The two kinds of duties of a roll.
COMMIT: Final = "roll"
OPEN: Final = "roll open"

STEPS: Final = {
    COMMIT: StepText(
        "takes the dice",
        "A hash of 32 random bytes. The player can later open these bytes and no others.",
    ),
    OPEN: StepText(
        "rolls",
        "The bytes behind the hash, which all sent before anyone opened theirs. Together they give the numbers.",
    ),
}


class RollCommit(Message, frozen=True, tag="roll"):
    """The hash of the sender's share."""

    commitment: Digest


class RollOpen(Message, frozen=True, tag="roll-open"):
    """The sender's share."""

    share: Share


@dataclass(frozen=True)
class Dice(Cardless):
    """A deck number at which numbers are rolled. All state is public."""

    #: The number of rolls here so far, so that a repeated request is a different roll.
    rolls: int = 0
    #: The current request and its participants, or None between two rolls.
    asked: Random | None = None
    seats: tuple[int, ...] = ()
    #: The identity of this roll: a digest of everything agreed on before it.
    origin: bytes = b""
    commitments: Mapping[int, bytes] = field(default_factory=dict)
    shares: Mapping[int, bytes] = field(default_factory=dict)

    # --- Duties ---

    @property
    def _all_committed(self) -> bool:
        """Whether every participant has committed."""
        return self.commitments.keys() >= set(self.seats)

    @property
    def duties(self) -> tuple[Duty, ...]:
        """First every seat's commitment, then every seat's share."""
        if self.asked is None:
            return ()
        if not self._all_committed:
            return tuple(self._duty(COMMIT, seat) for seat in self.seats if seat not in self.commitments)
        return tuple(self._duty(OPEN, seat) for seat in self.seats if seat not in self.shares)

    def _duty(self, kind: str, seat: int) -> Duty:
        """Return a seat's duty to commit or to open. An opening is anchored to all commitments."""
        anchor = self.origin if kind == COMMIT else digest("roll open", self.origin, self._encoded_commitments)
        return self.binding.duty(self.number, seat, kind, anchor)

    @property
    def _encoded_commitments(self) -> bytes:
        """The encoding of all commitments, in the order of the participants."""
        return encode([[seat, self.commitments[seat]] for seat in self.seats])

    # --- Operations ---

    def request(self, operation: Operation) -> DeckChange:
        """Start a roll. Raise `BadParameter` if the roll is not valid or the operation needs cards."""
        if not isinstance(operation, Random) or self.asked is not None:
            raise BadParameter(f"deck {self.number} is used for rolls and has no cards")
        operation.refuse_sides()
        seats = operation.seats or self.binding.players
        if len(set(seats)) != len(seats) or not set(seats) <= set(self.binding.players):
            raise BadParameter(f"seats {seats} are not all at the table, or one appears twice")
        origin = self.origin_digest("roll", self.rolls, operation, seats)
        after = replace(self, rolls=self.rolls + 1, asked=operation, seats=seats, origin=origin)
        return DeckChange(replace(after, commitments={}, shares={}))

    def apply(self, duty: Duty, message: bytes) -> DeckChange:
        """Apply a commitment or an opened share. Raise `PeerFault` if the share does not match its commitment."""
        if duty.kind == COMMIT:
            commitment = read_message(RollCommit, message).commitment
            return DeckChange(replace(self, commitments={**self.commitments, duty.seat: commitment}))
        share = read_message(RollOpen, message).share
        if self._commitment(duty.seat, share) != self.commitments[duty.seat]:
            raise PeerFault(duty.seat, "the bytes it opened for the roll are not the ones it committed to")
        return replace(self, shares={**self.shares, duty.seat: share})._finish_if_complete()

    def message(self, duty: Duty, tape: Tape, choice: bytes | None = None) -> bytes:
        """Return the commitment or the share.

        The share comes from the tape, so that a restarted seat opens the same one.
        """
        share = tape.draw("roll", digest("roll share", self.origin, duty.seat), size=SHARE_BYTES)
        if duty.kind == COMMIT:
            return encode(RollCommit(self._commitment(duty.seat, share)))
        return encode(RollOpen(share))

    # defence: copied-dice
    def _commitment(self, seat: int, share: bytes) -> bytes:
        """Return the commitment of a seat to its share."""
        # The seat is included so that a copied commitment cannot be opened.
        return digest("roll commitment", self.origin, seat, share)

    def _finish_if_complete(self) -> DeckChange:
        """Finish with the numbers if all shares are open."""
        if self.asked is None or self.shares.keys() < set(self.seats):
            return DeckChange(self)
        shares = b"".join(self.shares[seat] for seat in self.seats)
        drawn = Tape(digest("rolled", self.origin, self._encoded_commitments, shares)).draw_below(
            "numbers", b"", self.asked.sides
        )
        return self._finish(Rolled(self.number, drawn))

    def _finish(self, *events: Event) -> DeckChange:
        """End the roll with these events."""
        done = () if self.asked is None else (Finished(self.asked),)
        return DeckChange(replace(self, asked=None), (*events, *done))

    # --- Seats that leave ---

    # defence: rolled-again
    def without(self, seats: tuple[int, ...]) -> DeckChange:
        """Continue without these seats.

        As long as a commitment is missing, no share is open: the other seats go on if there are at least two. One seat
        alone could try shares until it likes the numbers. Once all have committed, a missing share is missing for good,
        and the roll ends without numbers.
        """
        binding = self.binding_without(seats)
        if self.asked is None:
            return DeckChange(replace(self, binding=binding))
        if self._all_committed:
            silent = tuple(seat for seat in self.seats if seat in seats and seat not in self.shares)
            after = replace(self, binding=binding)
            return after._finish(Rolled(self.number, (), silent)) if silent else DeckChange(after)
        here = tuple(seat for seat in self.seats if seat not in seats)
        if here != self.seats and len(here) < 2:
            silent = tuple(seat for seat in self.seats if seat in seats)
            return replace(self, binding=binding)._finish(Rolled(self.number, (), silent))
        return DeckChange(replace(self, binding=binding, seats=here))

    def digest(self) -> bytes:
        """Return a digest for comparing replicas."""
        asked = b"" if self.asked is None else encode(operation_fields(self.asked))
        said = [sorted(self.commitments.items()), sorted(self.shares.items())]
        return digest("dice", self.number, self.rolls, asked, encode(list(self.seats)), self.origin, encode(said))
