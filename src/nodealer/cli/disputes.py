"""Disputed hands: tells the person what disclosing their hand would show, and leaves the decision to them."""

from __future__ import annotations

from nodealer.cli import text as phrases
from nodealer.cli.output import escape_markup
from nodealer.cli.screen import Screen
from nodealer.engine.participant import Participant


class Disputes:
    """Tells the person, once per hand, about a card that does not open and about a request to disclose a hand."""

    def __init__(self, screen: Screen) -> None:
        """Print the questions on this screen."""
        self._screen = screen
        self._told: set[tuple[str, int]] = set()

    def on_tick(self, participant: Participant) -> bool:
        """Print the questions that are new, and return whether one is waiting for an answer."""
        options, state = participant.options(), participant.replica.state
        if options.unreadable is not None:
            self._say("claim", state.hand.number, *phrases.CARD_UNREADABLE)
        if options.unprovable is not None:
            self._say("proof", state.hand.number, *phrases.UNPROVABLE)
        for hand in options.hands_to_disclose:
            reason = escape_markup(state.chronicle.records[hand].void or "")
            self._say("book", hand, phrases.hand_disputed(hand + 1, reason), phrases.DISCLOSE)
        return options.unreadable is not None or bool(options.hands_to_disclose)

    def _say(self, what: str, hand: int, *lines: str) -> None:
        """Print the lines, unless a message of the kind `what` was already printed for this hand."""
        if (what, hand) not in self._told:
            self._told.add((what, hand))
            for text in lines:
                self._screen.say(text)
