"""A dealer with decks of its own opens its coin last, leaves when another deck is picked than it wants, and deals anew;
or a friend does the leaving for it.

Among the decks that it makes one may be false; the coin of all picks which is played, and all others are opened. Who
may try as often as it likes has its false deck played one day.
"""

from __future__ import annotations

from typing import Final

from nodealer.play.bodies import Leave
from nodealer.play.participant import Participant
from nodealer.play.state import TableState
from nodealer.protocols.base import Cheat
from nodealer.protocols.chain.deck import ChainDeck
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage

COIN: Final = "coin"


class _KeepsItsCoin(Participant):
    """Opens nothing in the first hand."""

    def due(self) -> list[bytes]:
        mine = self.replica.state.duties.of(self.seat.number).values() if self.seated else ()
        return [] if any(known.duty.kind == COIN and not known.duty.binding.hand for known in mine) else super().due()


DEALER, FRIEND, HONEST = 0, 1, 2


def _alone(scene: Scene) -> Came:
    return _leaves(scene, DEALER, "makes decks again, as often as it likes")


def _helped(scene: Scene) -> Came:
    return _leaves(scene, FRIEND, "has its friend make decks again, as often as it likes")


def _leaves(scene: Scene, leaver: int, gain: str) -> Came:
    stage = Stage(scene, hands=2, makers={leaver: _KeepsItsCoin})
    stage.end()
    stage.says(leaver, Leave())
    # Whose deck it is in the second hand is known when there is one: nobody has to wait for the end of that hand.
    stage.until(lambda state: bool(_dealers(state)))
    return stage.came(gain if DEALER in _dealers(stage.state(HONEST)) else None, seat=HONEST)


def _dealers(state: TableState) -> list[int | None]:
    """Who makes the decks that lie there in the second hand; None where their cards are public."""
    decks = state.hand.decks.values() if state.hand.number == 1 else ()
    return [deck.dealer if deck.public is None else None for deck in decks if isinstance(deck, ChainDeck)]


CLAIM: Final = Cheat("a dealer that leaves when it sees which deck is picked, and deals again", "never", False)
DEALS_AGAIN: Final = Attack(
    name="deals-again",
    does="leaves when it sees which of its decks is picked, and deals again",
    of=("A36", "A38"),
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_alone,
            seat=DEALER,
            defence=(Without("nodealer.play.law:leave", "tried=state.tried | tried", "tried=state.tried"),),
        ),
        CLAIM,
    ),
    tried_on=("chain",),
    in_mode={"chain": b'{"deck":"dealer"}'},
)

HELPED_CLAIM: Final = Cheat("a dealer's friend that leaves when it sees which deck is picked", "never", False)
FRIEND_LEAVES: Final = Attack(
    name="friend-leaves",
    does="leaves when it sees which of the dealer's decks is picked, for the dealer to deal again",
    of=("A36", "A38"),
    law=Scheme(
        Way(
            HELPED_CLAIM.cheat,
            plays=_helped,
            seat=FRIEND,
            # As if only the dealer itself could want other coins.
            defence=(Without("nodealer.play.law:leave", "frozenset(leaving) if", "frozenset({0}) & {*leaving} if"),),
        ),
        HELPED_CLAIM,
    ),
    tried_on=("chain",),
    in_mode={"chain": b'{"deck":"dealer"}'},
)
