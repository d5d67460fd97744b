"""How a table stands, in the words of its players: names instead of seats, and why nothing can be asked for now."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Replica
from nodealer.engine.state import TableState

_SEAT: Final = re.compile(r"\bseat (\d+)\b")


def names_of(state: TableState) -> dict[int, str]:
    """Everybody whom this table has seen: seat to name."""
    return {seat: member.name for seat, member in state.known.items()}


def named(text: str, names: Mapping[int, str]) -> str:
    """A sentence of the rooms below, which know only seats."""
    return _SEAT.sub(lambda found: names.get(int(found[1]), found[0]), text)


def listed(names: Iterable[str]) -> str:
    """Ada, Ben and Cleo."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def holding_up(state: TableState) -> tuple[str, ...]:
    """Whom the table waits for."""
    seats = {known.duty.seat for known in state.duties.open.values() if known.holds_up}
    return tuple(state.known[seat].name for seat in sorted(seats))


def stopped(replica: Replica) -> str | None:
    """Why no hand comes any more, or none unless somebody comes back. None where one does."""
    state, names = replica.state, names_of(replica.state)
    there = [seat for seat in state.roster.with_cards if seat in state.present or seat in state.hand.commitments]
    few = len(there) < replica.config.protocol.claims.seats[0]
    if state.phase is Phase.PLAYING or not (state.over or few):
        return None
    faults = [(names[fault.seat], fault.reason) for fault in state.faults if fault.seat is not None]
    if faults:
        name, reason = faults[-1]
        return f"{name} was found at fault: {named(reason, names)}"
    if state.over:
        return "the hand was broken off, and it was the last"
    away = [names[seat] for seat in state.roster.with_cards if seat not in there]
    return f"{listed(away)} {'is' if len(away) == 1 else 'are'} not there any more, and too few are left"


def cannot_ask(me: Participant) -> str:
    """Why this player can make no move."""
    if me.silenced is not None or not me.begun:
        return me.silenced or "the players have not agreed yet"
    if not me.seated:
        return "who watches makes no moves"
    state, seat, why = me.replica.state, me.seat, stopped(me.replica)
    name = state.known[seat.number].name
    if state.phase is Phase.ENDED and not state.faults and not state.over:
        return "the game is over: its end is signed"
    if seat.number in state.expelled:
        return f"{name} was found at fault, and has no word any more"
    if why is not None:
        return f"the table has stopped: {why}"
    if seat.unconfirmed:
        return f"what {name} said last has not come back yet"
    return _waiting(state, seat.number, name)


def _waiting(state: TableState, seat: int, name: str) -> str:
    owed = [known for known in state.duties.open.values() if known.holds_up and known.duty.seat != seat]
    others = listed(sorted({state.known[known.duty.seat].name for known in owed})) if owed else ""
    if state.phase is Phase.BETWEEN:
        return "the next hand has not begun" + (f": the table waits for {others}" if others else "")
    if seat in state.gone:
        return f"{name} is out of this hand"
    if not others:
        return f"{name} can do nothing now"
    return f"it is the turn of {others}" if all(known.is_move for known in owed) else f"the table waits for {others}"
