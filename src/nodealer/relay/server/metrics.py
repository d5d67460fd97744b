"""What an operator sees: numbers and events, but not who plays or what is sent."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, Final

from nodealer.relay.permissions import MAILBOX

_PREFIX: Final = "nodealer_relay"

#: Logs an event for the operator: its name and facts. Never what is sent, by whom, or at which table.
Log = Callable[[str, dict[str, Any]], None]


def discard_event(event: str, facts: dict[str, Any]) -> None:
    """Ignore an event: the log of relays inside another program."""


def table_alias(table: str) -> str:
    """Return the name of a table in logs: a short hash.

    There are so few mailboxes that a hash of their number would hide nothing; all are called "mailbox".
    """
    return "mailbox" if table.startswith(MAILBOX) else hashlib.sha256(table.encode()).hexdigest()[:8]


def _metric(kind: str, meaning: str) -> Any:
    """Return a dataclass field with its Prometheus type and meaning."""
    return field(default=0, metadata={"kind": kind, "meaning": meaning})


@dataclass(slots=True)
class Metrics:
    """Counters since the start, and current values."""

    connections: int = _metric("gauge", "Open connections.")
    tables: int = _metric("gauge", "Tables that a client has open.")
    behind: int = _metric("gauge", "Readers that are served from the store because they joined late or are slow.")
    stored_bytes: int = _metric("gauge", "Bytes of all stored frames.")
    made: int = _metric("counter", "Tables and mailboxes created here.")
    taken: int = _metric("counter", "Frames accepted.")
    taken_bytes: int = _metric("counter", "Bytes of the frames accepted.")
    delivered: int = _metric("counter", "Frames delivered to clients.")
    slowed: int = _metric("counter", "Times that a client was slowed down.")
    refused: int = _metric("counter", "Refused requests and frames.")
    turned_away: int = _metric("counter", "Connections turned away because of a limit.")
    cut_off: int = _metric("counter", "Readers disconnected because they were too slow.")
    forgotten: int = _metric("counter", "Tables deleted because they were idle or ended.")
    failures: int = _metric("counter", "Store failures.")

    def text(self) -> str:
        """Return all metrics in the Prometheus text format."""
        lines: list[str] = []
        for each in fields(self):
            kind = each.metadata["kind"]
            name = f"{_PREFIX}_{each.name}" + ("_total" if kind == "counter" else "")
            lines += (f"# HELP {name} {each.metadata['meaning']}", f"# TYPE {name} {kind}")
            lines.append(f"{name} {getattr(self, each.name)}")
        return "\n".join(lines) + "\n"
