"""All limits of a relay, by name. docs/spec/relay.md has the same table.

`nodealer relay --limit NAME=VALUE` sets them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Final

from nodealer.errors import BadParameter
from nodealer.relay.messages import FRAME_BYTES_MAX
from nodealer.wire import LOG_BYTES_MAX, LOG_ENTRIES_MAX

_DAY: Final = 86_400


def _limit(default: int, meaning: str) -> int:
    """Return a dataclass field that carries its meaning as metadata."""
    return field(default=default, metadata={"meaning": meaning})


@dataclass(frozen=True)
class RelayLimits:
    """The limits of a relay. Sizes are in bytes, times in seconds; all are positive integers."""

    frame_bytes: int = _limit(FRAME_BYTES_MAX, "the largest frame")
    frames_per_second: int = _limit(200, "frames and requests of one client; a faster client is read more slowly")
    bytes_per_second: int = _limit(4 << 20, "bytes of one client; a faster client is read more slowly")
    burst_seconds: int = _limit(10, "how many seconds' worth of both a quiet client can save up")
    tables_per_address: int = _limit(100, "tables and mailboxes that one address can create in an hour")
    connections: int = _limit(20_000, "connections at a time")
    connections_per_address: int = _limit(50, "connections of one address at a time")
    clients_per_table: int = _limit(200, "connections that have the same table open")
    frames_per_table: int = _limit(LOG_ENTRIES_MAX, "frames of one table")
    bytes_per_table: int = _limit(LOG_BYTES_MAX, "bytes of one table's frames")
    rekeys_per_table: int = _limit(100, "new keys of one table")
    storage_bytes: int = _limit(16 << 30, "bytes of all tables' frames")
    idle_seconds: int = _limit(30 * _DAY, "a table that no one writes to is deleted after this")
    ended_seconds: int = _limit(_DAY, "a table is kept this long after its end")
    mailbox_seconds: int = _limit(600, "a mailbox is kept this long after it was issued")
    mailbox_frames: int = _limit(16, "frames of one mailbox")
    mailbox_bytes: int = _limit(4096, "the largest frame in a mailbox")
    hello_seconds: int = _limit(10, "how long a new connection may take for the handshake, and then to open a table")
    slow_seconds: int = _limit(60, "a reader that accepts no data for this long is disconnected")
    reader_bytes: int = _limit(256 << 10, "how much may be queued for one reader before it is served from the store")
    refusals: int = _limit(8, "refusals after which a connection is closed")

    def __post_init__(self) -> None:
        """Check that all limits are positive, and that clients accept frames this large. Raises `BadParameter`."""
        for each in fields(self):
            value = getattr(self, each.name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise BadParameter(f"{each.name} must be a whole number above zero, not {value!r}")
        if self.frame_bytes > FRAME_BYTES_MAX:
            raise BadParameter(f"frame_bytes must be at most {FRAME_BYTES_MAX}: clients accept no larger frames")


#: For a table among the processes of one machine, or friends in one house: no client is slowed down.
LOCAL_LIMITS: Final = RelayLimits(frames_per_second=100_000, bytes_per_second=1 << 30)
