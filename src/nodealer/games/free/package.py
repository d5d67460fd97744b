"""The free table as a game package. It has no bot: only its players know what they are playing."""

from __future__ import annotations

from typing import Final

from nodealer.games.free.rules import Free, Move
from nodealer.games.free.text import FreeWords
from nodealer.games.package import GamePackage

GAME: Final = GamePackage(
    name=Free.name,
    version=Free.version,
    rules=Free.from_parameters,
    from_settings=lambda settings: Free(),
    moves=Move,
    words=FreeWords(),
)
