"""The owner of a deck puts a multiple of one card in the place of another. When the rival has shuffled, the two are the
only ones of which one is twice the other: it knows where that card lies before it draws."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from nodealer.cheats.arrays import put, twice
from nodealer.proofs.encoding import encodings
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.messages import DuelReveal, DuelShuffle
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.defences import BOOKS, SHUFFLE_PROOF
from nodealer_lab.attacks.duelling import SMALL_DUEL
from nodealer_lab.attacks.scene import Played


def put_twice(moment: Moment) -> bytes:
    if moment.deck.owner != moment.duty.seat:
        return moment.honest
    said = read_message(DuelShuffle, moment.honest)
    card = twice(moment.deck.cipher.points(said.cards)[0])
    return encode(replace(said, cards=put(said.cards, 1, card.to_bytes())))


def _reveal(moment: Moment) -> bytes:
    """In the end it has to say what that slot is: the card that is missing."""
    deck, positions = moment.deck, moment.deck.stage.positions
    if moment.honest != b"{}":
        return moment.honest
    own = deck.layers.secrets(moment.tape, positions, deck.owner)
    index = deck.own_index(moment.tape)
    found = [index.get(code) for code in encodings(own.invert() * deck.stripped(positions))]
    missing = (card for card in range(deck.size) if card not in found and card not in deck.places.opened.values())
    cards = [next(missing) if card is None else card for card in found]
    return encode(DuelReveal(tuple(cards), b"".join(deck.nonces(moment.tape, cards)), own.to_bytes()))


def finds(played: Played) -> str | None:
    """What it has when it is to give each card a key: the deck under both keys, in an order that it should not know."""
    for one in played.said():
        deck: Any = one.deck
        if one.duty.kind == "lock" and one.duty.seat == deck.owner == played.cheater:
            cards = deck.stage.cards
            known = set(encodings(cards))
            if any(twice(cards[place]).to_bytes() in known for place in range(deck.size)):
                return "knows where a card of its choice lies in its deck"
    return None


#: Nobody holds what is said of a place against the card that lies there; and nobody makes its messages again.
_AT_THE_END: Final = (
    Without("nodealer.protocols.duel.giving:RevealingCards._refuse_other_places", "if slots != found:", "if False:"),
    BOOKS,
)
_FORGE: Final = {"shuffle": put_twice, "reveal": _reveal}
#: Where it cannot read the slot it says something all the same.
_BLIND: Final = ("reveal",)

SLOT: Final = Attack(
    name="slot",
    does="puts a multiple of a card into its own deck, to find that card again",
    of=("A7",),
    ways={
        "duel": (
            Way(
                "a card that the owner replaced or marked, also after a search",
                _FORGE,
                defence=_AT_THE_END,
                gained=finds,
                blind=_BLIND,
                game=SMALL_DUEL,
            ),
            Way(
                "a card that the owner replaced",
                _FORGE,
                defence=_AT_THE_END,
                gained=finds,
                blind=_BLIND,
                game=SMALL_DUEL,
            ),
            Way(
                "a card doubled, replaced or marked in a shuffle",
                _FORGE,
                defence=(SHUFFLE_PROOF,),
                gained=finds,
                blind=_BLIND,
                game=SMALL_DUEL,
            ),
        ),
    },
)
