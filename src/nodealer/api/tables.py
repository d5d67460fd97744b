"""A table in one process, and the audit of a saved log."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nodealer import events
from nodealer.api.player import Player
from nodealer.api.requests import To
from nodealer.audit.verify import Report, verify_file
from nodealer.client.local_table import Carrier
from nodealer.errors import BadParameter, Declined
from nodealer.events import Face
from nodealer.games.base import Rules
from nodealer.games.free import Free, FreeHand
from nodealer.games.package import GamePackage
from nodealer.games.registry import resolve_game


class Table:
    """Players in one process, who still trust nobody: each has its own secrets and checks everything."""

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
        """What is played is said as in `Player.propose`. Who makes the table has chosen it, warnings and all."""
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
            raise Declined(reasons[0] if reasons else "the players have not come to an agreement")

    def carry(self, frames: Iterable[bytes]) -> None:
        """Bring what a player says to everybody, and everything that follows from it."""
        self._carrier.say(frames)
        while self._carrier.step():
            pass

    # --- Any game ---

    def move(self, name: str, move: object) -> None:
        """A player's move in the game."""
        self.carry(self._player(name).move(move))

    def word(self, name: str, text: str) -> None:
        """Something that a player says and the log keeps."""
        self.carry(self._player(name).word(text))

    def close(self) -> None:
        """End the game: every player signs the end of the log. A hand that is still played at a free table is over."""
        if not self._first.ended:
            for player in self.players.values():
                self.carry(player.end())
            if self._first.ready and isinstance(self._first.game, FreeHand):
                self.carry(self._first.finish())

    def save(self, path: str | Path) -> None:
        """End the game and write its log, which proves it to anybody."""
        self.close()
        self._first.save(path)

    # --- A free table ---

    def shuffle(self, cards: int | Sequence[str] = 52, *, deck: int = 0) -> None:
        """A new deck, shuffled by all players: so many cards, or cards with these names."""
        self.carry(self._first.shuffle(cards, deck))

    def deal(self, portions: Mapping[str, int] | None = None, *, deck: int = 0, **by_name: int) -> None:
        """The next cards to players: `deal(Ada=2, Ben=1)`. Each sees only their own."""
        self.carry(self._first.deal({**(portions or {}), **by_name}, deck))

    def open(self, count: int = 1, *, deck: int = 0) -> list[Face]:
        """The next cards for all to see, and what they are."""
        self.carry(self._first.open_cards(count, deck))
        return self._first.opened(deck)[-count:]

    def show(self, name: str, *faces: Face, deck: int = 0) -> list[Face]:
        """These of a player's cards for all to see, or all of them; and what this player has shown by now."""
        self.carry(self._player(name).show(*faces, deck=deck))
        return self._first.shown(name, deck)

    def prove(self, name: str, none_of: Sequence[Face], *faces: Face, deck: int = 0) -> None:
        """A player proves that none of these of its hidden cards, or of all of them, is one of `none_of`."""
        self.carry(self._player(name).prove(none_of, *faces, deck=deck))

    def give_back(self, name: str, *faces: Face, deck: int = 0, to: To = "shuffled") -> None:
        """These of a player's cards, or all of them, back to the deck; "discard" lays them aside for good."""
        self.carry(self._player(name).give_back(*faces, deck=deck, to=to))

    def hand(self, name: str, *, deck: int = 0) -> list[Face]:
        """What this player sees of their cards, and nobody else does."""
        return self._player(name).hand(deck)

    def next_hand(self) -> None:
        """End this hand and begin another, with new secrets."""
        self.carry(self._first.finish())

    def _player(self, name: str) -> Player:
        if name not in self.players:
            raise BadParameter(f"nobody here is called {name!r}")
        return self.players[name]


#: Sit players down at a new table in this process.
table = Table


def verify(path: str | Path, game: str | GamePackage | None = None) -> Report:
    """Audit a saved log: `.verdict` is "clean", "fault", "broken", "incomplete" or "not-a-log".

    `game` is for the log of a game that is not installed here.
    """
    package = resolve_game(game) if isinstance(game, str) else game
    return verify_file(Path(path), entropy=secrets.token_bytes, game=package)
