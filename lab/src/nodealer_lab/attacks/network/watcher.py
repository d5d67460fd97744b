"""Who has a link to watch makes a token of what it has, and writes to the table."""

from __future__ import annotations

import hashlib
from typing import Final

from nodealer.keys import KEY_BYTES, derive
from nodealer.protocols.base import Cheat
from nodealer.relay.core import Made, note_bytes, rules_of
from nodealer.relay.sealing import TableSecret
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene


def _plays(scene: Scene) -> Came:
    """The relay knows the hash of the token, and nothing else of it."""
    secret = TableSecret(scene.entropy(16), "0" * 32, 0)
    rules = rules_of([note_bytes(Made(hashlib.sha512(secret.write_token).digest()))])
    link = secret.reading
    token = derive(link.key, "write", link.table, link.epoch, size=KEY_BYTES)
    writes = rules is not None and rules.lets_write(rules.epoch_of(token))
    return Came("never", gain="writes to a table that it may only watch" if writes else None)


CLAIM: Final = Cheat("one who watches, and would write", "never", False)
WATCHER: Final = Attack(
    name="watcher",
    does="makes a token to write of a link to watch",
    who="somebody with a link",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(Without("nodealer.relay.sealing:TableSecret.write_token", "self._base", "self.reading.key"),),
        ),
        CLAIM,
    ),
    tried_on=("mask",),
    anywhere=True,
)
