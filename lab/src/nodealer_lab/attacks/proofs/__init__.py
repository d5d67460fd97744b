"""Attacks on proofs: false ones that an incomplete verifier would accept, and what true ones might reveal."""

from typing import Final

from nodealer_lab.attacks.proofs.equalities import FITS_ALL, FOLD, FROM_ELSEWHERE, NONCE, OTHER_SECRET
from nodealer_lab.attacks.proofs.hidden_cards import FALSE_WORD, LEAK, TWO_WORDS
from nodealer_lab.attacks.proofs.shuffle_forgeries import (
    BACKWARDS,
    CANCEL,
    COMBINE,
    HALVED,
    LOOSE,
    NEIGHBOURS,
    SHIFT,
    TRAPDOOR,
)

ATTACKS: Final = (
    COMBINE,
    SHIFT,
    BACKWARDS,
    CANCEL,
    TRAPDOOR,
    FOLD,
    OTHER_SECRET,
    FALSE_WORD,
    LEAK,
    NONCE,
    TWO_WORDS,
    LOOSE,
    FROM_ELSEWHERE,
    NEIGHBOURS,
    HALVED,
    FITS_ALL,
)
