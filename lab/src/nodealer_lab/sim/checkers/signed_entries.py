"""An independent check that what honest seats signed was due in the log that they had seen."""

from __future__ import annotations

from collections.abc import Iterator

from nodealer.engine.bodies import Answer, Break, Without, read_body
from nodealer.engine.state import TableState
from nodealer.log.entry import Entry, read_entry
from nodealer.log.journal import Sent
from nodealer_lab.sim.checkers.replay import FinishedGame, ReplayedLog
from nodealer_lab.sim.node import Node


def check_due_when_signed(played: FinishedGame) -> Iterator[str]:
    """Yield entries of honest seats that were not due on the log that they had seen.

    In that log all lies are already named, so this shows that no seat acted before it had verified the proofs.
    """
    logs = {tuple(log.node.replica.entries): log for log in played.logs}
    for node in played.begun:
        if not node.lies and not node.is_old_copy:
            for wrong in unfounded_entries(logs[tuple(node.replica.entries)], node):
                yield f"{node.name}: {wrong}"


def unfounded_entries(log: ReplayedLog, node: Node) -> Iterator[str]:
    """Yield the signed entries of a seat that answer nothing in the log that it had seen."""
    for record in node.home.journal.records if log.broken is None else ():
        if not isinstance(record, Sent):
            continue
        entry = read_entry(record.entry).entry
        height = log.replica.height_of(entry.seen)
        if height is None:
            yield f"number {entry.seq} was signed on a head that its log does not have"
        elif not _is_due(entry, log.applied[height].before if height < len(log.applied) else log.state):
            yield f"number {entry.seq}, signed on {height} entries, answers nothing that was due there"


def _is_due(entry: Entry, state: TableState) -> bool:
    """Return whether an honest seat could sign this entry in this state.

    An answer must be to a duty of its own, and a vote must be about open duties of other seats.
    """
    body, owed = read_body(bytes(entry.body)), state.duties.open
    if isinstance(body, Answer):
        known = owed.get(body.duty)
        return known is not None and known.duty.seat == entry.seat
    if isinstance(body, Without | Break):
        named = body.duties if isinstance(body, Without) else (body.duty,)
        return all(id in owed and owed[id].duty.seat != entry.seat for id in named)
    return True


def check_rollbacks(played: FinishedGame) -> Iterator[str]:
    """Yield nodes that continued from a log that lacks entries their journal shows they had seen."""
    for node in played.world.nodes:
        for lacking in node.went_back:
            yield f"{node.name} continues, but its log lacks {lacking} heads on which it has signed"
