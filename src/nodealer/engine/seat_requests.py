"""Seats for those who come while a session is played, newcomers and players whom a roster has left out; and rosters
without those who are gone.

Who has no seat cannot write into the log. It says in a frame beside it which roster it would like, with its signature;
any seat may propose that roster, and then the law decides. When another roster comes into force, it asks anew.

The door of a table that plays: those who would like to sit, and this participant's own wish to.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from nodealer.engine.bodies import Newcomer, Propose
from nodealer.engine.lobby_messages import Ask, Asks, read_ask, sign_frame
from nodealer.engine.rosters import refuse_roster
from nodealer.engine.state import TableState
from nodealer.engine.store import PlayerStore
from nodealer.errors import BadSignature, IllegalMove, Malformed
from nodealer.keys import Identity
from nodealer.log.names import casefold_name
from nodealer.log.roster import Member, Roster, member_of, sign_newcomer
from nodealer.wire import SEATS_MAX

#: How many are heard who ask for a seat.
ASKING_MAX: Final = 64


def roster_with(state: TableState, member: Member) -> Roster:
    """The roster in force, and one more."""
    return Roster(tuple(sorted((*state.roster.members, member), key=lambda one: one.seat)))


def roster_without(state: TableState, name: str) -> Roster:
    """The roster in force, without one who is gone, was found at fault, or has ended."""
    there = [state.roster.member(seat) for seat in state.roster.with_cards]
    meant = next((member for member in there if casefold_name(member.name) == casefold_name(name)), None)
    if meant is None:
        raise IllegalMove(f"nobody called {name} has a seat here" if name else "say whom")
    if meant.seat not in state.gone | state.ended | state.expelled:
        raise IllegalMove(f"{meant.name} is there, and only who is gone can be taken out")
    return Roster(tuple(member for member in state.roster.members if member != meant))


def asked_by(asking: Sequence[Asks], name: str) -> Asks:
    """What the one of this name asks for."""
    called = [asks for asks in asking if casefold_name(asks.who.name) == casefold_name(name)]
    if len(called) > 1:
        raise IllegalMove(f"{len(called)} who are called {name} ask for a seat: let them take other names")
    if not called:
        raise IllegalMove(f"nobody called {name} asks for a seat")
    return called[0]


def place_for(state: TableState, identity: Identity, name: str) -> Member:
    """The seat that somebody would have: its own, or the lowest that nobody ever had."""
    for member in state.all_members.values():
        if member.key == identity.public:
            return member
    free = [seat for seat in range(SEATS_MAX) if seat not in state.all_members]
    if not free:
        raise IllegalMove(f"this session has seen {SEATS_MAX} players, and has no number for another")
    return member_of(identity, free[0], name)


def ask(state: TableState, table: str, identity: Identity, name: str) -> bytes:
    """The frame that asks for a seat. Raises `IllegalMove` where there is none to be had."""
    member = place_for(state, identity, name)
    if member.seat in state.roster.seats:
        raise IllegalMove("this player has a seat")
    roster, session = roster_with(state, member), state.config.session.id
    known = member.seat in state.all_members
    signature = None if known else sign_newcomer(identity, session, roster.digest, member)
    asks = Asks(member, roster, signature)
    try:
        _refuse(state, asks)
    except Malformed as error:
        raise IllegalMove(str(error)) from None
    return sign_frame(identity, table, Ask(session, roster, signature))


def heard(state: TableState, table: str, frame: bytes) -> Asks | None:
    """Who asks for a seat with this frame, if somebody does who could have it."""
    try:
        key, said = read_ask(table, frame)
        member = next((one for one in said.roster.members if one.key == key), None)
        if member is None or said.session != state.config.session.id or roster_with(state, member) != said.roster:
            return None
        asks = Asks(member, said.roster, said.signature)
        _refuse(state, asks)
    except (Malformed, BadSignature):
        return None
    return asks


def _refuse(state: TableState, asks: Asks) -> None:
    if asks.who.seat in state.ended | state.expelled:
        raise Malformed("this player has signed the end, or was found at fault")
    refuse_roster(state, Propose(asks.roster, tuple(Newcomer(*one) for one in asks.newcomers.items())))


class SeatRequests:
    """Who asks for a seat, as one participant hears it."""

    def __init__(self, table: str, home: PlayerStore) -> None:
        self._table = table
        self._home = home
        #: Those who ask, by key.
        self._asking: dict[bytes, Asks] = {}
        #: Whether this participant asks for a seat, and the roster for which it has.
        self.wants = False
        self._asked: bytes | None = None

    def waiting(self, state: TableState) -> tuple[Asks, ...]:
        """Those who would like to sit, and could in the roster that is in force."""
        there = (one for one in self._asking.values() if one.who.seat not in state.roster.seats)
        return tuple(one for one in there if one.roster == roster_with(state, one.who))

    def hear(self, state: TableState, data: bytes) -> list[Asks]:
        """A frame that is not part of the log: perhaps somebody would like to sit, and was not heard before."""
        asks = heard(state, self._table, data)
        # Once for each roster: who asks again and again, each time as another, is not told of again and again.
        there = {one.who.key: one for one in self.waiting(state)}
        if asks is None or asks.who.key in there or len(there) >= ASKING_MAX:
            return []
        self._asking = there | {asks.who.key: asks}
        return [asks]

    def knock(self, state: TableState) -> bytes:
        """Ask for a seat, and go on asking. Raises `IllegalMove` where there is none to be had."""
        if self._home.name is None:
            raise IllegalMove("who only watches has no name to sit under")
        frame = ask(state, self._table, self._home.identity, self._home.name)
        self.wants, self._asked = True, state.roster.digest
        return frame

    def forget(self) -> None:
        """What was asked may not have been heard: ask again."""
        self._asked = None

    def due(self, state: TableState) -> list[bytes]:
        """Ask for a seat, once for each roster, as long as one is wanted."""
        if not self.wants or self._asked == state.roster.digest or self._home.name is None:
            return []
        self._asked = state.roster.digest
        if any(member.key == self._home.identity.public for member in state.roster.members):
            self.wants = False
            return []
        with suppress(IllegalMove):
            return [ask(state, self._table, self._home.identity, self._home.name)]
        return []
