"""A table in one process, and the audit of a saved log."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nodealer import events
from nodealer.api.player import Player
from nodealer.api.requests import To
from nodealer.audit.report import Report
from nodealer.audit.verify import verify_file
from nodealer.client.local_table import Carrier
from nodealer.errors import BadParameter, Declined
from nodealer.events import Face
from nodealer.games.base import Rules
from nodealer.games.free import Free, free_hand
from nodealer.games.package import GamePackage
from nodealer.games.registry import resolve_game


class Table:
    """Several players in one process. Each has their own secrets, checks everything and trusts no one."""

    def __init__(
        self,
        names: Sequence[str],
        game: str | GamePackage | Rules = Free.name,
        *,
        settings: Mapping[str, str] | None = None,
        protocol: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        roles: Mapping[str, str] | None = None,
        cards: int | None = None,
    ) -> None:
        """Seat players with these names and start the game. The options are those of `Player.propose`.

        Protocols that come with a warning are accepted: whoever creates the table has chosen them. Raises
        `BadParameter` unless there are at least two different names, and `Declined` if the players do not agree.
        """
        games = [game if isinstance(game, str | GamePackage) else game.name]
        self.players = {name: Player(name, games=games, accept=lambda proposal: None) for name in names}
        if len(self.players) != len(names) or len(names) < 2:
            raise BadParameter("a table needs at least two players with different names")
        self._first = self.players[names[0]]
        self._carrier = Carrier(player.receive for player in self.players.values())
        for player in self.players.values():
            self.carry(player.hello())
        self.carry(
            self._first.propose(
                game, settings=settings, protocol=protocol, parameters=parameters, roles=roles, cards=cards
            )
        )
        if not self._first.agreed:
            reasons = [event.reason for event in self._first.events() if isinstance(event, events.Declined)]
            raise Declined(reasons[0] if reasons else "the players did not agree")

    def carry(self, frames: Iterable[bytes]) -> None:
        """Deliver these frames to all players, and then everything they send in response."""
        self._carrier.send(frames)
        while self._carrier.step():
            pass

    # --- Any game ---

    def move(self, name: str, move: object) -> None:
        """Make a player's move in the game. Raises `IllegalMove` as `Player.move` does."""
        self.carry(self._player(name).move(move))

    def word(self, name: str, text: str) -> None:
        """Write a player's signed note into the log."""
        self.carry(self._player(name).word(text))

    def close(self) -> None:
        """End the game: every player signs the end of the log. At a free table, the current hand ends first."""
        if not self._first.ended:
            for player in self.players.values():
                self.carry(player.end())
            if self._first.ready and free_hand(self._first.game) is not None:
                self.carry(self._first.finish())

    def save(self, path: str | Path) -> None:
        """End the game and write its log, which anyone can verify."""
        self.close()
        self._first.save(path)

    # --- A free table ---

    def shuffle(self, cards: int | Sequence[str] = 52, *, deck: int = 0) -> None:
        """Create a new deck, shuffled by all players: a number of cards, or cards with these names."""
        self.carry(self._first.shuffle(cards, deck))

    def deal(self, portions: Mapping[str, int] | None = None, *, deck: int = 0, **by_name: int) -> None:
        """Deal the next cards to players: `deal(Ada=2, Ben=1)`. Each player sees only their own."""
        self.carry(self._first.deal({**(portions or {}), **by_name}, deck))

    def open(self, count: int = 1, *, deck: int = 0) -> list[Face]:
        """Turn up the next cards for everyone and return their faces."""
        self.carry(self._first.open_cards(count, deck))
        return self._first.opened(deck)[-count:]

    def show(self, name: str, *faces: Face, deck: int = 0) -> list[Face]:
        """Show these cards of a player, or all of them, to everyone. Returns all cards the player has shown."""
        self.carry(self._player(name).show(*faces, deck=deck))
        return self._first.shown(name, deck)

    def prove(self, name: str, none_of: Sequence[Face], *faces: Face, deck: int = 0) -> None:
        """Prove that none of these hidden cards of a player, or of all of them, is one of `none_of`."""
        self.carry(self._player(name).prove(none_of, *faces, deck=deck))

    def give_back(self, name: str, *faces: Face, deck: int = 0, to: To = "shuffled") -> None:
        """Return these cards of a player, or all of them, to the deck. "discard" lays them aside for good."""
        self.carry(self._player(name).give_back(*faces, deck=deck, to=to))

    def hand(self, name: str, *, deck: int = 0) -> list[Face]:
        """Return the cards of this player, which no other player sees."""
        return self._player(name).hand(deck)

    def next_hand(self) -> None:
        """End this hand and start another, with new secrets. For free tables."""
        self.carry(self._first.finish())

    def _player(self, name: str) -> Player:
        """Return the player of this name. Raises `BadParameter` if there is none."""
        if name not in self.players:
            raise BadParameter(f"there is no player called {name!r} here")
        return self.players[name]


#: Creates a table in this process.
table = Table


def verify(path: str | Path, game: str | GamePackage | None = None) -> Report:
    """Audit a saved log and return the report.

    Its `.verdict` is "clean", "fault", "broken", "incomplete" or "not-a-log". Pass `game` if the log's game is not
    installed.
    """
    package = resolve_game(game) if isinstance(game, str) else game
    return verify_file(Path(path), entropy=secrets.token_bytes, game=package)
