"""The last to shuffle puts the card that it wants where it will be dealt."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.cheats.arrays import put, times
from nodealer.protocols.codec import read_message
from nodealer.protocols.mask.messages import MaskShuffle
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defences import SHUFFLE_PROOF
from nodealer_lab.attacks.scene import Played
from nodealer_lab.attacks.truth import dealt

_NO_KEY: Final = "a seat cannot make a card under the others' secrets, only take one that it was given"


def _mask(moment: Moment) -> bytes:
    """The highest face, masked with a number of its own, for anybody can mask under the joint key."""
    said, deck = read_message(MaskShuffle, moment.honest), moment.deck
    group, mine = deck.binding.group, deck.binding.players.index(moment.duty.seat)
    joint = deck.stage.joint + group.points(said.key)
    card = deck.faces.points[deck.faces.size - 1] + times(group, 5, joint)
    return encode(
        replace(
            said,
            epk=put(said.epk, mine, times(group, 5, group.G).to_bytes()),
            msg=put(said.msg, mine, card.to_bytes()),
        )
    )


def _highest(played: Played) -> str | None:
    """In every hand: in one of them anybody may have it by luck."""
    held = dict[int, bool]()
    for one in dealt(played):
        highest = one.deck.faces.size - 1 in one.hidden(played.cheater).values()
        held[one.hand] = held.get(one.hand, False) or highest
    return "deals itself the highest card in every hand" if len(held) > 1 and all(held.values()) else None


STACK: Final = Attack(
    name="stack",
    does="puts the card that it wants where it will be dealt",
    of=("A8",),
    ways={
        "mask": (
            Way(
                "a card doubled, dropped, replaced or marked in a shuffle",
                {"shuffle": _mask},
                defence=(SHUFFLE_PROOF,),
                gained=_highest,
            ),
        ),
    },
    instead={
        "lock": ("a card doubled, replaced or marked in the cascade", _NO_KEY),
        "offset": ("a pair doubled, dropped or foreign in a shuffle", _NO_KEY),
        "chain": ("a number doubled, dropped or foreign in a shuffle", _NO_KEY),
        "duel": ("a card doubled, replaced or marked in a shuffle", _NO_KEY),
    },
)
