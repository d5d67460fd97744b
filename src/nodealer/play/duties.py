"""What is owed at a table: which duties are open, since when, and which were open before."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from nodealer.play.grown import Grown
from nodealer.protocols.base import Duty


class Owed(enum.StrEnum):
    """The duties to the table itself. All others are the card protocol's."""

    BEGIN = "begin"
    MOVE = "move"
    PROPOSE = "propose"
    AGREE = "agree"
    BOOK = "book"
    END = "end"


@dataclass(frozen=True)
class OpenDuty:
    """A duty, and the height of the log from which on it is open."""

    duty: Duty
    since: int


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
    closed: Grown[bytes, ClosedDuty] = field(default_factory=Grown)
    before: Grown[bytes, ClosedDuty] = field(default_factory=Grown)

    def refreshed(self, owed: Iterable[Duty], height: int) -> Duties:
        """The duties once these are owed, at this height of the log."""
        now = {duty.id: duty for duty in owed}
        if now.keys() == self.open.keys():
            return self
        over = [(id, known) for id, known in self.open.items() if id not in now]
        closed = self.closed.grown((id, ClosedDuty(known.duty.seat, known.since, height)) for id, known in over)
        still = {id: self.open.get(id) or OpenDuty(duty, height) for id, duty in now.items()}
        return Duties(still, closed, self.before)

    def next_hand(self) -> Duties:
        """What was closed in this hand was closed in the hand before, from now on."""
        return Duties(self.open, Grown(), self.closed)

    def was_open(self, id: bytes, seat: int, seen: int) -> bool:
        """Whether a duty of a seat, now closed, was open on a log of this height."""
        known = self.closed.get(id) or self.before.get(id)
        return known is not None and known.seat == seat and known.since <= seen < known.until
