"""The rules of no-limit Texas hold'em with their parameters: who is dealt in, with which chips, and the button."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final

import msgspec

from nodealer.cards.operations import Capability
from nodealer.errors import BadParameter
from nodealer.games import turns
from nodealer.games.base import Game
from nodealer.games.holdem.adapter import POKERKIT_VERSION, SEATS, PokerTable
from nodealer.games.holdem.faces import CARDS
from nodealer.games.holdem.hand import Hand, NoHand
from nodealer.games.holdem.leave_price import LeavePrice, LeavePricing
from nodealer.games.holdem.result import Carry
from nodealer.records import replace
from nodealer.wire import INTEGER_MAX, SEATS_MAX, Message, decode, encode

#: Small enough that the sum of all chips at a table is a number that every JSON reader represents exactly.
STACK_MAX: Final = INTEGER_MAX // SEATS_MAX
PARAMETERS_BYTES_MAX: Final = 1024

Stake = Annotated[int, msgspec.Meta(ge=1, le=STACK_MAX)]


class HoldemParameters(Message, frozen=True):
    """The parameters that a session of hold'em agrees on."""

    #: The chips a new seat starts with.
    stack: Stake
    blinds: tuple[Stake, Stake]
    ante: Annotated[int, msgspec.Meta(ge=0, le=STACK_MAX)]
    #: The price of leaving in the middle of a card operation.
    leaving: LeavePricing


@dataclass(frozen=True)
class Holdem:
    """The rules of one hold'em table. Chips are play money."""

    stack: int = 200
    blinds: tuple[int, int] = (1, 2)
    ante: int = 0
    leaving: LeavePricing = LeavePricing.STRICT

    name = "holdem"
    version = 1
    #: pokerkit judges the bets, and two releases may judge one differently.
    versions = (("pokerkit", POKERKIT_VERSION),)
    deck_max = CARDS
    seats = SEATS
    operations = frozenset({Capability.SHARED_DECK, Capability.DEAL_TOP, Capability.OPEN_TOP, Capability.SHOW_ALL})

    def __post_init__(self) -> None:
        """Raise `BadParameter` if the stack, the blinds or the ante are not possible together."""
        numbers = (self.stack, *self.blinds, self.ante)
        if any(type(number) is not int for number in numbers) or len(self.blinds) != 2:
            raise BadParameter("the stack, both blinds and the ante must be whole numbers")
        small, big = self.blinds
        if not 1 <= small <= big <= self.stack <= STACK_MAX:
            raise BadParameter(f"required: 1 ≤ small blind ≤ big blind ≤ stack ≤ {STACK_MAX}")
        if not 0 <= self.ante <= self.stack:
            raise BadParameter("required: 0 ≤ ante ≤ stack")

    @property
    def stake(self) -> int:
        """The chips a new seat starts with."""
        return self.stack

    @property
    def parameters(self) -> bytes:
        """The parameters that the table agreed on, as canonical JSON."""
        return encode(HoldemParameters(self.stack, self.blinds, self.ante, self.leaving))

    @classmethod
    def from_parameters(cls, raw: bytes) -> Holdem:
        """Make the rules from the parameters of a session. Raise `DecodeError` or `BadParameter` if invalid."""
        agreed = decode(HoldemParameters, raw, what="the parameters of holdem", limit=PARAMETERS_BYTES_MAX)
        return cls(agreed.stack, agreed.blinds, agreed.ante, agreed.leaving)

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> Hand | NoHand:
        """Start the next hand. Seats without chips, and seats that must still sit out for leaving, are not dealt in."""
        _refuse_bad_seats(seats)
        last = _carry_from(before)
        able = tuple(seat for seat in sorted(seats) if chips[seat] > 0 and seat not in last.benched)
        if len(able) < SEATS[0]:
            return NoHand(hand, seats, replace(last, benched=last.benched_after_hand()), chips)
        # At a larger table the seats farthest from the button sit out. The button moves, so others do next time.
        able = turns.around(_next_button(able, last), able)[: SEATS[1]]
        players = (*able[1:], able[0])
        table = PokerTable.deal(players, tuple(chips[seat] for seat in players), self.blinds, self.ante)
        price = LeavePrice(self.leaving, self.blinds[1])
        return Hand(hand, seats, chips, table, price=price, dead=last.dead, benched=last.benched)


def _refuse_bad_seats(seats: tuple[int, ...]) -> None:
    """Raise `BadParameter` unless these are different seat numbers."""
    if any(type(seat) is not int or not 0 <= seat < SEATS_MAX for seat in seats) or len(set(seats)) != len(seats):
        raise BadParameter(f"not a list of different seats: {seats!r}")


def _carry_from(before: Game | None) -> Carry:
    """Return what carries over from the previous hand. Raises `BadParameter` if it was of another game."""
    if before is None:
        return Carry(None, None)
    if not isinstance(before, Hand | NoHand):
        raise BadParameter("the previous hand was of another game")
    return before.carry


def _next_button(able: tuple[int, ...], last: Carry) -> int:
    """Return the new button: the next seat that can play, or the lowest seat in the first hand."""
    button = last.button
    if button is None:
        return able[0]
    following = turns.after(button, able)
    if len(able) == 2:
        other = turns.after(following, able)
        # When a table becomes heads-up, no one posts the big blind twice in a row.
        return other if other == last.big_blind else following
    return following
