"""Faces with a relation that everybody knows: after all shuffles it says which card is which."""

from __future__ import annotations

from typing import Final

from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.encodings.multiples import order_of
from nodealer_lab.attacks.scene import Played, watched
from nodealer_lab.attacks.truth import dealt


def _read(played: Played) -> str | None:
    """The last list of numbers, in the order in which they are drawn."""
    for one in dealt(played):
        order = order_of(one.deck.layers[-1].cards.numbers)
        hidden = {card.position: face for seat in played.honest for card, face in one.hidden(seat).items()}
        if order is not None and hidden and all(order[position] == face for position, face in hidden.items()):
            return "reads every card of the deck"
    return None


#: The numbers of cards are hashed.
_HASHED: Final = Without(
    "nodealer.protocols.chain.lists:PublicCards.lists",
    'group.map_to_points(b"".join(uniform))',
    "group.integers(range(1, self.size + 1)) * group.G",
)
CLAIM: Final = Cheat("a relation between faces, found again in the shuffled deck", "never", False)

RELATED: Final = Attack(
    name="related",
    does="looks for a relation between faces in the shuffled deck",
    of=("A2",),
    who="a reader of the log",
    law=Scheme(Way(CLAIM.cheat, plays=watched(_read), defence=(_HASHED,)), CLAIM),
    tried_on=("chain",),
)
