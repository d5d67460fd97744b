"""Who has a link to play sends the relay a frame that is larger than any log can have a line."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from typing import Final

from nodealer.protocols.base import Cheat
from nodealer.relay.core import Made, Refusal, Rules, check_frame, note_bytes, rules_of
from nodealer.relay.limits import Limits
from nodealer.relay.sealing import TableSecret
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene

SIZE: Final = 100 << 20


def _plays(scene: Scene) -> Came:
    token = TableSecret(scene.entropy(16), "0" * 32, 0).write_token
    rules = rules_of([note_bytes(Made(hashlib.sha512(token).digest()))]) or Rules()
    took = False
    with suppress(Refusal):
        check_frame(Limits(), rules, rules.epoch_of(token), SIZE, frames=0, total=0)
        took = True
    return Came("never", gain="has the relay keep a frame of 100 MB" if took else None)


CLAIM: Final = Cheat("a frame of 100 MB", "never", False)
BIG_FRAME: Final = Attack(
    name="big-frame",
    does="sends the relay a frame of 100 MB",
    of=("A48",),
    who="somebody with a link",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(Without("nodealer.relay.core:check_frame", "not 0 < size <= largest", "False"),),
        ),
        CLAIM,
    ),
    tried_on=("mask",),
    anywhere=True,
)
