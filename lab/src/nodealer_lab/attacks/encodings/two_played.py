"""One key for a whole deck, and XOR: the rival tries what lay in the deck as the first card that is played, and finds
the owner's key when the second is."""

from __future__ import annotations

from typing import Final

from nodealer_lab.attacks.base import Attack, Way
from nodealer_lab.attacks.encodings.two_time_pad import is_so
from nodealer_lab.attacks.scene import Played, watched
from nodealer_lab.xor import name_by_commitment, overhear, rival_reads_the_deck


def _read(played: Played) -> str | None:
    """What the rival has of an honest game; what its owner holds is held against it."""
    me = played.cheater
    said = [one for one in played.said() if one.deck.rival == me and one.deck.epoch == 0]
    deck, tape = said[-1].deck, played.tape(me, said[-1].duty.binding.hand)
    shuffled = next(one for one in said if one.duty.kind == "shuffle" and one.duty.seat == me)
    order = deck.order(tape, me, 0, shuffled.deck.stage.cards).vartime_list()
    seen = overhear([(one.duty, one.message) for one in said], deck.owner)
    cards = rival_reads_the_deck(seen, order, name_by_commitment(seen.commitments))
    return "knows every card of the other's deck, in order" if is_so(played, deck.owner, cards) else None


TWO_PLAYED: Final = Attack(
    name="two-played",
    does="finds the other's key when two cards are played",
    of=("A5",),
    ways={
        "duel": (
            Way(
                "the rival reads the whole deck, in order, after two played cards",
                plays=watched(_read),
                unseen="cannot be seen",
            ),
        ),
    },
)
