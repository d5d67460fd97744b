"""The dealer makes decks of one card only, and opens them as they are: six aces instead of six cards."""

from __future__ import annotations

from typing import Any, Final

from nodealer.group import concat
from nodealer.protocols.chain.deck import DealersDeck, Own
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.scene import Played
from nodealer_lab.attacks.shuffles.dealing import FOR_TWO, dealing
from nodealer_lab.attacks.truth import dealt

ACE: Final = 0


def all_aces(moment: Moment, number: int) -> DealersDeck:
    """A deck that has one value and many nonces."""
    deck = moment.deck
    honest = deck.made(moment.tape, number)
    place = deck.card_place(number)
    drawn = [deck._square(moment.tape, bytes([number, at]), place, ACE) for at in range(deck.size)]
    own = Own(honest.own.key, tuple(nonce for nonce, _ in drawn), (ACE,) * deck.size)
    return DealersDeck(own, concat(*(card for _, card in drawn)))


def knows_all(played: Played) -> str | None:
    """Every card of the deck that is played is an ace: that an honest seat holds one may be luck."""
    for one in dealt(played):
        deck: Any = one.deck
        bare = deck.layers[-1].cards.numbers
        for index, seat in enumerate(deck.order):
            bare = deck.own(played.tape(seat, one.hand), index).key.invert() * bare
        found = [deck.read(bare[place]) for place in range(deck.size)]
        if all(card is not None and card[0] == ACE for card in found):
            return "knows every card, for all are the same"
    return None


#: An opened deck has every value once.
_EVERY_VALUE: Final = Without(
    "nodealer.protocols.chain.candidates:check_opened", "if sorted(values) != list(range(deck.size)):", "if False:"
)

ACES: Final = Attack(
    name="aces",
    does="deals from a deck of one card only, and opens the others like it",
    of=("A10",),
    ways={
        "chain": (
            Way(
                "a false deck of the dealer's, or numbers of its choice, in a deck that is not played",
                dealing(all_aces),
                defence=(_EVERY_VALUE,),
                gained=knows_all,
                seat=0,
                game=FOR_TWO,
            ),
        ),
    },
)
