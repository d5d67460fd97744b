"""A friend with a throw-away key lets itself be named, so that its partner gets its bets back."""

from __future__ import annotations

from typing import Final

from nodealer.play.bodies import Word
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, to_move


def _plays(scene: Scene) -> Came:
    """It says two things with one number, which the log itself shows, when the others have bet."""
    stage = Stage(scene)
    stage.until(to_move(scene.cheater))
    (said,) = stage.says(scene.cheater, Word("I stay"))
    lie = stage.again(scene.cheater, said, Word("I go"))
    stage.end()
    void = any(record.void for record in stage.state().chronicle.records)
    return stage.came("gives its partner's bets back" if void else None, [lie])


CLAIM: Final = Cheat("a friend that lets itself be named, to have the bets of a hand given back", "at once", True)
REFUND: Final = Attack(
    name="refund",
    does="lets itself be named, so that a friend gets its bets back",
    who="a coalition",
    law=Scheme(
        Way(CLAIM.cheat, plays=_plays, defence=(Without("nodealer.play.law:expel", "if not play_on:", "if True:"),)),
        CLAIM,
    ),
    # Of two nobody is a third whose bets would be lost.
    tried_on=("mask", "lock", "offset", "chain"),
)
