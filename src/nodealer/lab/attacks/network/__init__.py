"""Attacks on the way to the cards: by the relay, by whoever has a link, and by players who are not who they say."""

from typing import Final

from nodealer.lab.attacks.network.big_frame import BIG_FRAME
from nodealer.lab.attacks.network.cut_log import CUT_LOG
from nodealer.lab.attacks.network.downgrade import DOWNGRADE
from nodealer.lab.attacks.network.false_box import FALSE_BOX
from nodealer.lab.attacks.network.forged_link import FORGED_LINK
from nodealer.lab.attacks.network.fork import FORK
from nodealer.lab.attacks.network.ground import GROUND
from nodealer.lab.attacks.network.guessed_code import GUESSED_CODE
from nodealer.lab.attacks.network.newcomer import NEWCOMER
from nodealer.lab.attacks.network.no_openings import NO_OPENINGS
from nodealer.lab.attacks.network.no_words import NO_WORDS
from nodealer.lab.attacks.network.old_key import OLD_KEY
from nodealer.lab.attacks.network.other_lobby import OTHER_LOBBY
from nodealer.lab.attacks.network.oversize import OVERSIZE
from nodealer.lab.attacks.network.put_out import PUT_OUT
from nodealer.lab.attacks.network.reflected import REFLECTED
from nodealer.lab.attacks.network.replayed import REPLAYED
from nodealer.lab.attacks.network.restored import RESTORED
from nodealer.lab.attacks.network.sizes import SIZES
from nodealer.lab.attacks.network.spoofed import SPOOFED
from nodealer.lab.attacks.network.stranger import STRANGER
from nodealer.lab.attacks.network.two_tables import TWO_TABLES
from nodealer.lab.attacks.network.two_time import TWO_TIME
from nodealer.lab.attacks.network.watcher import WATCHER

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
