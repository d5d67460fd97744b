"""What a player may do while waiting for another player, and what it would cost."""

from __future__ import annotations

from collections.abc import Iterator

from nodealer.cli import text as phrases
from nodealer.cli.output import escape_markup
from nodealer.client.time_limits import describe_timeout
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.votes import voters


def waiting_choices(participant: Participant, awaited: str) -> list[str]:
    """Return the lines that tell the person what to type while the table waits for this player."""
    if not participant.has_session:
        return [phrases.CAN_WAIT]
    state = participant.replica.state
    if participant.seat.number in state.ended:
        return [phrases.END_SIGNED, *_break_choices(participant)]
    over = state.phase is not Phase.PLAYING and state.no_more_hands
    leaving = [] if over else [phrases.CAN_LEAVE]
    skipping = _skip_choices(participant, escape_markup(awaited))
    return [phrases.CAN_WAIT, *skipping, *_break_choices(participant), *leaving, *_leave_hint(participant)]


def _skip_choices(participant: Participant, name: str) -> Iterator[str]:
    """Yield the lines about going on without this player."""
    state = participant.replica.state
    count, timed = len(voters(state)), state.roster.timekeeper is not None
    if timed and state.phase is Phase.PLAYING:
        yield phrases.votes_automatically(describe_timeout(state.config.words))
    if participant.options().can_vote_skip and (count > 2 or timed):
        if_late = count // 2 if timed and count % 2 == 0 else None
        yield phrases.can_go_on_without(name, count // 2 + 1, count, if_late)


def _break_choices(participant: Participant) -> Iterator[str]:
    """Yield the line about aborting the hand or ending the game, if that is allowed."""
    state = participant.replica.state
    count, between = len(voters(state)), state.phase is not Phase.PLAYING
    if participant.options().can_vote_abort:
        what = phrases.ABORT_HAND
        if between:
            what = phrases.END_LOG if state.no_more_hands else phrases.END_GAME
        yield phrases.can_break(what, -(-count // 2), count)


def _leave_hint(participant: Participant) -> Iterator[str]:
    """Yield the line that says: if the timekeeper is silent too, leaving is the only way out.

    With two voters, only a late duty can be skipped, and only the timekeeper's ticks make a duty late.
    """
    state = participant.replica.state
    if state.roster.timekeeper is not None and len(voters(state)) <= 2 and participant.options().can_vote_skip:
        yield phrases.ONLY_LEAVE
