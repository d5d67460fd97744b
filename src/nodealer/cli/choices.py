"""What somebody may do who waits for another: by the law of the table, and what would come of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from nodealer.cli.output import shown
from nodealer.client.time_limits import describe_timeout
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.votes import voters

_WAIT: Final = "  You may wait. Ctrl-C stops here; `nodealer resume` goes on later, with the same cards for everybody."


def choices(participant: Participant, awaited: str) -> list[str]:
    """What one may type while this one is waited for."""
    if not participant.begun:
        return [_WAIT]
    state = participant.replica.state
    if participant.seat.number in state.ended:
        told = "  You have signed the end, and nothing more is needed of you. Ctrl-C stops here."
        return [told, *_breaking(participant)]
    over = state.phase is not Phase.PLAYING and state.no_more_hands
    leaving = [] if over else ["  [bold]leave[/bold]: leave the table; what you have put in stays in"]
    return [_WAIT, *_without(participant, shown(awaited)), *_breaking(participant), *leaving, *_helpless(participant)]


def _without(participant: Participant, name: str) -> Iterator[str]:
    state = participant.replica.state
    count, timed = len(voters(state)), state.roster.timekeeper is not None
    if timed and state.phase is Phase.PLAYING:
        yield f"  {describe_timeout(state.config.words)} Your program says it by itself."
    if participant.options().may_vote and (count > 2 or timed):
        half = f", or {count // 2} once it is late" if timed and count % 2 == 0 else ""
        when = f"{count // 2 + 1} of {count} say so{half}" if count > 2 else "it is late"
        yield f"  [bold]without {name}[/bold]: go on without {name}, once {when}"


def _breaking(participant: Participant) -> Iterator[str]:
    state = participant.replica.state
    count, between = len(voters(state)), state.phase is not Phase.PLAYING
    if participant.options().may_break:
        what = "break the hand off: chips are as before it, and it is the last one"
        what = "end the game before the next hand" if between else what
        what = "end the log without the others' signatures" if between and state.no_more_hands else what
        needed = "" if count <= 2 else f", once {-(-count // 2)} of {count} say so"
        yield f"  [bold]break[/bold]: {what}{needed}"


def _helpless(participant: Participant) -> Iterator[str]:
    """At two seats only who is late can be gone on without, and only the timekeeper says who is."""
    state = participant.replica.state
    if state.roster.timekeeper is not None and len(voters(state)) <= 2 and participant.options().may_vote:
        yield "  If the timekeeper is silent too, nobody is late, and to leave is all that you can do."
