"""Two losers would not wait for the winner to begin the next hand, and end the session before its book comes.

More than half of a table can do that, and the log shows who said it. Where books end every hand, what was won and not
yet covered by a book goes back when the session ends.
"""

from __future__ import annotations

from typing import Final

from nodealer.play.bodies import Without
from nodealer.play.duties import Owed
from nodealer.play.phases import Phase
from nodealer.play.state import TableState
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage


def winner_of(state: TableState) -> int | None:
    """Who has won the first hand, once it is over."""
    records = state.chronicle.records
    return next((seat for seat, net in records[0].net.items() if net > 0), None) if records else None


def hurried(scene: Scene, owed: Owed, hands: int = 1) -> tuple[Stage, int, int]:
    """The table, its winner and a loser. What the winner says is on its way, and the relay is slow: the losers name
    something that the winner owes, and only then it is heard."""
    stage = Stage(scene, hands=hands)
    stage.holds = lambda state: {winner} if (winner := winner_of(state)) is not None else ()
    stage.until(lambda state: winner_of(state) is not None)
    winner = winner_of(stage.state()) or 0
    losers = [seat for seat in range(3) if seat != winner]
    for seat in losers:
        duties = stage.state(seat).duties.of(winner).values()
        stage.says(seat, Without(tuple(known.duty.id for known in duties if known.duty.kind == owed)))
    stage.end()
    stage.let_go()
    stage.end()
    return stage, winner, losers[0]


def _plays(scene: Scene) -> Came:
    """They do not wait for it to begin, and end."""
    stage, winner, loser = hurried(scene, Owed.BEGIN)
    state = stage.state(loser)
    ended = state.phase is Phase.ENDED and state.account.chips[winner] <= state.config.rules.stake
    return stage.came("ends the session before the winner's book is in, and has its bets back" if ended else None)


CLAIM: Final = Cheat("more than half that end a session before the winner's book is in", "never", False)
HURRIED_BEGIN: Final = Attack(
    name="hurried-begin",
    does="ends the session before the book of who has won is in, with more than half of the table",
    of=("A39",),
    who="a coalition",
    law=Scheme(Way(CLAIM.cheat, plays=_plays, unseen="cannot be seen"), CLAIM),
    tried_on=("chain",),
    in_mode={"chain": b'{"proven":false}'},
)
