"""What the command line has to know of each game: its words for the log, and what it asks a person.

Another game is one more module here and one more line in `words_for` and `desk_for`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from rich.console import Console

from nodealer.cards import Opened
from nodealer.games.base import Game
from nodealer.games.wardens.hand import WardensGame
from nodealer.play.view import View
from nodealer.protocols.base import Duty
from nodealer.wire import Message


class Words(Protocol):
    """How a game's events are told."""

    def holder(self, game: Any, event: Opened) -> int | None:
        """The seat whose card was opened, or None for the table's."""

    def names(self, game: Any, events: list[Opened]) -> list[str]:
        """What is printed on cards that were opened."""

    def move(self, game: Any, seat: int, move: bytes) -> str:
        """A move, after the player's name."""

    def result(self, result: Mapping[str, Any], seats: Mapping[int, str]) -> str:
        """How a hand ended."""


class Desk(Protocol):
    """How a game is shown to a person, and what the person's answers mean."""

    help: str

    def show(self, view: View, console: Console) -> None:
        """The table before a move."""

    def read(self, view: View, text: str) -> Message | None:
        """The move that was typed; None for a request for help. Raises `IllegalMove`."""

    def offer(self, view: View, duty: Duty, console: Console) -> None:
        """What is to be chosen in private."""

    def choose(self, view: View, duty: Duty, text: str) -> bytes:
        """The choice that was typed. Raises `IllegalMove`."""


def words_for(game: Game | None) -> Words | None:
    """The words of a game; None for those that the narrator knows itself."""
    if isinstance(game, WardensGame):
        from nodealer.cli.games.wardens import WardensWords

        return WardensWords()
    return None


def desk_for(game: Game | None) -> Desk | None:
    """The desk of a game; None for those that the terminal knows itself."""
    if isinstance(game, WardensGame):
        from nodealer.cli.games.wardens import WardensDesk

        return WardensDesk()
    return None
