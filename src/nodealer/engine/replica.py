"""The replica: the only code that turns log entries into state, for players, spectators and auditors alike.

The log only grows: an entry that is part of it takes its number and moves the head, whatever it did to the table. The
state is immutable, so if a check fails later, the table goes back to just before the false entry, names its seat there,
and applies the entries after it again. Checks may be settled with each entry (eager), in batches, or for one hand while
the next is read. The outcome is the same.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from nodealer.cards.events import Event
from nodealer.engine.bodies import Begin as BeginHand
from nodealer.engine.bodies import Body, Book, read_body
from nodealer.engine.hand import refresh_duties
from nodealer.engine.phases import Phase
from nodealer.engine.state import Change, Config, Fault, TableState, first_state
from nodealer.engine.transitions import Origin, TooLate, apply_body, was_due
from nodealer.engine.votes import count_votes, expel
from nodealer.errors import (
    BadSignature,
    EntryAhead,
    EntryRefused,
    LogBroken,
    Malformed,
    NodealerError,
    PeerFault,
    ProofRejected,
    SawAnother,
    Undecided,
)
from nodealer.keys import VerifyingKey
from nodealer.log.entry import Arrival, Entry, authenticate, first_head, next_head, read_entry
from nodealer.proofs.checks import Check, Entropy, settle
from nodealer.records import replace
from nodealer.tape import digest

#: Starts to settle checks, and returns a function that waits for the result. Both may raise what `settle` raises.
CheckRunner = Callable[[Sequence[Check], Entropy], Callable[[], None]]

#: How many batches are settled while further entries are read, and after how many entries a batch is closed if no hand
#: ends before. Both limit memory use, and how much is applied again after a false proof.
BATCHES_AHEAD: Final = 2
BATCH_ENTRIES: Final = 256


def settle_in_process(checks: Sequence[Check], entropy: Entropy) -> Callable[[], None]:
    """Return a function that settles the checks in this process when it is called."""
    return lambda: settle(checks, entropy)


class Outcome(enum.Enum):
    """What happened to an entry."""

    ACCEPTED = "accepted"
    #: It came too late: it is in the log without effect, and no one is at fault.
    DROPPED = "dropped"
    #: It, or something it proves, is false: a seat is named and expelled.
    FAULT = "fault"
    #: The same bytes again: it is not in the log a second time.
    REPEATED = "repeated"


@dataclass(frozen=True)
class Applied:
    """An entry that was processed: its outcome, its contents, and its effect."""

    outcome: Outcome
    entry: Entry
    #: Its number in the log, and its size in bytes.
    number: int
    size: int
    #: The table before it and after it.
    before: TableState
    after: TableState
    #: None if the body was not read: for a repetition, or a second entry with the same number.
    body: Body | None = None
    events: tuple[Event, ...] = ()
    #: The checks that it requires, settled or not.
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True)
class Checkpoint:
    """A place in the log to which a replica can roll back."""

    height: int
    state: TableState
    keys: Mapping[int, VerifyingKey]
    checks_settled: int


@dataclass(frozen=True)
class _PendingChecks:
    """The unsettled checks of an entry, and the state to return to if one fails."""

    entry: int
    before: TableState
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class _RunningBatch:
    """Checks that are being settled, and the function that waits for them."""

    owed: tuple[_PendingChecks, ...]
    wait: Callable[[], None]


class Replica:
    """A table as its log defines it. Contains no secrets."""

    def __init__(
        self,
        config: Config,
        *,
        entropy: Entropy,
        eager: bool = True,
        check_runner: CheckRunner = settle_in_process,
        settle_after_hand: bool = True,
    ) -> None:
        """Create the replica of an empty log.

        `settle_after_hand` settles lazy checks after each hand. Without it, batches are fewer and larger, which costs
        less if nothing false is expected.
        """
        self.config = config
        self.state = refresh_duties(first_state(config), 0)
        self.head = first_head(config.session.id)
        self.entries: list[bytes] = []
        self.checks_settled = 0
        self.entropy = entropy
        #: Whether every check is settled together with its entry.
        self.eager = eager
        #: Whether a failed check rewinds the table to before its entry. Otherwise the error is raised to the caller.
        self.rewinds = True
        #: How checks are settled.
        self.check_runner = check_runner
        self._settle_after_hand = settle_after_hand
        self._heads = [self.head]
        self._heights = {self.head: 0}
        #: The keys of every seat that this log has seen.
        self._keys = dict(config.session.proposal.roster.keys)
        #: How many entries were dropped from the log because something before them was false.
        self.undone = 0
        #: Identity key to the entries that it signed, in the order of their numbers.
        self._signed: dict[bytes, list[bytes]] = {}
        self._pending: list[_PendingChecks] = []
        self._running: deque[_RunningBatch] = deque()

    @property
    def height(self) -> int:
        """The number of entries in the log."""
        return len(self.entries)

    def digest(self) -> bytes:
        """Return a digest that is equal for all replicas of one log whose checks are settled."""
        return digest("replica", self.head, self.state.digest())

    def has_seen(self, head: bytes) -> bool:
        """Return whether the log ever had this head."""
        return head in self._heights

    def height_of(self, head: bytes) -> int | None:
        """Return the height of the log at this head, or None if it never had it."""
        return self._heights.get(head)

    def count_signed_by(self, key: bytes) -> int:
        """Return how many entries an identity key has signed, which is the number of its next one."""
        return len(self._signed.get(key, ()))

    def last_entry_of(self, key: bytes) -> bytes | None:
        """Return the newest entry that an identity key has signed, or None."""
        signed = self._signed.get(key)
        return signed[-1] if signed else None

    # defence: fork
    def append(self, data: bytes) -> Applied:
        """Apply the next entry of the log and return what it did.

        Raise `DecodeError` or `BadSignature`, which blame no one, or `EntryRefused`, which names the seat. In these
        cases nothing has changed, and the entry is not part of the log.
        """
        arrival = read_entry(data)
        entry = arrival.entry
        if not self._contains(arrival):
            authenticate(arrival, self._keys, self.config.session.id)
        signed = self._signed.setdefault(self.state.all_members[entry.seat].key, [])
        if entry.seq < len(signed):
            return self._handle_reused_number(arrival, signed[entry.seq])
        try:
            if entry.seat in self.state.expelled:
                raise EntryRefused(entry.seat, "the seat was found at fault and can no longer act", self.height)
            if entry.seq > len(signed):
                raise EntryAhead(
                    entry.seat, f"entry {entry.seq} of this seat came before its entry {len(signed)}", self.height
                )
            if entry.seen not in self._heights:
                raise SawAnother(entry.seat, "the entry was signed on a log that is not this one", self.height)
            return self._apply(arrival)
        except NodealerError:
            # The state on which it was refused may itself be false: judge it again on the verified one.
            if not self._pending and not self._running:
                raise
        self.settle()
        return self.append(data)

    def _contains(self, arrival: Arrival) -> bool:
        """Return whether the log has exactly these bytes, whose signature was verified when they arrived."""
        member = self.state.all_members.get(arrival.entry.seat)
        signed = () if member is None else self._signed.get(member.key, ())
        return arrival.entry.seq < len(signed) and signed[arrival.entry.seq] == arrival.data

    @property
    def has_pending_checks(self) -> bool:
        """Whether some checks are not settled yet."""
        return bool(self._pending or self._running)

    # defence: early
    def settle(self) -> None:
        """Settle all pending checks. Afterwards the state is verified."""
        while self._pending or self._running:
            self._start_batch()
            self._finish_oldest_batch()

    def _start_batch(self) -> None:
        """Start to settle the pending checks as one batch."""
        if self._pending:
            checks = [check for one in self._pending for check in one.checks]
            self._running.append(_RunningBatch(tuple(self._pending), self.check_runner(checks, self.entropy)))
            self._pending = []

    def _finish_oldest_batch(self) -> None:
        """Wait for the oldest running batch. If one of its checks fails, rewind or, unless `rewinds`, raise."""
        settling = self._running[0]
        try:
            settling.wait()
        except ProofRejected as rejected:
            self._running.clear()
            self._pending = []
            if not self.rewinds:
                raise
            self._rewind(next(one for one in settling.owed if one.entry == rejected.entry), rejected, settling.owed)
        except BaseException:
            # If the source of entropy fails, nothing is settled and everything is still pending.
            self._pending = [one for waiting in self._running for one in waiting.owed] + self._pending
            self._running.clear()
            raise
        else:
            self._running.popleft()
            self.checks_settled += sum(len(one.checks) for one in settling.owed)

    def checkpoint(self) -> Checkpoint:
        """Settle all checks and return a checkpoint of the current state."""
        self.settle()
        return Checkpoint(self.height, self.state, dict(self._keys), self.checks_settled)

    def roll_back(self, checkpoint: Checkpoint) -> None:
        """Drop all entries after a checkpoint, with their pending checks."""
        self._running.clear()
        self._pending = []
        self._truncate(checkpoint.height)
        self.state, self._keys, self.checks_settled = checkpoint.state, dict(checkpoint.keys), checkpoint.checks_settled

    def _rewind(self, false: _PendingChecks, rejected: ProofRejected, owed: Sequence[_PendingChecks]) -> None:
        """Go back to just before a false entry, expel its seat, and apply the later entries again.

        The later entries are judged as if they had come after the fault: answers to duties are on time or late, and
        entries that built on the false one are refused and are no longer part of the log.
        """
        self.checks_settled += sum(len(one.checks) for one in owed if one.entry <= false.entry)
        later = self._truncate(false.entry + 1)
        fault = Fault(false.entry, rejected.seat, rejected.check, rejected.reason)
        self.state = self._expel(false.before, fault, false.entry).state
        self._keys = {seat: key for seat, key in self._keys.items() if seat in self.state.all_members}
        for data in later:
            try:
                self.append(data)
            except (EntryRefused, BadSignature):
                self.undone += 1

    # defence: two-things
    def _handle_reused_number(self, arrival: Arrival, earlier: bytes) -> Applied:
        """Handle an entry whose number was used before: a repetition, or a contradiction that expels the seat."""
        if self._pending or self._running:
            # The entry that used the number may turn out not to be part of the log.
            self.settle()
            return self.append(arrival.data)
        seat = arrival.entry.seat
        if arrival.signed == read_entry(earlier).signed:
            return self._make_applied(Outcome.REPEATED, arrival, self.state)
        if seat in self.state.expelled:
            raise EntryRefused(seat, "the seat was found at fault and can no longer act", self.height)
        reason = f"it signed two different entries with the number {arrival.entry.seq}"
        change = self._expel(self.state, Fault(self.height, seat, "signatures", reason), self.height)
        applied = self._commit(arrival, None, change)
        # The second entry has no number of its own.
        self._signed[self.state.all_members[seat].key].pop()
        return applied

    def _apply(self, arrival: Arrival) -> Applied:
        """Apply an authentic entry that is next for its seat, and return what it did."""
        body = self._read_body(arrival.entry)
        try:
            change = count_votes(self._change_from(arrival.entry, body), self.height)
        except TooLate:
            self._record_signed(arrival)
            return self._make_applied(Outcome.DROPPED, arrival, self.state, body)
        except (PeerFault, Undecided) as error:
            if self._pending or self._running:
                raise
            change = self._expel(self.state, self._fault_from(error), self.height)
        return self._commit(arrival, body, change)

    def _expel(self, before: TableState, fault: Fault, entry: int) -> Change:
        """Return the change that a fault causes. If the cards do not allow the hand to go on, it is aborted."""
        try:
            return count_votes(expel(Change(before), fault), entry)
        except (PeerFault, Undecided):
            return count_votes(expel(Change(before), fault, play_on=False), entry)

    def _fault_from(self, error: PeerFault | Undecided) -> Fault:
        """Return the fault that an error describes. It names no seat if the error is `Undecided`."""
        if isinstance(error, Undecided):
            return Fault(self.height, None, "message", str(error))
        return Fault(self.height if error.entry is None else error.entry, error.seat, "message", error.reason)

    def _read_body(self, entry: Entry) -> Body:
        """Decode the body of an entry. Raise `EntryRefused` if it is malformed."""
        try:
            return read_body(bytes(entry.body))
        except Malformed as error:
            raise EntryRefused(entry.seat, str(error), self.height) from None

    # defence: fork
    def _change_from(self, entry: Entry, body: Body) -> Change:
        """Return what an entry changes.

        Raise `TooLate` or `EntryRefused` if it was signed for another hand or roster.
        """
        state = self.state
        origin = Origin(self.height, entry.seat, entry.hand, self._heights[entry.seen])
        # A disclosure is never late: its duty names the hand. Seats outside the roster can send nothing else.
        here = entry.seat in state.roster.seats and entry.roster == state.roster.digest
        if isinstance(body, Book) or (here and (entry.hand == state.hand.number or self._is_early_begin(origin, body))):
            return apply_body(state, origin, body)
        # An entry for another hand or roster can only be late, and only if it was due on the log it had seen.
        if was_due(state, origin, body):
            raise TooLate
        raise EntryRefused(entry.seat, f"the entry is signed for another hand or roster ({entry.hand})", self.height)

    def _is_early_begin(self, origin: Origin, body: Body) -> bool:
        """Return whether an absent seat began this hand while the previous one was still being played.

        That hand ended while the entry was on its way. Its duty, which names the hand, has been open all the time.
        """
        ends, number = self.state.chronicle.hand_ends, self.state.hand.number
        return isinstance(body, BeginHand) and origin.hand + 1 == number and origin.seen < ends[origin.hand]

    def _commit(self, arrival: Arrival, body: Body | None, change: Change) -> Applied:
        """Append an entry, adopt the state after it, and settle checks if it is time to."""
        number, before = self.height, self.state
        self.state = change.state
        if self.state.roster is not before.roster:
            self._keys |= self.state.roster.keys
        if change.checks:
            checks = tuple(replace(check, entry=number) for check in change.checks)
            self._pending.append(_PendingChecks(number, before, checks))
        self._record_signed(arrival)
        if self.eager or self.state.roster is not before.roster:
            # The roster decides who may sign, so it must not come from an unverified log.
            self.settle()
        elif self._pending and (self._should_settle_hand or number - self._pending[0].entry >= BATCH_ENTRIES):
            self._start_batch()
            while len(self._running) > BATCHES_AHEAD:
                self._finish_oldest_batch()
        fault = len(self.state.faults) > len(before.faults)
        outcome = Outcome.FAULT if fault else Outcome.ACCEPTED
        return self._make_applied(outcome, arrival, before, body, change.events, change.checks)

    @property
    def _should_settle_hand(self) -> bool:
        """Whether a hand has ended whose checks should be settled now."""
        return self._settle_after_hand and self.state.phase is not Phase.PLAYING

    def _make_applied(
        self,
        outcome: Outcome,
        arrival: Arrival,
        before: TableState,
        body: Body | None = None,
        events: tuple[Event, ...] = (),
        checks: tuple[Check, ...] = (),
    ) -> Applied:
        """Return the `Applied` record of an entry that was just processed."""
        number, size = self.height - (outcome is not Outcome.REPEATED), len(arrival.data)
        return Applied(outcome, arrival.entry, number, size, before, self.state, body, events, checks)

    def _record_signed(self, arrival: Arrival) -> None:
        """Append an entry to the log and to the list of what its key has signed."""
        self._signed[self.state.all_members[arrival.entry.seat].key].append(arrival.data)
        self._extend(arrival.data)

    def _extend(self, data: bytes) -> None:
        """Append an entry to the log and update the heads."""
        self.entries.append(data)
        self.head = next_head(self.head, data)
        self._heads.append(self.head)
        self._heights[self.head] = self.height

    def _truncate(self, height: int) -> list[bytes]:
        """Remove the entries from a height on, and return them."""
        later = self.entries[height:]
        for data in reversed(later):
            signed = self._signed[self.state.all_members[read_entry(data).entry.seat].key]
            if signed and signed[-1] == data:
                signed.pop()
        for head in self._heads[height + 1 :]:
            del self._heights[head]
        del self.entries[height:], self._heads[height + 1 :]
        self.head = self._heads[-1]
        return later


def replay(config: Config, entries: Sequence[bytes], *, entropy: Entropy, eager: bool = True) -> Replica:
    """Return a replica of a whole log. Raise `LogBroken` if an entry is refused or repeated."""
    replica = Replica(config, entropy=entropy, eager=eager)
    for data in entries:
        try:
            applied = replica.append(data)
        except (EntryRefused, Malformed) as refused:
            raise LogBroken(f"entry {replica.height} is not acceptable: {refused}") from None
        if applied.outcome is Outcome.REPEATED:
            raise LogBroken(f"entry {replica.height} stands in the log twice")
    replica.settle()
    return replica
