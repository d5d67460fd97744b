"""The roster of a table: its seats, with their names, identity keys and roles."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import Final

import msgspec

from nodealer.errors import BadParameter, BadSignature, DecodeError
from nodealer.keys import Identity, VerifyingKey, box_signed_bytes, refuse_weak_box
from nodealer.log.names import casefold_name, refuse_bad_name
from nodealer.tape import digest, framed
from nodealer.wire import SEATS_MAX, SEATS_MIN, Message, SeatNumber, encode

#: A player with cards. Other roles are defined by the protocols that need them.
PLAYER: Final = "player"
#: A seat that takes part in the protocol but has no cards.
SERVER: Final = "server"
#: A seat without cards that only reports how much time has passed.
TIMEKEEPER: Final = "timekeeper"
_ROLE: Final = re.compile("[a-z]{1,32}")


class Member(Message, frozen=True):
    """One seat: its player's name, the key it signs with, and the key to which secrets for it are sealed."""

    seat: SeatNumber
    name: str
    key: bytes
    box: bytes
    #: The signature of `key` over `box`, which proves that they belong together.
    box_signature: bytes = msgspec.field(name="boxSignature")
    role: str = PLAYER


def member_of(identity: Identity, seat: int, name: str, role: str = PLAYER) -> Member:
    """Build the roster entry of an identity whose secrets are available here."""
    return Member(seat, name, identity.public, identity.box, identity.box_signature, role)


class Roster(Message, frozen=True, dict=True):
    """All seats, in ascending order. A roster from outside must be checked with `refuse_bad_roster`."""

    members: tuple[Member, ...]

    @cached_property
    def digest(self) -> bytes:
        """The digest that every entry and every challenge of a hand binds."""
        return digest("roster", encode(self))

    @cached_property
    def seats(self) -> tuple[int, ...]:
        """The numbers of the seats."""
        return tuple(member.seat for member in self.members)

    @cached_property
    def keys(self) -> dict[int, VerifyingKey]:
        """The verifying key of each seat, checked."""
        return {member.seat: VerifyingKey(member.key) for member in self.members}

    def member(self, seat: int) -> Member:
        """Return the member at a seat. Raise `BadParameter` if there is no such seat."""
        for member in self.members:
            if member.seat == seat:
                return member
        raise BadParameter(f"there is no seat {seat}")

    @cached_property
    def with_cards(self) -> tuple[int, ...]:
        """The seats that take part in the game: all but servers and the timekeeper."""
        return tuple(member.seat for member in self.members if member.role not in (SERVER, TIMEKEEPER))

    @cached_property
    def awaited(self) -> tuple[int, ...]:
        """The seats that begin hands and sign the end: all but the timekeeper, whom no one ever waits for."""
        return tuple(member.seat for member in self.members if member.role != TIMEKEEPER)

    @cached_property
    def timekeeper(self) -> Member | None:
        """The timekeeper, if the table has one."""
        return next((member for member in self.members if member.role == TIMEKEEPER), None)

    @cached_property
    def roles(self) -> tuple[tuple[str, int], ...]:
        """All roles other than player, with their seats."""
        return tuple((member.role, member.seat) for member in self.members if member.role != PLAYER)


def refuse_bad_roster(roster: Roster) -> None:
    """Raise `DecodeError` if a roster is not valid."""
    if not SEATS_MIN <= len(roster.members) <= SEATS_MAX:
        raise DecodeError(f"a table has {SEATS_MIN} to {SEATS_MAX} seats, not {len(roster.members)}")
    if list(roster.seats) != sorted(set(roster.seats)):
        raise DecodeError("the seats of a roster are not in ascending order")
    for member in roster.members:
        refuse_bad_name(member.name, f"the name of seat {member.seat}")
        if not _ROLE.fullmatch(member.role):
            raise DecodeError(f"the role of seat {member.seat} is not a short word in lowercase letters")
    if sum(member.role == TIMEKEEPER for member in roster.members) > 1:
        raise DecodeError("the table has more than one timekeeper")
    if len({casefold_name(member.name) for member in roster.members}) != len(roster.members):
        raise DecodeError("two seats have the same name, apart from case and spaces")
    if len({member.key for member in roster.members}) != len(roster.members):
        raise DecodeError("two seats have the same identity key")
    for member in roster.members:
        refuse_bad_box(member.key, member.box, member.box_signature, f"the box key of seat {member.seat}")


def refuse_bad_box(key: bytes, box: bytes, signature: bytes, what: str) -> None:
    """Raise `DecodeError` if a box key is weak, or if it is not signed by `key`. The message starts with `what`."""
    refuse_weak_box(box)
    try:
        _verify_box(key, box, signature)
    except BadSignature:
        raise DecodeError(f"{what} is not signed by its identity key") from None


@lru_cache(maxsize=1024)
def _verify_box(key: bytes, box: bytes, signature: bytes) -> None:
    """Raise `BadSignature` unless `key` signed `box`.

    Cached, because the same box is in every offer, proposal and roster of a player. Failures are not cached.
    """
    VerifyingKey(key).verify(signature, box_signed_bytes(key, box))


# --- Newcomers ---


# defence: newcomer
def newcomer_signed_bytes(session: bytes, roster_digest: bytes, member: Member) -> bytes:
    """Return the bytes a newcomer signs to take this seat, under this name, in this roster of this session."""
    return framed("nodealer/newcomer/v1", session, roster_digest, member.seat, member.name, member.key)


def sign_newcomer(identity: Identity, session: bytes, roster_digest: bytes, member: Member) -> bytes:
    """Sign as a newcomer, for the seat that proposes the new roster.

    Raise `BadParameter` if the member has another key than the identity.
    """
    if member.key != identity.public:
        raise BadParameter("a newcomer can only sign for themselves")
    return identity.sign(newcomer_signed_bytes(session, roster_digest, member))


def verify_newcomer(signature: bytes, session: bytes, roster_digest: bytes, member: Member) -> None:
    """Raise `DecodeError` unless the newcomer has signed for this seat."""
    try:
        VerifyingKey(member.key).verify(signature, newcomer_signed_bytes(session, roster_digest, member))
    except BadSignature:
        raise DecodeError(f"the newcomer at seat {member.seat} has not signed for it") from None
