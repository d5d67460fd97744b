"""Who plays a card says that it is another one, with the nonce of the one that it holds."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.cards import Close
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.messages import DuelReveal
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.truth import shown_other


def _reveal(moment: Moment) -> bytes:
    deck, said = moment.deck, read_message(DuelReveal, moment.honest)
    if isinstance(deck.stage.operation, Close) or not said.cards:
        return moment.honest
    first, *rest = said.cards
    return encode(replace(said, cards=((first + 1) % deck.size, *rest)))


OTHER_NAME: Final = Attack(
    name="other-name",
    does="plays a card under another name",
    of=("A33",),
    ways={
        "duel": (
            Way(
                "a card played under another name",
                {"reveal": _reveal},
                # What is said of a card opens what was committed to.
                defence=(
                    Without(
                        "nodealer.protocols.duel.giving:RevealingCards.apply",
                        "if deck.commitment(card, nonce) != deck.commitments[card]:",
                        "if False:",
                    ),
                ),
                gained=shown_other,
            ),
        ),
    },
)
