"""Leaving a table: asks for confirmation, and remembers the decision across restarts until the person comes back."""

from __future__ import annotations

from nodealer.cli import text as phrases
from nodealer.cli.screen import Screen
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.errors import IllegalMove


class LeavePrompt:
    """Asks for confirmation before the person leaves, and lets them come back."""

    def __init__(self, screen: Screen) -> None:
        """Ask on this screen."""
        self._screen = screen
        #: Whether the person is being asked, and whether they said yes.
        self.asked = False
        self.sure = False
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
        self._screen.say(phrases.you_leave(in_hand=plays))
        return participant.leave_table()

    def come_back(self, participant: Participant) -> list[bytes]:
        """Play again and return the frames to send. Raises `IllegalMove` if the person has already signed the end."""
        if participant.seat.number in participant.replica.state.ended:
            raise IllegalMove(phrases.LEFT_FOR_GOOD)
        self._screen.say(phrases.YOU_ARE_BACK)
        return participant.come_back()
