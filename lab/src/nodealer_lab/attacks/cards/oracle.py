"""A seat sends a card of somebody's hand around once more, so that its holder takes its own key off."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.cheats.arrays import put, times
from nodealer.protocols.chain.messages import Pass
from nodealer.protocols.codec import read_message
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defences import EQUALITY_PROOF
from nodealer_lab.attacks.scene import Played
from nodealer_lab.attacks.truth import dealt

POWER: Final = 7


def _chain(moment: Moment) -> bytes:
    """The dealer's own card, which this seat has just looked up in the dealer's list, in place of the card that it
    decrypts. What the dealer decrypts next is that card."""
    said, deck = read_message(Pass, moment.honest), moment.deck
    dealers = [track for track in deck.stage.tracks if track.to == 0]
    if not said.numbers or not dealers or moment.duty.seat != deck.order[1]:
        return moment.honest
    own = deck.own(moment.tape, 1)
    number = deck.layers[0].cards.numbers[own.prior[dealers[0].place]]
    return encode(replace(said, numbers=put(said.numbers, 0, times(number.group, POWER, number).to_bytes())))


def _reads(played: Played) -> str | None:
    """What the dealer published, without the power."""
    bare: dict[int, list[int]] = {}
    for one in played.said():
        if one.duty.kind == "pass" and one.duty.seat == one.deck.order[0]:
            group = one.deck.binding.group
            numbers = read_message(Pass, one.message).numbers
            if not numbers:
                continue
            points = group.integers([POWER]).invert() * group.points(numbers)
            found = [one.deck.read(points[place]) for place in range(len(points))]
            bare.setdefault(one.duty.binding.hand, []).extend(card[0] for card in found if card is not None)
    for shown in dealt(played):
        if set(bare.get(shown.hand, ())) & set(shown.hidden(0).values()):
            return f"reads the card of {played.names[0]}"
    return None


ORACLE: Final = Attack(
    name="oracle",
    does="has a card of another player's hand decrypted by its holder",
    of=("A34",),
    ways={
        "chain": (
            Way(
                "a card in somebody's hand sent around once more to be decrypted",
                {"pass": _chain},
                defence=(EQUALITY_PROOF,),
                gained=_reads,
                seat=1,
            ),
        ),
    },
)
