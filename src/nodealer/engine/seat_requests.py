"""Requests for a seat while a session is being played, and the rosters with or without a player.

A player without a seat, new or left out of the roster, cannot write to the log. They send a signed frame beside it with
the roster that they would like. Any seat may propose that roster, and then the table rules decide. When another roster
comes into force, they have to ask again.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from nodealer.engine.bodies import Newcomer, Propose
from nodealer.engine.lobby_messages import Ask, SeatRequest, read_ask, sign_frame
from nodealer.engine.rosters import refuse_roster
from nodealer.engine.state import TableState
from nodealer.engine.store import PlayerStore
from nodealer.errors import BadSignature, IllegalMove, Malformed
from nodealer.keys import Identity
from nodealer.log.names import casefold_name
from nodealer.log.roster import Member, Roster, member_of, sign_newcomer
from nodealer.wire import SEATS_MAX

#: How many seat requests are kept.
ASKING_MAX: Final = 64


def roster_with(state: TableState, member: Member) -> Roster:
    """Return the roster in force with one more member."""
    return Roster(tuple(sorted((*state.roster.members, member), key=lambda one: one.seat)))


def roster_without(state: TableState, name: str) -> Roster:
    """Return the roster in force without the named player. Raise `IllegalMove` unless they are absent."""
    there = [state.roster.member(seat) for seat in state.roster.with_cards]
    meant = next((member for member in there if casefold_name(member.name) == casefold_name(name)), None)
    if meant is None:
        raise IllegalMove(f"no player named {name} has a seat here" if name else "name a player")
    if meant.seat not in state.gone | state.ended | state.expelled:
        raise IllegalMove(f"{meant.name} is present; only absent players can be removed")
    return Roster(tuple(member for member in state.roster.members if member != meant))


def find_request(asking: Sequence[SeatRequest], name: str) -> SeatRequest:
    """Return the request of the player with this name. Raise `IllegalMove` if there is none or more than one."""
    called = [asks for asks in asking if casefold_name(asks.who.name) == casefold_name(name)]
    if len(called) > 1:
        raise IllegalMove(f"{len(called)} players named {name} ask for a seat: ask them to choose different names")
    if not called:
        raise IllegalMove(f"no player named {name} asks for a seat")
    return called[0]


def seat_for(state: TableState, identity: Identity, name: str) -> Member:
    """Return the member that a player would be: at their old seat, or at the lowest that was never used.

    Raise `IllegalMove` if no number is free.
    """
    for member in state.all_members.values():
        if member.key == identity.public:
            return member
    free = [seat for seat in range(SEATS_MAX) if seat not in state.all_members]
    if not free:
        raise IllegalMove(f"this session has had {SEATS_MAX} players and has no seat for another")
    return member_of(identity, free[0], name)


def sign_seat_request(state: TableState, table: str, identity: Identity, name: str) -> bytes:
    """Return the frame that requests a seat. Raise `IllegalMove` if the player cannot have one."""
    member = seat_for(state, identity, name)
    if member.seat in state.roster.seats:
        raise IllegalMove("this player already has a seat")
    roster, session = roster_with(state, member), state.config.session.id
    known = member.seat in state.all_members
    signature = None if known else sign_newcomer(identity, session, roster.digest, member)
    asks = SeatRequest(member, roster, signature)
    try:
        _refuse_request(state, asks)
    except Malformed as error:
        raise IllegalMove(str(error)) from None
    return sign_frame(identity, table, Ask(session, roster, signature))


def read_seat_request(state: TableState, table: str, frame: bytes) -> SeatRequest | None:
    """Return the seat request in a frame, or None if it is not one that could be granted."""
    try:
        key, ask = read_ask(table, frame)
        member = next((one for one in ask.roster.members if one.key == key), None)
        if member is None or ask.session != state.config.session.id or roster_with(state, member) != ask.roster:
            return None
        asks = SeatRequest(member, ask.roster, ask.signature)
        _refuse_request(state, asks)
    except (Malformed, BadSignature):
        return None
    return asks


def _refuse_request(state: TableState, asks: SeatRequest) -> None:
    """Raise `Malformed` if a request cannot be granted."""
    if asks.who.seat in state.ended | state.expelled:
        raise Malformed("this player has signed the end or was found at fault")
    refuse_roster(state, Propose(asks.roster, tuple(Newcomer(*one) for one in asks.newcomers.items())))


class SeatRequests:
    """The seat requests that one participant has received, and its own."""

    def __init__(self, table: str, store: PlayerStore) -> None:
        """Start without requests, at the table with this name. The store's identity signs the own request."""
        self._table = table
        self._store = store
        #: The requests by the key of their player.
        self._requests: dict[bytes, SeatRequest] = {}
        #: Whether this participant wants a seat, and the digest of the roster in force when it last asked.
        self.wants_seat = False
        self._asked_for_roster: bytes | None = None

    def acceptable(self, state: TableState) -> tuple[SeatRequest, ...]:
        """Return the requests that could be granted with the roster in force."""
        there = (one for one in self._requests.values() if one.who.seat not in state.roster.seats)
        return tuple(one for one in there if one.roster == roster_with(state, one.who))

    def receive(self, state: TableState, data: bytes) -> list[SeatRequest]:
        """Return the request in a frame that is not part of the log, if it is new and acceptable."""
        asks = read_seat_request(state, self._table, data)
        # Report each player once for each roster, even if they ask repeatedly for different rosters.
        there = {one.who.key: one for one in self.acceptable(state)}
        if asks is None or asks.who.key in there or len(there) >= ASKING_MAX:
            return []
        self._requests = there | {asks.who.key: asks}
        return [asks]

    def request_seat(self, state: TableState) -> bytes:
        """Return a request for a seat, to be repeated by `outgoing`. Raise `IllegalMove` if it cannot be granted."""
        if self._store.name is None:
            raise IllegalMove("a spectator has no name to play under")
        frame = sign_seat_request(state, self._table, self._store.identity, self._store.name)
        self.wants_seat, self._asked_for_roster = True, state.roster.digest
        return frame

    def ask_again(self) -> None:
        """Let `outgoing` repeat the request, because it may have been lost."""
        self._asked_for_roster = None

    def outgoing(self, state: TableState) -> list[bytes]:
        """Return the request to send, once for each roster, as long as a seat is wanted."""
        if not self.wants_seat or self._asked_for_roster == state.roster.digest or self._store.name is None:
            return []
        self._asked_for_roster = state.roster.digest
        if any(member.key == self._store.identity.public for member in state.roster.members):
            self.wants_seat = False
            return []
        with suppress(IllegalMove):
            return [sign_seat_request(state, self._table, self._store.identity, self._store.name)]
        return []
