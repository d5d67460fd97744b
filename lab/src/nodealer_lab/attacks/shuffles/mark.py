"""One card gets something of its own, by which the cheater hopes to know it again."""

from __future__ import annotations

from typing import Final

from nodealer.cheats import mark
from nodealer.cheats.mark import POWER
from nodealer.errors import CardUnreadable
from nodealer_lab.attacks.base import attack_from
from nodealer_lab.attacks.defences import BOOKS, EACH_PROOF, SHUFFLE_PROOF
from nodealer_lab.attacks.scene import Played
from nodealer_lab.attacks.truth import dealt, spoilt


def reads(played: Played) -> str | None:
    """What the cheater drew, without the power, is the first card that somebody else holds."""
    for one in dealt(played):
        deck, hand, me = one.deck, one.hand, played.cheater
        mine = deck.hidden(me) if me in deck.order and isinstance(one.reads.get(me), CardUnreadable) else ()
        if not mine:
            continue
        bare = deck.bare(me, played.tape(me, hand), mine)[0]
        found = deck.read(bare.group.integers([POWER]).invert() * bare)
        for seat in played.honest:
            if found is not None and found[0] in one.hidden(seat).values():
                return f"reads the card of {played.names[seat]}"
    return None


MARK: Final = attack_from(
    mark.MARK,
    # mask, lock, offset
    {"defence": (EACH_PROOF,), "gained": spoilt},
    {"defence": (EACH_PROOF,), "gained": spoilt},
    {"defence": (SHUFFLE_PROOF,), "gained": spoilt},
    # chain
    {"defence": (SHUFFLE_PROOF,), "gained": reads},
    {"defence": (BOOKS,), "gained": reads},
    # duel
    {"defence": (EACH_PROOF,), "gained": spoilt},
    {"defence": (BOOKS,), "gained": spoilt},
    {"defence": (BOOKS,), "gained": spoilt},
    of=("A7", "A8"),
)
