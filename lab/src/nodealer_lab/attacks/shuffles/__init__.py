"""Attacks on the order of the cards and on what is in the deck."""

from typing import Final

from nodealer_lab.attacks.shuffles.aces import ACES
from nodealer_lab.attacks.shuffles.double import DOUBLE
from nodealer_lab.attacks.shuffles.early import EARLY
from nodealer_lab.attacks.shuffles.false_deck import FALSE_DECK
from nodealer_lab.attacks.shuffles.last_coin import LAST_COIN
from nodealer_lab.attacks.shuffles.lazy import LAZY
from nodealer_lab.attacks.shuffles.mark import MARK
from nodealer_lab.attacks.shuffles.names import NAMES
from nodealer_lab.attacks.shuffles.only_friends import ONLY_FRIENDS
from nodealer_lab.attacks.shuffles.predict import PREDICT
from nodealer_lab.attacks.shuffles.products import PRODUCTS
from nodealer_lab.attacks.shuffles.progression import PROGRESSION
from nodealer_lab.attacks.shuffles.slot import SLOT
from nodealer_lab.attacks.shuffles.stack import STACK
from nodealer_lab.attacks.shuffles.sums import SUMS
from nodealer_lab.attacks.shuffles.twin import TWIN

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
