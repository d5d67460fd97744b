"""Two losers would not wait for the winner's book, which the relay holds back a moment."""

from __future__ import annotations

from typing import Final

from nodealer.lab.attacks import defence
from nodealer.lab.attacks.base import Attack, Scheme, Way
from nodealer.lab.attacks.law.hurried_begin import winner_of
from nodealer.lab.attacks.outcome import Came
from nodealer.lab.attacks.scene import Scene
from nodealer.lab.attacks.stage import Stage
from nodealer.play.bodies import Without
from nodealer.play.duties import Owed
from nodealer.protocols.base import Cheat


def _plays(scene: Scene) -> Came:
    """As soon as the hand is over they name the book that it owes."""
    stage = Stage(scene, hands=2)
    stage.holds = lambda state: {winner} if (winner := winner_of(state)) is not None else ()
    stage.until(lambda state: winner_of(state) is not None)
    winner = winner_of(stage.state()) or 0
    losers = [seat for seat in range(3) if seat != winner]
    for seat in losers:
        duties = stage.state(seat).duties.of(winner).values()
        stage.says(seat, Without(tuple(known.duty.id for known in duties if known.duty.kind == Owed.BOOK)))
    stage.end()
    stage.let_go()
    stage.end()
    state = stage.state(losers[0])
    out = any(one.of == winner for one in state.chronicle.statements)
    return stage.came("puts the winner out before its book is in" if out else None, seat=losers[0])


CLAIM: Final = Cheat("seats that would not wait for another's book", "never", False)
HURRIED_BOOK: Final = Attack(
    name="hurried-book",
    does="would not wait for the book of who has won, with more than half of the table",
    of=("A39",),
    who="a coalition",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            # A book is never too late.
            defence=(
                defence.Without(
                    "nodealer.play.duties:OpenDuty.holds_up",
                    " and not (self.duty.deck is None and self.duty.kind == Owed.BOOK)",
                ),
            ),
        ),
        CLAIM,
    ),
    tried_on=("chain",),
    in_mode={"chain": b'{"proven":false}'},
)
