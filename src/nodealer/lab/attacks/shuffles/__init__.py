"""Attacks on the order of the cards and on what is in the deck."""

from typing import Final

from nodealer.lab.attacks.shuffles.double import DOUBLE
from nodealer.lab.attacks.shuffles.mark import MARK

ATTACKS: Final = (DOUBLE, MARK)
