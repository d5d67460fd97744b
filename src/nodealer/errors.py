"""Every error this package raises, and whose it is.

NodealerError
 +- LocalError           the caller used us wrongly
 |   +- BadParameter     a value has the wrong type, size or range
 |   +- IllegalMove      a person asked for a move that the rules do not allow now
 |   +- Unprovable       what a game asks this seat to prove of its cards is not so
 |   +- CardUnreadable   data that this seat got for a card is false; a reason to claim so
 |   +- BackendMissing   the arithmetic core that was asked for is not there, stale or unfit
 |   +- JournalLost      the log has what this seat signed and its journal lacks: it must not sign on
 |   +- HomeUnusable     a home is damaged or not one, or its disk has failed
 |       +- HomeInUse    another program plays from it
 +- Malformed            what a message says cannot be right, whatever its proofs say
 |   +- DecodeError      bytes are not the canonical encoding of anything
 |       +- OtherFormat  a log, a proposal or a home of another version of the format: cannot be judged here
 +- LogError             a log cannot be what it claims to be, and nobody can be named for it
 |   +- LogBroken        it contains what no log contains
 |   +- BadSignature     an entry that nobody signed
 |   +- LogRolledBack    it lacks a head that this seat has already applied
 +- PeerError            a seat signed something that is wrong
 |   +- EntryRefused     malformed or not due: changes nothing, and is no fault
 |   |   +- EntryAhead   an earlier one of the same seat is not here
 |   |   +- SawAnother   it was signed on a log that is not this one, or not yet
 |   +- PeerFault        well formed and false: a fault, provable from the log alone
 |       +- ProofRejected
 +- CodeDead             a spoken code that works no more: wrong, used, too old, or somebody else was there
 +- Declined             a proposal that this player does not agree to; nothing was signed
 +- Undecided            everything verified, and yet a card does not open: stops the hand, names nobody
 +- RelayError           the transport failed; never changes the state of a table
     +- RelayRefused     a relay says no, and why
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


class Unprovable(LocalError):
    """What this seat should prove of its cards is not so. Says nothing of which card it is."""


class CardUnreadable(LocalError):
    """A card that should open does not: data that this seat got is false. `deck` and `position` say which."""

    def __init__(self, deck: int, position: int, reason: str) -> None:
        super().__init__(deck, position, reason)
        self.deck = deck
        self.position = position
        self.reason = reason

    def __str__(self) -> str:
        return f"card {self.position} of deck {self.deck}: {self.reason}"


class BackendMissing(LocalError):
    """The arithmetic core that was asked for is not there, stale or unfit for use."""


class JournalLost(LocalError):
    """The log has an entry of this seat that is not in its journal. Signing on would give one number to two entries."""


class HomeUnusable(LocalError):
    """A home is damaged or not one, or its disk has failed. Says which folder or file, and nothing secret."""


class HomeInUse(HomeUnusable):
    """Another program plays from a home: two of them would sign one number twice."""


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


class OtherFormat(DecodeError):
    """Bytes of another version of the format. They may be perfectly good there, and nobody is accused."""


class LogError(NodealerError):
    """A log cannot be what it claims to be; nobody can be named for it."""


class LogBroken(LogError):
    """The log contains what no log contains: a refused entry, a line that is not one."""


class BadSignature(LogError):
    """A signature does not verify. Names nobody: anybody can write a seat's number on an entry."""


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


class EntryAhead(EntryRefused):
    """Signed, and numbered as if an earlier entry of the same seat were here. It may still come."""


class SawAnother(EntryRefused):
    """Signed on a head that this log never had: what it saw may still come, or the logs have parted."""


class PeerFault(PeerError):
    """Signed, well formed and false. Anybody can check it from the log alone."""


class ProofRejected(PeerFault):
    """A proof does not verify. `check` names the equation."""

    def __init__(self, seat: int, check: str, entry: int | None = None) -> None:
        super().__init__(seat, f"the {check} does not verify", entry)
        self.check = check


class Declined(NodealerError):
    """What was proposed is not what this player came for. Nothing was signed or committed to."""


class CodeDead(NodealerError):
    """A spoken code that works no more. `tried` says whether somebody has used it who did not know its words."""

    def __init__(self, reason: str, *, tried: bool) -> None:
        super().__init__(reason)
        self.tried = tried


class Undecided(NodealerError):
    """Everything verified, and yet a card does not open. Cannot happen; stops the hand and names nobody."""


class RelayError(NodealerError):
    """The transport failed. Never changes the state of a table."""


class RelayRefused(RelayError):
    """A relay says no: `code` is its word for programs, `reason` its sentence for people. Both are only its words."""

    def __init__(self, relay: str, code: str, reason: str) -> None:
        super().__init__(relay, code, reason)
        self.relay = relay
        self.code = code
        self.reason = reason

    def __str__(self) -> str:
        return f"the relay {self.relay} refuses: {self.reason or self.code}"
