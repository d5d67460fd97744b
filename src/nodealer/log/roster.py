"""Who sits at the table: seats, names, identity keys and roles."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import Final

import msgspec

from nodealer.errors import BadParameter, BadSignature, DecodeError
from nodealer.keys import Identity, VerifyingKey, box_words, refuse_weak_box
from nodealer.log.names import folded, refuse_bad_name
from nodealer.tape import digest, framed
from nodealer.wire import SEATS_MAX, SEATS_MIN, Message, SeatNumber, encode

#: A player with cards. Every other role is named by the protocol that needs it.
PLAYER: Final = "player"
#: A seat that takes part without cards of its own.
SERVER: Final = "server"
#: A seat without cards that says how much time has passed, and nothing else.
TIMEKEEPER: Final = "timekeeper"
_ROLE: Final = re.compile("[a-z]{1,32}")


class Member(Message, frozen=True):
    """One seat: who sits there, the key that it signs with, and the key to which secrets for it are sealed."""

    seat: SeatNumber
    name: str
    key: bytes
    box: bytes
    #: By `key`, that `box` belongs to it.
    box_signature: bytes = msgspec.field(name="boxSignature")
    role: str = PLAYER


def member_of(identity: Identity, seat: int, name: str, role: str = PLAYER) -> Member:
    """The seat of somebody whose secrets are at hand."""
    return Member(seat, name, identity.public, identity.box, identity.box_signature, role)


class Roster(Message, frozen=True, dict=True):
    """All seats, in ascending order. Checked by `refuse_bad_roster` wherever one comes in."""

    members: tuple[Member, ...]

    @cached_property
    def digest(self) -> bytes:
        """What every entry and every challenge of a hand binds."""
        return digest("roster", encode(self))

    @cached_property
    def seats(self) -> tuple[int, ...]:
        """The numbers of the seats."""
        return tuple(member.seat for member in self.members)

    @cached_property
    def keys(self) -> dict[int, VerifyingKey]:
        """Seat to key, each checked."""
        return {member.seat: VerifyingKey(member.key) for member in self.members}

    def member(self, seat: int) -> Member:
        """Who sits at a seat."""
        for member in self.members:
            if member.seat == seat:
                return member
        raise BadParameter(f"there is no seat {seat}")

    @cached_property
    def with_cards(self) -> tuple[int, ...]:
        """The seats that the game plays with."""
        return tuple(member.seat for member in self.members if member.role not in (SERVER, TIMEKEEPER))

    @cached_property
    def awaited(self) -> tuple[int, ...]:
        """The seats that begin hands and sign the end: all but the timekeeper, for whom nobody ever waits."""
        return tuple(member.seat for member in self.members if member.role != TIMEKEEPER)

    @cached_property
    def timekeeper(self) -> Member | None:
        """Who keeps the time, where somebody does."""
        return next((member for member in self.members if member.role == TIMEKEEPER), None)

    @cached_property
    def roles(self) -> tuple[tuple[str, int], ...]:
        """Roles other than a plain player's, with their seats."""
        return tuple((member.role, member.seat) for member in self.members if member.role != PLAYER)


def refuse_bad_roster(roster: Roster) -> None:
    """Raise `DecodeError` for a roster that nobody may play with."""
    if not SEATS_MIN <= len(roster.members) <= SEATS_MAX:
        raise DecodeError(f"a table has {SEATS_MIN} to {SEATS_MAX} seats, not {len(roster.members)}")
    if list(roster.seats) != sorted(set(roster.seats)):
        raise DecodeError("the seats of a roster are not in ascending order")
    for member in roster.members:
        refuse_bad_name(member.name, f"the name of seat {member.seat}")
        if not _ROLE.fullmatch(member.role):
            raise DecodeError(f"the role of seat {member.seat} is not a short word in small letters")
    if sum(member.role == TIMEKEEPER for member in roster.members) > 1:
        raise DecodeError("a table has two timekeepers")
    if len({folded(member.name) for member in roster.members}) != len(roster.members):
        raise DecodeError("two seats have the same name, but for case and spaces")
    if len({member.key for member in roster.members}) != len(roster.members):
        raise DecodeError("two seats have the same identity key")
    for member in roster.members:
        refuse_bad_box(member.key, member.box, member.box_signature, f"the box key of seat {member.seat}")


def refuse_bad_box(key: bytes, box: bytes, signature: bytes, what: str) -> None:
    """Raise `DecodeError`, with a sentence about `what`, for a box key that is weak or that `key` has not signed."""
    refuse_weak_box(box)
    try:
        _verify_box(key, box, signature)
    except BadSignature:
        raise DecodeError(f"{what} is not signed by its identity key") from None


@lru_cache(maxsize=1024)
def _verify_box(key: bytes, box: bytes, signature: bytes) -> None:
    """Once for a player that is seen: the same box stands in every offer, proposal and roster. What is false is not
    kept, and is looked at each time."""
    VerifyingKey(key).verify(signature, box_words(key, box))


# --- Newcomers ---


def newcomer_words(session: bytes, roster_digest: bytes, member: Member) -> bytes:
    """What a newcomer signs: that it takes this seat, under this name, in this roster of this session."""
    return framed("nodealer/newcomer/v1", session, roster_digest, member.seat, member.name, member.key)


def sign_newcomer(identity: Identity, session: bytes, roster_digest: bytes, member: Member) -> bytes:
    """A newcomer's own word, for whoever proposes the roster that it is in."""
    if member.key != identity.public:
        raise BadParameter("nobody signs for another newcomer")
    return identity.sign(newcomer_words(session, roster_digest, member))


def verify_newcomer(signature: bytes, session: bytes, roster_digest: bytes, member: Member) -> None:
    """Raise `DecodeError` unless the newcomer itself has signed for this seat."""
    try:
        VerifyingKey(member.key).verify(signature, newcomer_words(session, roster_digest, member))
    except BadSignature:
        raise DecodeError(f"the newcomer at seat {member.seat} has not signed for it") from None
