"""Who has won keeps its book shut, where every hand ends with open books: what it did is never looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

from nodealer.play.bodies import Body
from nodealer.play.duties import OpenDuty, Owed
from nodealer.play.home import Home
from nodealer.play.participant import Participant
from nodealer.play.phases import Phase
from nodealer.play.seat import Seat
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene, with_chips
from nodealer_lab.attacks.stage import Stage


class _ShutSeat(Seat):
    """Opens no book of a hand with such a result."""

    def __init__(self, *arguments: Any, shut: Callable[[int], bool], **named: Any) -> None:
        self._shut = shut
        super().__init__(*arguments, **named)

    def _answer(self, open_duty: OpenDuty) -> Body | None:
        duty = open_duty.duty
        if duty.deck is None and duty.kind == Owed.BOOK:
            record = self.replica.state.chronicle.records[duty.binding.hand]
            if self._shut(record.net.get(self.number, 0)):
                return None
        return super()._answer(open_duty)


class Shut(Participant):
    """Takes part as everybody does, but for that."""

    def __init__(self, home: Home, *, shut: Callable[[int], bool], **named: Any) -> None:
        self._shut = shut
        super().__init__(home, **named)

    def _new_seat(self, number: int, log: Iterable[bytes]) -> Seat:
        home, config = self.home, self.replica.config
        return _ShutSeat(
            config,
            number,
            shut=self._shut,
            root=home.root,
            key=home.identity,
            journal=home.journal,
            entropy=self._entropy,
            log=log,
        )


def _plays(scene: Scene) -> Came:
    """Whoever wins the hand is the cheater. At the end all sign what there is."""
    scene = with_chips(scene)
    stage = Stage(scene, makers=dict.fromkeys(range(scene.game.seats), partial(Shut, shut=lambda net: net > 0)))
    stage.end()
    state = stage.state()
    stake = state.config.rules.stake
    kept = state.phase is Phase.ENDED and any(chips > stake for chips in state.account.chips.values())
    return stage.came("keeps a pot whose book nobody has seen" if kept else None)


CLAIM: Final = Cheat("a winner that never opens its book", "never", False)
KEPT_BOOK: Final = Attack(
    name="kept-book",
    does="wins, and never opens its book",
    of=("A36",),
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(Without("nodealer.play.account:Account.closed", "if not books:", "if True:"),),
        ),
        CLAIM,
    ),
    tried_on=("chain", "duel"),
    in_mode={"chain": b'{"proven":false}', "duel": b'{"mode":"committed"}'},
)
