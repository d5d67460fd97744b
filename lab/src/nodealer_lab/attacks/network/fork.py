"""A relay shows two players the same words in two orders: for one of them an answer came in time, for the other not."""

from __future__ import annotations

from typing import Final

from nodealer.play.bodies import Without
from nodealer.play.happened import Diverged
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks import defence
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, owed_by, to_move

#: Who is late in one of the two histories; who sees which.
SLOW: Final = 2
FIRST: Final = 0
SECOND: Final = 1


def _plays(scene: Scene) -> Came:
    """The two others say that they would not wait for a third, whose answer is on its way. One hears the answer before
    these words, the other one after them; what is said after that, both hear alike."""
    stage = Stage(scene)
    stage.until(to_move(SLOW))
    votes = [stage[seat].seat._send(Without(owed_by(stage.state(seat), SLOW))) for seat in (FIRST, SECOND)]
    answer = stage.decision(SLOW)
    stage.bring(FIRST, [*answer, *votes])
    stage.bring(SECOND, [*votes, *answer])
    stage.bring(SLOW, [*answer, *votes])
    stage.end()
    histories = {stage.state(seat).hand.course for seat in (FIRST, SECOND)}
    noticed = any(isinstance(one, Diverged) for seat in (FIRST, SECOND) for one in stage.happened[seat])
    parted = len(histories) == 2 or stage.state(FIRST).chronicle.statements != stage.state(SECOND).chronicle.statements
    return stage.came("has two players go on at two tables, and neither notices" if parted and not noticed else None)


CLAIM: Final = Cheat("two histories for two players", "never", False)
FORK: Final = Attack(
    name="fork",
    does="shows two players two histories",
    of=("A42", "A45"),
    who="the relay",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(
                defence.Without("nodealer.play.replica:Replica.append", "entry.seen not in self._heights", "False"),
                defence.Without(
                    "nodealer.play.replica:Replica._change",
                    "self._heights[entry.seen]",
                    "self._heights.get(entry.seen, self.height)",
                ),
            ),
        ),
        CLAIM,
    ),
    # Of two, whoever goes on alone hears words that cannot be right, and notices by these too.
    tried_on=("mask", "lock", "offset", "chain"),
)
