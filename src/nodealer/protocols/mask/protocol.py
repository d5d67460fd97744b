"""`mask` as a `CardProtocol`: its claims, and how a deck begins."""

from __future__ import annotations

from typing import Final

from nodealer.cards.operations import Capability, NewDeck
from nodealer.cards.places import Places
from nodealer.errors import BadParameter
from nodealer.group import Group, group
from nodealer.protocols.base import Binding, Cheat, Claims
from nodealer.protocols.layers import Faces, Layers
from nodealer.protocols.mask.deck import MaskDeck
from nodealer.protocols.mask.departure import first_shuffle, without
from nodealer.protocols.mask.stages import REQUESTS
from nodealer.tape import digest
from nodealer.wire import CARDS_MAX, CARDS_MIN, SEATS_MAX, SEATS_MIN

VERSION: Final = 1
FACES: Final = b"nodealer/v0/mask faces"
OPERATIONS: Final = frozenset(
    {
        Capability.SHARED_DECK,
        Capability.DEAL_TOP,
        Capability.DEAL_POSITIONS,
        Capability.OPEN_TOP,
        Capability.OPEN_POSITIONS,
        Capability.SHOW_ALL,
        Capability.SHOW_ONE,
        Capability.PASS,
        Capability.PROVE,
        Capability.RETURN_TOP,
        Capability.RETURN_BOTTOM,
        Capability.RETURN_SHUFFLED,
        Capability.RETURN_DISCARD,
        Capability.RETURN_DEPTH,
        Capability.PEEK_LOOK,
        Capability.PEEK_REORDER,
        Capability.PEEK_KEEP,
        Capability.PEEK_TAKE,
        Capability.MIX,
        Capability.CLOSE,
    }
)

CLAIMS: Final = Claims(
    name="mask",
    version=VERSION,
    seats=(SEATS_MIN, SEATS_MAX),
    cards=(CARDS_MIN, CARDS_MAX),
    operations=OPERATIONS,
    roles=(),
    cheats=(
        Cheat("a card doubled, dropped, replaced or marked in a shuffle", "at once", True),
        Cheat("a key chosen to cancel the others, or copied", "at once", True),
        Cheat("a card moved to another key than the one published", "at once", True),
        Cheat("a false key for a card that is dealt or opened", "at once", True),
        Cheat("a card that is passed or shown to one player exchanged for another", "at once", True),
        Cheat("a false answer to a player who looks at cards", "at once", True),
        Cheat("a card exchanged when a player reorders cards or shuffles a hand", "at once", True),
        Cheat("a false claim about what hidden cards are not", "at once", True),
        Cheat("a held card substituted, doubled or left out in a rebuild", "at once", True),
        Cheat("a message from another hand, deck or session", "at once", True),
        Cheat("players telling each other their cards outside the table", "never", False),
    ),
    dropout="the others rebuild the deck and keep their cards; the leaver knows faces that are in play again",
    cost={
        "rounds to make a deck": "one shuffle per seat, then one round of all seats in parallel",
        "rounds to deal, open or show": "1",
        "rounds to rebuild a deck when seats leave": "4 of all seats in parallel, and two turns per seat",
        "bytes per seat, 52 cards": "12,200 to make the deck, 18,000 to rebuild it, 32 for each key published",
    },
)


class Mask:
    """The `mask` protocol on one group, ristretto255 by default. It has no parameters."""

    claims = CLAIMS
    parameters = b"{}"

    def __init__(self, parameters: bytes = b"{}", on: Group | None = None) -> None:
        """Create the protocol on the group `on`, or on ristretto255. Raise `BadParameter` if there are parameters."""
        if parameters != self.parameters:
            raise BadParameter("mask has no parameters")
        self.group = on if on is not None else group()

    def new_deck(self, binding: Binding, deck: int, size: int, owner: int | None) -> MaskDeck:
        """Create a deck of bare faces that every seat will shuffle."""
        if owner is not None:
            raise BadParameter("mask cannot make decks that belong to one seat")
        CLAIMS.refuse_players(binding)
        bound = digest("mask faces", binding.session, binding.hand, deck)
        made = MaskDeck(
            REQUESTS,
            binding,
            deck,
            Places.fresh(deck, size),
            digest("mask", binding.session, binding.roster, binding.hand, deck, size),
            Faces(binding.group, FACES, bound, size),
            leave=without,
            layers=Layers("mask card keys", deck),
            asked=NewDeck(deck, size),
        )
        return made.in_stage(first_shuffle(made))
