"""What somebody wants to play, made ready: the rules, and the card protocol that serves them."""

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
    """A game and its cards."""

    rules: Rules
    protocol: CardProtocol

    def refuse(self, seats: int) -> None:
        """Raise `BadParameter` where so many cannot play it, or the protocol cannot serve them."""
        rules = self.rules
        refuse_unserved(self.protocol.claims, Needs(rules.name, seats, rules.deck_max, rules.operations))
        rules.begin(0, tuple(range(seats)), None, dict.fromkeys(range(seats), rules.stake))


def game_setup(
    game: GamePackage, settings: Mapping[str, str], protocol: str | None = None, parameters: bytes | None = None
) -> GameSetup:
    """A game with all its settings; what is None is as the game has it. Raises `BadParameter` for what cannot be."""
    on = protocol or game.protocol
    meant = game.protocol_parameters(on, settings)
    if parameters is not None and meant not in (b"{}", parameters):
        raise BadParameter("--parameters says one thing of the protocol, and a setting of the game another")
    return GameSetup(game.from_settings(settings), make_protocol(on, meant if parameters is None else parameters))
