"""Attacks on proofs: false ones that a verifier with a piece missing would take, and what true ones might give away."""

from typing import Final

from nodealer_lab.attacks.proofs.backwards import BACKWARDS
from nodealer_lab.attacks.proofs.cancel import CANCEL
from nodealer_lab.attacks.proofs.combine import COMBINE
from nodealer_lab.attacks.proofs.elsewhere import FROM_ELSEWHERE
from nodealer_lab.attacks.proofs.false_word import FALSE_WORD
from nodealer_lab.attacks.proofs.fits_all import FITS_ALL
from nodealer_lab.attacks.proofs.fold import FOLD
from nodealer_lab.attacks.proofs.halved import HALVED
from nodealer_lab.attacks.proofs.leak import LEAK
from nodealer_lab.attacks.proofs.loose import LOOSE
from nodealer_lab.attacks.proofs.neighbours import NEIGHBOURS
from nodealer_lab.attacks.proofs.nonce import NONCE
from nodealer_lab.attacks.proofs.other_secret import OTHER_SECRET
from nodealer_lab.attacks.proofs.shift import SHIFT
from nodealer_lab.attacks.proofs.trapdoor import TRAPDOOR
from nodealer_lab.attacks.proofs.two_words import TWO_WORDS

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
