"""Attacks on the rules of the table: votes, time limits, disclosures, and the price of leaving."""

from typing import Final

from nodealer_lab.attacks.table_rules.clock import HELD_TICK, LATE_ALONE, LATE_WITH_HALF, TIME_BACK, WITHHOLD
from nodealer_lab.attacks.table_rules.departures import DEALS_AGAIN, FRIEND_LEAVES, NO_STAKE, PRICE, REFUND, UNDO
from nodealer_lab.attacks.table_rules.disclosure import FOLDED_FRIEND, HURRIED_BEGIN, HURRIED_BOOK, KEPT_BOOK, LOST_BOOK
from nodealer_lab.attacks.table_rules.votes import (
    ANOTHER_SEAT,
    BREAK_ALONE,
    BURST,
    HALF,
    MORE_THAN_HALF,
    PUPPET,
    ROSTER_ALONE,
    STALL,
    STARVED,
)

ATTACKS: Final = (
    ANOTHER_SEAT,
    BREAK_ALONE,
    BURST,
    DEALS_AGAIN,
    FRIEND_LEAVES,
    HALF,
    HELD_TICK,
    HURRIED_BEGIN,
    KEPT_BOOK,
    LATE_ALONE,
    LATE_WITH_HALF,
    MORE_THAN_HALF,
    NO_STAKE,
    PRICE,
    PUPPET,
    REFUND,
    ROSTER_ALONE,
    TIME_BACK,
    UNDO,
    WITHHOLD,
    LOST_BOOK,
    HURRIED_BOOK,
    STARVED,
    STALL,
    FOLDED_FRIEND,
)
