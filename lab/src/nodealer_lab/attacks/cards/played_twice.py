"""Who has played a card plays it once more, in the place of another one that it holds."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.cards import Close
from nodealer.cheats.arrays import put
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.messages import DuelReveal
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.truth import shown_other


def _reveal(moment: Moment) -> bytes:
    """It has the nonce of what it has played."""
    deck, said = moment.deck, read_message(DuelReveal, moment.honest)
    played = next(iter(deck.places.opened.values()), None)
    if isinstance(deck.stage.operation, Close) or not said.cards or played is None:
        return moment.honest
    (nonce,) = deck.nonces(moment.tape, [played])
    return encode(replace(said, cards=(played, *said.cards[1:]), nonces=put(said.nonces, 0, nonce)))


PLAYED_TWICE: Final = Attack(
    name="played-twice",
    does="plays a card that it has played",
    of=("A9", "A33"),
    ways={
        "duel": (
            Way(
                "a card played twice",
                {"reveal": _reveal},
                # A card is held against the place that it was drawn from.
                defence=(
                    Without(
                        "nodealer.protocols.duel.giving:RevealingCards._refuse_other_places",
                        "if slots != found:",
                        "if False:",
                    ),
                ),
                gained=shown_other,
            ),
        ),
    },
)
