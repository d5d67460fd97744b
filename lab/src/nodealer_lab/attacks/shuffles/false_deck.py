"""The dealer makes one false deck among the true ones, and is lucky: the coins of all pick it, and nobody opens it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from nodealer.errors import BadParameter
from nodealer.protocols.chain.deck import ChainDeck, DealersDeck
from nodealer.protocols.chain.parameters import ChainParameters
from nodealer.protocols.chain.protocol import claims_of
from nodealer.tape import Tape
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.defences import BOOKS
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene, judged, seeded, tried
from nodealer_lab.attacks.shuffles.aces import knows_all
from nodealer_lab.attacks.shuffles.dealing import FOR_TWO
from nodealer_lab.attacks.shuffles.last_coin import one_false


class _Its(ChainDeck):
    """The deck as its dealer has it, who answers for what it has made."""

    def made(self, tape: Tape, number: int) -> DealersDeck:
        """One of them is false."""
        honest = Moment(ChainDeck(**vars(self)), self.duties[0], tape, b"")
        return one_false(honest, number)


def _its_own(moment: Moment) -> bytes:
    """What the honest program would say of that deck."""
    deck = moment.deck
    if deck.order[0] != moment.duty.seat:
        return moment.honest
    return _Its(**vars(deck)).message(moment.duty, moment.tape)


#: Of two decks each is picked every second time.
GAMES_MAX: Final = 16


def _plays(scene: Scene) -> Came:
    """It tries until nobody has opened it. Whoever is dealt its cards sees one that is there twice."""
    for seed in range(GAMES_MAX):
        played = tried(FALSE_DECK, replace(scene, entropy=seeded(seed, FALSE_DECK.name), hands=1))
        if (gain := knows_all(played)) is not None:
            return judged(played, gain)
    raise BadParameter(f"in {GAMES_MAX} games its false deck was never picked")


#: The decks of the lab are two.
_CLAIM: Final = next(
    one.cheat
    for one in claims_of(ChainParameters(deck="dealer", kappa=1)).cheats
    if one.cheat.startswith("a false deck of the dealer's that is the one played")
)

FALSE_DECK: Final = Attack(
    name="false-deck",
    does="makes one false deck among true ones, and is lucky",
    of=("A10",),
    ways={
        "chain": (
            Way(
                _CLAIM,
                dict.fromkeys(("candidate", "unblind", "pass", "reveal"), _its_own),
                plays=_plays,
                # A face that is there twice was in the dealer's deck twice: for who holds it, and for all. And
                # without proofs every hand ends with open books.
                defence=(
                    Without(
                        "nodealer.protocols.chain.deck:doubled",
                        "return next((face for face in seen if seen.count(face) > 1), None)",
                        "return None",
                    ),
                    Without(
                        "nodealer.protocols.chain.deck:ChainDeck.knows", "if card[0] in known.values():", "if False:"
                    ),
                    BOOKS,
                ),
                seat=0,
                game=FOR_TWO,
            ),
        ),
    },
)
