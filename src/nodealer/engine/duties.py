"""What is owed at a table: which duties are open, since when, and which were open before."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from nodealer.engine.persistent_map import VersionedMap
from nodealer.protocols.base import Duty


class TableDuty(enum.StrEnum):
    """The duties to the table itself. All others are the card protocol's."""

    BEGIN = "begin"
    MOVE = "move"
    BOOK = "book"
    END = "end"


@dataclass(frozen=True)
class OpenDuty:
    """A duty, and the height of the log from which on it is open."""

    duty: Duty
    since: int

    # defence: hurried-book
    @property
    def is_blocking(self) -> bool:
        """Whether others wait for it, so that it can be named. A book is never too late, and nobody waits for one."""
        return not self.duty.optional and not (self.duty.deck is None and self.duty.kind == TableDuty.BOOK)

    @property
    def is_move(self) -> bool:
        return self.duty.deck is None and self.duty.kind == TableDuty.MOVE


@dataclass(frozen=True)
class ClosedDuty:
    """Whose duty it was, from which height on it was open, and from which on it was no more."""

    seat: int
    since: int
    until: int


@dataclass(frozen=True)
class Duties:
    """The duties of a table: those that are open, and those of this hand and of the hand before that are not."""

    open: Mapping[bytes, OpenDuty] = field(default_factory=dict)
    closed: VersionedMap[bytes, ClosedDuty] = field(default_factory=VersionedMap)
    closed_before: VersionedMap[bytes, ClosedDuty] = field(default_factory=VersionedMap)

    def with_open(self, owed: Iterable[Duty], height: int) -> Duties:
        """The duties once these are owed, at this height of the log."""
        now = {duty.id: duty for duty in owed}
        known = self.open
        if now.keys() == known.keys() and all(duty.optional == known[id].duty.optional for id, duty in now.items()):
            return self
        # One that holds up nobody any more can still be answered; for those who have named it, it is closed.
        closed = self.closed.extended(
            (id, ClosedDuty(one.duty.seat, one.since, height))
            for id, one in known.items()
            if id not in now or (now[id].optional and one.is_blocking)
        )
        still = {id: _keep_open(known.get(id), duty, height) for id, duty in now.items()}
        return Duties(still, closed, self.closed_before)

    def next_hand(self) -> Duties:
        """What was closed in this hand was closed in the hand before, from now on."""
        return Duties(self.open, VersionedMap(), self.closed)

    def find_closed(self, id: bytes, seen: int) -> ClosedDuty | None:
        """A duty that was open on a log of this height and was closed, though it may have been opened again."""
        known = (*self.closed.values(id), *self.closed_before.values(id))
        return next((one for one in known if one.since <= seen < one.until), None)

    def opened_between(self, after: int, until: int) -> bool:
        """Whether a duty was opened on a log higher than one height, and not higher than another."""
        closed = (*self.closed.all_values(), *self.closed_before.all_values())
        heights = (*(known.since for known in self.open.values()), *(one.since for one in closed))
        return any(after < since <= until for since in heights)

    @property
    def blocking(self) -> dict[bytes, int]:
        """The duties that others wait for, with their seats."""
        return {id: known.duty.seat for id, known in self.open.items() if known.is_blocking}

    def of_seat(self, seat: int) -> dict[bytes, OpenDuty]:
        """What a seat owes, or may do."""
        return {id: known for id, known in self.open.items() if known.duty.seat == seat}


def _keep_open(known: OpenDuty | None, duty: Duty, height: int) -> OpenDuty:
    if known is None:
        return OpenDuty(duty, height)
    return known if known.duty is duty else OpenDuty(duty, known.since)
