"""What a seat publishes when a card is dealt or opened is not what the card is under."""

from __future__ import annotations

from typing import Final

from nodealer.cheats import false_key
from nodealer_lab.attacks.base import Forge, Way, attack_from
from nodealer_lab.attacks.defences import BOOKS, EQUALITY_PROOF, KEY_CHECK
from nodealer_lab.attacks.truth import spoilt


def released(forge: Forge) -> dict[str, tuple[Way, ...]]:
    """A way to publish other keys of cards, where every card has a key of each seat."""
    claims = {
        "mask": "a false key for a card that is dealt or opened",
        "lock": "a false secret for a card that is dealt or opened",
    }
    return {
        name: (Way(claim, {"release": forge}, defence=(KEY_CHECK,), gained=spoilt),) for name, claim in claims.items()
    }


_KEYS: Final = {"defence": (KEY_CHECK,), "gained": spoilt}

FALSE_KEY: Final = attack_from(
    false_key.FALSE_KEY,
    # mask, lock, offset
    _KEYS,
    _KEYS,
    _KEYS,
    # chain
    {"defence": (EQUALITY_PROOF,), "gained": spoilt, "seat": 0},
    # duel
    _KEYS,
    {"defence": (BOOKS,), "gained": spoilt},
    of=("A32",),
)
