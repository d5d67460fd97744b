"""A seat says of all others, as soon as they owe anything, that the table should not wait for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nodealer.cheats.base import BotCheat, CheatMethod, CheatScheme
from nodealer.cheats.cheater import Cheater
from nodealer.protocols.base import Cheat


def _without(cheater: Cheater, said: Sequence[bytes]) -> list[bytes]:
    """As often as it may: of every duty once, when it owes nothing itself."""
    seat = cheater.seat
    new = seat.waits_for.keys() - seat.replica.state.hand.skip_votes.get(seat.number, frozenset())
    if not new or seat.unconfirmed or not seat.may_vote:
        return []
    return cheater.without(set(seat.waits_for.values()))


#: It is in the log for all to see, and it is no fault: whoever is alone with it has said so in vain.
CLAIM: Final = Cheat("one seat alone that would not wait for the others", "never", False)
THROW_OUT: Final = BotCheat(
    name="throw-out",
    does="tries to vote the others out whenever they owe something",
    law=CheatScheme(CheatMethod(CLAIM.cheat, beside=_without), CLAIM),
)
