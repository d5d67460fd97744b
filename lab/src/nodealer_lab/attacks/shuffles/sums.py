"""The first to shuffle puts the sum of two cards in the place of a third. That stays so whatever all are multiplied by,
and in whatever order: it finds the three again, and knows where two cards of its choice lie."""

from __future__ import annotations

from itertools import combinations
from typing import Final

from msgspec.structs import replace

from nodealer.cheats.arrays import put
from nodealer.proofs.encoding import encodings
from nodealer.protocols.codec import read_message
from nodealer.protocols.lock.locking import Locking
from nodealer.protocols.lock.messages import Cascade
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defences import SHUFFLE_PROOF
from nodealer_lab.attacks.scene import Played
from nodealer_lab.attacks.truth import dealt, whole

#: Two faces that it wants to follow, and the one that it gives up for that.
CHOSEN: Final = (0, 1)
LOST: Final = 2


def _lock(moment: Moment) -> bytes:
    """Under its own secret already, in the order that it has drawn."""
    said, deck = read_message(Cascade, moment.honest), moment.deck
    cards, given = deck.binding.group.points(said.cards), deck.stage.cards
    if len(given) <= LOST:
        # What is left of a deck that is made again.
        return moment.honest
    s = deck.cascade_secret(moment.tape, moment.duty.seat)
    places = {code: place for place, code in enumerate(encodings(cards))}
    first, second, lost = (places[(s * given[face]).to_bytes()] for face in (*CHOSEN, LOST))
    return encode(replace(said, cards=put(said.cards, lost, (cards[first] + cards[second]).to_bytes())))


def _finds(played: Played) -> str | None:
    """The deck as it came from the cascade: its cards lie as they will lie."""
    found: dict[int, set[int]] = {}
    for one in played.said():
        if isinstance(one.deck.stage, Locking) and not one.deck.stage.layer.keys:
            cards = one.deck.stage.layer.cards
            known = set(encodings(cards))
            for pair in combinations(range(len(cards)), 2):
                if (cards[pair[0]] + cards[pair[1]]).to_bytes() in known:
                    found[one.duty.binding.hand] = set(pair)
    for deck in dealt(played):
        faces = whole(deck, played)
        if faces and {faces[place] for place in found.get(deck.hand, ())} == set(CHOSEN):
            return "knows where two cards of its choice lie"
    return None


SUMS: Final = Attack(
    name="sums",
    does="puts the sum of two cards in the place of a third, to find them again",
    of=("A2", "A7"),
    ways={
        "lock": (
            Way(
                "a card doubled, replaced or marked in the cascade",
                {"cascade": _lock},
                defence=(SHUFFLE_PROOF,),
                gained=_finds,
                seat=0,
            ),
        ),
    },
)
