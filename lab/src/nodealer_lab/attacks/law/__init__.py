"""Attacks on the law of the table: who may throw out whom, what counts, what time it is, and what leaving costs."""

from typing import Final

from nodealer_lab.attacks.law.another_seat import ANOTHER_SEAT
from nodealer_lab.attacks.law.break_alone import BREAK_ALONE
from nodealer_lab.attacks.law.burst import BURST
from nodealer_lab.attacks.law.deals_again import DEALS_AGAIN, FRIEND_LEAVES
from nodealer_lab.attacks.law.folded_friend import FOLDED_FRIEND
from nodealer_lab.attacks.law.half import HALF
from nodealer_lab.attacks.law.held_tick import HELD_TICK
from nodealer_lab.attacks.law.hurried_begin import HURRIED_BEGIN
from nodealer_lab.attacks.law.hurried_book import HURRIED_BOOK
from nodealer_lab.attacks.law.kept_book import KEPT_BOOK
from nodealer_lab.attacks.law.late_alone import LATE_ALONE
from nodealer_lab.attacks.law.late_with_half import LATE_WITH_HALF
from nodealer_lab.attacks.law.lost_book import LOST_BOOK
from nodealer_lab.attacks.law.more_than_half import MORE_THAN_HALF
from nodealer_lab.attacks.law.no_stake import NO_STAKE
from nodealer_lab.attacks.law.price import PRICE
from nodealer_lab.attacks.law.puppet import PUPPET
from nodealer_lab.attacks.law.refund import REFUND
from nodealer_lab.attacks.law.roster_alone import ROSTER_ALONE
from nodealer_lab.attacks.law.stall import STALL
from nodealer_lab.attacks.law.starved import STARVED
from nodealer_lab.attacks.law.time_back import TIME_BACK
from nodealer_lab.attacks.law.undo import UNDO
from nodealer_lab.attacks.law.withhold import WITHHOLD

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
