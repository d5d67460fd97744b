"""To which rosters a bot agrees: to those that put nobody out who is there."""

from __future__ import annotations

from contextlib import suppress

from nodealer.errors import IllegalMove
from nodealer.play.participant import Participant
from nodealer.play.state import ProposedRoster, TableState


def puts_nobody_out(state: TableState, proposed: ProposedRoster) -> bool:
    """Whether everybody stays who is there, and the timekeeper too. Who is gone, or has ended, may be left out, and
    anybody may come in: whoever is new has signed for it."""
    roster = proposed.roster
    return set(state.present) <= set(roster.seats) and roster.timekeeper == state.roster.timekeeper


class Welcome:
    """Looks at what is proposed, and agrees to what puts nobody out."""

    def look(self, participant: Participant, now: float) -> list[bytes]:
        if not participant.seated or participant.over or participant.hearing or participant.seat.unconfirmed:
            return []
        state, me = participant.replica.state, participant.seat.number
        for id, proposed in state.proposed.items():
            if me not in proposed.agreed and puts_nobody_out(state, proposed):
                with suppress(IllegalMove):
                    return participant.agree(id)
        return []
