"""Who has lost keeps its book shut, where every hand ends with open books: if the winner had to wait for it, what was
won would go back when the session ends."""

from __future__ import annotations

from functools import partial
from typing import Final

from nodealer.play.phases import Phase
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.law.kept_book import Shut
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene, with_chips
from nodealer_lab.attacks.stage import Stage


def _plays(scene: Scene) -> Came:
    """Whoever loses the hand is a cheater. At the end all sign what there is."""
    scene = with_chips(scene)
    stage = Stage(scene, makers=dict.fromkeys(range(scene.game.seats), partial(Shut, shut=lambda net: net < 0)))
    stage.end()
    state = stage.state()
    back = state.phase is Phase.ENDED and not any(chips > state.config.rules.stake for chips in _chips(stage))
    return stage.came("has its bets back, by a book that it never opens" if back else None)


def _chips(stage: Stage) -> list[int]:
    return list(stage.state().account.chips.values())


CLAIM: Final = Cheat("a loser that never opens its book", "never", False)
LOST_BOOK: Final = Attack(
    name="lost-book",
    does="loses, and never opens its book",
    of=("A36",),
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            # What somebody has won waits for its own book, and for nobody else's.
            defence=(
                Without(
                    "nodealer.play.account:Account.released",
                    "if seat in held.covered}",
                    "if held.covered >= held.net.keys()}",
                ),
            ),
        ),
        CLAIM,
    ),
    tried_on=("chain", "duel"),
    in_mode={"chain": b'{"proven":false}', "duel": b'{"mode":"committed"}'},
)
