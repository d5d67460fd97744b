"""A session: what is agreed before the first entry, and the number that binds all of it.

Every player contributes a nonce under a commitment, so that nobody, and no relay, can make a session's number repeat
or come out as wanted. What differs in any agreed point is another session.
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
#: Frozen: what this version says is read by every release. A change of signed bytes, or of what an entry means, is
#: another version, which is read beside this one (docs/spec/log.md).
FORMAT_VERSION: Final = "1"
NONCE_BYTES: Final = 32

#: Names and versions in a session are short.
Label = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
Nonce = Annotated[bytes, msgspec.Meta(min_length=NONCE_BYTES, max_length=NONCE_BYTES)]


class Part(Message, frozen=True):
    """A game or a protocol: its name, its version, and its parameters as canonical JSON."""

    name: Label
    version: Natural
    parameters: msgspec.Raw = msgspec.Raw(b"{}")


#: The least that a limit can be, in milliseconds: ticks tell no less.
LIMIT_MIN: Final = 1000
Limit = Annotated[int, msgspec.Meta(ge=LIMIT_MIN, le=INTEGER_MAX)]


class Limits(Message, frozen=True):
    """How long a seat may take, in milliseconds: for what a person decides, and for what a program does with the cards.

    `bank` is what it has beside that for the whole session, and `refill` what comes back at the begin of each hand, up
    to `bank`.
    """

    move: Limit
    cards: Limit
    bank: Natural
    refill: Natural


class Proposal(Message, frozen=True, dict=True):
    """What the players agree to play."""

    game: Part
    protocol: Part
    #: Versions of everything whose behaviour two seats must share, such as ("pokerkit", "0.7.7").
    versions: Annotated[tuple[tuple[Label, Label], ...], msgspec.Meta(max_length=64)]
    roster: Roster
    #: How many hands are played; 0 for as many as the players like.
    hands: Natural = 0
    #: A rehearsal's seeds are public: nothing in it is secret.
    rehearsal: bool = False
    #: Where the roster has a timekeeper, and only there.
    clock: Limits | None = None

    @cached_property
    def digest(self) -> bytes:
        """What the commitments to nonces bind."""
        return digest("proposal", encode(self))


class Session(Message, frozen=True, dict=True):
    """The first line of a log."""

    format: Literal["nodealer-log"]
    version: Label
    proposal: Proposal
    commitments: tuple[Digest, ...]
    nonces: tuple[Nonce, ...]

    @cached_property
    def id(self) -> bytes:
        """The session's number, in every entry and every challenge."""
        return digest("session", encode(self))


def nonce_commitment(proposal: Proposal, seat: int, nonce: bytes) -> bytes:
    """What a player publishes before any nonce is."""
    return digest("session nonce", proposal.digest, seat, nonce)


def refuse_bad_proposal(proposal: Proposal) -> None:
    """Raise `DecodeError` for what no log can begin with."""
    for part in (proposal.game, proposal.protocol):
        decode(dict, bytes(part.parameters), what=f"the parameters of {part.name}")
    refuse_bad_roster(proposal.roster)
    if (proposal.clock is None) != (proposal.roster.timekeeper is None):
        raise DecodeError("a session has limits of time if it has a timekeeper, and only then")


def open_session(proposal: Proposal, commitments: Mapping[int, bytes], nonces: Mapping[int, bytes]) -> Session:
    """The session, once every commitment was in and every nonce is. Names the seat whose nonce does not fit."""
    refuse_bad_proposal(proposal)
    seats = proposal.roster.seats
    if set(commitments) != set(seats) or set(nonces) != set(seats):
        raise BadParameter("a session needs a commitment and a nonce of every seat")
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
    """What is read before all the rest, and tolerantly: any other version may have any other fields."""

    format: Any = None
    version: Any = None


def refuse_other_version(version: object) -> None:
    """Raise `OtherFormat` unless this program can read what a log or a proposal of this version says."""
    if version != FORMAT_VERSION:
        raise OtherFormat(
            f"other format: it says version {str(version)[:32]!r}, and this program reads {FORMAT_VERSION}"
        )


def read_session(line: bytes) -> Session:
    """The session of a saved log's first line, with everything about it checked."""
    # Whatever is said of a version that nests would be said with the stack that is left.
    refuse_deep(line, "the first line")
    try:
        head = msgspec.json.decode(line, type=Head)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DecodeError(f"the first line cannot be read: {error}") from None
    if head.format != FORMAT:
        raise DecodeError("the first line is not that of a log")
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
        raise DecodeError(f"the session's nonces are not what was committed to (seat {fault.seat})") from None
    return again
