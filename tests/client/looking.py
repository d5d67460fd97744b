"""How a policy acts at a time, without a client."""

from __future__ import annotations

from nodealer.client.policies import Policy, follow
from nodealer.client.status import TableStatus, TableTimes, table_status
from nodealer.engine.participant import Participant


def status_at(one: Participant, now: float = 0.0, times: TableTimes | None = None) -> TableStatus:
    """Return how the table is for a participant at this time."""
    times = times or TableTimes()
    times.observe(one, now)
    return table_status(one, times)


def look(policy: Policy, one: Participant, now: float) -> list[bytes]:
    """Let a policy act at this time, and return the frames to send."""
    return follow(policy, one, status_at(one, now))
