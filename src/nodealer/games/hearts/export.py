"""Export of finished hands as a record for people and programs: one JSON document for all hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from nodealer.games.base import Game
from nodealer.games.hearts.faces import name
from nodealer.games.hearts.hand import HeartsHand
from nodealer.games.hearts.scoring import result
from nodealer.games.package import Export
from nodealer.wire import encode

#: The version of this document's format.
RECORD_VERSION: Final = 1


def record(game: Game, names: Mapping[int, str]) -> dict[str, Any] | None:
    """Return the record of a hand: the tricks, what was proven, and the points. Passed cards stay hidden."""
    if not isinstance(game, HeartsHand):
        return None
    final = result(game)
    return {
        "hand": game.number + 1,
        "players": [{"seat": seat + 1, "name": names.get(seat, str(seat))} for seat in game.seats],
        "passed": final["passed"],
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
        "ended": final["ended"],
        "moon": None if final["moon"] is None else final["moon"] + 1,
        "spoilt": [seat + 1 for seat in final["spoilt"]],
        "points": [one | {"seat": one["seat"] + 1} for one in final["points"]],
        "over": final["over"],
    }


def text(records: Sequence[Any]) -> str:
    """Join the records of all hands into one document, with a line for each trick, proof and player."""
    hands = ",\n".join(f"  {{{','.join(map(_field, one.items()))}}}" for one in records)
    return f'{{"format": "hearts", "version": {RECORD_VERSION}, "hands": [\n{hands}\n]}}\n'


def _field(field: tuple[str, Any]) -> str:
    """Return one field as JSON; a list of objects gets one line for each object."""
    key, value = field
    listed = isinstance(value, list) and value and isinstance(value[0], dict)
    rows = ",".join(f"\n     {encode(one).decode()}" for one in value) if listed else ""
    return f"\n   {encode(key).decode()}: {f'[{rows}]' if listed else encode(value).decode()}"


RECORD: Final = Export("json", record, text)
