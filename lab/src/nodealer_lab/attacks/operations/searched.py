"""The owner of a deck searches it for a card, keeps that card, and puts it back as well, in the place of another."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.cards import Look
from nodealer.cheats.arrays import put
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.messages import DuelGather
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defences import BOOKS, EACH_PROOF
from nodealer_lab.attacks.duelling import SEARCHED_DUEL
from nodealer_lab.attacks.scene import Played
from nodealer_lab.attacks.truth import dealt, under_no_key


def _gather(moment: Moment) -> bytes:
    """The card that it keeps, under the one key that all others are brought under."""
    deck, seat = moment.deck, moment.duty.seat
    said = read_message(DuelGather, moment.honest)
    kept = deck.places.hand(seat)[-1:]
    if not kept or deck.asked.then is not Look.TAKE:
        # It has only looked, or looked for an order.
        return moment.honest
    own = deck.layers.secrets(moment.tape, kept, seat)
    again = own.invert() * deck.gather_key(moment.tape, seat, deck.stage.epoch) * deck.stripped(kept)
    return encode(replace(said, cards=put(said.cards, 0, again.to_bytes())))


def _there_again(played: Played) -> str | None:
    for one in dealt(played):
        deck, pile = one.deck, tuple(one.deck.places.pile)
        if deck.owner != played.cheater or not deck.epoch or not pile:
            continue
        index = deck.own_index(played.tape(deck.owner, one.hand))
        found = {index.get(code) for code in under_no_key(one, played, pile)}
        if found & set(one.hidden(deck.owner).values()):
            return "keeps a card, and has it in the deck once more"
    return None


SEARCHED: Final = Attack(
    name="searched",
    does="searches its deck, keeps a card, and puts it back as well",
    of=("A9",),
    ways={
        "duel": (
            Way(
                "other cards put back after a search",
                {"gather": _gather},
                defence=(EACH_PROOF,),
                gained=_there_again,
                game=SEARCHED_DUEL,
            ),
            Way(
                "a card that the owner replaced or marked, also after a search",
                {"gather": _gather},
                defence=(BOOKS,),
                gained=_there_again,
                game=SEARCHED_DUEL,
            ),
        ),
    },
)
