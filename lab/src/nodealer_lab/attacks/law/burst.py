"""Two of three owe as much as the third, and throw it out before it can answer."""

from __future__ import annotations

from typing import Final

from nodealer.play.bodies import Without
from nodealer.play.participant import Participant
from nodealer.play.state import TableState
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks import defence
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, owed_by

VICTIM: Final = 0


def _all_owe(state: TableState) -> bool:
    """All owe a message about cards at once."""
    owed = (known.duty for known in state.duties.open.values() if known.holds_up)
    return {duty.seat for duty in owed if duty.deck is not None} == {0, 1, 2}


class _Waits(Participant):
    """Does not answer while all owe something."""

    def due(self) -> list[bytes]:
        return [] if self.begun and _all_owe(self.replica.state) else super().due()


def _plays(scene: Scene) -> Came:
    """The victim's answer is on its way, and theirs will come when their words are in the log."""
    stage = Stage(scene, makers={1: _Waits, 2: _Waits})
    stage.holds = lambda state: {VICTIM} if _all_owe(state) else ()
    stage.until(_all_owe)
    for friend in (1, 2):
        stage.says(friend, Without(owed_by(stage.state(friend), VICTIM)))
    stage.let_go()
    stage.end()
    done = stage.state(1).chronicle.statements
    return stage.came("throws Ada out, who was no later than they" if done else None, seat=1)


CLAIM: Final = Cheat("seats that owe cards themselves, and would not wait for another", "never", False)
BURST: Final = Attack(
    name="burst",
    does="would not wait for a seat, with a friend, while both owe as much themselves",
    of=("A39",),
    who="a coalition",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(defence.Without("nodealer.play.law:has_word", " and not owes"),),
        ),
        CLAIM,
    ),
    tried_on=("mask", "lock", "offset", "chain"),
    # Only where the dealer makes decks do all owe something at once: a coin.
    in_mode={"chain": b'{"deck":"dealer"}'},
)
