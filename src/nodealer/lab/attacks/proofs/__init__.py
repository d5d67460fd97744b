"""Attacks on proofs: false ones that a verifier with a piece missing would take."""

from typing import Final

from nodealer.lab.attacks.proofs.backwards import BACKWARDS
from nodealer.lab.attacks.proofs.cancel import CANCEL
from nodealer.lab.attacks.proofs.combine import COMBINE
from nodealer.lab.attacks.proofs.shift import SHIFT
from nodealer.lab.attacks.proofs.trapdoor import TRAPDOOR

ATTACKS: Final = (COMBINE, SHIFT, BACKWARDS, CANCEL, TRAPDOOR)
