"""Two losers would not wait for the winner's book, which the relay holds back a moment: they say that it does not open
it, as soon as they have opened theirs. Were their word a proof, the log would name who did nothing wrong."""

from __future__ import annotations

from typing import Final

from nodealer.play.duties import Owed
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.law.hurried_begin import hurried
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene


def _plays(scene: Scene) -> Came:
    """As soon as the hand is over they name the book that it owes."""
    stage, winner, loser = hurried(scene, Owed.BOOK, hands=2)
    state = stage.state(loser)
    named = any(fault.seat == winner for fault in state.faults)
    out = any(one.of == winner for one in state.chronicle.statements)
    gain = "has the winner named, whose book was on its way" if named else "puts the winner out" if out else None
    return stage.came(gain, seat=loser)


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
            # A book is never too late; and whom others do not wait for is gone, and not at fault.
            defence=(
                Without(
                    "nodealer.play.duties:OpenDuty.holds_up",
                    " and not (self.duty.deck is None and self.duty.kind == Owed.BOOK)",
                ),
                Without(
                    "nodealer.play.law:_done",
                    "return leave(change, frozenset(reached.gone))",
                    """for seat in reached.gone:
            change = expel(change, Fault(entry, seat, "book", "the others say that it does not open its book"))
        return change""",
                ),
            ),
        ),
        CLAIM,
    ),
    tried_on=("chain",),
    in_mode={"chain": b'{"proven":false}'},
)
