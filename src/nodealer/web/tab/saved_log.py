"""A saved log in a tab: verified and shown hand by hand, for people who have nothing else to verify it with."""

from __future__ import annotations

import time
from pathlib import Path

from nodealer.audit.verify import Append, verify_file
from nodealer.engine.replica import Applied, Replica
from nodealer.proofs.checks import Entropy
from nodealer.web import messages as doc
from nodealer.web.tab.table import TabTable


def show_log(table: TabTable, log: Path, entropy: Entropy) -> None:
    """Audit a log in front of the person and show its hands. If it cannot be read, say why."""
    table.start("replay", None)
    began = time.perf_counter()

    def watch(replica: Replica) -> Append:
        """Open the replica on the page, and return a function that shows each entry it appends."""
        table.seat.open_table(replica, None)
        table.person.replica = replica

        def append(entry: bytes) -> Applied:
            """Append an entry to the replica and show it on the page."""
            applied = replica.append(entry)
            table.seat.show_entry(applied, replica)
            return applied

        return append

    with table.batch():
        report = verify_file(log, entropy=entropy, watch=watch)
        took = round((time.perf_counter() - began) * 1000, 1)
        table.seat.send(doc.Verdict(report.verdict, report.as_json(), took))
        if table.person.replica is None:
            table.seat.send(doc.TableOver(again=False, reason=report.reason))
