"""The owner of a deck commits to one nonce under two names: if the card's point hangs on the nonce alone, the card that
has it is either of them, as the owner likes when it plays it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from msgspec.structs import replace as changed

from nodealer.cheats.arrays import put
from nodealer.errors import BadParameter
from nodealer.log.entry import read_entry
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.deck import NONCE_BYTES
from nodealer.protocols.duel.messages import Assemble, DuelReveal
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.duelling import CARDS, SMALL_DUEL
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene, judged, seeded, tried
from nodealer_lab.attacks.truth import shown_other

#: One of them is enough, but for one time in 65,536.
GAMES_MAX: Final = 16


def _other(card: int) -> int:
    """The card whose name a card has too: they go in pairs, and the second of a pair is either."""
    return card ^ 1


def _assemble(moment: Moment) -> bytes:
    deck, said = moment.deck, read_message(Assemble, moment.honest)
    nonces = deck.fresh_nonces(moment.tape, range(CARDS), 0)
    commitments = said.commitments
    for card in range(1, CARDS, 2):
        commitments = put(commitments, _other(card), deck.commitment(_other(card), nonces[card]))
    return encode(Assemble(commitments))


def _reveal(moment: Moment) -> bytes:
    """The card that it plays goes under its other name, with the nonce that it has under both."""
    said = read_message(DuelReveal, moment.honest)
    if len(said.cards) != 1 or not said.cards[0] % 2 or len(said.nonces) != NONCE_BYTES:
        return moment.honest
    return encode(changed(said, cards=(_other(said.cards[0]),)))


def _plays(scene: Scene) -> Came:
    """Half of its cards have two names: it plays until it has drawn such a one. A commitment says nothing yet: the lie
    is the name under which the card is played."""
    for seed in range(GAMES_MAX):
        played = tried(TWO_NAMES, replace(scene, entropy=seeded(seed, TWO_NAMES.name)))
        lies = tuple(data for data in played.lies if b'"assemble"' not in bytes(read_entry(data).entry.body))
        if lies:
            return judged(replace(played, lies=lies), shown_other(played))
    raise BadParameter(f"in {GAMES_MAX} games it has drawn no card with two names")


TWO_NAMES: Final = Attack(
    name="two-names",
    does="commits to one nonce under two names, to play its card as either",
    of=("A33",),
    ways={
        "duel": (
            Way(
                "a card played that was not drawn, or under another name",
                {"assemble": _assemble, "reveal": _reveal},
                # The name is hashed into the point of a card.
                defence=(
                    Without(
                        "nodealer.protocols.duel.deck:DuelDeck.committed_points",
                        'framed("card", bound, card, nonce)',
                        'framed("card", bound, nonce)',
                    ),
                ),
                plays=_plays,
                game=SMALL_DUEL,
            ),
        ),
    },
)
