"""The owner of a deck commits to nothing in the place of a card: what nobody can hold against it later."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from nodealer.cheats.arrays import put
from nodealer.errors import BadParameter
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.deck import NONCE_BYTES
from nodealer.protocols.duel.messages import Assemble, DuelReveal
from nodealer.tape import DIGEST_BYTES
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.defences import BOOKS
from nodealer_lab.attacks.duelling import SMALL_DUEL
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Played, Scene, judged, seeded, tried
from nodealer_lab.attacks.truth import dealt

#: The card of its list that it commits to nothing for. Of six it draws one: in so many games, some other one.
DEAD: Final = 4
GAMES_MAX: Final = 16


def _assemble(moment: Moment) -> bytes:
    return encode(Assemble(put(read_message(Assemble, moment.honest).commitments, DEAD, bytes(DIGEST_BYTES))))


def _closed_otherwise(played: Played) -> str | None:
    """What it says of its cards in the end is taken, and is not what it has committed to."""
    for one in played.said():
        if one.deck.owner != played.cheater or one.duty.kind != "reveal":
            continue
        said = read_message(DuelReveal, one.message)
        for place, card in enumerate(said.cards):
            nonce = said.nonces[place * NONCE_BYTES : (place + 1) * NONCE_BYTES]
            if one.deck.commitment(card, nonce) != one.deck.commitments[card]:
                return "has a card in its deck that it never committed to"
    return None


def _plays(scene: Scene) -> Came:
    """A card that it draws it cannot play, and is named at once: it plays until it has drawn another one."""
    for seed in range(GAMES_MAX):
        played = tried(UNOPENED, replace(scene, entropy=seeded(seed, UNOPENED.name)))
        drawn = {face for one in dealt(played) for face in one.hidden(scene.cheater).values()}
        if DEAD not in drawn:
            return judged(played, _closed_otherwise(played))
    raise BadParameter(f"in {GAMES_MAX} games it has always drawn the card that it did not commit to")


UNOPENED: Final = Attack(
    name="unopened",
    does="commits to nothing in the place of a card",
    of=("A33",),
    ways={
        "duel": (
            Way(
                "a commitment that does not open",
                {"assemble": _assemble},
                # What is said in the end is held against the commitments; and the books make them again.
                defence=(
                    Without(
                        "nodealer.protocols.duel.giving:RevealingCards.apply",
                        "if deck.commitment(card, nonce) != deck.commitments[card]:",
                        "if False:",
                    ),
                    BOOKS,
                ),
                plays=_plays,
                game=SMALL_DUEL,
            ),
        ),
    },
)
