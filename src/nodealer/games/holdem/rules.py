"""No-limit Texas hold'em with its parameters: who plays the next hand, with which chips and which button."""

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

#: So that all chips of a table together are still a number that every JSON reader holds exactly.
STACK_MAX: Final = INTEGER_MAX // SEATS_MAX
PARAMETERS_BYTES_MAX: Final = 1024

Stake = Annotated[int, msgspec.Meta(ge=1, le=STACK_MAX)]


class HoldemParameters(Message, frozen=True):
    """What a session of hold'em agrees on."""

    #: What a seat that joins begins with.
    stack: Stake
    blinds: tuple[Stake, Stake]
    ante: Annotated[int, msgspec.Meta(ge=0, le=STACK_MAX)]
    #: What it costs to leave in the middle of a card.
    leaving: LeavePricing


@dataclass(frozen=True)
class Holdem:
    """The rules. Chips are play money."""

    stack: int = 200
    blinds: tuple[int, int] = (1, 2)
    ante: int = 0
    leaving: LeavePricing = LeavePricing.STRICT

    name = "holdem"
    version = 1
    #: Whose rules judge a bet: two releases may judge it differently.
    versions = (("pokerkit", POKERKIT_VERSION),)
    deck_max = CARDS
    seats = SEATS
    operations = frozenset({Capability.SHARED_DECK, Capability.DEAL_TOP, Capability.OPEN_TOP, Capability.SHOW_ALL})

    def __post_init__(self) -> None:
        numbers = (self.stack, *self.blinds, self.ante)
        if any(type(number) is not int for number in numbers) or len(self.blinds) != 2:
            raise BadParameter("stack, two blinds and ante are whole numbers")
        small, big = self.blinds
        if not 1 <= small <= big <= self.stack <= STACK_MAX:
            raise BadParameter(f"needed: 1 ≤ small blind ≤ big blind ≤ stack ≤ {STACK_MAX}")
        if not 0 <= self.ante <= self.stack:
            raise BadParameter("needed: 0 ≤ ante ≤ stack")

    @property
    def stake(self) -> int:
        """What a seat that is new begins with."""
        return self.stack

    @property
    def parameters(self) -> bytes:
        """What the table agreed on, as canonical JSON."""
        return encode(HoldemParameters(self.stack, self.blinds, self.ante, self.leaving))

    @classmethod
    def from_parameters(cls, raw: bytes) -> Holdem:
        """What a session agreed on. Raises `DecodeError`, or `BadParameter` for what cannot be played here."""
        said = decode(HoldemParameters, raw, what="the parameters of holdem", limit=PARAMETERS_BYTES_MAX)
        return cls(said.stack, said.blinds, said.ante, said.leaving)

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> Hand | NoHand:
        """The next hand. A seat without chips is not in it, nor one that left at a price a short while ago."""
        _refuse_seats(seats)
        last = _carried(before)
        able = tuple(seat for seat in sorted(seats) if chips[seat] > 0 and seat not in last.benched)
        if len(able) < SEATS[0]:
            return NoHand(hand, seats, replace(last, benched=last.a_hand_later()), chips)
        # At a larger table those sit out who are farthest from the button; it moves, and so do they.
        able = turns.around(_next_button(able, last), able)[: SEATS[1]]
        players = (*able[1:], able[0])
        table = PokerTable.deal(players, tuple(chips[seat] for seat in players), self.blinds, self.ante)
        price = LeavePrice(self.leaving, self.blinds[1])
        return Hand(hand, seats, chips, table, price=price, dead=last.dead, benched=last.benched)


def _refuse_seats(seats: tuple[int, ...]) -> None:
    if any(type(seat) is not int or not 0 <= seat < SEATS_MAX for seat in seats) or len(set(seats)) != len(seats):
        raise BadParameter(f"not a list of different seats: {seats!r}")


def _carried(before: Game | None) -> Carry:
    if before is None:
        return Carry(None, None)
    if not isinstance(before, Hand | NoHand):
        raise BadParameter("the hand before was another game")
    return before.carry


def _next_button(able: tuple[int, ...], last: Carry) -> int:
    """The next seat that can play after the last button; in the first hand, the lowest."""
    button = last.button
    if button is None:
        return able[0]
    following = turns.after(button, able)
    if len(able) == 2:
        other = turns.after(following, able)
        # When a table becomes heads-up nobody has the big blind twice running.
        return other if other == last.big_blind else following
    return following
