"""A relay has two frames of a player who was restored from a copy, and reads one of them by the other.

No counter and no random state survives a restored process. With a key that does not hang on the words themselves, two
texts are under one key stream.
"""

from __future__ import annotations

from typing import Final

from nodealer.keys import TAG_BYTES
from nodealer.protocols.base import Cheat
from nodealer.relay.sealing import HEADER_BYTES, SENDER_BYTES, TableSecret
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, copied, to_move


def _plays(scene: Scene) -> Came:
    """It knows the text of the first, which is in the log that everybody has after the game, and wants the second."""
    stage = Stage(scene)
    stage.until(to_move(0))
    copy = copied(stage.homes[0])
    (said,) = stage[0].word("I think that I raise")
    stage.restart(0, copy)
    (again,) = stage[0].word("I think that I fold")
    key = TableSecret(scene.entropy(16), "0" * 32, 0).reading
    sender = scene.entropy(SENDER_BYTES)
    first, second = (key.seal(sender, text)[HEADER_BYTES:-TAG_BYTES] for text in (said, again))
    read = bytes(a ^ b ^ c for a, b, c in zip(first, second, said, strict=False))
    return stage.came("reads what Ada has said" if again.startswith(read) else None)


CLAIM: Final = Cheat("two frames of a process that was restored from a copy", "never", False)
TWO_TIME: Final = Attack(
    name="two-time",
    does="reads a frame by another one that a restored process has sealed",
    who="the relay",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(Without("nodealer.relay.sealing:ReadKey._message_key", '"msg", words', '"msg"'),),
        ),
        CLAIM,
    ),
)
