"""Simulated games in which nothing strikes but what a test adds."""

from __future__ import annotations

from dataclasses import replace

from nodealer.log.session import Limits
from nodealer.play.home import Home
from nodealer.play.participant import Participant
from nodealer.protocols import make_protocol
from nodealer_lab.sim.checkers import Wrong, first_wrong
from nodealer_lab.sim.highcard import GAME, HighCard
from nodealer_lab.sim.node import Node
from nodealer_lab.sim.plan import Keeper, Keeping, Plan
from nodealer_lab.sim.seen import Seen
from nodealer_lab.sim.world import World


def calm(seed: str = "calm", seats: int = 3) -> Plan:
    """A game in which nothing strikes."""
    return Plan(seed, make_protocol("mask"), HighCard(6), GAME, seats)


def wrong_with(world: World) -> Wrong | None:
    world.run()
    return first_wrong(Seen(world))


class PlayedBy(World):
    """The program of the second seat is another one."""

    def __init__(self, plan: Plan, program: type[Participant]) -> None:
        super().__init__(plan)
        self._program = program

    def new_participant(self, node: Node, home: Home) -> Participant:
        made = super().new_participant(node, home)
        if node.place == 1:
            made.__class__ = self._program
        return made


def timed(how: Keeping, seats: int = 3, slow: tuple[int, ...] = (), limit: int = 3000) -> Plan:
    """The same, and somebody keeps the time."""
    return replace(calm(seats=seats), keeper=Keeper(how, Limits(limit, limit, 1000, 0), 0, 8), slow=slow)


def statements(world: World) -> list[tuple[int | None, str]]:
    return [(one.of, one.did) for one in world.nodes[0].replica.state.chronicle.statements]
