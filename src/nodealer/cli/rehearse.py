"""Rehearsals: all seats in one process, everything from one number, the same log every time."""

from __future__ import annotations

from nodealer.cli.entropy import rehearsal_entropy
from nodealer.cli.screen import Screen
from nodealer.drive.local import seat_players
from nodealer.drive.minds import BotMind
from nodealer.games.base import Rules
from nodealer.play.participant import Participant
from nodealer.play.replica import Replica
from nodealer.play.stays import for_hands
from nodealer.protocols.base import CardProtocol


def rehearse(
    rules: Rules, protocol: CardProtocol, names: tuple[str, ...], hands: int, seed: int, screen: Screen
) -> Replica:
    """Play a whole game from a seed. The session says that its seeds are public."""
    entropy = rehearsal_entropy(seed, "table")
    table = seat_players(names, protocol, rules, entropy, stays=for_hands(hands), rehearsal=True)
    minds = {participant: BotMind(participant.home.root) for participant in table.participants}

    def decide(participant: Participant) -> list[bytes]:
        return minds[participant].act(participant)

    table.watch = screen.follow(table.participants[0])
    table.run(decide)
    return table.participants[0].replica
