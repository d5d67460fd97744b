"""Which roster changes a bot agrees to, and which newcomers a host's bot admits.

No one may gain a majority through the bots at a table. As in the lobby, bots accept only newcomers whom the host
proposes, so a stranger cannot bring in friends with the bots' votes. Bots do not take the seat of a player who is only
pausing: the player must have missed several hands.
"""

from __future__ import annotations

from collections.abc import Iterator

from nodealer.client.status import TableStatus, is_away
from nodealer.engine.commands import AgreeToRoster, Command, ProposeRoster
from nodealer.engine.state import ProposedRoster, TableState
from nodealer.keys import host_mark


def agrees_to(state: TableState, host: bytes | None, proposed: ProposedRoster) -> bool:
    """Return whether a bot agrees to a proposed roster; `host` is the mark of the host's key.

    The proposer must be present, the timekeeper must stay the same, only seats that are away may be removed, and
    newcomers are accepted only if the host proposes them.
    """
    before, after = set(state.roster.seats), set(proposed.roster.seats)
    out, come = before - after, after - before
    if proposed.by not in state.present or proposed.roster.timekeeper != state.roster.timekeeper:
        return False
    # An unchanged roster would only restart the hand for everyone, and an unnecessary new key would only lock out
    # spectators.
    if not (out or come) or (proposed.key is not None and not out):
        return False
    by_host = host == host_mark(state.all_members[proposed.by].key)
    return all(is_away(state, seat) for seat in out) and (not come or by_host)


class BotRosterPolicy:
    """Agrees to proposed rosters on behalf of a bot.

    While the table has fewer than `seats` players, a host's bot proposes the next player who asked for a seat.
    """

    def __init__(self, host: bytes | None, seats: int = 0) -> None:
        """Agree to rosters at the table of this host; None if no one is known to be the host.

        A host's bot also admits players until the table has `seats` players; 0 for other bots.
        """
        self._host = host
        self._seats = seats

    def on_status(self, status: TableStatus) -> Iterator[Command]:
        """Agree to a proposed roster, or propose a player who asked for a seat."""
        state = status.state
        if state is None or not status.in_roster or status.is_over or status.is_catching_up or status.unconfirmed:
            return
        for offer in status.rosters:
            if agrees_to(state, self._host, offer.proposed):
                yield AgreeToRoster(offer.id)
        for asks in status.requests if len(state.roster.with_cards) < self._seats else ():
            yield ProposeRoster(asks.roster, asks.newcomers)
