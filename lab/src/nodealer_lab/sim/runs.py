"""Runs of many games, on one core or several, with a count of each kind of fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final

from nodealer.errors import NodealerError
from nodealer_lab.sim.checkers.invariants import Violation, find_violation
from nodealer_lab.sim.checkers.replay import FinishedGame
from nodealer_lab.sim.plan import FAULTS
from nodealer_lab.sim.swarm import draw_plan
from nodealer_lab.sim.world import Trace, World

#: How often each kind of fault must strike in this many games for the games to prove anything.
GAMES: Final = 200
STRIKES: Final = 20


@dataclass(frozen=True)
class GameResult:
    """The result of one game."""

    seed: str
    struck: Counter[str]
    entries: int
    wrong: Violation | None


def replay_command(seed: str) -> str:
    """Return the command line that replays the game of a seed and prints every step."""
    return f"nodealer lab sim {seed} --steps"


def play(seed: str, trace: Trace | None = None) -> GameResult:
    """Play the game of a seed and run the checkers on it."""
    world = World(draw_plan(seed), trace)
    try:
        world.run()
        game = FinishedGame(world)
        return GameResult(seed, world.struck + game.count_logged_faults(), world.relay.entries, find_violation(game))
    except NodealerError as error:
        # A participant's program has failed. The remaining games are still played.
        wrong = Violation("nobody stops", f"{type(error).__name__}: {error}")
        return GameResult(seed, world.struck, world.relay.entries, wrong)
    except Exception as error:
        error.add_note(f"in the simulated game {seed!r}: {replay_command(seed)}")
        raise


def seeds_of(seed: str, games: Iterable[int]) -> Iterator[str]:
    """Derive the seeds of many games from one seed."""
    return (f"{seed}-{number}" for number in games)


def play_many(seed: str, games: int, cores: int) -> Iterator[GameResult]:
    """Play the first `games` games of a seed on `cores` cores. Yield the results in order."""
    seeds = seeds_of(seed, range(games))
    if cores == 1:
        yield from map(play, seeds)
        return
    with ProcessPoolExecutor(cores) as pool:
        yield from pool.map(play, seeds, chunksize=5)


@dataclass
class RunSummary:
    """The combined results of many games."""

    games: int = 0
    entries: int = 0
    struck: Counter[str] = field(default_factory=Counter)
    #: In how many games each kind of fault struck at all.
    games_struck: Counter[str] = field(default_factory=Counter)
    wrong: list[GameResult] = field(default_factory=list)

    def add(self, played: GameResult) -> None:
        """Add the result of one game."""
        self.games += 1
        self.entries += played.entries
        self.struck += played.struck
        self.games_struck.update(kind for kind, often in played.struck.items() if often)
        if played.wrong is not None:
            self.wrong.append(played)

    def document(self, seed: str, cores: int, seconds: float) -> dict[str, Any]:
        """Return the summary as a JSON document."""
        return {
            "suite": "simulator",
            "seed": seed,
            "games": self.games,
            "entries": self.entries,
            "cores": cores,
            "seconds": round(seconds, 2),
            "struck": {kind: self.struck[kind] for kind in FAULTS},
            "games_struck": {kind: self.games_struck[kind] for kind in FAULTS},
            "too_rare": too_rare(self.struck, self.games),
            "wrong": [
                {"seed": one.seed, "why": str(one.wrong), "repeat": replay_command(one.seed)} for one in self.wrong
            ],
        }


def fault_table(struck: Counter[str], games: int) -> list[str]:
    """Return a line of text for each kind of fault, and one for the number of games."""
    return [f"{struck[fault]:8}  {fault}" for fault in FAULTS] + [f"{games:8}  games"]


def too_rare(struck: Counter[str], games: int) -> list[str]:
    """Return the kinds of fault that struck less often than they should have in this many games."""
    return [fault for fault in FAULTS if struck[fault] * GAMES < STRIKES * games]
