"""Simulated games without faults, except those that a test adds."""

from __future__ import annotations

from dataclasses import replace

from nodealer.engine.participant import KeySchedule, Participant
from nodealer.engine.store import PlayerStore
from nodealer.log.session import Limits
from nodealer.protocols import make_protocol
from nodealer_lab.sim.checkers.invariants import Violation, find_violation
from nodealer_lab.sim.checkers.replay import FinishedGame
from nodealer_lab.sim.highcard import GAME, HighCard
from nodealer_lab.sim.node import Node
from nodealer_lab.sim.plan import GamePlan, Keeper, Keeping
from nodealer_lab.sim.world import World


def calm(seed: str = "calm", seats: int = 3) -> GamePlan:
    """Return the plan of a game without faults."""
    return GamePlan(seed, make_protocol("mask"), HighCard(6), GAME, seats)


def wrong_with(world: World) -> Violation | None:
    world.run()
    return find_violation(FinishedGame(world))


class PlayedBy(World):
    """A world in which the second seat runs another program."""

    def __init__(self, plan: GamePlan, program: type[Participant]) -> None:
        super().__init__(plan)
        self._program = program

    def new_participant(self, node: Node, home: PlayerStore, keys: KeySchedule | None) -> Participant:
        made = super().new_participant(node, home, keys)
        if node.place == 1:
            made.__class__ = self._program
        return made


def timed(how: Keeping, seats: int = 3, slow: tuple[int, ...] = (), limit: int = 3000) -> GamePlan:
    """Return the plan of a game without faults, with a timekeeper."""
    return replace(calm(seats=seats), keeper=Keeper(how, Limits(limit, limit, 1000, 0), 0, 8), slow=slow)


def statements(world: World) -> list[tuple[int | None, str]]:
    return [(one.of, one.did) for one in world.nodes[0].replica.state.chronicle.vote_results]
