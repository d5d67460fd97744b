"""Every error this package raises, and whose it is.

NodealerError
 +- LocalError           the caller used us wrongly
 |   +- BadParameter     a value has the wrong type, size or range
 |   +- IllegalMove      a person asked for a move that the rules do not allow now
 |   +- BackendMissing   the arithmetic core that was asked for is not there, stale or unfit
 +- Malformed            what a message says cannot be right, whatever its proofs say
 |   +- DecodeError      bytes are not the canonical encoding of anything
 +- LogError             a log cannot be what it claims to be, and nobody can be named for it
 |   +- LogBroken        the chain, a signature or a line is bad
 |   +- LogRolledBack    it lacks a head that this seat has already applied
 +- PeerError            a seat signed something that is wrong
 |   +- EntryRefused     malformed or not due: changes nothing, and is no fault
 |   +- PeerFault        well formed and false: a fault, provable from the log alone
 |       +- ProofRejected
 |       +- Equivocation
 +- RelayError           the transport failed; never changes the state of a table
"""

from __future__ import annotations


class NodealerError(Exception):
    """The root of the tree."""


class LocalError(NodealerError):
    """The caller used the library wrongly."""


class BadParameter(LocalError):
    """A value has the wrong type, size or range."""


class IllegalMove(LocalError):
    """A move that the rules do not allow now."""


class BackendMissing(LocalError):
    """The arithmetic core that was asked for is not there, stale or unfit for use."""


class Malformed(NodealerError):
    """What a message says cannot be right, whatever its proofs say: a wrong count, a repeated card, the identity."""


class DecodeError(Malformed):
    """Bytes are not the canonical encoding of what they should be.

    `what` names the thing, `index` the first bad element where it is an array.
    """

    def __init__(self, what: str, index: int | None = None) -> None:
        super().__init__(what, index)
        self.what = what
        self.index = index

    def __str__(self) -> str:
        return self.what if self.index is None else f"{self.what} (element {self.index})"


class LogError(NodealerError):
    """A log cannot be what it claims to be; nobody can be named for it."""


class LogBroken(LogError):
    """The chain of hashes, a signature or a line of the file is bad."""


class LogRolledBack(LogError):
    """The log lacks a head that this seat has applied: it was rolled back or forked."""


class PeerError(NodealerError):
    """A seat signed something wrong. `seat`, `entry` (its number in the log) and `reason` say who, where and why."""

    def __init__(self, seat: int, reason: str, entry: int | None = None) -> None:
        super().__init__(seat, reason, entry)
        self.seat = seat
        self.reason = reason
        self.entry = entry

    def __str__(self) -> str:
        where = "" if self.entry is None else f", entry {self.entry}"
        return f"seat {self.seat}{where}: {self.reason}"


class EntryRefused(PeerError):
    """Signed, but malformed or not due. The state does not change and the duty stays open."""


class PeerFault(PeerError):
    """Signed, well formed and false. Anybody can check it from the log alone."""


class ProofRejected(PeerFault):
    """A proof does not verify. `check` names the equation."""

    def __init__(self, seat: int, check: str, entry: int | None = None) -> None:
        super().__init__(seat, f"the {check} does not verify", entry)
        self.check = check


class Equivocation(PeerFault):
    """Two different signed entries with one sequence number."""


class RelayError(NodealerError):
    """The transport failed. Never changes the state of a table."""
