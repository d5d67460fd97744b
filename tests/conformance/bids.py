"""The smallest game without cards: a roll says who begins, everybody seals a bid, and the highest one has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from nodealer.cards.events import Event, Rolled, Unsealed
from nodealer.cards.operations import Capability, Operation, Random, Seal, Unseal
from nodealer.errors import IllegalMove
from nodealer.games.base import Ask, Done, Game, Want, WithoutStakes


@dataclass(frozen=True)
class BidRules:
    """`sides` of the roll; it is made `rolls` times before the bids."""

    sides: tuple[int, ...] = (6, 6)
    rolls: int = 2
    deck_max: int = 2
    stake: int = 0
    name: str = "bids"
    version: int = 0
    versions = ()
    parameters: bytes = b"{}"
    operations = frozenset({Capability.RANDOM, Capability.SEAL})

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> Bids:
        return Bids(self, hand, seats)


@dataclass(frozen=True)
class Bids(WithoutStakes):
    rules: BidRules
    hand: int
    seats: tuple[int, ...]
    stage: int = 0
    heard: tuple[Event, ...] = ()
    gone: tuple[int, ...] = ()
    over: bool = False

    @property
    def wants(self) -> Want:
        steps: list[Operation] = [*[Random(7, self.rules.sides)] * self.rules.rolls, Seal(8), Unseal(8)]
        if self.over or self.stage == len(steps):
            return Done(self.result)
        return Ask((steps[self.stage],))

    def told(self, events: tuple[Event, ...]) -> Bids:
        return replace(self, stage=self.stage + 1, heard=(*self.heard, *events))

    def moved(self, seat: int, move: bytes) -> Bids:
        raise IllegalMove("nobody moves")

    def left(self, seats: tuple[int, ...], *, cards: bool) -> Bids:
        # On a table of cards that cannot go on, nothing of it can.
        return replace(self, gone=(*self.gone, *seats), over=self.over or not cards)

    @property
    def result(self) -> dict[str, Any]:
        rolled = [[list(one.numbers), list(one.silent)] for one in self.heard if isinstance(one, Rolled)]
        bids = [
            [one.seat, None if one.value is None else one.value.hex()]
            for one in self.heard
            if isinstance(one, Unsealed)
        ]
        return {"hand": self.hand, "rolled": rolled, "bids": bids, "gone": list(self.gone)}
