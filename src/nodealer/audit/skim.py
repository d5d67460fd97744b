"""A replica that follows the first part of a log without checking it, and checks what comes after.

Skimming computes the same state as checking does, for a log that is right: it leaves out signatures, proofs, and
arithmetic whose result nobody looks at. It says nothing about the part that it skims: somebody else has to check that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, cast

from nodealer.audit.lazy import LazyGroup
from nodealer.errors import LogBroken
from nodealer.group import Group, Points, Scalars
from nodealer.log.entry import Arrival
from nodealer.log.roster import Roster
from nodealer.log.session import Session
from nodealer.play.config import config_of
from nodealer.play.replica import Replica
from nodealer.play.state import Config, Phase, TableState
from nodealer.proofs.checks import Check, Entropy
from nodealer.proofs.transcript import Context, Trace, Transcript
from nodealer.protocols.base import Table
from nodealer.tape import Item


class _NoTranscript(Transcript):
    """Of a proof that is not checked here."""

    def absorb(self, label: str, *items: Item) -> None:
        pass

    def absorb_points(self, label: str, *arrays: Points) -> None:
        pass

    def challenges(self, label: str, group: Group, count: int) -> Scalars:
        return group.integers([1] * count)


class _NoContext(Context):
    def transcript(self, trace: Trace | None = None) -> Transcript:
        return _NoTranscript(self.seat)


class _SkimmedTable(Table):
    def context(self, *, deck: int, epoch: int, step: str, seat: int) -> Context:
        real = super().context(deck=deck, epoch=epoch, step=step, seat=seat)
        return _NoContext(**_values(real))


@dataclass(frozen=True)
class _SkimmedConfig(Config):
    def table(self, hand: int, roster: Roster, seats: tuple[int, ...]) -> Table:
        return _SkimmedTable(**_values(super().table(hand, roster, seats)))


def _values(record: Any) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in fields(record)}


class Skimmer(Replica):
    """Skims until `begin_checking`, which must come between two hands; from then on it checks everything.

    Everything but signatures: of those it checks the ones in `signed`, a range of entries.
    """

    def __init__(self, session: Session, *, entropy: Entropy, signed: range) -> None:
        self._real = config_of(session)
        lazy = cast(Group, LazyGroup(self._real.protocol.group))
        self._signed_here = signed
        self._checking = False
        super().__init__(_SkimmedConfig(**_values(config_of(session, lazy))), entropy=entropy, eager=False)

    def begin_checking(self) -> None:
        """Everything from here on is checked."""
        if self.state.phase is not Phase.BETWEEN:
            raise LogBroken("a part of a log begins between two hands")
        table = self._real.table(self.state.hand, self.state.roster, self.state.roster.seats)
        self.config = self._real
        self.state = replace(self.state, config=self._real, table=table)
        self._checking = True

    def _authenticate(self, arrival: Arrival) -> None:
        if self.height in self._signed_here:
            super()._authenticate(arrival)
        elif arrival.entry.seat not in self.state.roster.seats or arrival.entry.session != self.config.session.id:
            raise LogBroken("an entry of another table")

    def _owe(self, number: int, before: TableState, checks: Sequence[Check]) -> None:
        if self._checking:
            super()._owe(number, before, checks)
