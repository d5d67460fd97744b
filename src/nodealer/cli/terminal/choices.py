"""The choices of a player who waits for another one, and what each would cost."""

from __future__ import annotations

from collections.abc import Iterator

from nodealer.cli import text as phrases
from nodealer.cli.output import escape_markup
from nodealer.client.status import AllowedActions, TableStatus
from nodealer.client.time_limits import describe_timeout
from nodealer.engine.phases import Phase
from nodealer.engine.state import TableState


def waiting_choices(status: TableStatus, awaited: str) -> list[str]:
    """Return the lines that tell the person what to type while the table waits for this player."""
    state, actions = status.state, status.actions
    if state is None:
        return [phrases.CAN_WAIT]
    if status.seat in state.ended:
        return [phrases.END_SIGNED, *_break_choices(state, actions)]
    over = state.phase is not Phase.PLAYING and state.no_more_hands
    leaving = [] if over else [phrases.CAN_LEAVE]
    skipping = _skip_choices(state, actions, escape_markup(awaited))
    return [phrases.CAN_WAIT, *skipping, *_break_choices(state, actions), *leaving, *_leave_hint(state, actions)]


def _skip_choices(state: TableState, actions: AllowedActions, name: str) -> Iterator[str]:
    """Yield the lines about going on without this player."""
    if state.roster.timekeeper is not None and state.phase is Phase.PLAYING:
        yield phrases.votes_automatically(describe_timeout(state.config.words))
    if actions.skip:
        yield phrases.can_go_on_without(name, actions.skip_needs, actions.voters, actions.late_needs)


def _break_choices(state: TableState, actions: AllowedActions) -> Iterator[str]:
    """Yield the line about aborting the hand or ending the game, if that is allowed."""
    if actions.abort:
        what = phrases.ABORT_HAND
        if state.phase is not Phase.PLAYING:
            what = phrases.END_LOG if state.no_more_hands else phrases.END_GAME
        yield phrases.can_break(what, actions.abort_needs, actions.voters)


def _leave_hint(state: TableState, actions: AllowedActions) -> Iterator[str]:
    """Yield the line that says: if the timekeeper is silent too, leaving is the only way out.

    With two voters, only a late duty can be skipped, and only the timekeeper's ticks make a duty late.
    """
    if state.roster.timekeeper is not None and actions.voters <= 2 and actions.skip:
        yield phrases.ONLY_LEAVE
