"""Rehearsals: all seats in one process, everything from one number, the same log every time."""

from __future__ import annotations

from collections.abc import Callable

from nodealer.cli.entropy import rehearsal_entropy
from nodealer.cli.screen import Screen
from nodealer.drive.local import seat_players
from nodealer.drive.minds import BotMind
from nodealer.games.base import Rules
from nodealer.games.package import GamePackage
from nodealer.play.happened import Step
from nodealer.play.replica import Replica
from nodealer.play.stays import for_hands
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
    """Play a whole game from a seed. The session says that its seeds are public. `keep` is told of each step."""
    entropy, stays = rehearsal_entropy(seed, "table"), for_hands(hands)
    table = seat_players(names, protocol, rules, entropy, stays=stays, package=game, rehearsal=True)
    minds = {participant: BotMind(game, participant.home.root) for participant in table.participants}
    first = table.participants[0]
    show = screen.follow(first)

    def watch(step: Step) -> list[bytes]:
        keep(first.replica)
        return show(step)

    table.watch = watch
    table.run(lambda participant: minds[participant].act(participant))
    return first.replica
