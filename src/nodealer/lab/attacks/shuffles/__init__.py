"""Attacks on the order of the cards and on what is in the deck."""

from typing import Final

from nodealer.lab.attacks.shuffles.aces import ACES
from nodealer.lab.attacks.shuffles.double import DOUBLE
from nodealer.lab.attacks.shuffles.early import EARLY
from nodealer.lab.attacks.shuffles.false_deck import FALSE_DECK
from nodealer.lab.attacks.shuffles.last_coin import LAST_COIN
from nodealer.lab.attacks.shuffles.lazy import LAZY
from nodealer.lab.attacks.shuffles.mark import MARK
from nodealer.lab.attacks.shuffles.names import NAMES
from nodealer.lab.attacks.shuffles.only_friends import ONLY_FRIENDS
from nodealer.lab.attacks.shuffles.predict import PREDICT
from nodealer.lab.attacks.shuffles.products import PRODUCTS
from nodealer.lab.attacks.shuffles.progression import PROGRESSION
from nodealer.lab.attacks.shuffles.slot import SLOT
from nodealer.lab.attacks.shuffles.stack import STACK
from nodealer.lab.attacks.shuffles.sums import SUMS
from nodealer.lab.attacks.shuffles.twin import TWIN

ATTACKS: Final = (
    DOUBLE,
    MARK,
    STACK,
    NAMES,
    ACES,
    EARLY,
    LAZY,
    PREDICT,
    SLOT,
    PROGRESSION,
    PRODUCTS,
    LAST_COIN,
    TWIN,
    SUMS,
    FALSE_DECK,
    ONLY_FRIENDS,
)
