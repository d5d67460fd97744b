"""Leaving a table: what it costs is said first, it holds until the person says otherwise, and the next time too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nodealer.cli import text as phrases
from nodealer.cli.screen import Screen
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.errors import IllegalMove


def returning(make: Callable[..., Participant]) -> Callable[..., Participant]:
    """Who had left, or sat out, when its program ended is not dealt in again until it says so."""

    def made(*arguments: Any, **options: Any) -> Participant:
        participant = make(*arguments, **options)
        participant.sits_out = participant.seated and participant.seat.went
        return participant

    return made


class Leaving:
    """Asks before somebody leaves, and lets it come back."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        #: Whether the person is asked, and has said yes.
        self.asked = False
        self.sure = False
        #: How long it meant to stay before it left.
        self._stays: Any = None
        #: Whether it was told that it sits out.
        self._told = False

    def on_tick(self, participant: Participant) -> None:
        """Tell somebody who comes back that it is not dealt in."""
        if self._told or not participant.seated or participant.hearing:
            return
        self._told = True
        if participant.sits_out and participant.seat.number not in participant.replica.state.ended:
            self._screen.say(phrases.YOU_SIT_OUT)

    def hear(self, answer: str) -> bool:
        """Whether a line was the answer to what was asked. Another line is none, and means no."""
        if not self.asked:
            return False
        self.asked, self.sure = False, answer in ("y", "yes")
        if not self.sure:
            self._screen.say(phrases.YOU_STAY)
        return self.sure or answer in ("", "n", "no")

    def leave(self, participant: Participant) -> list[bytes]:
        """Ask; or leave, where the answer was yes."""
        state, seat = participant.replica.state, participant.seat.number
        plays = state.phase is Phase.PLAYING and seat in participant.seat.replica.state.present
        if not self.sure:
            self.asked = True
            self._screen.say(phrases.confirm_leave(in_hand=plays))
            return []
        self.sure = False
        if self._stays is None:
            self._stays = participant.stays
        participant.stays = lambda state: False
        self._screen.say(phrases.you_leave(in_hand=plays))
        try:
            return participant.leave()
        except IllegalMove:
            # Who sits out has left the hand already.
            return participant.due()

    def come_back(self, participant: Participant) -> list[bytes]:
        """Play again. Raises `IllegalMove` where the end is signed."""
        if participant.seat.number in participant.replica.state.ended:
            raise IllegalMove(phrases.LEFT_FOR_GOOD)
        if self._stays is not None:
            participant.stays, self._stays = self._stays, None
        self._screen.say(phrases.YOU_ARE_BACK)
        return participant.come_back()
