"""The replica: the only thing that turns an entry into state, for player, spectator and auditor alike.

The log always grows: an entry that is in it takes its number and moves the head, whatever it did to the table. The
table's state is immutable, so a check that fails later takes the table back to just before the false entry, records the
fault there, and leaves everything that honest seats did after it void. Checks may be settled entry by entry (eager) or
many at once (lazy): the outcome is the same.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from nodealer.cards import Event
from nodealer.errors import (
    EntryRefused,
    LogBroken,
    Malformed,
    NodealerError,
    PeerError,
    PeerFault,
    ProofRejected,
    Undecided,
)
from nodealer.log.entry import Arrival, authenticate, first_head, next_head, read_entry
from nodealer.play.bodies import read_body
from nodealer.play.state import Change, Config, Fault, Phase, TableState, first_state, refreshed
from nodealer.play.steps import Origin, TooLate, apply_body, was_due
from nodealer.proofs.checks import Check, Entropy, settle
from nodealer.tape import digest

Verify = Callable[[Sequence[Check], Entropy], None]


class Outcome(enum.Enum):
    """What became of an entry."""

    ACCEPTED = "accepted"
    #: It came too late: in the log, without effect, nobody's fault.
    DROPPED = "dropped"
    #: The table had stopped: in the log, without effect.
    VOID = "void"
    #: It, or something before it, is false: the table has stopped.
    FAULT = "fault"
    #: The same bytes again: not in the log a second time.
    REPEATED = "repeated"


@dataclass(frozen=True)
class _Owed:
    """Checks of an entry that are not settled, and the state to go back to if one fails."""

    entry: int
    before: TableState
    checks: tuple[Check, ...]


class Replica:
    """A table as its log makes it. Holds nothing secret."""

    def __init__(self, config: Config, *, entropy: Entropy, eager: bool = True) -> None:
        self.config = config
        self.state = first_state(config)
        self.head = first_head(config.session.id)
        self.entries: list[bytes] = []
        #: What happened, with the number of the entry that made it happen.
        self.events: list[tuple[int, Event]] = []
        #: The proofs that came, each with the number of its entry. Whether they hold is known when they are settled.
        self.proofs: list[tuple[int, str]] = []
        self.checks_settled = 0
        self._entropy = entropy
        self._eager = eager
        self._heights = {self.head: 0}
        #: Identity key to the entries it signed, in the order of their numbers.
        self._signed: dict[bytes, list[bytes]] = {}
        self._owed: list[_Owed] = []

    @property
    def height(self) -> int:
        """How many entries the log has."""
        return len(self.entries)

    @property
    def stopped(self) -> bool:
        """Whether a fault has stopped the table."""
        return self.state.phase is Phase.STOPPED

    def digest(self) -> bytes:
        """Equal for all replicas of one log whose checks are settled."""
        return digest("replica", self.head, self.state.digest())

    def has_seen(self, head: bytes) -> bool:
        """Whether a head is one of this log."""
        return head in self._heights

    def signed_by(self, key: bytes) -> int:
        """How many entries of this log an identity key has signed: the number of its next."""
        return len(self._signed.get(key, ()))

    def newest(self, key: bytes) -> bytes | None:
        """The newest entry of this log that an identity key has signed."""
        signed = self._signed.get(key)
        return signed[-1] if signed else None

    def append(self, data: bytes) -> Outcome:
        """Take the next entry of the log.

        Raises `DecodeError` or `BadSignature`, naming nobody, or `EntryRefused`, naming the seat: then nothing has
        changed and the entry is not part of the log.
        """
        arrival = read_entry(data)
        entry = arrival.entry
        self._authenticate(arrival)
        signed = self._signed.setdefault(self.state.roster.player(entry.seat).key, [])
        if entry.seq < len(signed):
            return self._again(arrival, signed[entry.seq])
        if entry.seq > len(signed):
            raise EntryRefused(entry.seat, f"entry {entry.seq} of this seat before its {len(signed)}", self.height)
        if entry.seen not in self._heights:
            raise EntryRefused(entry.seat, "the entry saw a log that is not this one", self.height)
        outcome = self._apply(arrival)
        signed.append(data)
        return outcome

    def settle(self) -> None:
        """Settle every check that is owed. Afterwards the state is verified, or it is stopped by a fault."""
        owed = self._owed
        checks = [check for one in owed for check in one.checks]
        try:
            settle(checks, self._entropy)
        except ProofRejected as rejected:
            before = next(one.before for one in owed if one.entry == rejected.entry)
            self._stop(before, rejected, rejected.check)
            self.events = [
                (entry, event) for entry, event in self.events if rejected.entry is None or entry < rejected.entry
            ]
        # Only now: when the source of entropy fails, nothing is settled and everything is still owed.
        self._owed = []
        self.checks_settled += len(checks)

    def _authenticate(self, arrival: Arrival) -> None:
        authenticate(arrival, self.state.roster, self.config.session.id)

    def _again(self, arrival: Arrival, earlier: bytes) -> Outcome:
        """A number that was used before: the same words once more, or a contradiction."""
        if arrival.signed == read_entry(earlier).signed:
            return Outcome.REPEATED
        self.settle()
        if not self.stopped:
            reason = f"it signed two different entries with the number {arrival.entry.seq}"
            self._stop(self.state, PeerFault(arrival.entry.seat, reason, self.height), "signatures")
        self._grow(arrival.data)
        return Outcome.FAULT

    def _apply(self, arrival: Arrival) -> Outcome:
        if self.stopped:
            self._grow(arrival.data)
            return Outcome.VOID
        try:
            change = self._change(arrival)
        except TooLate:
            self._grow(arrival.data)
            return Outcome.DROPPED
        except (PeerFault, Undecided) as fault:
            self.settle()
            if not self.stopped:
                self._stop(self.state, fault, "message")
            self._grow(arrival.data)
            return Outcome.FAULT
        except NodealerError:
            # Refused on a state that may itself be false: then the entry is void, and not to be blamed. Nor need a game
            # cope with what no true deck gives, such as one face twice, where all seats went on with a false one.
            if not self._owed:
                raise
            self.settle()
            return self._apply(arrival)
        return self._commit(arrival, change)

    def _change(self, arrival: Arrival) -> Change:
        entry, state = arrival.entry, self.state
        origin = Origin(self.height, entry.seat, entry.hand, self._heights[entry.seen])
        try:
            body = read_body(bytes(entry.body))
        except Malformed as error:
            raise EntryRefused(entry.seat, str(error), self.height) from None
        if (entry.hand, entry.roster) == (state.hand, state.roster.digest):
            return apply_body(state, origin, body)
        # For another hand or roster it can only be late, and only if it was due on what it saw.
        if was_due(state, origin, body):
            raise TooLate
        raise EntryRefused(entry.seat, f"the entry is signed for another hand or roster ({entry.hand})", self.height)

    def _commit(self, arrival: Arrival, change: Change) -> Outcome:
        number, before = self.height, self.state
        self.state = refreshed(change.state, number + 1)
        self.events.extend((number, event) for event in change.events)
        if change.checks:
            self._owe(number, before, change.checks)
        self._grow(arrival.data)
        if self._owed and (self._eager or self.state.phase in (Phase.BETWEEN, Phase.ENDED)):
            self.settle()
        return Outcome.FAULT if self.stopped else Outcome.ACCEPTED

    def _owe(self, number: int, before: TableState, checks: Sequence[Check]) -> None:
        self.proofs.extend((number, check.name) for check in checks)
        self._owed.append(_Owed(number, before, tuple(replace(check, entry=number) for check in checks)))

    def _grow(self, data: bytes) -> None:
        self.entries.append(data)
        self.head = next_head(self.head, data)
        self._heights[self.head] = self.height

    def _stop(self, before: TableState, fault: PeerError | Undecided, check: str) -> None:
        """Stop the table in the state before the false entry."""
        if isinstance(fault, PeerError):
            record = Fault(fault.entry if fault.entry is not None else self.height, fault.seat, check, fault.reason)
        else:
            record = Fault(self.height, None, check, str(fault))
        self.state = replace(before, phase=Phase.STOPPED, fault=record, duties={})


def replay(config: Config, entries: Sequence[bytes], *, entropy: Entropy, eager: bool = True) -> Replica:
    """A replica of a whole log. A refused entry, or a repeat, makes the log a broken one."""
    replica = Replica(config, entropy=entropy, eager=eager)
    for data in entries:
        try:
            outcome = replica.append(data)
        except (EntryRefused, Malformed) as refused:
            raise LogBroken(f"entry {replica.height} was never acceptable: {refused}") from None
        if outcome is Outcome.REPEATED:
            raise LogBroken(f"entry {replica.height} stands in the log twice")
    replica.settle()
    return replica
