"""Leaving a table: asks for confirmation, and remembers the decision across restarts until the person comes back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nodealer.cli import text as phrases
from nodealer.cli.screen import Screen
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.errors import IllegalMove


def sitting_out_if_left(make: Callable[..., Participant]) -> Callable[..., Participant]:
    """Wrap the constructor of a participant, so that a player who had left is not dealt in again.

    The same holds for a player who sat out when the program ended, until they say otherwise.
    """

    def made(*arguments: Any, **options: Any) -> Participant:
        """Create the participant, which sits out if its seat had left the game."""
        participant = make(*arguments, **options)
        participant.sits_out = participant.has_seat and participant.seat.has_left
        return participant

    return made


class LeavePrompt:
    """Asks for confirmation before the person leaves, and lets them come back."""

    def __init__(self, screen: Screen) -> None:
        """Ask on this screen."""
        self._screen = screen
        #: Whether the person is being asked, and whether they said yes.
        self.asked = False
        self.sure = False
        #: How long the person meant to stay, before they left.
        self._stays: Any = None
        #: Whether the person was told that they sit out.
        self._told = False

    def on_tick(self, participant: Participant) -> None:
        """Once the log has been received, tell a person who had left that they are sitting out."""
        if self._told or not participant.has_seat or participant.is_catching_up:
            return
        self._told = True
        if participant.sits_out and participant.seat.number not in participant.replica.state.ended:
            self._screen.say(phrases.YOU_SIT_OUT)

    def hear(self, answer: str) -> bool:
        """Take a typed line as the answer if a question is open; anything but yes means no.

        Return whether one was open.
        """
        if not self.asked:
            return False
        self.asked, self.sure = False, answer in ("y", "yes")
        if not self.sure:
            self._screen.say(phrases.YOU_STAY)
        return self.sure or answer in ("", "n", "no")

    def leave(self, participant: Participant) -> list[bytes]:
        """Ask for confirmation; leave once the person has said yes. Returns the frames to send."""
        state, seat = participant.replica.state, participant.seat.number
        plays = state.phase is Phase.PLAYING and seat in participant.seat.replica.state.present
        if not self.sure:
            self.asked = True
            self._screen.say(phrases.confirm_leave(in_hand=plays))
            return []
        self.sure = False
        if self._stays is None:
            self._stays = participant.stay_policy
        participant.stay_policy = lambda state: False
        self._screen.say(phrases.you_leave(in_hand=plays))
        try:
            return participant.leave()
        except IllegalMove:
            # A player who sits out has already left the hand.
            return participant.outgoing()

    def come_back(self, participant: Participant) -> list[bytes]:
        """Play again and return the frames to send. Raises `IllegalMove` if the person has already signed the end."""
        if participant.seat.number in participant.replica.state.ended:
            raise IllegalMove(phrases.LEFT_FOR_GOOD)
        if self._stays is not None:
            participant.stay_policy, self._stays = self._stays, None
        self._screen.say(phrases.YOU_ARE_BACK)
        return participant.come_back()
