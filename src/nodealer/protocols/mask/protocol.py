"""`mask` as one of the five: what it claims, and how a deck begins."""

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
        Cheat("a card that somebody looks at told as another", "at once", True),
        Cheat("a card exchanged when a player orders what it looked at, or shuffles its hand", "at once", True),
        Cheat("a false word on what hidden cards are not", "at once", True),
        Cheat("a held card substituted, doubled or left out in a rebuild", "at once", True),
        Cheat("a message of another hand, deck or session", "at once", True),
        Cheat("players telling each other their cards outside the table", "never", False),
    ),
    dropout="those who stay rebuild the deck and keep their cards; the leaver knows faces that are live again",
    cost={
        "rounds to make a deck": "one shuffle a seat, then one round of all seats at once",
        "rounds to deal, open or show": "1",
        "rounds to rebuild a deck when seats leave": "4 of all seats at once, and two turns a seat",
        "bytes a seat, 52 cards": "12,200 to make the deck, 18,000 to rebuild it, 32 for each key published",
    },
)


class Mask:
    """The protocol on one group, ristretto255 unless told otherwise. It has no parameters."""

    claims = CLAIMS
    parameters = b"{}"

    def __init__(self, parameters: bytes = b"{}", on: Group | None = None) -> None:
        if parameters != self.parameters:
            raise BadParameter("mask has no parameters")
        self.group = on if on is not None else group()

    def new_deck(self, binding: Binding, deck: int, size: int, owner: int | None) -> MaskDeck:
        """A deck of bare faces that every seat is about to shuffle."""
        if owner is not None:
            raise BadParameter("mask has no decks that belong to a seat")
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
        return made.to(first_shuffle(made))
