"""A finished hand as a record that people and programs read: JSON, one document for all hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from nodealer.games.base import Game
from nodealer.games.hearts.faces import name
from nodealer.games.hearts.hand import HeartsHand
from nodealer.games.hearts.scoring import result
from nodealer.games.package import Export
from nodealer.wire import encode

#: Of the form of this document.
RECORD_VERSION: Final = 1


def record(game: Game, names: Mapping[int, str]) -> dict[str, Any] | None:
    """Who played which card, who took it, what was proven, and what it counted. What was passed stays hidden."""
    if not isinstance(game, HeartsHand):
        return None
    said = result(game)
    return {
        "hand": game.number + 1,
        "players": [{"seat": seat + 1, "name": names.get(seat, str(seat))} for seat in game.seats],
        "passed": said["passed"],
        "tricks": [
            {
                "cards": [{"seat": seat + 1, "card": name(face)} for seat, face in trick.cards],
                "taken_by": trick.winner + 1,
                "points": trick.points,
            }
            for trick in game.tricks
        ],
        "proofs": [
            {"trick": proof.trick + 1, "seat": proof.seat + 1, "none_of": [name(face) for face in proof.faces]}
            for proof in game.proofs
        ],
        "ended": said["ended"],
        "moon": None if said["moon"] is None else said["moon"] + 1,
        "spoilt": [seat + 1 for seat in said["spoilt"]],
        "points": [one | {"seat": one["seat"] + 1} for one in said["points"]],
        "over": said["over"],
    }


def text(records: Sequence[Any]) -> str:
    """All hands, with a line for each trick, each proof and each player."""
    hands = ",\n".join(f"  {{{','.join(map(_field, one.items()))}}}" for one in records)
    return f'{{"format": "hearts", "version": {RECORD_VERSION}, "hands": [\n{hands}\n]}}\n'


def _field(field: tuple[str, Any]) -> str:
    key, value = field
    listed = isinstance(value, list) and value and isinstance(value[0], dict)
    rows = ",".join(f"\n     {encode(one).decode()}" for one in value) if listed else ""
    return f"\n   {encode(key).decode()}: {f'[{rows}]' if listed else encode(value).decode()}"


RECORD: Final = Export("json", record, text)
