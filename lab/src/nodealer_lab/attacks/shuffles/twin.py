"""The rival puts one card of the owner's deck there twice, as it is, where nothing is proven."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.cheats.arrays import put
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.messages import DuelShuffle
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.defences import BOOKS
from nodealer_lab.attacks.duelling import SMALL_DUEL
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Played, Scene, judged, tried
from nodealer_lab.attacks.truth import dealt, under_no_key


def _duel(moment: Moment) -> bytes:
    if moment.deck.owner == moment.duty.seat:
        return moment.honest
    said = read_message(DuelShuffle, moment.honest)
    return encode(replace(said, cards=put(said.cards, 1, moment.deck.cipher.points(said.cards)[0].to_bytes())))


def _there_twice(played: Played) -> str | None:
    """What lies in the owner's deck under both keys."""
    for one in dealt(played):
        deck, every = one.deck, tuple(range(one.deck.size))
        if deck.owner == played.cheater:
            continue
        if len(set(under_no_key(one, played, every))) < len(every):
            return f"has a card in the deck of {played.names[deck.owner]} twice"
    return None


def _plays(scene: Scene) -> Came:
    """Its message is refused, and the table waits for another: nothing for a bot that others play with."""
    played = tried(TWIN, scene)
    return judged(played, _there_twice(played))


#: Two cards that are the same are refused; and where they are not, the books say who did it.
_TWO_OF_ONE: Final = (
    Without("nodealer.protocols.duel.tasks:_read_cards", "if len(set(encodings(cards))) != len(cards):", "if False:"),
    BOOKS,
)

TWIN: Final = Attack(
    name="twin",
    does="puts a card of the other's deck there twice, as it is",
    of=("A9",),
    ways={
        "duel": (
            Way(
                "two equal cards in a shuffle: it is refused, and the seat is waited for",
                {"shuffle": _duel},
                defence=_TWO_OF_ONE,
                plays=_plays,
                game=SMALL_DUEL,
            ),
        ),
    },
)
