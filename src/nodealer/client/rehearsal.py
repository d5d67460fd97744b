"""Rehearsals: all seats in one process, everything derived from one number, the same log every time."""

from __future__ import annotations

from collections.abc import Callable

from nodealer.client.agents import BotAgent
from nodealer.client.entropy import rehearsal_entropy
from nodealer.client.local_table import seat_players
from nodealer.client.narrator import Narrator, session_opened
from nodealer.client.setup import TableSetup
from nodealer.client.status import TableTimes, table_status
from nodealer.client.ui import UI
from nodealer.engine.frame_result import Received
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.replica import Applied, Replica


def rehearse(setup: TableSetup, seed: int, ui: UI, on_log: Callable[[Replica], None]) -> Replica:
    """Play a whole game from a seed, and return its table. The session says that its seeds are public.

    `on_log` is called after each step.
    """
    entropy, stays = rehearsal_entropy(seed, "table"), stay_for_hands(setup.hands)
    table = seat_players(
        setup.names, setup.protocol, setup.rules, entropy, stays=stays, package=setup.game, rehearsal=True
    )
    agents = {participant: BotAgent(setup.game, participant.store.root) for participant in table.participants}
    first, times = table.participants[0], TableTimes()
    narrator = Narrator.for_table(first.replica.config)

    def show_status() -> None:
        """Show how the table stands for the first player."""
        times.observe(first, 0.0)
        ui.status(table_status(first, times))

    def watch(step: Received) -> list[bytes]:
        """Copy the log of the first player, and show the step."""
        on_log(first.replica)
        for applied in step.happened:
            if isinstance(applied, Applied):
                for event in narrator.describe(applied):
                    ui.show(event)
        show_status()
        return []

    show_status()
    ui.show(session_opened(first.replica))
    table.run(lambda participant: agents[participant].act(participant), watch)
    return first.replica
