"""A hand that somebody disputes: a person is told what an open book would show, and opens it or does not."""

from __future__ import annotations

from typing import Final

from nodealer.cli.output import shown
from nodealer.cli.screen import Screen
from nodealer.engine.participant import Participant

_SHOWS: Final = "it shows everybody all that you held in that hand, and nothing of any other"
_CLAIM: Final = (
    "[red bold]A card that you were given does not open.[/red bold] Somebody was false, and nobody can tell yet who.",
    "  [bold]claim[/bold]: say so. Where the protocol can, this shows that card alone. Else it opens your book of the "
    f"hand: {_SHOWS}; the others are asked for theirs, and the hand has no result.",
)
_UNPROVABLE: Final = (
    "[red bold]This cannot be proven[/red bold]: one of your cards is what none of them should be. Nothing is sent, so "
    "nobody sees which; the others will go on without you.",
    "  [bold]leave[/bold]: leave the hand now.",
)
_BOOK: Final = (
    f"  [bold]book[/bold]: open yours; {_SHOWS}. Until you do, your part is unchecked: what you put in is held, and "
    "you are not dealt in."
)


class Disputes:
    """Asks once for each book, and once in a hand for a card that does not open."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._told: set[tuple[str, int]] = set()

    def on_tick(self, participant: Participant) -> bool:
        """Whether the person is asked something. From the first look on no book is opened without its word."""
        participant.asks_for_books = True
        options, state = participant.options(), participant.replica.state
        if options.unreadable is not None:
            self._say("claim", state.hand.number, *_CLAIM)
        if options.unprovable is not None:
            self._say("proof", state.hand.number, *_UNPROVABLE)
        for hand in options.books:
            reason = shown(state.chronicle.records[hand].void or "")
            why = f"[red bold]Hand {hand + 1} is disputed[/red bold]: {reason}. Only books can tell who was false."
            self._say("book", hand, why, _BOOK)
        return options.unreadable is not None or bool(options.books)

    def _say(self, what: str, hand: int, *lines: str) -> None:
        if (what, hand) not in self._told:
            self._told.add((what, hand))
            for text in lines:
                self._screen.say(text)
