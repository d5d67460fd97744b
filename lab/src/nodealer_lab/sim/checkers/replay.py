"""A finished game as the checkers see it: every log is replayed from its beginning."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from nodealer.audit.report import Report
from nodealer.audit.verify import verify_file
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Applied, Replica
from nodealer.engine.state import TableState
from nodealer.errors import CardUnreadable, NodealerError
from nodealer.log.file import save_log
from nodealer_lab.sim.dice import SeededDice
from nodealer_lab.sim.node import Node
from nodealer_lab.sim.player import is_rebuilding
from nodealer_lab.sim.world import World


class FinishedGame:
    """A finished game, with each of its logs replayed."""

    def __init__(self, world: World) -> None:
        """Take the world after its game, and find the nodes whose session has begun."""
        self.world = world
        self.begun = [node for node in world.nodes if node.participant is not None and node.participant.has_session]

    @cached_property
    def logs(self) -> list[ReplayedLog]:
        """Each distinct log once. A forked game has more than one."""
        logs = {tuple(node.replica.entries): node for node in reversed(self.begun)}
        return [ReplayedLog(node, self.world.plan.seed) for node in logs.values()]

    @property
    def lasting(self) -> list[ReplayedLog]:
        """The logs of the nodes that no permanent fault hit."""
        return [log for log in self.logs if log.node in self.world.lasting]

    @property
    def gone(self) -> frozenset[int]:
        """The places that can no longer act.

        They are doomed, away, silenced because their store is an old copy, or they have spoilt a card of their own and
        cannot choose because they cannot read it.
        """
        silent = (node for node in self.begun if node.living_participant.silenced is not None)
        spoilt = (node for node in self.begun if node.lied and not _can_read(node))
        away = (node for node in self.world.nodes if node.away)
        return self.world.doomed | {node.place for node in (*silent, *spoilt, *away)}

    def count_logged_faults(self) -> Counter[str]:
        """Count the faults that only the log can show."""
        applied = max((log.applied for log in self.logs), key=len, default=[])
        cheater = self.world.plan.cheater
        return Counter(
            late=sum(map(_became_late, applied)),
            rebuilt=sum(map(_left_during_rebuild, applied)),
            keyed=len(applied[-1].after.chronicle.key_changes) if applied else 0,
            cheated=len({*self.world.nodes[cheater[0]].lied}) if cheater is not None else 0,
        )


def _can_read(node: Node) -> bool:
    """Return whether all cards of the node can be read."""
    try:
        if node.living_participant.has_seat:
            node.living_participant.seat.known_cards()
    except CardUnreadable:
        return False
    return True


def _became_late(applied: Applied) -> bool:
    """Return whether this entry made any duty late."""
    before, after = applied.before.clock, applied.after.clock
    return before is not None and after is not None and bool(after.late - before.late)


def _left_during_rebuild(applied: Applied) -> bool:
    """Return whether a seat left while a deck was being rebuilt because of another."""
    before, after = applied.before, applied.after
    return bool(after.gone - before.gone) and is_rebuilding(before.hand.decks.values())


def hands_begun(state: TableState) -> int:
    """Return how many hands have begun. The number of an upcoming hand is the count of those before it."""
    return state.hand.number + (state.phase is Phase.PLAYING)


class ReplayedLog:
    """A log, and the outcome of each of its entries."""

    def __init__(self, node: Node, seed: str) -> None:
        """Replay the log of a node. If an entry cannot be applied, `broken` is the error."""
        self.node = node
        self.applied: list[Applied] = []
        self.broken: str | None = None
        self._seed = seed
        # After a cheat, replay entry by entry: an entry that is first accepted and later undone has another final
        # outcome.
        cheated = bool(node.replica.state.faults)
        self.replica = Replica(node.replica.config, entropy=SeededDice(seed, "replay"), eager=cheated)
        try:
            self.applied += [self.replica.append(entry) for entry in node.replica.entries]
            self.replica.settle()
        except NodealerError as error:
            self.broken = str(error)

    @property
    def state(self) -> TableState:
        """The table at the end of the log."""
        return self.replica.state

    def audit(self) -> Report:
        """Save the log and audit it. Return the report."""
        config = self.replica.config
        with TemporaryDirectory() as folder:
            path = Path(folder) / "log.jsonl"
            save_log(path, config.session, self.node.replica.entries)
            entropy = SeededDice(self._seed, "audit")
            return verify_file(path, entropy=entropy, on=config.protocol.group, game=config.package)
