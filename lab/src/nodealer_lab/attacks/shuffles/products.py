"""The last to shuffle puts into its own slot the product of the numbers of all other cards, each to a power of its own.

What it draws is the same product of bare cards, and only one order of the deck gives that: it knows where every card
lies, before the first bet. With a second slot of its own it would have two products of half as many cards, which are
found far sooner: so a whole hand of a large deck is read in seconds. Here the deck is small, and one is enough."""

from __future__ import annotations

from itertools import permutations
from typing import Any, Final

from msgspec.structs import replace

from nodealer.cheats.arrays import put, times
from nodealer.errors import CardUnreadable
from nodealer.group import Points, concat
from nodealer.protocols.base import Cheat
from nodealer.protocols.chain.messages import ChainShuffle
from nodealer.protocols.codec import read_message
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Scheme, Way
from nodealer_lab.attacks.defences import BOOKS
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Played, Scene, judged, tried
from nodealer_lab.attacks.truth import dealt


def _powers(mine: int, size: int) -> dict[int, int]:
    """Place to the power that its number is taken to."""
    return {place: place + 2 for place in range(size) if place != mine}


def _shuffle(moment: Moment) -> bytes:
    """Into the place that will be dealt to it."""
    said, deck = read_message(ChainShuffle, moment.honest), moment.deck
    mine, numbers = deck.binding.players.index(moment.duty.seat), deck.binding.group.points(said.numbers)
    powers = _powers(mine, deck.size)
    product = (numbers.group.integers([*powers.values()]) * numbers.take([*powers])).sum()
    return encode(replace(said, numbers=put(said.numbers, mine, product.to_bytes())))


def _reads(played: Played) -> str | None:
    """What the honest seats hold is held against the one order that fits."""
    me = played.cheater
    for one in dealt(played):
        hidden = {card.position: face for seat in played.honest for card, face in one.hidden(seat).items()}
        if hidden and isinstance(one.reads.get(me), CardUnreadable):
            drawn = one.deck.bare(me, played.tape(me, one.hand), one.deck.hidden(me))[0]
            if hidden.items() <= _order(one.deck, one.deck.binding.players.index(me), drawn).items():
                return "knows where every card of the deck lies"
    return None


def _order(deck: Any, mine: int, drawn: Points) -> dict[int, int]:
    """Place to face, so that the product of the bare cards is what was drawn. All orders are tried."""
    powers, cards = _powers(mine, deck.size), deck.base.numbers
    known = {at: times(drawn.group, power, cards) for at, power in powers.items()}
    for faces in permutations(range(deck.size), len(powers)):
        order = dict(zip(powers, faces, strict=True))
        if concat(*(known[at][face] for at, face in order.items())).sum() == drawn:
            return order
    return {}


def _plays(scene: Scene) -> Came:
    """Only where the cards are public and nothing is proven: nothing for a bot that others play with."""
    played = tried(PRODUCTS, scene)
    return judged(played, _reads(played))


CLAIM: Final = Cheat("a product of powers of all other cards in the seat's own slot, to read them", "at the end", True)
PRODUCTS: Final = Attack(
    name="products",
    does="puts a product of all other cards into the slot that it will draw",
    of=("A7", "A8"),
    law=Scheme(Way(CLAIM.cheat, {"shuffle": _shuffle}, plays=_plays, defence=(BOOKS,)), CLAIM),
    tried_on=("chain",),
    in_mode={"chain": b'{"proven":false}'},
)
