"""Many games, one after the other, and how often each kind of fault struck."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from nodealer.lab.sim.checkers import Wrong, first_wrong
from nodealer.lab.sim.plan import FAULTS
from nodealer.lab.sim.seen import Seen
from nodealer.lab.sim.swarm import plan_of
from nodealer.lab.sim.world import Trace, World

#: How often each kind has to strike in so many games, or they have shown nothing.
GAMES: Final = 200
STRIKES: Final = 20


@dataclass(frozen=True)
class Played:
    """What came of a game."""

    seed: str
    struck: Counter[str]
    entries: int
    wrong: Wrong | None


def play(seed: str, trace: Trace | None = None) -> Played:
    """The game of a seed, from its plan to the checkers."""
    world = World(plan_of(seed), trace)
    try:
        world.run()
        seen = Seen(world)
        return Played(seed, world.struck + seen.found(), world.relay.entries, first_wrong(seen))
    except Exception as error:
        error.add_note(f"in the simulated game {seed!r}: python -m nodealer.lab.sim {seed} --steps")
        raise


def seeds_of(seed: str, games: Iterable[int]) -> Iterator[str]:
    """The seeds of many games, from one."""
    return (f"{seed}-{number}" for number in games)


def table(struck: Counter[str], games: int) -> list[str]:
    """A line for each kind of fault."""
    return [f"{struck[fault]:8}  {fault}" for fault in FAULTS] + [f"{games:8}  games"]


def too_rare(struck: Counter[str], games: int) -> list[str]:
    """The kinds that struck less often than they should have in so many games."""
    return [fault for fault in FAULTS if struck[fault] * GAMES < STRIKES * games]
