"""The replica: the only thing that turns an entry into state, for player, spectator and auditor alike.

The log always grows: an entry that is in it takes its number and moves the head, whatever it did to the table. The
table's state is immutable, so a check that fails later takes the table back to just before the false entry, records the
fault there, and leaves everything that honest seats did after it void. Checks may be settled entry by entry (eager),
many at once, or a hand's while the next one is read: the outcome is the same.
"""

from __future__ import annotations

import enum
from collections import deque
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
from nodealer.log.entry import Arrival, Entry, authenticate, first_head, next_head, read_entry
from nodealer.play.bodies import Body, read_body
from nodealer.play.duties import Duties
from nodealer.play.hand import refreshed
from nodealer.play.phases import Phase
from nodealer.play.state import Change, Config, Fault, TableState, first_state
from nodealer.play.steps import Origin, TooLate, apply_body, was_due
from nodealer.proofs.checks import Check, Entropy, settle
from nodealer.tape import digest

#: Begins to settle checks, and gives what waits for the end of it. Both may raise what `settle` raises.
Begin = Callable[[Sequence[Check], Entropy], Callable[[], None]]

#: How many hands are settled while the next ones are read: each keeps its proofs in memory.
HANDS_AHEAD = 2


def at_once(checks: Sequence[Check], entropy: Entropy) -> Callable[[], None]:
    """Settle here and now, when somebody waits for it."""
    return lambda: settle(checks, entropy)


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
class Applied:
    """An entry that was taken: what became of it, what it says, and what it did."""

    outcome: Outcome
    entry: Entry
    #: None where the table does not look at what an entry says any more.
    body: Body | None = None
    events: tuple[Event, ...] = ()
    #: The checks that it owes, settled or not.
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True)
class _Owed:
    """Checks of an entry that are not settled, and the state to go back to if one fails."""

    entry: int
    before: TableState
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class _Settling:
    """Checks on their way, and what waits for them."""

    owed: tuple[_Owed, ...]
    wait: Callable[[], None]


