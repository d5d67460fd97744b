"""Somebody makes the tapes of the others: where they hang on nothing secret, all cards are read."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from nodealer.errors import NodealerError
from nodealer.lab.attacks.base import Attack, Scheme, Way
from nodealer.lab.attacks.defence import Without
from nodealer.lab.attacks.scene import Played, watched
from nodealer.lab.attacks.truth import dealt
from nodealer.protocols.base import Cheat
from nodealer.tape import ROOT_BYTES, hand_tape


def _read(played: Played) -> str | None:
    """With a root of nothing, and what everybody knows."""
    session = played.config.session.id
    for one in dealt(played):
        for seat in played.honest:
            guess = hand_tape(bytes(ROOT_BYTES), session=session, seat=seat, hand=one.hand)
            with suppress(NodealerError):
                if (hidden := one.hidden(seat)) and hidden.items() <= one.deck.knows(seat, guess).items():
                    return f"reads the cards of {played.names[seat]}"
    return None


#: The tape hangs on a root that never leaves its machine.
_ROOT: Final = Without(
    "nodealer.tape:hand_tape",
    'expand("hand", root, session, seat, hand, size=SEED_BYTES)',
    'expand("hand", bytes(ROOT_BYTES), session, seat, hand, size=SEED_BYTES)',
)
CLAIM: Final = Cheat("shuffles and keys that somebody foresees", "never", False)

PREDICT: Final = Attack(
    name="predict",
    does="foresees what the others draw for their shuffles and keys",
    of=("A28",),
    who="a reader of the log",
    law=Scheme(Way(CLAIM.cheat, plays=watched(_read), defence=(_ROOT,)), CLAIM),
)
