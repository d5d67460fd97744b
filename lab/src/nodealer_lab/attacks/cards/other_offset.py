"""A seat reveals another offset than it shuffled with: nobody finds a card any more, and all else was right."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.cheats.arrays import one_more
from nodealer.protocols.codec import read_message
from nodealer.protocols.offset.messages import RevealOffset
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.truth import spoilt


def _offset(moment: Moment) -> bytes:
    said = read_message(RevealOffset, moment.honest)
    return encode(replace(said, offset=one_more(moment.deck.binding.group.scalars(said.offset))))


#: The offset opens the commitment that the proof of the shuffle was about.
_OPENED: Final = Without(
    "nodealer.protocols.offset.making:RevealingOffsets.apply",
    "if x * step.R + t * blinding_generator(group) != step.W:",
    "if False:",
)

OTHER_OFFSET: Final = Attack(
    name="other-offset",
    does="reveals another offset than it shuffled with",
    ways={
        "offset": (
            Way(
                "another offset revealed than shuffled with",
                {"revealOffset": _offset},
                defence=(_OPENED,),
                gained=spoilt,
            ),
        ),
    },
)
