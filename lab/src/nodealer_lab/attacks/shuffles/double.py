"""One card twice in the deck, and so another one not at all."""

from __future__ import annotations

from typing import Final

from nodealer.cheats import double
from nodealer_lab.attacks.base import attack_from
from nodealer_lab.attacks.defences import BOOKS, EQUALITY_PROOF, SHUFFLE_PROOF
from nodealer_lab.attacks.truth import spoilt, there_twice

_SPOILT: Final = {"defence": (SHUFFLE_PROOF,), "gained": spoilt}

DOUBLE: Final = attack_from(
    double.DOUBLE,
    # mask
    {"defence": (SHUFFLE_PROOF,), "gained": there_twice},
    # lock, offset
    _SPOILT,
    _SPOILT,
    # chain
    {"defence": (SHUFFLE_PROOF, EQUALITY_PROOF), "gained": spoilt, "seat": 1},
    {"defence": (EQUALITY_PROOF,), "gained": spoilt, "seat": 1},
    # duel
    _SPOILT,
    {"defence": (BOOKS,), "gained": spoilt},
    {"defence": (BOOKS,), "gained": spoilt},
    of=("A9",),
)
