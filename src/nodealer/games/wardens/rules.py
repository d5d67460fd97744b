"""The rules of wardens with their parameters: the deck lists of the two players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

import msgspec

from nodealer.cards.operations import Capability
from nodealer.errors import BadParameter
from nodealer.games.base import Game
from nodealer.games.wardens.hand import WardensGame
from nodealer.games.wardens.pool import COPIES_MAX, DECK_MAX, DECK_MIN, POOL, court_deck
from nodealer.wire import Message, decode, encode

PARAMETERS_BYTES_MAX: Final = 2048

CardNumber = Annotated[int, msgspec.Meta(ge=0, lt=len(POOL))]
List = Annotated[tuple[CardNumber, ...], msgspec.Meta(min_length=DECK_MIN, max_length=DECK_MAX)]


class WardensParameters(Message, frozen=True):
    """The parameters that a session agrees on: card numbers in ascending order, for the first and the second seat."""

    decks: tuple[List, List]


@dataclass(frozen=True)
class WardensRules:
    """The rules of wardens, for two deck lists."""

    decks: tuple[tuple[int, ...], tuple[int, ...]] = field(default=(court_deck("ember"), court_deck("tide")))

    name = "wardens"
    version = 1
    versions = ()
    stake = 0
    operations = frozenset(
        {
            Capability.OWNED_DECK,
            Capability.DEAL_TOP_TO_OWNER,
            Capability.OPEN_TOP,
            Capability.SHOW_ALL,
            Capability.RETURN_TOP,
            Capability.RETURN_BOTTOM,
            Capability.RETURN_SHUFFLED,
            Capability.RETURN_DISCARD,
            Capability.PEEK_REORDER_BY_OWNER,
            Capability.PEEK_TAKE_BY_OWNER,
            Capability.CLOSE,
        }
    )

    def __post_init__(self) -> None:
        """Raise `BadParameter` if a deck list is not sorted or has a wrong size, an unknown card or too many copies."""
        for cards in self.decks:
            if not DECK_MIN <= len(cards) <= DECK_MAX or list(cards) != sorted(cards):
                raise BadParameter(f"a deck list must have {DECK_MIN} to {DECK_MAX} cards, in the order of the pool")
            if any(type(card) is not int or not 0 <= card < len(POOL) for card in cards):
                raise BadParameter(f"a card number must be from 0 to {len(POOL) - 1}")
            if max(Counter(cards).values()) > COPIES_MAX:
                raise BadParameter(f"a deck list may contain a card at most {COPIES_MAX} times")

    @property
    def deck_max(self) -> int:
        """The size of the larger deck."""
        return max(map(len, self.decks))

    @property
    def parameters(self) -> bytes:
        """The parameters that the table agreed on, as canonical JSON."""
        return encode(WardensParameters(self.decks))

    @classmethod
    def from_parameters(cls, raw: bytes) -> WardensRules:
        """Make the rules from the parameters of a session. Raise `DecodeError` or `BadParameter` if invalid."""
        return cls(decode(WardensParameters, raw, what="the parameters of wardens", limit=PARAMETERS_BYTES_MAX).decks)

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> WardensGame:
        """Start a game. The table's balances are games won. Raises `BadParameter` if there are not two seats."""
        if len(seats) != 2:
            raise BadParameter(f"wardens is for two players, not {len(seats)}")
        return WardensGame.begin(hand, (seats[0], seats[1]), self.decks, chips)
