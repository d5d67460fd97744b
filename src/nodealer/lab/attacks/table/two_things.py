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
    """The lie has reached everybody, and nobody has named its seat."""
    named = any(state.fault is not None and state.fault.seat == played.cheater for state in played.states())
    return None if named else "has signed that it stays and that it left, and shows each to whom it likes"


TWO_THINGS: Final = Attack(
    name="two-things",
    does="says two things where it may say one",
    of=("A42",),
    law=Scheme(Way(CLAIM.cheat, beside=_contradict, defence=(_NUMBERS,), gained=_both), CLAIM),
)
