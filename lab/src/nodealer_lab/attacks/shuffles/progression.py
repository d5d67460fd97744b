"""The dealer makes cards of its choice: three numbers of which the middle one, squared, is the product of the others.
That stays so whoever encrypts them, and so it finds the three again in the deck that is played.

A card that is the product of two others does the same: encryption is a power, and every relation of products outlives
it. Here a value stands above some 1,700 bits, so such a product would have to end in as many zeros; in this relation
there are two cards on each side, and what stands below the values falls out of it.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any, Final

from nodealer.group import concat
from nodealer.proofs.encoding import encodings
from nodealer.protocols.chain.deck import DealersDeck, Own
from nodealer.protocols.chain.lists import CARD_BYTES, NAME_BYTES, VALUE_BYTES
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.scene import Played
from nodealer_lab.attacks.shuffles.dealing import FOR_TWO, dealing
from nodealer_lab.attacks.truth import dealt

#: With a nonce of nothing, and nothing behind the value, the numbers of these values are c, 2·c and 4·c. Two is a
#: square modulo this prime.
CHOSEN: Final = (1, 2, 4)


def _made(moment: Moment, number: int) -> DealersDeck:
    """The honest deck, but for these three."""
    deck, group = moment.deck, moment.deck.binding.group
    honest = deck.made(moment.tape, number)
    nonces, cards = list(honest.own.nonces), [honest.cards[place] for place in range(deck.size)]
    for value in CHOSEN:
        place = honest.own.prior.index(value)
        nonces[place] = bytes(NAME_BYTES)
        bare = value.to_bytes(NAME_BYTES + VALUE_BYTES, "big")
        cards[place] = group.points(bare.ljust(CARD_BYTES, b"\0").rjust(group.point_size, b"\0"))
    return DealersDeck(Own(honest.own.key, tuple(nonces), honest.own.prior), concat(*cards))


def _finds(played: Played) -> str | None:
    """The last list of numbers, as everybody has it, in the order in which they are drawn."""
    for one in dealt(played):
        deck: Any = one.deck
        numbers = deck.layers[-1].cards.numbers
        codes = dict(zip(encodings(numbers + numbers), range(deck.size), strict=True))
        for first, last in permutations(range(deck.size), 2):
            middle = codes.get((numbers[first] + numbers[last]).to_bytes())
            if middle is not None and middle not in (first, last):
                return "knows where three cards of its choice lie"
    return None


#: What stands behind nonce and value hangs on both, so that no number can be chosen.
_REDUNDANCY: Final = Without(
    "nodealer.protocols.chain.lists:CardPlace.redundancy",
    'return expand("chain card", *bound, size=CARD_BYTES - NAME_BYTES - VALUE_BYTES)',
    "return bytes(CARD_BYTES - NAME_BYTES - VALUE_BYTES)",
)

PROGRESSION: Final = Attack(
    name="progression",
    does="makes cards with a relation between their numbers, to find them again",
    of=("A2",),
    ways={
        "chain": (
            Way(
                "a false deck of the dealer's, or numbers of its choice, in a deck that is not played",
                dealing(_made),
                defence=(_REDUNDANCY,),
                gained=_finds,
                seat=0,
                game=FOR_TWO,
            ),
        ),
    },
)
