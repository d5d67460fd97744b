"""`chain` as a `CardProtocol`: its claims, and how a deck begins."""

from __future__ import annotations

from functools import partial
from typing import Final

from msgspec.structs import replace

from nodealer.cards.operations import Capability, NewDeck
from nodealer.cards.places import Places
from nodealer.errors import BadParameter
from nodealer.group import Group, group
from nodealer.protocols.base import Binding, Cheat, Claims
from nodealer.protocols.chain.candidates import Proposing
from nodealer.protocols.chain.deck import ChainDeck
from nodealer.protocols.chain.lists import PublicCards
from nodealer.protocols.chain.misdeal import MisdealDisputes
from nodealer.protocols.chain.parameters import KAPPA, KAPPA_MAX, ChainParameters, canonical, read_parameters
from nodealer.protocols.chain.shuffle import ChainShuffling
from nodealer.protocols.chain.stages import REQUESTS
from nodealer.tape import digest
from nodealer.wire import CARDS_MIN, SEATS_MAX, SEATS_MIN

VERSION: Final = 1
DEALER: Final = "dealer"
GROUP: Final = "modp2048"
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

BOOKS_WARNING: Final = (
    "Nothing proves a shuffle here. The last to shuffle can put powers and products of other cards into its own slots "
    "and read them when it draws: in a trial eleven cards in five seconds, before the first bet. Nobody sees it during "
    "the hand; it is named when all seats open their books after it, and gains are held until then."
)


def claims_of(parameters: ChainParameters) -> Claims:
    """Return the claims of `chain` with these parameters."""
    proven = parameters.proven
    return Claims(
        name="chain",
        version=VERSION,
        seats=(SEATS_MIN, SEATS_MAX),
        cards=(CARDS_MIN, 1_000),
        operations=OPERATIONS,
        roles=(),
        cheats=(
            *_shuffle_cheats(proven),
            *(_dealer_cheats(parameters) if parameters.deck == "dealer" else ()),
            Cheat("a false nonce, prior name or decryption in a draw", "at once", True),
            Cheat("another card shown than the one drawn", "at once", True),
            Cheat("a card in another player's hand sent around again to be decrypted", "at once", True),
            Cheat("a false misdeal claim", "at once", True),
            Cheat("players telling each other their cards outside the table", "never", False),
        ),
        dropout="ends the hand by the game's rule, which may divide a pot: among friends only; the next hand begins",
        cost=_cost(parameters),
        open_book_at_end=not proven,
        warning=None if proven else BOOKS_WARNING,
        odds=partial(_odds, parameters),
    )


def _odds(parameters: ChainParameters, seats: int) -> str | None:
    """Describe for people how likely the dealer gets away with one false deck. Return None with public cards."""
    if parameters.deck == "public":
        return None
    decks = parameters.candidates(seats)
    return (
        f"One of {decks} decks is played and the others are opened, so a false one is played with a chance of 1 "
        f"in {decks} at each attempt. A player who leaves between the coins and the last opening may want to try "
        "again. From then on the cards of this session are public, and there is nothing to try."
    )


def _shuffle_cheats(proven: bool) -> tuple[Cheat, ...]:
    """Return the ways to cheat in a shuffle."""
    return (
        Cheat("a number doubled, dropped or foreign in a shuffle", "at once" if proven else "at opening", True),
        Cheat("a power of another card's number in a slot, to read it", "at once" if proven else "at the end", True),
        Cheat("names in another order than the numbers", "at opening", True),
    )


def _dealer_cheats(parameters: ChainParameters) -> tuple[Cheat, ...]:
    """Return the ways to cheat with decks that the dealer makes."""
    decks = f"(seats − 1)·{parameters.kappa} + 1"
    odds = ", ".join(f"1 in {parameters.candidates(seats)} at {seats}" for seats in (2, 6))
    played = f"a false deck of the dealer that is the one played (1 in {decks} at each attempt: {odds} seats)"
    return (
        Cheat("a false deck of the dealer, or numbers of its choice, in a deck that is not played", "at once", True),
        Cheat(played, "at opening", True),
        Cheat("leaving after the coins to try again: once, then the cards are public", "at once", False),
    )


def _cost(parameters: ChainParameters) -> dict[str, str]:
    """Return the costs by label."""
    decks = "one turn per seat"
    if parameters.deck == "dealer":
        decks = f"2·(seats − 1)·{parameters.kappa} + 1 messages of the dealer, 2 for the coin, then {decks}"
    size = "44,400" if parameters.proven else "15,700"
    more = {}
    if parameters.deck == "dealer":
        more["decks"] = f"kappa, 1 to {KAPPA_MAX}, are opened for each seat except the dealer: here {parameters.kappa}"
    return more | {
        "rounds to make a deck": decks,
        "rounds to deal, open or show": "one pass over the seats for a whole request",
        "who sees an opened card first": "the dealer, whose part comes last, whatever is at stake",
        "bytes per seat, 52 cards": f"{size} to make the deck, 64 for a link, 256 for a decryption, 769 for a proof",
        "after the hand": "nothing" if parameters.proven else "every seat discloses its seed of the hand",
    }


class Chain:
    """The `chain` protocol.

    The dealer is the seat with that role, or the first seat, and holds cards like the others.
    """

    def __init__(self, parameters: bytes = b"{}", on: Group | None = None) -> None:
        """Read the parameters. Raise `BadParameter` if they are not valid or do not work on this group."""
        self.chosen = read_parameters(parameters)
        self.group = on if on is not None else group(GROUP)
        if self.chosen.deck == "dealer" and self.group.name != GROUP:
            raise BadParameter(f"the dealer's cards are numbers, so they need the group {GROUP}, not {self.group.name}")
        self.parameters = canonical(self.chosen)
        self.claims = claims_of(self.chosen)

    def _dealer(self, binding: Binding) -> int:
        """Return the seat with the dealer role, or the first one."""
        named = dict(binding.roles).get(DEALER)
        return named if named in binding.players else binding.players[0]

    def _chosen(self, binding: Binding) -> ChainParameters:
        """Return the agreed parameters, but with public cards once a seat may have left to get other decks."""
        return replace(self.chosen, deck="public", kappa=KAPPA) if binding.tried else self.chosen

    def new_deck(self, binding: Binding, deck: int, size: int, owner: int | None) -> ChainDeck:
        """Create a deck that waits for the dealer's shuffle or for the first of the dealer's decks."""
        if owner is not None:
            raise BadParameter("chain cannot make decks that belong to one seat")
        if size > self.claims.cards[1]:
            raise BadParameter(f"chain can make decks of up to {self.claims.cards[1]} cards, not {size}")
        self.claims.refuse_players(binding)
        dealer, chosen = self._dealer(binding), self._chosen(binding)
        order = (dealer, *(seat for seat in binding.players if seat != dealer))
        trail = digest("chain", binding.session, binding.roster, binding.hand, deck, size, dealer, canonical(chosen))
        public = PublicCards(binding, deck, size) if chosen.deck == "public" else None
        made = ChainDeck(
            REQUESTS,
            binding,
            deck,
            Places.fresh(deck, size),
            trail,
            MisdealDisputes(),
            size,
            chosen,
            order,
            public,
            asked=NewDeck(deck, size),
        )
        return made.in_stage(Proposing(trail) if public is None else ChainShuffling(trail))
