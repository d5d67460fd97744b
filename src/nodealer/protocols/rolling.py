"""Numbers that all seats draw together, without cards: dice, coins, who begins.

Every seat promises a coin of 32 bytes; when all have, every seat opens its own; the numbers are a hash of all coins. If
one of them is random, so are the numbers, and nobody could choose its coin by another's. Whoever opens last sees the
numbers first and can fall silent instead. So nothing is rolled again without a seat that has committed: the roll is
broken, `missing` says by whom, and the game says what that seat loses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from nodealer.errors import BadParameter
from nodealer.protocols.base import Binding, Duty
from nodealer.protocols.promises import Promise
from nodealer.tape import Tape, below, digest, expand
from nodealer.wire import SEATS_MIN, Digest, Message, decode, encode

#: A number is one of at most so many.
BOUND_MAX: Final = 2**32
#: Numbers of one roll.
NUMBERS_MAX: Final = 1_000
#: A commitment or a coin: 44 characters, and what stands around them.
MESSAGE_LIMIT: Final = 128


class Committed(Message, frozen=True, tag="commit"):
    """I have a coin, and this is its commitment."""

    commitment: Digest


class Coin(Message, frozen=True, tag="coin"):
    """My coin."""

    coin: Digest


@dataclass(frozen=True)
class Roll:
    """Draw a number below each of these bounds: (6, 6) is two dice, counted from 0."""

    bounds: tuple[int, ...]

    def __post_init__(self) -> None:
        if not 0 < len(self.bounds) <= NUMBERS_MAX:
            raise BadParameter(f"a roll has 1 to {NUMBERS_MAX} numbers, not {len(self.bounds)}")
        for bound in self.bounds:
            if not 2 <= bound <= BOUND_MAX:
                raise BadParameter(f"a number is one of 2 to {BOUND_MAX}, not of {bound}")

    def numbers(self, joint: bytes) -> tuple[int, ...]:
        """The numbers that the coins together mean: each by rejection, so that none is favoured."""
        words = _words(joint, len(self.bounds))
        return tuple(below(bound, words) for bound in self.bounds)


def _words(joint: bytes, count: int) -> Iterator[int]:
    index = 0
    while True:
        block = expand("roll words", joint, index, size=8 * count)
        yield from (int.from_bytes(block[at : at + 8], "little") for at in range(0, len(block), 8))
        index += 1


@dataclass(frozen=True)
class Rolling:
    """A roll in progress, or done. `anchor` is what asked for it: no two rolls of a hand have the same."""

    binding: Binding
    roll: Roll
    anchor: bytes
    #: The seats that roll.
    seats: tuple[int, ...]
    commitments: Mapping[int, bytes] = field(default_factory=dict)
    coins: Mapping[int, bytes] = field(default_factory=dict)
    #: The seats that have committed and left before they opened their coins.
    missing: tuple[int, ...] = ()

    @staticmethod
    def begin(binding: Binding, roll: Roll, anchor: bytes) -> Rolling:
        """All who play roll."""
        return Rolling(binding, roll, anchor, binding.players)

    @property
    def opening(self) -> bool:
        """Whether all have committed."""
        return len(self.commitments) == len(self.seats)

    @property
    def broken(self) -> bool:
        """Whether there will be no numbers: a coin is missing, or one seat alone would choose them."""
        return bool(self.missing) or len(self.seats) < SEATS_MIN

    @property
    def duties(self) -> tuple[Duty, ...]:
        """What is owed now: by all who have not said it, side by side."""
        if self.broken:
            return ()
        kind, said = ("coin", self.coins) if self.opening else ("commit", self.commitments)
        anchor = self._all_committed if self.opening else self.anchor
        return tuple(Duty(self.binding, None, seat, kind, anchor) for seat in self.seats if seat not in said)

    @property
    def _all_committed(self) -> bytes:
        """What a coin answers: every commitment. A seat that opens on other ones opens for another roll."""
        said = (item for seat in self.seats for item in (seat, self.commitments[seat]))
        return digest("roll commitments", self.anchor, *said)

    @property
    def numbers(self) -> tuple[int, ...] | None:
        """The numbers, once all coins are there."""
        if self.broken or len(self.coins) < len(self.seats):
            return None
        coins = (item for seat in self.seats for item in (seat, self.coins[seat]))
        return self.roll.numbers(digest("roll coins", self._all_committed, *coins))

    def message(self, duty: Duty, tape: Tape) -> bytes:
        """What an honest seat says."""
        promise = self._promise(duty.seat)
        coin = promise.blinding(tape)
        return encode(Coin(coin)) if self.opening else encode(Committed(promise.commitment(coin)))

    def apply(self, duty: Duty, message: bytes) -> Rolling:
        """With what a seat has said. Raises `DecodeError` for what it cannot have, `PeerFault` for a false coin."""
        if duty not in self.duties:
            raise BadParameter(f"seat {duty.seat} does not owe this {duty.kind}")
        seat = duty.seat
        if not self.opening:
            said = decode(Committed, message, what="the commitment", limit=MESSAGE_LIMIT)
            return replace(self, commitments={**self.commitments, seat: said.commitment})
        coin = decode(Coin, message, what="the coin", limit=MESSAGE_LIMIT).coin
        self._promise(seat).refuse_other(self.commitments[seat], coin)
        return replace(self, coins={**self.coins, seat: coin})

    def _promise(self, seat: int) -> Promise:
        """A coin is the blinding of a promise of nothing but the roll itself."""
        return Promise("coin", self.binding, seat, self.anchor, encode(self.roll.bounds))

    def without(self, seats: tuple[int, ...]) -> Rolling:
        """When seats leave: who had not committed is not waited for, and who had opened is not needed. A coin that is
        missing breaks the roll."""
        if self.broken or self.numbers is not None:
            return self
        missing = tuple(seat for seat in seats if seat in self.commitments and seat not in self.coins)
        stay = tuple(seat for seat in self.seats if seat not in seats or seat in self.commitments)
        return replace(self, seats=stay, missing=missing)
