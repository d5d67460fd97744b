"""A player who was put out has named keys of its own to the relay before, and goes on writing by one of them."""

from __future__ import annotations

import hashlib
from typing import Final

from nodealer.protocols.base import Cheat
from nodealer.relay.core import Made, Note, Reached, Rekeyed, note_bytes, rules_of
from nodealer.relay.sealing import TableSecret
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene


def _plays(scene: Scene) -> Came:
    """The table has a new key since, which somebody has named who has the old one; the relay has heard it used."""
    first, own, new = (TableSecret(scene.entropy(32), "0" * 32, epoch) for epoch in (0, 1, 1))
    notes: tuple[Note, ...] = (
        Made(_hash(first)),
        Rekeyed(_hash(own), 0),
        Rekeyed(_hash(new), 0),
        Reached(2),
    )
    rules = rules_of([note_bytes(note) for note in notes])
    tokens = (first.write_token, own.write_token)
    writes = rules is not None and any(rules.epoch_of(token) is not None for token in tokens)
    return Came("never", gain="writes to a table that it was put out of" if writes else None)


def _hash(secret: TableSecret) -> bytes:
    return hashlib.sha512(secret.write_token).digest()


CLAIM: Final = Cheat("one who was put out, and writes by an old key or by one left behind", "never", False)
PUT_OUT: Final = Attack(
    name="put-out",
    does="writes by a key that it has left behind, when it was put out",
    who="somebody who was put out",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(Without("nodealer.relay.core:Rules._counts", "epoch == self.reached", "True"),),
        ),
        CLAIM,
    ),
    tried_on=("mask",),
    anywhere=True,
)
