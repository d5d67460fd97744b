"""Two players tell each other their cards where no log is: each plays with both hands before it."""

from __future__ import annotations

from typing import Final

from nodealer_lab.attacks.base import Attack, Way
from nodealer_lab.attacks.scene import Played, watched
from nodealer_lab.attacks.truth import dealt

#: The last two seats.
FRIENDS: Final = 2


def _told(played: Played) -> str | None:
    """Each reads its own cards, by its own secrets and nobody else's, and hears those of its friend."""
    friends = range(len(played.names) - FRIENDS, len(played.names))
    for one in dealt(played):
        own = [one.hidden(seat) for seat in friends]
        both = {card: face for hand in own for card, face in hand.items()}
        if all(0 < len(hand) < len(both) for hand in own):
            names = " and ".join(played.names[seat] for seat in friends)
            return f"has {names} know {len(both)} of {one.deck.places.faces} cards, where each was dealt {len(own[0])}"
    return None


#: The same everywhere: all messages are honest ones.
_WAYS: Final = (
    Way(
        "players telling each other their cards outside the table",
        plays=watched(_told),
        unseen="cannot be seen",
    ),
)
TOLD_OUTSIDE: Final = Attack(
    name="told-outside",
    does="tells a friend its cards outside the table",
    of=("A50",),
    who="a coalition",
    ways=dict.fromkeys(("mask", "lock", "offset", "chain"), _WAYS),
)
