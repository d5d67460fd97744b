"""A timekeeper says that hours have passed, so that a seat that has just been asked is late."""

from __future__ import annotations

from typing import Final

from nodealer.log.session import Limits
from nodealer.play.bodies import Tick
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, to_move

VICTIM: Final = 1
HOURS: Final = 10_000_000
LIMITS: Final = Limits(move=10_000, cards=10_000, bank=0, refill=0)


def _plays(scene: Scene) -> Came:
    stage = Stage(scene, clock=LIMITS)
    stage.until(to_move(VICTIM))
    keeper = len(stage.people) - 1
    stage.says(keeper, Tick(0), Tick(HOURS))
    stage.end()
    done = [one for one in stage.state().chronicle.statements if one.of == VICTIM]
    return stage.came("has Ben's hand played for him, alone" if done else None)


#: Who is late by the ticks alone, and not by half of the voters too.
_COUNTED: Final = """if hand.votes else ():
        owes = {id: known for id, known in state.duties.of(seat).items() if known.holds_up}
        for of, results in (([id for id in owes if not owes[id].is_move], gone), (_move_of(owes), moves)):
            by, pressing = _naming(state, said, of), _naming(state, said, late.intersection(of))
            if 2 * len(by) > len(said) or (pressing and 2 * len(pressing) == len(said)):"""
_LATE: Final = _COUNTED.replace("if hand.votes else ()", "if True else ()").replace(
    "(pressing and 2 * len(pressing) == len(said))", "late.intersection(of)"
)
#: And that nothing is counted where nobody has said anything.
_WITHOUT_VOTES: Final = Without(
    "nodealer.play.law:counted", "if not change.state.hand.votes and not change.state.hand.breaks:", "if False:"
)
CLAIM: Final = Cheat("a timekeeper alone that makes a seat late", "never", False)
LATE_ALONE: Final = Attack(
    name="late-alone",
    does="says that hours have passed",
    of=("A39",),
    who="the timekeeper",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(Without("nodealer.play.law:_reached", _COUNTED, _LATE), _WITHOUT_VOTES),
        ),
        CLAIM,
    ),
)
