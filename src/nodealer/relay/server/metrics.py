"""What an operator sees: numbers and events, and nothing of who or what."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, Final

from nodealer.relay.permissions import MAILBOX

_PREFIX: Final = "nodealer_relay"

#: Tells an operator what happens: a word for it, and facts. Never what is said, by whom, or at which table.
Log = Callable[[str, dict[str, Any]], None]


def say_nothing(event: str, facts: dict[str, Any]) -> None:
    """For relays inside another program."""


def alias(table: str) -> str:
    """What stands for a table in logs. Mailboxes are so few that a hash of their number would hide nothing."""
    return "mailbox" if table.startswith(MAILBOX) else hashlib.sha256(table.encode()).hexdigest()[:8]


def _counted(kind: str, meaning: str) -> Any:
    return field(default=0, metadata={"kind": kind, "meaning": meaning})


@dataclass(slots=True)
class Metrics:
    """Counters since the start, and how it is now."""

    connections: int = _counted("gauge", "Connections that are open.")
    tables: int = _counted("gauge", "Tables that somebody has open.")
    behind: int = _counted("gauge", "Readers that are served from the store, because they came late or are slow.")
    stored_bytes: int = _counted("gauge", "Bytes of the frames of all tables.")
    made: int = _counted("counter", "Tables and mailboxes that were made here.")
    taken: int = _counted("counter", "Frames that were taken.")
    taken_bytes: int = _counted("counter", "Bytes of the frames that were taken.")
    delivered: int = _counted("counter", "Frames that were brought to a client.")
    slowed: int = _counted("counter", "Times that a client was read more slowly.")
    refused: int = _counted("counter", "Things that were refused.")
    turned_away: int = _counted("counter", "Connections that found no place.")
    cut_off: int = _counted("counter", "Readers that were too slow.")
    forgotten: int = _counted("counter", "Tables that were forgotten, idle or ended.")
    failures: int = _counted("counter", "Times that the store failed.")

    def text(self) -> str:
        """In the text format of Prometheus."""
        lines: list[str] = []
        for each in fields(self):
            kind = each.metadata["kind"]
            name = f"{_PREFIX}_{each.name}" + ("_total" if kind == "counter" else "")
            lines += (f"# HELP {name} {each.metadata['meaning']}", f"# TYPE {name} {kind}")
            lines.append(f"{name} {getattr(self, each.name)}")
        return "\n".join(lines) + "\n"
