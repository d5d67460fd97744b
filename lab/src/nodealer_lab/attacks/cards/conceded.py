"""The owner of a deck has spoilt it to know where a card lies, and gives the hand up before anybody looks at it."""

from __future__ import annotations

from functools import partial
from typing import Final

from nodealer.cheats.cheater import FOLDS, Cheater
from nodealer_lab.attacks.base import Attack, Way
from nodealer_lab.attacks.defences import BOOKS
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene, judged, played_out, sit
from nodealer_lab.attacks.shuffles.slot import finds, put_twice
from nodealer_lab.sim.highcard import OWN


class _GivesUp(Cheater):
    """Folds as soon as it may: what it came for it knows by then."""

    def due(self) -> list[bytes]:
        said = super().due()
        if not self.seated or self.over or self.seat.unconfirmed or not self.seat.must_move:
            return said
        return [*said, *self.move(FOLDS[1])]


def _plays(scene: Scene) -> Came:
    """Nothing of its deck is ever shown. But every hand ends with open books, also one that was given up."""
    table, homes = sit(scene, {scene.cheater: partial(_GivesUp, attack=CONCEDED)})
    played = played_out(scene, table, homes)
    return judged(played, finds(played))


CONCEDED: Final = Attack(
    name="conceded",
    does="spoils its own deck, and gives the hand up before the deck is looked at",
    of=("A36",),
    ways={
        "duel": (
            Way(
                "giving up to avoid the check at the end",
                {"shuffle": put_twice},
                defence=(BOOKS,),
                plays=_plays,
                game=OWN,
            ),
        ),
    },
)
