"""Attacks on what is done with cards that are dealt: passing, looking, dice, and the rebuild when somebody leaves."""

from typing import Final

from nodealer_lab.attacks.operations.another_place import ANOTHER_PLACE
from nodealer_lab.attacks.operations.borrowed_key import BORROWED_KEY
from nodealer_lab.attacks.operations.copied_dice import COPIED_DICE
from nodealer_lab.attacks.operations.drawn_when import DRAWN_WHEN
from nodealer_lab.attacks.operations.followed import FOLLOWED
from nodealer_lab.attacks.operations.linked_decks import LINKED_DECKS
from nodealer_lab.attacks.operations.linked_tags import LINKED_TAGS
from nodealer_lab.attacks.operations.mixed import MIXED
from nodealer_lab.attacks.operations.passed import PASSED
from nodealer_lab.attacks.operations.rogue_join import ROGUE_JOIN
from nodealer_lab.attacks.operations.rolled_again import ROLLED_AGAIN
from nodealer_lab.attacks.operations.searched import SEARCHED
from nodealer_lab.attacks.operations.told import TOLD
from nodealer_lab.attacks.operations.two_bids import TWO_BIDS

ATTACKS: Final = (
    COPIED_DICE,
    PASSED,
    ROGUE_JOIN,
    ROLLED_AGAIN,
    TOLD,
    SEARCHED,
    LINKED_TAGS,
    LINKED_DECKS,
    BORROWED_KEY,
    MIXED,
    FOLLOWED,
    DRAWN_WHEN,
    ANOTHER_PLACE,
    TWO_BIDS,
)
