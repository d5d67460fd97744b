"""A holder shuffles its hand before it shows a card of it, and a reader of the log would follow the card all the same:
by its place, or by its points."""

from __future__ import annotations

from typing import Any, Final

from nodealer.games.free.rules import MixHand
from nodealer.proofs.encoding import encodings
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.operations.drawn_when import DRAWN, HOLDER, drawn_in_order, places_in_time, shows_all
from nodealer_lab.attacks.operations.free import hand
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene


def _order(deck: Any, before: list[int], after: list[int]) -> list[int]:
    """In which order the cards in a hand were drawn, for all that a reader can tell: where one has a point that another
    had before, it is that one; the others lie as they lay."""
    old, new = (deck.layers.cards(tuple(places)) for places in (before, after))
    had = {point: at for points in (old.epk, old.msg) for at, point in enumerate(encodings(points))}
    linked = [had.get(epk, had.get(msg)) for epk, msg in zip(encodings(new.epk), encodings(new.msg), strict=True)]
    found = {at: place for at, place in zip(linked, after, strict=True) if at is not None}
    rest = iter([place for place in after if place not in found.values()])
    return [found[at] if at in found else next(rest) for at in range(len(after))]


def _plays(scene: Scene) -> Came:
    stage, true = drawn_in_order(scene)
    stage.asks(HOLDER, MixHand(0, tuple(hand(stage, HOLDER))))
    shows_all(stage)
    places, deck = places_in_time(stage)
    order = _order(deck, places[:DRAWN], places[-DRAWN:])
    known = [deck.places.face(place) for place in order] == true
    return stage.came("knows of each card that Ben shows when he drew it" if known else None)


CLAIM: Final = Cheat("when a card was drawn that is shown from a shuffled hand", "never", False)
FOLLOWED: Final = Attack(
    name="followed",
    does="follows cards through a hand that is shuffled",
    of=("A47",),
    who="a reader of the log",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            # A hand that is to be shuffled stays as it is.
            defence=(Without("nodealer.protocols.mask.mixing:mix", "if len(positions) == 1:", "if positions:"),),
        ),
        CLAIM,
    ),
    tried_on=("mask",),
)
