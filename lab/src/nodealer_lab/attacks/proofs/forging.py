"""Attacks on the proof of a shuffle: the same forgery on every protocol that has one, with the claim it has there."""

from __future__ import annotations

from collections.abc import Callable, Collection

from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.defences import EQUALITY_PROOF
from nodealer_lab.attacks.proofs.steps import Shuffle, shuffle_of
from nodealer_lab.attacks.truth import spoilt

#: What is sent in place of an honest shuffle.
Forgery = Callable[[Shuffle], bytes]


def on_shuffles(
    name: str, does: str, of: tuple[str, ...], forgery: Forgery, *defence: Without, only: Collection[str] = ()
) -> Attack:
    """An attack that leaves an honest seat with a card that cannot be read: what was proven is not what is there. With
    `only` it is one on the shuffles of these protocols."""

    def forge(moment: Moment) -> bytes:
        step = shuffle_of(moment)
        return moment.honest if step is None else forgery(step)

    def way(claim: str, step: str, *beside: Without, seat: int | None = None) -> tuple[Way, ...]:
        return (Way(claim, {step: forge}, defence=(*defence, *beside), gained=spoilt, seat=seat, seen="at once"),)

    ways = {
        "lock": way("a card doubled, replaced or marked in the cascade", "cascade"),
        "mask": way("a card doubled, dropped, replaced or marked in a shuffle", "shuffle"),
        "offset": way("a pair doubled, dropped or foreign in a shuffle", "shuffle"),
        # Behind the proof stands another: who has a false number in its list cannot draw it by its key.
        "chain": way("a number doubled, dropped or foreign in a shuffle", "shuffle", EQUALITY_PROOF, seat=1),
        "duel": way("a card doubled, replaced or marked in a shuffle", "shuffle"),
    }
    return Attack(name=name, does=does, of=of, ways={one: ways[one] for one in ways if not only or one in only})
