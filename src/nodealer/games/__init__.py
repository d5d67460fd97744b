"""Games: rules and chips, as machines over public events that never see a ciphertext."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from nodealer.games.base import Rules

__all__ = ["GAMES"]


def _holdem(parameters: bytes) -> Rules:
    # Here and not above: pokerkit takes a third of a second to import, and most commands play no hold'em.
    from nodealer.games.holdem.rules import Holdem

    return Holdem.from_parameters(parameters)


def _free(parameters: bytes) -> Rules:
    from nodealer.games.free import Free

    return Free.from_parameters(parameters)


def _wardens(parameters: bytes) -> Rules:
    from nodealer.games.wardens.rules import WardensRules

    return WardensRules.from_parameters(parameters)


#: The games of this package, by name: each makes its rules from the parameters that a session agreed on.
GAMES: Final[dict[str, Callable[[bytes], Rules]]] = {"free": _free, "holdem": _holdem, "wardens": _wardens}
