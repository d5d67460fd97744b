"""Attacks on the order of the cards and on what is in the deck."""

from typing import Final

from nodealer_lab.attacks.shuffles.contents import DOUBLE, MARK, NAMES, PRODUCTS, SLOT, STACK, SUMS, TWIN
from nodealer_lab.attacks.shuffles.dealer import ACES, FALSE_DECK, LAST_COIN, PROGRESSION
from nodealer_lab.attacks.shuffles.order import EARLY, LAZY, ONLY_FRIENDS, PREDICT

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
