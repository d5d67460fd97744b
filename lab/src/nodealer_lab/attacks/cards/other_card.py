"""A seat shows, or plays, another card than it holds."""

from __future__ import annotations

from typing import Final

from nodealer.cheats import other_card
from nodealer_lab.attacks.base import attack_from
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.defences import BOOKS, EQUALITY_PROOF, KEY_CHECK
from nodealer_lab.attacks.truth import shown_other, stopped

#: Nobody looks whether a card that is played lay where it was drawn.
_PLACE: Final = Without(
    "nodealer.protocols.duel.giving:RevealingCards._refuse_other_places", "if slots != found:", "if False:"
)

#: Nobody holds what is said of all places in the end against what was played from them.
_AT_THE_END: Final = Without(
    "nodealer.protocols.duel.giving:RevealingCards._refuse_other_plays",
    "if now.get(position, face) != face:",
    "if False:",
)

OTHER_CARD: Final = attack_from(
    other_card.OTHER_CARD,
    # chain
    {"defence": (EQUALITY_PROOF,), "gained": stopped},
    # duel
    {"defence": (_PLACE,), "gained": shown_other},
    {"defence": (KEY_CHECK,), "gained": stopped},
    {"defence": (_AT_THE_END, BOOKS), "gained": shown_other},
    of=("A33",),
)
