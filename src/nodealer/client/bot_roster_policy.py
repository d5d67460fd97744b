"""Which roster changes a bot agrees to, and which newcomers a host's bot admits.

No one may gain a majority through the bots at a table. As in the lobby, bots accept only newcomers whom the host
proposes, so a stranger cannot bring in friends with the bots' votes. Bots do not take the seat of a player who is only
pausing: the player must have missed several hands.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from nodealer.engine.participant import Participant
from nodealer.engine.state import ProposedRoster, TableState
from nodealer.errors import IllegalMove
from nodealer.keys import host_mark

#: A bot agrees to remove a player only if they have missed this many hands.
AWAY_HANDS: Final = 3


def is_away(state: TableState, seat: int) -> bool:
    """Return whether a seat has ended, was expelled, or has left and missed the last `AWAY_HANDS` hands."""
    if seat in state.ended | state.expelled:
        return True
    last = state.chronicle.records[-AWAY_HANDS:]
    return seat in state.gone and len(last) == AWAY_HANDS and all(seat not in record.names for record in last)


def agrees_to(participant: Participant, proposed: ProposedRoster) -> bool:
    """Return whether a bot agrees to a proposed roster.

    The proposer must be present, the timekeeper must stay the same, only seats that are away may be removed, and
    newcomers are accepted only if the host proposes them.
    """
    state = participant.replica.state
    before, after = set(state.roster.seats), set(proposed.roster.seats)
    out, come = before - after, after - before
    if proposed.by not in state.present or proposed.roster.timekeeper != state.roster.timekeeper:
        return False
    # An unchanged roster would only restart the hand for everyone, and an unnecessary new key would only lock out
    # spectators.
    if not (out or come) or (proposed.key is not None and not out):
        return False
    return all(is_away(state, seat) for seat in out) and (not come or _is_host(participant, proposed.by))


def _is_host(participant: Participant, seat: int) -> bool:
    """Return whether this seat's key is the host's."""
    return participant.host == host_mark(participant.replica.state.all_members[seat].key)


class BotRosterPolicy:
    """Agrees to proposed rosters on behalf of a bot.

    While the table has fewer than `seats` players, a host's bot proposes the next player who asked for a seat.
    """

    def __init__(self, seats: int = 0) -> None:
        """Agree to rosters. A host's bot also admits players until the table has `seats` players; 0 for other bots."""
        self._seats = seats

    def on_tick(self, participant: Participant, now: float) -> list[bytes]:
        """Agree to a proposed roster, or propose a player who asked for a seat; return the frames to send."""
        if (
            not participant.is_in_roster
            or participant.is_over
            or participant.is_catching_up
            or participant.seat.unconfirmed
        ):
            return []
        state, me = participant.replica.state, participant.seat.number
        for id, proposed in state.proposed.items():
            if me not in proposed.agreed and agrees_to(participant, proposed):
                with suppress(IllegalMove):
                    return participant.agree_to_roster(id)
        for asks in participant.seat_requests if len(state.roster.with_cards) < self._seats else ():
            with suppress(IllegalMove):
                return participant.propose_roster(asks.roster, asks.newcomers)
        return []
