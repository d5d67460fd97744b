"""Attacks on cards when they are dealt, opened and shown."""

from typing import Final

from nodealer_lab.attacks.cards.conceded import CONCEDED
from nodealer_lab.attacks.cards.false_claim import FALSE_CLAIM
from nodealer_lab.attacks.cards.false_key import FALSE_KEY
from nodealer_lab.attacks.cards.held import HELD
from nodealer_lab.attacks.cards.oracle import ORACLE
from nodealer_lab.attacks.cards.other_card import OTHER_CARD
from nodealer_lab.attacks.cards.other_name import OTHER_NAME
from nodealer_lab.attacks.cards.other_offset import OTHER_OFFSET
from nodealer_lab.attacks.cards.played_twice import PLAYED_TWICE
from nodealer_lab.attacks.cards.tag import TAG
from nodealer_lab.attacks.cards.two_names import TWO_NAMES
from nodealer_lab.attacks.cards.unopened import UNOPENED

ATTACKS: Final = (
    FALSE_KEY,
    OTHER_CARD,
    OTHER_OFFSET,
    ORACLE,
    HELD,
    TAG,
    TWO_NAMES,
    UNOPENED,
    FALSE_CLAIM,
    CONCEDED,
    OTHER_NAME,
    PLAYED_TWICE,
)
