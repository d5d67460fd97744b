"""Vote to skip all others as soon as they owe anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nodealer.cheats.base import BotCheat, CheatMethod, CheatScheme
from nodealer.cheats.cheater import Cheater
from nodealer.engine.commands import VoteSkip
from nodealer.protocols.base import Cheat


def _vote_out(cheater: Cheater, sent: Sequence[bytes]) -> list[bytes]:
    """Return votes to skip the others, one for every duty that they owe, while this seat owes nothing itself."""
    seat = cheater.seat
    new = seat.blocking_duties.keys() - seat.replica.state.hand.skip_votes.get(seat.number, frozenset())
    if not new or seat.unconfirmed or not seat.can_vote_skip:
        return []
    return cheater.command(VoteSkip(frozenset(set(seat.blocking_duties.values()))))


#: The votes are in the log for everyone to see, and they are not a fault: a single vote has no effect.
CLAIM: Final = Cheat("one seat alone that would not wait for the others", "never", False)
THROW_OUT: Final = BotCheat(
    name="throw-out",
    does="tries to vote the others out whenever they owe something",
    law=CheatScheme(CheatMethod(CLAIM.cheat, beside=_vote_out), CLAIM),
)
