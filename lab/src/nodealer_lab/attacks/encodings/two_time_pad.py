"""One key for a whole deck, and XOR: the owner tries its own cards as the first one, and finds the rival's key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nodealer_lab.attacks.base import Attack, Way
from nodealer_lab.attacks.duelling import SMALL_DUEL
from nodealer_lab.attacks.scene import Played, watched
from nodealer_lab.attacks.truth import dealt
from nodealer_lab.xor import overhear, owner_reads_the_order


def _read(played: Played) -> str | None:
    """What the owner has in an honest game, before the first draw; and what it draws then is held against it."""
    me = played.cheater
    mine = [one for one in played.said() if one.deck.owner == me and one.deck.epoch == 0]
    deck, tape = mine[-1].deck, played.tape(me, mine[-1].duty.binding.hand)
    key = deck.shuffle_key(tape, me, 0).to_bytes()
    plain = deck.nonces(tape, range(deck.size))
    order = owner_reads_the_order(overhear([(one.duty, one.message) for one in mine], me), key, plain)
    return "knows the order of its whole deck before it draws" if is_so(played, me, order) else None


def is_so(played: Played, owner: int, order: Sequence[int] | None) -> bool:
    """Whether what an owner draws from its deck, as it was first shuffled, is what somebody has read of it."""
    if order is None:
        return False
    for one in dealt(played):
        mine = one.deck.owner == owner and one.deck.epoch == 0
        drawn = {card.position: face for card, face in one.hidden(owner).items()} if mine else {}
        if drawn and all(order[position] == face for position, face in drawn.items()):
            return True
    return False


TWO_TIME_PAD: Final = Attack(
    name="two-time-pad",
    does="finds the rival's key in its own deck",
    of=("A5",),
    ways={
        "duel": (
            Way(
                "the owner reads the order of the whole deck before the first draw",
                plays=watched(_read),
                unseen="cannot be seen",
                game=SMALL_DUEL,
            ),
        ),
    },
)
