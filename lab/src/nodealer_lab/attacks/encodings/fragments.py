"""Who says its part of the faces last makes them what it likes: multiples of one point, which it knows again."""

from __future__ import annotations

from typing import Final

from nodealer.protocols.lock.locking import Locking
from nodealer.protocols.lock.messages import Fragments
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.encodings.multiples import order_of
from nodealer_lab.attacks.scene import Played
from nodealer_lab.attacks.truth import dealt, whole


def _lock(moment: Moment) -> bytes:
    """What is missing so that the sums are P, 2·P, 3·P, …"""
    deck = moment.deck
    group, others = deck.binding.group, list(deck.stage.said.values())
    wanted = group.integers(range(1, deck.size + 1)) * deck.fragments(moment.tape, moment.duty.seat)[0]
    for points in others:
        wanted = wanted - points
    return encode(Fragments(wanted.to_bytes()))


def _reads(played: Played) -> str | None:
    """The deck as it came from the cascade, before anybody has locked it: its cards lie as they will lie."""
    orders: dict[int, list[int] | None] = {}
    for one in played.said():
        if isinstance(one.deck.stage, Locking) and not one.deck.stage.layer.keys:
            orders[one.duty.binding.hand] = order_of(one.deck.stage.layer.cards)
    if any(orders.get(one.hand) is not None and whole(one, played) == orders[one.hand] for one in dealt(played)):
        return "reads every card of the deck"
    return None


#: What is opened is what was committed to.
_COMMITTED: Final = Without(
    "nodealer.protocols.lock.making:OpeningFragments.apply",
    "if _commitment(deck, duty.seat, data) != self.commitments[duty.seat]:",
    "if False:",
)

FRAGMENTS: Final = Attack(
    name="fragments",
    does="chooses its part of the faces when it has seen the others'",
    of=("A2", "A6"),
    ways={
        "lock": (
            Way(
                "fragments chosen after seeing the others'",
                {"fragments": _lock},
                late=("fragments",),
                defence=(_COMMITTED,),
                gained=_reads,
            ),
        ),
    },
)
