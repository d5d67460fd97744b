"""The state of a table in terms of its players: names instead of seats, and why a player cannot move now."""

from __future__ import annotations

from collections.abc import Iterable

from nodealer.client.seat_names import names_of, with_names
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Replica
from nodealer.engine.state import TableState


def join_names(names: Iterable[str]) -> str:
    """Join names for a sentence: "Ada, Ben and Cleo"."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def names_waited_for(state: TableState) -> tuple[str, ...]:
    """Return the names of the players the table is waiting for."""
    seats = {known.duty.seat for known in state.duties.open.values() if known.is_blocking}
    return tuple(state.all_members[seat].name for seat in sorted(seats))


def why_stopped(replica: Replica) -> str | None:
    """Return why no further hand starts, at least until a player comes back. None if one can start."""
    state, names = replica.state, names_of(replica.state)
    there = [seat for seat in state.roster.with_cards if seat in state.present or seat in state.hand.commitments]
    few = len(there) < replica.config.protocol.claims.seats[0]
    if state.phase is Phase.PLAYING or not (state.no_more_hands or few):
        return None
    faults = [(names[fault.seat], fault.reason) for fault in state.faults if fault.seat is not None]
    if faults:
        name, reason = faults[-1]
        return f"{name} was found at fault: {with_names(reason, names)}"
    if state.no_more_hands:
        return "the hand was aborted, and it was the last one"
    away = [names[seat] for seat in state.roster.with_cards if seat not in there]
    return f"{join_names(away)} {'is' if len(away) == 1 else 'are'} no longer here, and too few players are left"


def why_no_move(me: Participant) -> str:
    """Return why this player cannot make a move now."""
    if me.silenced is not None or not me.has_session:
        return me.silenced or "the players have not agreed yet"
    if not me.has_seat:
        return "a spectator cannot move"
    state, seat, why = me.replica.state, me.seat, why_stopped(me.replica)
    name = state.all_members[seat.number].name
    if state.phase is Phase.ENDED and not state.faults and not state.no_more_hands:
        return "the game is over: its end has been signed"
    if seat.number in state.expelled:
        return f"{name} was found at fault and can no longer act"
    if why is not None:
        return f"the table has stopped: {why}"
    if seat.unconfirmed:
        return f"{name}'s last message has not come back yet"
    return _why_waiting(state, seat.number, name)


def _why_waiting(state: TableState, seat: int, name: str) -> str:
    """Return what the table is waiting for, as a reason why this player cannot move."""
    owed = [known for known in state.duties.open.values() if known.is_blocking and known.duty.seat != seat]
    others = join_names(sorted({state.all_members[known.duty.seat].name for known in owed})) if owed else ""
    if state.phase is Phase.BETWEEN:
        return "the next hand has not started" + (f": the table is waiting for {others}" if others else "")
    if seat in state.gone:
        return f"{name} is out of this hand"
    if not others:
        return f"{name} has nothing to do now"
    return (
        f"it is the turn of {others}" if all(known.is_move for known in owed) else f"the table is waiting for {others}"
    )
