"""Attacks on the way to the cards: by the relay, by whoever has a link, and by players who are not who they say."""

from typing import Final

from nodealer_lab.attacks.network.big_frame import BIG_FRAME
from nodealer_lab.attacks.network.cut_log import CUT_LOG
from nodealer_lab.attacks.network.downgrade import DOWNGRADE
from nodealer_lab.attacks.network.false_box import FALSE_BOX
from nodealer_lab.attacks.network.forged_link import FORGED_LINK
from nodealer_lab.attacks.network.fork import FORK
from nodealer_lab.attacks.network.ground import GROUND
from nodealer_lab.attacks.network.guessed_code import GUESSED_CODE
from nodealer_lab.attacks.network.newcomer import NEWCOMER
from nodealer_lab.attacks.network.no_openings import NO_OPENINGS
from nodealer_lab.attacks.network.no_words import NO_WORDS
from nodealer_lab.attacks.network.old_key import OLD_KEY
from nodealer_lab.attacks.network.other_lobby import OTHER_LOBBY
from nodealer_lab.attacks.network.oversize import OVERSIZE
from nodealer_lab.attacks.network.put_out import PUT_OUT
from nodealer_lab.attacks.network.reflected import REFLECTED
from nodealer_lab.attacks.network.replayed import REPLAYED
from nodealer_lab.attacks.network.restored import RESTORED
from nodealer_lab.attacks.network.sizes import SIZES
from nodealer_lab.attacks.network.spoofed import SPOOFED
from nodealer_lab.attacks.network.stranger import STRANGER
from nodealer_lab.attacks.network.two_tables import TWO_TABLES
from nodealer_lab.attacks.network.two_time import TWO_TIME
from nodealer_lab.attacks.network.watcher import WATCHER

ATTACKS: Final = (
    BIG_FRAME,
    CUT_LOG,
    DOWNGRADE,
    FALSE_BOX,
    FORK,
    GROUND,
    GUESSED_CODE,
    NEWCOMER,
    OLD_KEY,
    OTHER_LOBBY,
    OVERSIZE,
    PUT_OUT,
    REPLAYED,
    RESTORED,
    SPOOFED,
    STRANGER,
    TWO_TABLES,
    TWO_TIME,
    WATCHER,
    REFLECTED,
    FORGED_LINK,
    SIZES,
    NO_WORDS,
    NO_OPENINGS,
)
