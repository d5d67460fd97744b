"""A relay brings a table what a player has signed at another one with the same number, as if it had said two things."""

from __future__ import annotations

from typing import Final

from nodealer.log.entry import read_entry
from nodealer.play.home import MemoryHome
from nodealer.protocols.base import Cheat
from nodealer.tape import ROOT_BYTES
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, to_move

VICTIM: Final = 0


def _plays(scene: Scene) -> Came:
    """The victim plays at both tables with one key; its first entries there have the same numbers."""
    elsewhere = Stage(scene)
    elsewhere.until(to_move(VICTIM))
    other = MemoryHome("Ada", elsewhere.homes[VICTIM].identity, scene.entropy(ROOT_BYTES))
    stage = Stage(scene, homes={VICTIM: other})
    stage.until(to_move(VICTIM))
    said = [data for data in elsewhere[1].replica.entries if read_entry(data).entry.seat == VICTIM]
    stage.say(said[:1])
    stage.end()
    fault = stage.state(1).fault
    named = fault is not None and fault.seat == VICTIM
    return stage.came("has Ada named for what she said at another table" if named else None, seat=1)


CLAIM: Final = Cheat("what a seat has signed at another table, as a second entry with one number", "never", False)
TWO_TABLES: Final = Attack(
    name="two-tables",
    does="brings a table what a seat has signed at another with the same number",
    of=("A43", "A46"),
    who="the relay",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(Without("nodealer.log.entry:authenticate", "entry.session != session", "False"),),
        ),
        CLAIM,
    ),
)
