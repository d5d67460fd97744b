"""Poker hand histories from a saved log. What `nodealer export` does."""

from __future__ import annotations

from pathlib import Path

from pokerkit import HandHistory

from nodealer.audit.verify import Append, Report, verify_file
from nodealer.cli.entropy import system_entropy
from nodealer.games.holdem.hand import Hand
from nodealer.games.holdem.history import history
from nodealer.play.replica import Applied, Replica


def histories(file: Path) -> tuple[Report, str]:
    """What an audit says, and the finished hands, a section each."""
    report, hands = _hands(file)
    return report, HandHistory.dumps_all(hands)


def _hands(file: Path) -> tuple[Report, list[HandHistory]]:
    hands: list[HandHistory] = []

    def watch(replica: Replica) -> Append:
        def append(data: bytes) -> Applied:
            before = len(replica.state.results)
            applied = replica.append(data)
            game = replica.state.hand.game
            if len(replica.state.results) > before and isinstance(game, Hand):
                names = {player.seat: player.name for player in replica.state.roster.players}
                hands.append(history(game, names))
            return applied

        return append

    return verify_file(file, entropy=system_entropy, watch=watch), hands
