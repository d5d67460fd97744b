"""Attacks on what only its owner may know: keys, tokens, tapes, and what a coalition can read."""

from typing import Final

from nodealer_lab.attacks.secrets.another_key import ANOTHER_KEY
from nodealer_lab.attacks.secrets.coalition import COALITION
from nodealer_lab.attacks.secrets.copied_key import COPIED_KEY
from nodealer_lab.attacks.secrets.identity_key import IDENTITY_KEY
from nodealer_lab.attacks.secrets.opened_book import OPENED_BOOK
from nodealer_lab.attacks.secrets.picker import PICKER
from nodealer_lab.attacks.secrets.rogue_key import ROGUE_KEY
from nodealer_lab.attacks.secrets.told_outside import TOLD_OUTSIDE
from nodealer_lab.attacks.secrets.zero import ZERO

ATTACKS: Final = (
    ANOTHER_KEY,
    COALITION,
    COPIED_KEY,
    IDENTITY_KEY,
    OPENED_BOOK,
    ROGUE_KEY,
    PICKER,
    ZERO,
    TOLD_OUTSIDE,
)
