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
from nodealer.play.state import TableState
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
    # Whose deck it is in the second hand is known when there is one: nobody has to wait for the end of that hand.
    stage.until(lambda state: bool(_dealers(state)))
    again = dealer in _dealers(stage.state(1))
    return stage.came("deals again, as often as it likes" if again else None, seat=1)


def _dealers(state: TableState) -> list[int | None]:
    """Whose decks lie there in the second hand."""
    decks = state.hand.decks.values() if state.hand.number == 1 else ()
    return [deck.dealer for deck in decks if isinstance(deck, ChainDeck)]


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
