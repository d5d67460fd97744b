"""All seal a bid. A seat seals one that opens as two, and waits to see which it needs: if salt and bid are hashed as
they stand, one behind the other, then the end of the salt may as well be the begin of the bid."""

from __future__ import annotations

from typing import Any, Final

from nodealer.games.free.rules import SealAll, UnsealAll
from nodealer.protocols.base import Cheat
from nodealer.protocols.envelopes import SALT_BYTES, SEAL, UNSEAL, Sealing, Unsealing
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.operations.free import free_table, lies
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene

#: What is bid, by seat. The last is the cheater's, if it needs no more.
BIDS: Final = (b"30", b"50", b"1")
#: And what it says before that if it does.
MORE: Final = b"5"


def _salt(moment: Moment) -> bytes:
    """Any bytes will do, but for the last."""
    return moment.tape.draw("two bids", moment.deck.origin, size=SALT_BYTES - len(MORE)) + MORE


def _seal(moment: Moment) -> bytes:
    return encode(Sealing(moment.deck._commitment(moment.duty.seat, _salt(moment), BIDS[-1])))


def _unseal(moment: Moment) -> bytes:
    """All others have opened theirs: it bids one more than the highest."""
    return encode(Unsealing(_salt(moment)[: -len(MORE)], MORE + BIDS[-1]))


def _plays(scene: Scene) -> Came:
    stage = free_table(TWO_BIDS, scene)
    stage.asks(0, SealAll(0))
    for seat, bid in enumerate(BIDS):
        (duty,) = stage[seat].options().choices
        stage.say(stage[seat].choose(duty, bid))
    stage.end()
    stage.asks(0, UnsealAll(0))
    hand: Any = stage.state().hand.game
    opened = {one.seat: one.value for one in hand.unsealed}
    more = opened.get(scene.cheater) == MORE + BIDS[-1]
    return stage.came("opens a higher bid than it sealed" if more else None, lies(stage, scene.cheater))


CLAIM: Final = Cheat("an envelope that opens as two things", "never", False)
TWO_BIDS: Final = Attack(
    name="two-bids",
    does="seals a bid that opens as two",
    of=("A19",),
    law=Scheme(
        Way(
            CLAIM.cheat,
            {SEAL: _seal, UNSEAL: _unseal},
            late=(UNSEAL,),
            plays=_plays,
            # Parts are hashed with their lengths; and a salt has a length of its own. Either is enough.
            defence=(
                Without("nodealer.protocols.envelopes:Envelopes._commitment", "salt, value)", "salt + value)"),
                Without(
                    "nodealer.protocols.envelopes:Envelopes.apply",
                    "read_message(Unsealing, message)",
                    "msgspec.json.decode(message, type=msgspec.defstruct("
                    '"Unsealing", [("salt", bytes), ("value", bytes)], tag="unseal"))',
                ),
            ),
        ),
        CLAIM,
    ),
    tried_on=("mask",),
    anywhere=True,
)
