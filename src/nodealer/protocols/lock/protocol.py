"""`lock` as a `CardProtocol`: its claims, and how a deck begins."""

from __future__ import annotations

from typing import Final, Literal

from nodealer.cards.operations import Capability, NewDeck
from nodealer.cards.places import Places
from nodealer.errors import BadParameter
from nodealer.group import Group, group
from nodealer.protocols.base import Binding, Cheat, Claims
from nodealer.protocols.layers import Layers
from nodealer.protocols.lock.community import picker_order
from nodealer.protocols.lock.deck import LockDeck
from nodealer.protocols.lock.departure import without
from nodealer.protocols.lock.shuffle import CommittingFragments
from nodealer.protocols.lock.stages import REQUESTS
from nodealer.records import replace
from nodealer.tape import digest
from nodealer.wire import CARDS_MAX, CARDS_MIN, SEATS_MAX, SEATS_MIN, Message, decode

VERSION: Final = 1
SERVER: Final = "server"
OPERATIONS: Final = frozenset(
    {
        Capability.SHARED_DECK,
        Capability.DEAL_TOP,
        Capability.DEAL_POSITIONS,
        Capability.OPEN_TOP,
        Capability.OPEN_POSITIONS,
        Capability.SHOW_ALL,
        Capability.PROVE,
        Capability.RETURN_DISCARD,
        Capability.CLOSE,
    }
)

CLAIMS: Final = Claims(
    name="lock",
    version=VERSION,
    seats=(SEATS_MIN, SEATS_MAX),
    cards=(CARDS_MIN, CARDS_MAX),
    operations=OPERATIONS,
    roles=(),
    cheats=(
        Cheat("a card doubled, replaced or marked in the cascade", "at once", True),
        Cheat("a card replaced in the lock", "at once", True),
        Cheat("fragments chosen after seeing the others'", "at once", True),
        Cheat("a false secret for a card that is dealt or opened", "at once", True),
        Cheat("a false claim about what hidden cards are not", "at once", True),
        Cheat("a held card substituted or left out in a recovery", "at once", True),
        Cheat("the last player to join tries keys until they like the order of pickers", "never", False),
        Cheat("players telling each other their cards outside the table", "never", False),
    ),
    dropout="the others recover the deck and keep their cards; the leaver knows faces that are in play again",
    cost={
        "rounds to make a deck": "2 of all seats in parallel, then two turns per seat",
        "rounds to deal, open or show": "1, and 1 more for a pick",
        "bytes per seat, 52 cards": "12,200 to make the deck, 32 for each secret published",
    },
)


class LockParameters(Message, frozen=True, omit_defaults=True):
    """The parameters: whether players, in an order derived from their keys, or a server pick the table's cards."""

    community: Literal["pickers", "server"] = "pickers"


class Lock:
    """The `lock` protocol on one group, ristretto255 by default."""

    def __init__(self, parameters: bytes = b"{}", on: Group | None = None) -> None:
        """Create the protocol on the group `on`, or on ristretto255. Raise `DecodeError` for invalid parameters."""
        self.group = on if on is not None else group()
        self.parameters = parameters
        self._said = decode(LockParameters, parameters, what="the parameters of lock", limit=256)

    @property
    def claims(self) -> Claims:
        """The abilities and promises of the protocol with these parameters."""
        return replace(CLAIMS, roles=(SERVER,)) if self._said.community == "server" else CLAIMS

    def new_deck(self, binding: Binding, deck: int, size: int, owner: int | None) -> LockDeck:
        """Create a deck that waits for the fragments of its faces."""
        if owner is not None:
            raise BadParameter("lock cannot make decks that belong to one seat")
        CLAIMS.refuse_players(binding)
        server = dict(binding.roles).get(SERVER) if self._said.community == "server" else None
        trail = digest("lock", binding.session, binding.roster, binding.hand, deck, size)
        made = LockDeck(
            REQUESTS,
            binding,
            deck,
            Places.fresh(deck, size),
            trail,
            size,
            picker_order(binding),
            server,
            leave=without,
            layers=Layers("lock secrets", deck),
            asked=NewDeck(deck, size),
        )
        return made.in_stage(CommittingFragments(trail))
