"""A seat answers what another one owes, so that the other is to blame for what it says."""

from __future__ import annotations

from typing import Final

from nodealer.log.entry import read_entry
from nodealer.play.bodies import Cards, read_body
from nodealer.play.phases import Phase
from nodealer.play.state import TableState
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage

VICTIM: Final = 0


def _owed(state: TableState) -> bytes | None:
    """The message about cards of the second hand that the victim owes first."""
    owed = state.duties.of(VICTIM).items() if state.hand.number == 1 else ()
    return next((id for id, known in owed if known.duty.deck is not None), None)


def _plays(scene: Scene) -> Came:
    """With the words that the victim itself has signed there in the hand before: they are false in this one."""
    stage = Stage(scene, hands=2)
    stage.until(lambda state: state.hand.number == 1)
    stage.until(lambda state: state.phase is Phase.BETWEEN and VICTIM in state.hand.commitments)
    # She is slower than the cheater.
    stage.held.add(VICTIM)
    stage.until(lambda state: _owed(state) is not None)
    replica = stage[scene.cheater].replica
    owed = _owed(replica.state)
    entries = (read_entry(data).entry for data in replica.entries)
    said = (read_body(bytes(entry.body)) for entry in entries if entry.seat == VICTIM)
    lies = [
        stage.says(scene.cheater, Cards(owed, body.message))[0]
        for body in [body for body in said if isinstance(body, Cards)][:1]
        if owed is not None
    ]
    stage.end()
    stage.let_go()
    stage.end()
    fault = stage.state(1).fault
    named = fault is not None and fault.seat == VICTIM
    return stage.came("has Ada named for what she never said" if named else None, lies, seat=1)


CLAIM: Final = Cheat("an answer to what another seat owes", "never", False)
ANOTHER_SEAT: Final = Attack(
    name="another-seat",
    does="answers what another seat owes",
    of=("A33",),
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(
                Without(
                    "nodealer.play.steps:_duty", "known is None or known.duty.seat != origin.seat:", "known is None:"
                ),
            ),
        ),
        CLAIM,
    ),
)
