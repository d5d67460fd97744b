"""A log with every message that `mask` has, the same in every run and on every backend: `python -m
protocols.mask.make_golden` in the folder of the tests writes it, and what it must verify to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from conformance.harness import Source, events_of
from nodealer.cards import Deal, NewDeck, Open, Opened, Operation, Place, Portion, Return, Show
from nodealer.group import Group, group
from nodealer.log.file import save_log
from nodealer.play.local import LocalTable, seat_players
from nodealer.play.replica import Replica
from nodealer.protocols.mask import Mask

from ..script import ScriptRules

LOG: Final = Path(__file__).parents[2] / "golden" / "mask" / "mask-3-seats-v0.jsonl"
EXPECTED: Final = LOG.with_suffix(".expected.json")

SCRIPT: Final[tuple[tuple[Operation, ...], ...]] = (
    (NewDeck(0, 6), Deal(0, tuple(Portion(seat, 1) for seat in range(3))), Open(0, 1)),
    (Return(0, (0, 3), Place.TOP), Deal(0, (Portion(1, 1),))),
    (Return(0, (1,), Place.SHUFFLED), Deal(0, (Portion(0, 1),)), Open(0, 1)),
    (Show(0, 2, (2,)), Return(0, (6,), Place.DISCARD)),
)


def make(on: Group) -> LocalTable:
    """The game, with fixed entropy."""
    table = seat_players(["Ada", "Bo", "Cy"], Mask(on=on), ScriptRules(SCRIPT), Source("golden mask"))
    begun = [data for seat in table.seats.values() for data in seat.due()]
    for seat in table.seats.values():
        seat.stays = False
    for data in begun:
        table.order(data)
    table.run()
    return table


def outcome(replica: Replica) -> dict[str, Any]:
    """What a replica of the log must come to."""
    opened = [event for event in events_of(replica) if isinstance(event, Opened)]
    return {
        "entries": replica.height,
        "checks": replica.checks_settled,
        "head": replica.head.hex(),
        "digest": replica.digest().hex(),
        "opened": [[event.card.epoch, event.card.position, event.face] for event in opened],
        "results": list(replica.state.results),
    }


def main() -> None:
    table = make(group())
    replica = table.seats[0].replica
    replica.settle()
    LOG.parent.mkdir(exist_ok=True)
    save_log(LOG, replica.config.session, table.log)
    EXPECTED.write_text(json.dumps(outcome(replica), indent=1) + "\n")


if __name__ == "__main__":
    main()
