"""Attacks on cards when they are dealt, opened and shown."""

from typing import Final

from nodealer.lab.attacks.cards.false_key import FALSE_KEY
from nodealer.lab.attacks.cards.other_card import OTHER_CARD

ATTACKS: Final = (FALSE_KEY, OTHER_CARD)
