"""A session: what the players agree on before the first entry, and the id that binds all of it.

Every player contributes a nonce, committed to in advance, so that neither a player nor the relay can repeat or choose
a session id. If any agreed point differs, it is another session.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Final, Literal

import msgspec

from nodealer.errors import BadParameter, DecodeError, OtherFormat, PeerFault
from nodealer.log.roster import Roster, refuse_bad_roster
from nodealer.tape import digest
from nodealer.wire import INTEGER_MAX, Digest, Message, Natural, decode, encode, refuse_deep

FORMAT: Final = "nodealer-log"
#: Frozen: every release reads this version. A change of signed bytes, or of the meaning of an entry, needs a new
#: version, which is then read alongside this one (docs/spec/log.md).
FORMAT_VERSION: Final = "1"
NONCE_BYTES: Final = 32

#: A name or a version in a session.
Label = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
Nonce = Annotated[bytes, msgspec.Meta(min_length=NONCE_BYTES, max_length=NONCE_BYTES)]


class Part(Message, frozen=True):
    """A game or a protocol: its name, its version, and its parameters as canonical JSON."""

    name: Label
    version: Natural
    parameters: msgspec.Raw = msgspec.Raw(b"{}")


#: The lowest limit allowed, in milliseconds: ticks have no finer resolution.
LIMIT_MIN: Final = 1000
Limit = Annotated[int, msgspec.Meta(ge=LIMIT_MIN, le=INTEGER_MAX)]


class Limits(Message, frozen=True):
    """How long a seat may take, in milliseconds, for a player's decision (`move`) and for protocol steps (`cards`).

    `bank` is the additional time for the whole session. At the beginning of each hand `refill` is added back, up to
    `bank`.
    """

    move: Limit
    cards: Limit
    bank: Natural
    refill: Natural


class Proposal(Message, frozen=True, dict=True):
    """What the players agree to play, and who plays."""

    game: Part
    protocol: Part
    #: The versions of everything that must behave the same for all seats, such as ("pokerkit", "0.7.7").
    versions: Annotated[tuple[tuple[Label, Label], ...], msgspec.Meta(max_length=64)]
    roster: Roster
    #: The number of hands; 0 for as many as the players like.
    hands: Natural = 0
    #: The seeds of a rehearsal are public: nothing in it is secret.
    rehearsal: bool = False
    #: Present if, and only if, the roster has a timekeeper.
    clock: Limits | None = None

    @cached_property
    def digest(self) -> bytes:
        """The digest that the commitments to nonces bind."""
        return digest("proposal", encode(self))


class Session(Message, frozen=True, dict=True):
    """The first line of a log."""

    format: Literal["nodealer-log"]
    version: Label
    proposal: Proposal
    commitments: tuple[Digest, ...]
    nonces: tuple[Nonce, ...]

    # defence: replayed
    @cached_property
    def id(self) -> bytes:
        """The session's id, which is part of every entry and every challenge."""
        return digest("session", encode(self))


def nonce_commitment(proposal: Proposal, seat: int, nonce: bytes) -> bytes:
    """Return a commitment to a nonce, which a seat publishes before any nonce is known."""
    return digest("session nonce", proposal.digest, seat, nonce)


def refuse_bad_proposal(proposal: Proposal) -> None:
    """Raise `DecodeError` if a proposal is not valid."""
    for part in (proposal.game, proposal.protocol):
        decode(dict, bytes(part.parameters), what=f"the parameters of {part.name}")
    refuse_bad_roster(proposal.roster)
    if (proposal.clock is None) != (proposal.roster.timekeeper is None):
        raise DecodeError("a session must have time limits if it has a timekeeper, and only then")


# defence: ground
def open_session(proposal: Proposal, commitments: Mapping[int, bytes], nonces: Mapping[int, bytes]) -> Session:
    """Build the session from all commitments and nonces.

    Raise `PeerFault` for a seat whose nonce does not match its commitment.
    """
    refuse_bad_proposal(proposal)
    seats = proposal.roster.seats
    if set(commitments) != set(seats) or set(nonces) != set(seats):
        raise BadParameter("a session needs a commitment and a nonce from every seat")
    for seat in seats:
        if nonce_commitment(proposal, seat, nonces[seat]) != commitments[seat]:
            raise PeerFault(seat, "its session nonce is not the one it committed to")
    return Session(
        FORMAT,
        FORMAT_VERSION,
        proposal,
        tuple(commitments[seat] for seat in seats),
        tuple(nonces[seat] for seat in seats),
    )


class Head(msgspec.Struct, frozen=True):
    """The format and version of a log, read first and leniently: other versions may have other fields."""

    format: Any = None
    version: Any = None


def refuse_other_version(version: object) -> None:
    """Raise `OtherFormat` unless this program can read a log or a proposal of this version."""
    if version != FORMAT_VERSION:
        raise OtherFormat(
            f"other format: it is version {str(version)[:32]!r}, and this program reads version {FORMAT_VERSION}"
        )


def read_session(line: bytes) -> Session:
    """Read the session from the first line of a saved log, and check it completely.

    Raise `OtherFormat` for another version of the format, and `DecodeError` if the line is not valid.
    """
    # A deeply nested version would otherwise be formatted for the error message with whatever stack is left.
    refuse_deep(line, "the first line")
    try:
        head = msgspec.json.decode(line, type=Head)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DecodeError(f"the first line cannot be read: {error}") from None
    if head.format != FORMAT:
        raise DecodeError("the first line is not the first line of a log")
    refuse_other_version(head.version)
    session = decode(Session, line, what="the first line")
    proposal = session.proposal
    seats = proposal.roster.seats
    if not len(session.commitments) == len(session.nonces) == len(seats):
        raise DecodeError("the session does not have one nonce for each seat")
    try:
        again = open_session(
            proposal,
            dict(zip(seats, session.commitments, strict=True)),
            dict(zip(seats, session.nonces, strict=True)),
        )
    except PeerFault as fault:
        raise DecodeError(f"the session nonce of seat {fault.seat} does not match its commitment") from None
    return again
