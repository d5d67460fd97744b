"""To which rosters a bot agrees, and whom a host's bot lets in.

Nobody who sits at a table with bots shall get the majority by them. A bot takes the host's word on who comes in, as it
did in the lobby, and nobody else's: the friends of a stranger get no seats by bots. And a seat is taken from nobody who
only rests: it has to have been away for some hands.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from nodealer.engine.participant import Participant
from nodealer.engine.state import ProposedRoster, TableState
from nodealer.errors import IllegalMove
from nodealer.keys import host_mark

#: How many hands somebody must have missed before a bot agrees that it loses its seat.
AWAY_HANDS: Final = 3


def is_away(state: TableState, seat: int) -> bool:
    """Whether a seat has ended, was found at fault, or is gone and was not dealt in for some hands."""
    if seat in state.ended | state.expelled:
        return True
    last = state.chronicle.records[-AWAY_HANDS:]
    return seat in state.gone and len(last) == AWAY_HANDS and all(seat not in record.names for record in last)


def agrees_to(participant: Participant, proposed: ProposedRoster) -> bool:
    """Whether a bot would have this roster: proposed by somebody who is there, with the same timekeeper, without only
    those who are away, and with newcomers only if the host proposes them."""
    state = participant.replica.state
    before, after = set(state.roster.seats), set(proposed.roster.seats)
    out, come = before - after, after - before
    if proposed.by not in state.present or proposed.roster.timekeeper != state.roster.timekeeper:
        return False
    # A table as it is only has everybody begin again, and a key that nobody needs only shuts out who watches.
    if not (out or come) or (proposed.key is not None and not out):
        return False
    return all(is_away(state, seat) for seat in out) and (not come or _is_host(participant, proposed.by))


def _is_host(participant: Participant, seat: int) -> bool:
    return participant.host == host_mark(participant.replica.state.known[seat].key)


class BotRosterPolicy:
    """Looks at what is proposed. A host's bot has `seats` to give, and proposes who asks for one while one is free."""

    def __init__(self, seats: int = 0) -> None:
        self._seats = seats

    def on_tick(self, participant: Participant, now: float) -> list[bytes]:
        if not participant.sits or participant.over or participant.hearing or participant.seat.unconfirmed:
            return []
        state, me = participant.replica.state, participant.seat.number
        for id, proposed in state.proposed.items():
            if me not in proposed.agreed and agrees_to(participant, proposed):
                with suppress(IllegalMove):
                    return participant.agree(id)
        for asks in participant.asking if len(state.roster.with_cards) < self._seats else ():
            with suppress(IllegalMove):
                return participant.propose_roster(asks.roster, asks.newcomers)
        return []
