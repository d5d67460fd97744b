"""Rehearsals: all seats in one process, everything derived from one number, the same log every time."""

from __future__ import annotations

from collections.abc import Callable

from nodealer.cli.screen import Screen
from nodealer.client.agents import BotAgent
from nodealer.client.entropy import rehearsal_entropy
from nodealer.client.local_table import seat_players
from nodealer.engine.frame_result import Received
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.replica import Replica
from nodealer.games.base import Rules
from nodealer.games.package import GamePackage
from nodealer.protocols.base import CardProtocol


def rehearse(
    game: GamePackage,
    rules: Rules,
    protocol: CardProtocol,
    names: tuple[str, ...],
    hands: int,
    seed: int,
    screen: Screen,
    keep: Callable[[Replica], None],
) -> Replica:
    """Play a whole game from a seed. The session says that its seeds are public. `keep` is called after each step."""
    entropy, stays = rehearsal_entropy(seed, "table"), stay_for_hands(hands)
    table = seat_players(names, protocol, rules, entropy, stays=stays, package=game, rehearsal=True)
    minds = {participant: BotAgent(game, participant.store.root) for participant in table.participants}
    first = table.participants[0]
    show = screen.follow(first)

    def watch(step: Received) -> list[bytes]:
        """Copy the log of the first player, and show the step."""
        keep(first.replica)
        return show(step)

    table.watch = watch
    table.run(lambda participant: minds[participant].act(participant))
    return first.replica
