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
    hands: dict[int, HandHistory] = {}

    def watch(replica: Replica) -> Append:
        def append(data: bytes) -> Applied:
            before = len(replica.state.chronicle.records)
            applied = replica.append(data)
            game, records = replica.state.hand.game, replica.state.chronicle.records
            if len(records) > before and records[-1].void is None and isinstance(game, Hand):
                hands[records[-1].hand] = history(game, records[-1].names)
            return applied

        return append

    report = verify_file(file, entropy=system_entropy, watch=watch)
    # A book that was opened later may have left a hand without result.
    return report, [
        hands[record.hand] for record in report.chronicle.records if record.hand in hands and record.void is None
    ]
