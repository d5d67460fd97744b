"""The duties of a table: what each seat owes, since when, and what was owed before."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from nodealer.engine.persistent_map import VersionedMap
from nodealer.protocols.base import Duty


class TableDuty(enum.StrEnum):
    """The kinds of duties to the table itself. All other kinds belong to the card protocol."""

    BEGIN = "begin"
    MOVE = "move"
    BOOK = "book"
    END = "end"


@dataclass(frozen=True)
class OpenDuty:
    """A duty, and the log height since which it is open."""

    duty: Duty
    since: int

    # defence: hurried-book
    @property
    def is_blocking(self) -> bool:
        """Whether others wait for it, so that they can vote to skip it.

        No one waits for a disclosure: it is never late.
        """
        return not self.duty.optional and not (self.duty.deck is None and self.duty.kind == TableDuty.BOOK)

    @property
    def is_move(self) -> bool:
        """Whether the duty is a move in the game."""
        return self.duty.deck is None and self.duty.kind == TableDuty.MOVE


@dataclass(frozen=True)
class ClosedDuty:
    """A duty that was open from one log height (inclusive) to another (exclusive), and the seat that owed it."""

    seat: int
    since: int
    until: int


@dataclass(frozen=True)
class Duties:
    """The open duties of a table, and those of this hand and the previous one that were closed."""

    open: Mapping[bytes, OpenDuty] = field(default_factory=dict)
    closed: VersionedMap[bytes, ClosedDuty] = field(default_factory=VersionedMap)
    closed_before: VersionedMap[bytes, ClosedDuty] = field(default_factory=VersionedMap)

    def with_open(self, owed: Iterable[Duty], height: int) -> Duties:
        """Return the duties after exactly these are owed at this log height; those that are missing are closed."""
        now = {duty.id: duty for duty in owed}
        known = self.open
        if now.keys() == known.keys() and all(duty.optional == known[id].duty.optional for id, duty in now.items()):
            return self
        # A duty that no longer blocks anyone can still be answered, but for votes that named it, it is closed.
        closed = self.closed.extended(
            (id, ClosedDuty(one.duty.seat, one.since, height))
            for id, one in known.items()
            if id not in now or (now[id].optional and one.is_blocking)
        )
        still = {id: _keep_open(known.get(id), duty, height) for id, duty in now.items()}
        return Duties(still, closed, self.closed_before)

    def next_hand(self) -> Duties:
        """Return the duties for the next hand: this hand's closed duties become the previous hand's."""
        return Duties(self.open, VersionedMap(), self.closed)

    def find_closed(self, id: bytes, seen: int) -> ClosedDuty | None:
        """Return the closed duty that was open at this log height, even if it was opened again since, or None."""
        known = (*self.closed.values(id), *self.closed_before.values(id))
        return next((one for one in known if one.since <= seen < one.until), None)

    def opened_between(self, after: int, until: int) -> bool:
        """Return whether a duty was opened at a height above `after` and at most `until`."""
        closed = (*self.closed.all_values(), *self.closed_before.all_values())
        heights = (*(known.since for known in self.open.values()), *(one.since for one in closed))
        return any(after < since <= until for since in heights)

    @property
    def blocking(self) -> dict[bytes, int]:
        """The ids of the duties that others wait for, with the seats that owe them."""
        return {id: known.duty.seat for id, known in self.open.items() if known.is_blocking}

    def of_seat(self, seat: int) -> dict[bytes, OpenDuty]:
        """Return the open duties of a seat by id, including optional ones."""
        return {id: known for id, known in self.open.items() if known.duty.seat == seat}


def _keep_open(known: OpenDuty | None, duty: Duty, height: int) -> OpenDuty:
    """Return the duty as open since it was first opened, or since this height if it is new."""
    if known is None:
        return OpenDuty(duty, height)
    return known if known.duty is duty else OpenDuty(duty, known.since)
