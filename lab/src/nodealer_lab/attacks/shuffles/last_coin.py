"""The dealer makes one false deck among the true ones, says its coin last, and says the one that picks the false deck:
that is the only one that nobody opens."""

from __future__ import annotations

from itertools import count
from typing import Final

from nodealer.protocols.base import Cheat
from nodealer.protocols.chain.candidates import picked
from nodealer.protocols.chain.deck import DealersDeck
from nodealer.protocols.chain.messages import Coin
from nodealer.tape import DIGEST_BYTES
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene, judged, tried
from nodealer_lab.attacks.shuffles.aces import all_aces, knows_all
from nodealer_lab.attacks.shuffles.dealing import FOR_TWO, dealing

#: The deck that is false, and that it would like to play.
FALSE: Final = 0


def one_false(moment: Moment, number: int) -> DealersDeck:
    """All are as they should be but one."""
    if number == FALSE:
        return all_aces(moment, number)
    honest: DealersDeck = moment.deck.made(moment.tape, number)
    return honest


def _coin(moment: Moment) -> bytes:
    """All others have said theirs."""
    stage, seat = moment.deck.stage, moment.duty.seat
    coins = (number.to_bytes(DIGEST_BYTES, "big") for number in count())
    false = (coin for coin in coins if picked({**stage.said, seat: coin}, len(stage.layers)) == FALSE)
    return encode(Coin(next(false)))


def _plays(scene: Scene) -> Came:
    """In one mode of one protocol: nothing for a bot that others play with."""
    played = tried(LAST_COIN, scene)
    return judged(played, knows_all(played))


CLAIM: Final = Cheat("a coin that is chosen when all others are open", "at once", True)

LAST_COIN: Final = Attack(
    name="last-coin",
    does="says its coin last, and has the false one of its decks played",
    of=("A37",),
    law=Scheme(
        Way(
            CLAIM.cheat,
            {**dealing(one_false), "coin": _coin},
            defence=(
                Without(
                    "nodealer.protocols.chain.candidates:Tossing.apply",
                    "if _commitment(deck, duty.seat, self.layers, coin) != self.commitments[duty.seat]:",
                    "if False:",
                ),
            ),
            plays=_plays,
            late=("coin",),
            seat=0,
            game=FOR_TWO,
        ),
        CLAIM,
    ),
    tried_on=("chain",),
    in_mode={"chain": b'{"deck":"dealer","proven":false}'},
)
