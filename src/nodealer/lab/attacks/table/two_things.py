"""A seat gives one number to two entries, so that it could say later that it had said either."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Raw
from msgspec.structs import replace

from nodealer.lab.attacks.base import Attack, Scheme, Way
from nodealer.lab.attacks.cheater import Cheater
from nodealer.lab.attacks.defence import Without
from nodealer.lab.attacks.scene import Played
from nodealer.log.entry import read_entry, sign_entry
from nodealer.play.bodies import Cards, Leave, read_body
from nodealer.play.replica import Replica
from nodealer.play.state import TableState
from nodealer.protocols.base import Cheat
from nodealer.wire import encode


def _contradict(cheater: Cheater, said: Sequence[bytes]) -> list[bytes]:
    """After its first words about cards: that it had left before them."""
    for data in said if not cheater.lies else ():
        entry = read_entry(data).entry
        if isinstance(read_body(bytes(entry.body)), Cards):
            return [sign_entry(cheater.home.identity, replace(entry, body=Raw(encode(Leave()))))]
    return []


CLAIM: Final = Cheat("two different entries with one number", "at once", True)
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


TWO_THINGS: Final = Attack(
    name="two-things",
    does="says two things where it may say one",
    of=("A42",),
    law=Scheme(Way(CLAIM.cheat, beside=_contradict, defence=(_NUMBERS,), gained=_both), CLAIM),
)
