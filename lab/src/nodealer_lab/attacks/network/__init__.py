"""Attacks on the way to the cards: by the relay, by someone with a link, and by players under a false identity."""

from typing import Final

from nodealer_lab.attacks.network.lobby import (
    DOWNGRADE,
    FORGED_LINK,
    GROUND,
    NEWCOMER,
    NO_OPENINGS,
    OTHER_LOBBY,
    STRANGER,
)
from nodealer_lab.attacks.network.pairing import GUESSED_CODE, NO_WORDS, REFLECTED
from nodealer_lab.attacks.network.relay import (
    BIG_FRAME,
    CUT_LOG,
    FORK,
    OVERSIZE,
    REPLAYED,
    RESTORED,
    SIZES,
    SPOOFED,
    TWO_TABLES,
    TWO_TIME,
    WATCHER,
)
from nodealer_lab.attacks.network.table_keys import FALSE_BOX, OLD_KEY, PUT_OUT

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
