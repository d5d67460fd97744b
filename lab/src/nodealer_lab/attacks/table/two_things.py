"""A seat gives one number to two entries, so that it could say later that it had said either."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nodealer.cheats import two_things
from nodealer.log.entry import read_entry
from nodealer.play.replica import Replica
from nodealer.play.state import TableState
from nodealer_lab.attacks.base import attack_from
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.scene import Played

#: A second entry with a number is taken for a repetition of the first.
_NUMBERS: Final = Without(
    "nodealer.play.replica:Replica._again", "if arrival.signed == read_entry(earlier).signed:", "if True:"
)


def _both(played: Played) -> str | None:
    """Two players have both entries, in another order each. Nobody is named, and one sees a seat that stays where the
    other sees one that left."""
    log = [data for data in played.log if data not in played.lies]
    for lie in played.lies:
        it = read_entry(lie).entry
        own = [(entry.seat, entry.seq) for entry in (read_entry(data).entry for data in log)]
        at = own.index((it.seat, it.seq))
        views = [_seen(played, [*log[:at], *both]) for both in ((log[at], lie), (lie, log[at]))]
        if all(state.fault is None for state in views) and len({it.seat in state.gone for state in views}) > 1:
            return "has signed that it stays and that it left, and shows each to whom it likes"
    return None


def _seen(played: Played, log: Sequence[bytes]) -> TableState:
    replica = Replica(played.config, entropy=bytes)
    for data in log:
        replica.append(data)
    return replica.state


TWO_THINGS: Final = attack_from(two_things.TWO_THINGS, {"defence": (_NUMBERS,), "gained": _both}, of=("A42",))
