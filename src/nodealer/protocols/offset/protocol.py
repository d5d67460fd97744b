"""`offset` as a `CardProtocol`: its claims, and how a deck begins."""

from __future__ import annotations

from typing import Final

from nodealer.cards.operations import Capability, NewDeck
from nodealer.cards.places import Places
from nodealer.errors import BadParameter
from nodealer.group import Group, group
from nodealer.protocols.base import Binding, Cheat, Claims
from nodealer.protocols.offset.deck import OffsetDeck
from nodealer.protocols.offset.shuffle import RequestingParts
from nodealer.protocols.offset.stages import REQUESTS
from nodealer.tape import digest
from nodealer.wire import CARDS_MIN, SEATS_MAX, SEATS_MIN

VERSION: Final = 1
DEALER: Final = "dealer"
OPERATIONS: Final = frozenset(
    {
        Capability.SHARED_DECK,
        Capability.DEAL_TOP,
        Capability.DEAL_POSITIONS,
        Capability.OPEN_TOP,
        Capability.OPEN_POSITIONS,
        Capability.SHOW_ALL,
        Capability.RETURN_DISCARD,
        Capability.CLOSE,
    }
)

CLAIMS: Final = Claims(
    name="offset",
    version=VERSION,
    seats=(SEATS_MIN, SEATS_MAX),
    cards=(CARDS_MIN, 1_000),
    operations=OPERATIONS,
    roles=(),
    cheats=(
        Cheat("a pair doubled, dropped or foreign in a shuffle", "at once", True),
        Cheat("another offset revealed than the one used in the shuffle", "at once", True),
        Cheat("a false key part for a deal", "at once", True),
        Cheat("a key part chosen to cancel the others", "at once", True),
        Cheat("players telling each other their cards outside the table", "never", False),
    ),
    dropout="ends the hand by the game's rule, which may divide a pot: among friends only; the next hand begins",
    cost={
        "rounds to make a deck": "2 for the key parts, one turn per seat, 1 for the offsets",
        "rounds to deal or open": "2, the dealer's announcement first",
        "bytes per seat, 52 cards": "17,300 to make the deck, 32 for each key part published",
    },
)


class Offset:
    """The `offset` protocol on one group.

    It has no parameters. The dealer is the seat with that role, or the first seat.
    """

    claims = CLAIMS
    parameters = b"{}"

    def __init__(self, parameters: bytes = b"{}", on: Group | None = None) -> None:
        """Create the protocol on the group `on`, or on ristretto255. Raise `BadParameter` if there are parameters."""
        if parameters != self.parameters:
            raise BadParameter("offset has no parameters")
        self.group = on if on is not None else group()

    def new_deck(self, binding: Binding, deck: int, size: int, owner: int | None) -> OffsetDeck:
        """Create a deck that waits for the dealer to open it."""
        if owner is not None:
            raise BadParameter("offset cannot make decks that belong to one seat")
        CLAIMS.refuse_players(binding)
        if size > CLAIMS.cards[1]:
            raise BadParameter(f"offset can make decks of up to {CLAIMS.cards[1]} cards, not {size}")
        dealer = dict(binding.roles).get(DEALER, binding.players[0])
        trail = digest("offset", binding.session, binding.roster, binding.hand, deck, size)
        asked, places = NewDeck(deck, size), Places.fresh(deck, size)
        return OffsetDeck(REQUESTS, binding, deck, places, trail, size, dealer, asked=asked).in_stage(
            RequestingParts(trail)
        )
