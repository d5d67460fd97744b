"""A seat fills everybody's log with words of megabytes."""

from __future__ import annotations

from typing import Final

from nodealer.play.bodies import Word
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, to_move

#: Below the limit of a message, which a proven shuffle of the largest deck needs.
SIZE: Final = 3 << 20


def _plays(scene: Scene) -> Came:
    stage = Stage(scene)
    stage.until(to_move(0))
    stage.says(scene.cheater, Word("x" * SIZE))
    stage.end()
    size = sum(map(len, stage[0].replica.entries))
    return stage.came("fills everybody's log with megabytes" if size > SIZE else None)


CLAIM: Final = Cheat("words of megabytes", "never", False)
OVERSIZE: Final = Attack(
    name="oversize",
    does="says words of megabytes",
    of=("A48",),
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(Without("nodealer.play.steps:_word", "len(body.text.encode()) > WORD_BYTES_MAX", "False"),),
        ),
        CLAIM,
    ),
)