class Replica:
    """A table as its log makes it. Holds nothing secret."""

    def __init__(self, config: Config, *, entropy: Entropy, eager: bool = True, begin: Begin = at_once) -> None:
        self.config = config
        self.state = refreshed(first_state(config), 0)
        self.head = first_head(config.session.id)
        self.entries: list[bytes] = []
        self.checks_settled = 0
        self._entropy = entropy
        self._eager = eager
        self._begin = begin
        self._heights = {self.head: 0}
        #: Identity key to the entries it signed, in the order of their numbers.
        self._signed: dict[bytes, list[bytes]] = {}
        self._owed: list[_Owed] = []
        self._settling: deque[_Settling] = deque()

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

    def append(self, data: bytes) -> Applied:
        """Take the next entry of the log.

        Raises `DecodeError` or `BadSignature`, naming nobody, or `EntryRefused`, naming the seat: then nothing has
        changed and the entry is not part of the log.
        """
        arrival = read_entry(data)
        entry = arrival.entry
        authenticate(arrival, self.state.roster, self.config.session.id)
        signed = self._signed.setdefault(self.state.roster.player(entry.seat).key, [])
        if entry.seq < len(signed):
            return Applied(self._again(arrival, signed[entry.seq]), entry)
        if entry.seq > len(signed):
            raise EntryRefused(entry.seat, f"entry {entry.seq} of this seat before its {len(signed)}", self.height)
        if entry.seen not in self._heights:
            raise EntryRefused(entry.seat, "the entry saw a log that is not this one", self.height)
        applied = self._apply(arrival)
        signed.append(data)
        return applied

    def settle(self) -> None:
        """Settle every check that is owed. Afterwards the state is verified, or it is stopped by a fault."""
        self._begin_settling()
        while self._settling:
            self._wait()

    def _begin_settling(self) -> None:
        if self._owed:
            checks = [check for one in self._owed for check in one.checks]
            self._settling.append(_Settling(tuple(self._owed), self._begin(checks, self._entropy)))
            self._owed = []

    def _wait(self) -> None:
        """The oldest checks that are on their way."""
        settling = self._settling[0]
        try:
            settling.wait()
        except ProofRejected as rejected:
            # Everything after the false entry is void, whatever it seemed to do.
            self._settling.clear()
            self._owed = []
            before = next(one.before for one in settling.owed if one.entry == rejected.entry)
            self._stop(before, rejected, rejected.check)
        except BaseException:
            # When the source of entropy fails, nothing is settled and everything is still owed.
            self._owed = [one for waiting in self._settling for one in waiting.owed] + self._owed
            self._settling.clear()
            raise
        else:
            self._settling.popleft()
        self.checks_settled += sum(len(one.checks) for one in settling.owed)

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

    def _apply(self, arrival: Arrival) -> Applied:
        entry = arrival.entry
        if self.stopped:
            self._grow(arrival.data)
            return Applied(Outcome.VOID, entry)
        body: Body | None = None
        try:
            body = self._read(entry)
            change = self._change(entry, body)
        except TooLate:
            self._grow(arrival.data)
            return Applied(Outcome.DROPPED, entry, body)
        except (PeerFault, Undecided) as fault:
            self.settle()
            if not self.stopped:
                self._stop(self.state, fault, "message")
            self._grow(arrival.data)
            return Applied(Outcome.FAULT, entry, body)
        except NodealerError:
            # Refused on a state that may itself be false: then the entry is void, and not to be blamed. Nor need a game
            # cope with what no true deck gives, such as one face twice, where all seats went on with a false one.
            if not self._owed and not self._settling:
                raise
            self.settle()
            return self._apply(arrival)
        outcome = self._commit(arrival, change)
        return Applied(outcome, entry, body, change.events, change.checks)

    def _read(self, entry: Entry) -> Body:
        try:
            return read_body(bytes(entry.body))
        except Malformed as error:
            raise EntryRefused(entry.seat, str(error), self.height) from None

    def _change(self, entry: Entry, body: Body) -> Change:
        state = self.state
        origin = Origin(self.height, entry.seat, entry.hand, self._heights[entry.seen])
        if (entry.hand, entry.roster) == (state.hand.number, state.roster.digest):
            return apply_body(state, origin, body)
        # For another hand or roster it can only be late, and only if it was due on what it saw.
        if was_due(state, origin, body):
            raise TooLate
        raise EntryRefused(entry.seat, f"the entry is signed for another hand or roster ({entry.hand})", self.height)

    def _commit(self, arrival: Arrival, change: Change) -> Outcome:
        number, before = self.height, self.state
        self.state = refreshed(change.state, number + 1)
        if change.checks:
            checks = tuple(replace(check, entry=number) for check in change.checks)
            self._owed.append(_Owed(number, before, checks))
        self._grow(arrival.data)
        if self._eager or self.state.roster is not before.roster:
            # Who may speak is decided by the roster: it must not come from a log that may be false.
            self.settle()
        elif self.state.hand.number > before.hand.number or self.state.phase is Phase.ENDED:
            self._begin_settling()
            while len(self._settling) > HANDS_AHEAD:
                self._wait()
        return Outcome.FAULT if self.stopped else Outcome.ACCEPTED

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
        self.state = replace(before, phase=Phase.STOPPED, fault=record, duties=Duties())


def replay(config: Config, entries: Sequence[bytes], *, entropy: Entropy, eager: bool = True) -> Replica:
    """A replica of a whole log. A refused entry, or a repeat, makes the log a broken one."""
    replica = Replica(config, entropy=entropy, eager=eager)
    for data in entries:
        try:
            applied = replica.append(data)
        except (EntryRefused, Malformed) as refused:
            raise LogBroken(f"entry {replica.height} was never acceptable: {refused}") from None
        if applied.outcome is Outcome.REPEATED:
            raise LogBroken(f"entry {replica.height} stands in the log twice")
    replica.settle()
    return replica
