"""Where nothing is proven, a seat spoils a place of the deck to read another player's card, tells a friend, folds, and
never opens its book. The friend has done nothing wrong, and its own book says so: it keeps the pot."""

from __future__ import annotations

from functools import partial
from typing import Final

from nodealer.cheats.cheater import Cheater, CheatingSeat
from nodealer.play.bodies import Body
from nodealer.play.duties import OpenDuty, Owed
from nodealer.play.phases import Phase
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Played, Scene
from nodealer_lab.attacks.shuffles.mark import MARK, reads
from nodealer_lab.attacks.stage import Stage


class _Shut(CheatingSeat):
    """Opens no book."""

    def _answer(self, open_duty: OpenDuty) -> Body | None:
        duty = open_duty.duty
        return None if duty.deck is None and duty.kind == Owed.BOOK else super()._answer(open_duty)


class _Friend(Cheater):
    """Who cannot read its own card, since it has spoilt it, folds."""

    signs = _Shut


def _plays(scene: Scene) -> Came:
    """Whoever of the others wins is its friend."""
    stage = Stage(scene, makers={scene.cheater: partial(_Friend, attack=MARK)})
    stage.end()
    state, replica = stage.state(), stage[0].replica
    roots = {seat: home.root for seat, home in enumerate(stage.homes)}
    played = Played(replica.config, tuple(replica.entries), scene.cheater, (), scene.names, roots)
    chips = state.account.chips.values() if state.phase is Phase.ENDED else ()
    kept = max(chips, default=0) > state.config.rules.stake
    return stage.came("has a friend keep a pot that it has read another's card for" if kept and reads(played) else None)


CLAIM: Final = Cheat("a folded friend that cheats for another and never opens its book", "never", False)
FOLDED_FRIEND: Final = Attack(
    name="folded-friend",
    does="reads a card for a friend, folds, and never opens its book",
    of=("A36", "A50"),
    who="a coalition",
    law=Scheme(Way(CLAIM.cheat, plays=_plays, unseen="cannot be seen"), CLAIM),
    tried_on=("chain",),
    in_mode={"chain": b'{"proven":false}'},
)
