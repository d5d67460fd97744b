"""A dealer with decks of its own opens its coin last, leaves when another deck is picked than it wants, and deals anew.

Among the decks that it makes one may be false; the coin of all picks which is played, and all others are opened. Who
may try as often as it likes has its false deck played one day.
"""

from __future__ import annotations

from typing import Final

from nodealer.lab.attacks.base import Attack, Scheme, Way
from nodealer.lab.attacks.defence import Without
from nodealer.lab.attacks.outcome import Came
from nodealer.lab.attacks.scene import Scene
from nodealer.lab.attacks.stage import Stage
from nodealer.play.bodies import Leave
from nodealer.play.participant import Participant
from nodealer.protocols.base import Cheat
from nodealer.protocols.chain.deck import ChainDeck

COIN: Final = "coin"


class _KeepsItsCoin(Participant):
    """Opens nothing in the first hand."""

    def due(self) -> list[bytes]:
        mine = self.replica.state.duties.of(self.seat.number).values() if self.seated else ()
        return [] if any(known.duty.kind == COIN and not known.duty.binding.hand for known in mine) else super().due()


def _plays(scene: Scene) -> Came:
    dealer = scene.cheater
    stage = Stage(scene, hands=2, makers={dealer: _KeepsItsCoin})
    stage.end()
    stage.says(dealer, Leave())
    again = stage.until(
        lambda state: (
            state.hand.number == 1
            and any(isinstance(deck, ChainDeck) and deck.dealer == dealer for deck in state.hand.decks.values())
        )
    )
    return stage.came("deals again, as often as it likes" if again else None, seat=1)


CLAIM: Final = Cheat("a dealer that leaves when it sees which deck is picked, and deals again", "never", False)
DEALS_AGAIN: Final = Attack(
    name="deals-again",
    does="leaves when it sees which of its decks is picked, and deals again",
    of=("A36", "A38"),
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            seat=0,
            defence=(Without("nodealer.play.law:leave", "barred=state.barred | barred", "barred=state.barred"),),
        ),
        CLAIM,
    ),
    tried_on=("chain",),
    in_mode={"chain": b'{"deck":"dealer"}'},
)
