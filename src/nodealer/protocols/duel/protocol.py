"""`duel` as a `CardProtocol`: the claims of each mode, and how a deck begins."""

from __future__ import annotations

from typing import Final, Literal

from nodealer.cards.operations import Capability, NewDeck
from nodealer.cards.places import Places
from nodealer.errors import BadParameter
from nodealer.group import Group, group
from nodealer.protocols.base import Binding, Cheat, Claims
from nodealer.protocols.duel.bits import XOR
from nodealer.protocols.duel.deck import DuelDeck, Mode
from nodealer.protocols.duel.shuffle import Assembling, FirstShuffling
from nodealer.protocols.duel.stages import REQUESTS
from nodealer.protocols.layers import Faces, Layers
from nodealer.tape import digest
from nodealer.wire import Message, decode

VERSION: Final = 1
FACES: Final = b"nodealer/v0/duel faces"
CARDS: Final = (2, 1000)
OPERATIONS: Final = frozenset(
    {
        Capability.OWNED_DECK,
        Capability.DEAL_TOP_TO_OWNER,
        Capability.OPEN_TOP,
        Capability.SHOW_ALL,
        Capability.SHOW_ONE,
        Capability.RETURN_TOP,
        Capability.RETURN_BOTTOM,
        Capability.RETURN_SHUFFLED,
        Capability.RETURN_DISCARD,
        Capability.RETURN_DEPTH,
        Capability.PEEK_LOOK_BY_OWNER,
        Capability.PEEK_REORDER_BY_OWNER,
        Capability.PEEK_TAKE_BY_OWNER,
        Capability.CLOSE,
    }
)

COMMITTED_WARNING: Final = (
    "Nothing is proven while the hand is played. An owner can slip a multiple of a card into its deck and find that "
    "card again; a rival can spoil or double a card of the other's. It is seen when the card is read, or when both "
    "players show their decks and open their books after the hand, and gains are held until then."
)
XOR_WARNING: Final = (
    "XOR hides nothing: the owner finds the order of the whole deck before the first draw, and the rival finds every "
    "card of the deck, in order, once two have been played. It is here to show that, and for nothing else."
)


class DuelParameters(Message, frozen=True, omit_defaults=True):
    """How a table keeps its decks honest."""

    mode: Literal["proven", "committed", "xor"] = "proven"


_COST: Final = {
    "rounds to make a deck": "4 turns, owner and rival alternately; all decks in parallel",
    "rounds to draw, play or show": "1",
    "what a play shows": "which draw the card came from: its place in the pile",
    "show to one seat": "there is only one other player, so it is the same as showing to everyone",
}
_DROPOUT: Final = (
    "ends the hand by the game's rule: among friends only; refusing a draw is leaving; the next hand begins"
)


def claims_of(mode: Mode) -> Claims:
    """Return the claims of a mode."""
    return Claims(
        name="duel",
        version=VERSION,
        seats=(2, 2),
        cards=CARDS,
        operations=OPERATIONS,
        roles=(),
        cheats=_CHEATS[mode],
        dropout=_DROPOUT,
        cost=_COST | _MORE_COST[mode],
        # Without proofs the whole hand is checked at its end, even if a player gave up.
        open_book_at_end=not mode.proofs,
        warning=_WARNINGS.get(mode),
    )


_NEVER: Final = Cheat("a player who leaves rather than publish a key", "never", True)
#: A malformed message is not a fault: it changes nothing, and the seat still owes a message.
_TWIN: Final = Cheat("two equal cards in a shuffle: it is rejected, and the seat must send another", "never", False)
_CHEATS: Final[dict[Mode, tuple[Cheat, ...]]] = {
    Mode.PROVEN: (
        Cheat("a card doubled, replaced or marked in a shuffle", "at once", True),
        Cheat("a card replaced when keys are put on", "at once", True),
        Cheat("other cards put back after a search", "at once", True),
        Cheat("a card played that was not drawn", "at once", True),
        Cheat("a false key of the rival", "at once", True),
        Cheat("a draw from elsewhere than the top", "at once", True),
        _NEVER,
    ),
    Mode.COMMITTED: (
        _TWIN,
        Cheat("a card played that was not drawn, or under another name", "at once", True),
        Cheat("a card played twice", "at once", True),
        Cheat("a false key of the rival", "at once", True),
        Cheat("a draw from elsewhere than the top", "at once", True),
        Cheat("a card that the rival replaced or marked", "at opening", True),
        Cheat("a card doubled by a multiple that the lock takes off again", "at opening", True),
        Cheat("a card that the owner replaced or marked, also after a search", "at the end", True),
        Cheat("a commitment that does not open", "at the end", True),
        Cheat("giving up to avoid the check at the end", "at the end", True),
        _NEVER,
    ),
    Mode.XOR: (
        _TWIN,
        Cheat("a card played under another name", "at once", True),
        Cheat("a card played twice, or doubled", "at opening", True),
        Cheat("a draw from elsewhere than the top", "at once", True),
        Cheat("a false key or card of the rival", "at opening", True),
        Cheat("a card played that was not drawn", "at the end", True),
        Cheat("a card that the owner replaced", "at the end", True),
        Cheat("the owner reads the order of the whole deck before the first draw", "never", False),
        Cheat("the rival reads the whole deck, in order, after two played cards", "never", False),
        _NEVER,
    ),
}
_MORE_COST: Final[dict[Mode, dict[str, str]]] = {
    Mode.PROVEN: {"at the end": "nothing", "bytes per seat, a deck of 60 cards": "12,000 to make it"},
    Mode.COMMITTED: {
        "at the end": "both hands and decks are shown",
        "bytes per seat, a deck of 60 cards": "7,000 to make it",
    },
    Mode.XOR: {"at the end": "both hands and decks are shown"},
}
_WARNINGS: Final = {Mode.COMMITTED: COMMITTED_WARNING, Mode.XOR: XOR_WARNING}


class Duel:
    """The `duel` protocol in one mode, on one group."""

    def __init__(self, parameters: bytes = b"{}", on: Group | None = None) -> None:
        """Create the protocol on the group `on`, or on ristretto255. Raise `DecodeError` for invalid parameters."""
        self.group = on if on is not None else group()
        self.parameters = parameters
        self.mode = Mode(decode(DuelParameters, parameters, what="the parameters of duel", limit=256).mode)

    @property
    def claims(self) -> Claims:
        """The abilities and promises of this mode."""
        return claims_of(self.mode)

    def new_deck(self, binding: Binding, deck: int, size: int, owner: int | None) -> DuelDeck:
        """Create a deck that its owner begins."""
        self.claims.refuse_players(binding)
        if owner not in binding.players:
            raise BadParameter("a deck of duel must belong to one of the two players")
        if not CARDS[0] <= size <= CARDS[1]:
            raise BadParameter(f"a deck of duel has {CARDS[0]} to {CARDS[1]} cards, not {size}")
        trail = digest("duel", self.mode.value, binding.session, binding.roster, binding.hand, deck, size, owner)
        faces = None
        if self.mode.proofs:
            bound = digest("duel faces", binding.session, binding.hand, owner, deck)
            faces = Faces(binding.group, FACES, bound, size)
        made = DuelDeck(
            REQUESTS,
            binding,
            deck,
            Places.fresh(deck, size, owner),
            trail,
            size,
            owner,
            self.mode,
            binding.group if self.mode.keys else XOR,
            Layers("duel card keys", deck),
            faces,
            asked=NewDeck(deck, size, owner),
        )
        return made.in_stage(Assembling(trail) if faces is None else FirstShuffling(faces, trail))
