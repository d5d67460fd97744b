"""The rules and the card protocol of a game, built from its settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nodealer.errors import BadParameter
from nodealer.games.base import Rules
from nodealer.games.package import GamePackage
from nodealer.protocols import make_protocol, refuse_unserved
from nodealer.protocols.base import CardProtocol, Needs


@dataclass(frozen=True)
class GameSetup:
    """A game's rules, and the card protocol that they are played with."""

    rules: Rules
    protocol: CardProtocol

    def refuse_seats(self, seats: int) -> None:
        """Raise `BadParameter` if this many players cannot play the game, or the protocol cannot serve them."""
        rules = self.rules
        refuse_unserved(self.protocol.claims, Needs(rules.name, seats, rules.deck_max, rules.operations))
        rules.begin(0, tuple(range(seats)), None, dict.fromkeys(range(seats), rules.stake))


def game_setup(
    game: GamePackage, settings: Mapping[str, str], protocol: str | None = None, parameters: bytes | None = None
) -> GameSetup:
    """Build a game's rules and protocol. None means the game's default. Raise `BadParameter` if they do not fit."""
    name = protocol or game.protocol
    meant = game.protocol_parameters(name, settings)
    if parameters is not None and meant not in (b"{}", parameters):
        raise BadParameter("--parameters contradicts a setting of the game")
    return GameSetup(game.from_settings(settings), make_protocol(name, meant if parameters is None else parameters))
