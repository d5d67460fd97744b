"""Seats for those who come while a session is played, newcomers and players whom a roster has left out; and rosters
without those who are gone.

Who has no seat cannot write into the log. It says in a frame beside it which roster it would like, with its signature;
any seat may propose that roster, and then the law decides. When another roster comes into force, it asks anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nodealer.errors import BadSignature, IllegalMove, Malformed
from nodealer.keys import Identity
from nodealer.log.names import folded
from nodealer.log.roster import Member, Roster, member_of, sign_newcomer
from nodealer.play.bodies import Newcomer, Propose
from nodealer.play.frames import Ask, Asks, read_ask, sign_frame
from nodealer.play.rosters import refuse_roster
from nodealer.play.state import TableState
from nodealer.wire import SEATS_MAX

#: How many are heard who ask for a seat.
ASKING_MAX: Final = 64


def roster_with(state: TableState, member: Member) -> Roster:
    """The roster in force, and one more."""
    return Roster(tuple(sorted((*state.roster.members, member), key=lambda one: one.seat)))


def roster_without(state: TableState, name: str) -> Roster:
    """The roster in force, without one who is gone, was found at fault, or has ended."""
    there = [state.roster.member(seat) for seat in state.roster.with_cards]
    meant = next((member for member in there if folded(member.name) == folded(name)), None)
    if meant is None:
        raise IllegalMove(f"nobody called {name} has a seat here" if name else "say whom")
    if meant.seat not in state.gone | state.ended | state.expelled:
        raise IllegalMove(f"{meant.name} is there, and only who is gone can be taken out")
    return Roster(tuple(member for member in state.roster.members if member != meant))


def asked_by(asking: Sequence[Asks], name: str) -> Asks:
    """What the one of this name asks for."""
    called = [asks for asks in asking if folded(asks.who.name) == folded(name)]
    if len(called) > 1:
        raise IllegalMove(f"{len(called)} who are called {name} ask for a seat: let them take other names")
    if not called:
        raise IllegalMove(f"nobody called {name} asks for a seat")
    return called[0]


def place_for(state: TableState, identity: Identity, name: str) -> Member:
    """The seat that somebody would have: its own, or the lowest that nobody ever had."""
    for member in state.known.values():
        if member.key == identity.public:
            return member
    free = [seat for seat in range(SEATS_MAX) if seat not in state.known]
    if not free:
        raise IllegalMove(f"this session has seen {SEATS_MAX} players, and has no number for another")
    return member_of(identity, free[0], name)


def ask(state: TableState, table: str, identity: Identity, name: str) -> bytes:
    """The frame that asks for a seat. Raises `IllegalMove` where there is none to be had."""
    member = place_for(state, identity, name)
    if member.seat in state.roster.seats:
        raise IllegalMove("this player has a seat")
    roster, session = roster_with(state, member), state.config.session.id
    known = member.seat in state.known
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
