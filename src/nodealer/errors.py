"""Every error this package raises, and who is responsible for it.

NodealerError
 +- LocalError           the caller used the library wrongly
 |   +- BadParameter     a value has the wrong type, size or range
 |   +- IllegalMove      a player asked for a move that the rules do not allow now
 |   +- Unprovable       what a game asks this seat to prove about its cards is not true
 |   +- CardUnreadable   data that this seat received for a card is false; it can dispute the card
 |   +- BackendMissing   the requested arithmetic core is missing, stale or unfit
 |   +- JournalLost      the log has an entry by this seat that its journal lacks: it must not sign any more
 |   +- HomeUnusable     a player store is damaged or not one, or its disk has failed
 |       +- HomeInUse    another program is using it
 +- Malformed            a message cannot be right, whatever its proofs show
 |   +- DecodeError      bytes are not a canonical encoding
 |       +- OtherFormat  a log, proposal or player store in another version of the format: unverifiable here
 +- LogError             a log cannot be what it claims to be, and no seat can be blamed for it
 |   +- LogBroken        it contains something that no log can contain
 |   +- BadSignature     the signature of an entry is not valid
 |   +- LogRolledBack    it lacks a head that this seat has already applied
 +- PeerError            a seat signed something wrong
 |   +- EntryRefused     malformed or not due: changes nothing, and is not a fault
 |   |   +- EntryAhead   an earlier entry of the same seat is missing
 |   |   +- SawAnother   it was signed on a log that is not this one, or not yet
 |   +- PeerFault        well formed but false: a fault, provable from the log alone
 |       +- ProofRejected
 +- CodeDead             a pairing code no longer works: wrong, used, too old, or someone else tried it
 +- Declined             this player does not agree to a proposal; nothing was signed
 +- Undecided            everything verified, and yet a card does not open: stops the hand, blames no one
 +- RelayError           the transport failed; never changes the state of a table
     +- RelayRefused     a relay refused a request, with its reason
"""

from __future__ import annotations


class NodealerError(Exception):
    """The base class of all errors in this package."""


class LocalError(NodealerError):
    """The caller used the library wrongly."""


class BadParameter(LocalError):
    """A value has the wrong type, size or range."""


class IllegalMove(LocalError):
    """A move that the rules do not allow now."""


class Unprovable(LocalError):
    """What this seat should prove about its cards is not true. Does not reveal which card is the reason."""


class CardUnreadable(LocalError):
    """A card that should open does not: data that this seat received for `deck` and `position` is false."""

    def __init__(self, deck: int, position: int, reason: str) -> None:
        """Store which card is unreadable, and why."""
        super().__init__(deck, position, reason)
        self.deck = deck
        self.position = position
        self.reason = reason

    def __str__(self) -> str:
        """Return the card and the reason as a message."""
        return f"card {self.position} of deck {self.deck}: {self.reason}"


class BackendMissing(LocalError):
    """The requested arithmetic core is missing, stale or unfit for use."""


class JournalLost(LocalError):
    """The log has an entry by this seat that its journal lacks. Signing more could use one number for two entries."""


class HomeUnusable(LocalError):
    """A player store is damaged or not one, or its disk has failed. Names the folder or file, reveals no secret."""


class HomeInUse(HomeUnusable):
    """Another program is using this player store. Two programs would sign one number twice."""


class Malformed(NodealerError):
    """A message cannot be right, whatever its proofs show: a wrong count, a repeated card, the identity."""


class DecodeError(Malformed):
    """Bytes are not the canonical encoding of what they should be.

    `what` says what is wrong, and `index` is the first bad element if it is an array.
    """

    def __init__(self, what: str, index: int | None = None) -> None:
        """Store what is wrong, and the index of the first bad element if it is an array."""
        super().__init__(what, index)
        self.what = what
        self.index = index

    def __str__(self) -> str:
        """Return what is wrong and, for an array, with which element."""
        return self.what if self.index is None else f"{self.what} (element {self.index})"


class OtherFormat(DecodeError):
    """The bytes are in another version of the format. They may be valid there, and no one is accused."""


class LogError(NodealerError):
    """A log cannot be what it claims to be, and no seat can be blamed for it."""


class LogBroken(LogError):
    """The log contains something that no log can contain: a refused entry, or a line that is not an entry."""


class BadSignature(LogError):
    """A signature does not verify. Blames no seat: anyone can write a seat's number on an entry."""


class LogRolledBack(LogError):
    """The log lacks a head that this seat has already applied: it was rolled back or forked."""


class PeerError(NodealerError):
    """A seat signed something wrong, for this `reason`. `entry` is the entry's number in the log, if known."""

    def __init__(self, seat: int, reason: str, entry: int | None = None) -> None:
        """Store the seat, the reason, and the number of the entry if it is known."""
        super().__init__(seat, reason, entry)
        self.seat = seat
        self.reason = reason
        self.entry = entry

    def __str__(self) -> str:
        """Return the seat, the entry if known, and the reason as a message."""
        where = "" if self.entry is None else f", entry {self.entry}"
        return f"seat {self.seat}{where}: {self.reason}"


class EntryRefused(PeerError):
    """A signed entry is malformed or not due. The state does not change, and the duty stays open."""


class EntryAhead(EntryRefused):
    """A signed entry has a number that is too high: an earlier entry of its seat is missing and may still arrive."""


class SawAnother(EntryRefused):
    """An entry was signed on a head that this log never had: that part may still arrive, or the logs diverged."""


class PeerFault(PeerError):
    """A signed entry is well formed but false. Anyone can verify this from the log alone."""


class ProofRejected(PeerFault):
    """A proof does not verify. `check` names the kind of proof."""

    def __init__(self, seat: int, check: str, entry: int | None = None) -> None:
        """Store the seat, the kind of proof, and the number of the entry if it is known."""
        super().__init__(seat, f"the {check} does not verify", entry)
        self.check = check


class Declined(NodealerError):
    """This player does not agree to a proposal. Nothing was signed or committed to."""


class CodeDead(NodealerError):
    """A pairing code no longer works. `tried` says whether someone who did not know its words has used it."""

    def __init__(self, reason: str, *, tried: bool) -> None:
        """Store the reason, and whether someone who did not know the words has used the code."""
        super().__init__(reason)
        self.tried = tried


class Undecided(NodealerError):
    """Everything verified, and yet a card does not open. Should never happen; stops the hand and blames no one."""


class RelayError(NodealerError):
    """The transport failed. Never changes the state of a table."""


class RelayRefused(RelayError):
    """A relay refused a request, with a `code` for programs and a `reason` for people. Neither can be trusted."""

    def __init__(self, relay: str, code: str, reason: str) -> None:
        """Store the relay's address, the code for programs, and the reason for people."""
        super().__init__(relay, code, reason)
        self.relay = relay
        self.code = code
        self.reason = reason

    def __str__(self) -> str:
        """Return the relay and its reason, or the code if it gave no reason."""
        return f"the relay {self.relay} refused: {self.reason or self.code}"
