"""The simulator: many games, each with its faults; the same seed is the same game; and every checker fires."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.clear import ClearDeck, ClearProtocol
from nodealer.cards import Opened, Places
from nodealer.games.base import Game
from nodealer.group import group
from nodealer.lab.sim.checkers import Wrong, first_wrong
from nodealer.lab.sim.highcard import GAME, HighCard, HighHand
from nodealer.lab.sim.node import Node
from nodealer.lab.sim.plan import FAULTS, Doomed, Plan, plan_of
from nodealer.lab.sim.relay import Relay
from nodealer.lab.sim.runs import GAMES, play, seeds_of, table, too_rare
from nodealer.lab.sim.world import World
from nodealer.play.participant import Diverged, Participant, Step
from nodealer.play.phases import Phase
from nodealer.protocols import make_protocol
from nodealer.protocols.base import Binding, DeckChange
from simulated import STRUCK, Tally, seed_of_the_commit

#: How many games are one test, and how many more `make deep` plays.
TOGETHER = 20
DEEP_GAMES = 20 * GAMES


def parts() -> list[object]:
    deep = range(GAMES, GAMES + DEEP_GAMES, TOGETHER)
    return [*range(0, GAMES, TOGETHER), *(pytest.param(first, marks=pytest.mark.deep) for first in deep)]


@pytest.mark.parametrize("first", parts())
def test_games(first: int, record_property: Callable[[str, object], None]) -> None:
    seeds = seeds_of(seed_of_the_commit(), range(first, first + TOGETHER))
    played = [play(seed) for seed in seeds]
    wrong = [f"python -m nodealer.lab.sim {one.seed} --steps: {one.wrong}" for one in played if one.wrong is not None]
    struck = sum((one.struck for one in played), Counter[str]())
    record_property(STRUCK, {"games": len(played), **struck})
    assert wrong == []


def told(seed: str, hashes: str) -> bytes:
    here = os.environ | {"PYTHONHASHSEED": hashes}
    return subprocess.run(
        [sys.executable, "-m", "nodealer.lab.sim", seed, "--steps"], capture_output=True, check=True, env=here
    ).stdout


def test_the_same_seed_is_the_same_game_to_the_byte() -> None:
    first = told("again", "1")
    assert first == told("again", "2") != told("other", "1")
    assert first.count(b"\n") > 100 and first.endswith(b"all is well\n")


def test_many_games_from_a_command_line() -> None:
    command = [sys.executable, "-m", "nodealer.lab.sim", "few", "--games", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "       2  games\n" in done.stdout and "too rare: " in done.stdout, done
    assert subprocess.run(command[:3], capture_output=True, check=False).returncode == 2


def test_faults_that_are_too_rare_are_named() -> None:
    often = Counter(dict.fromkeys(FAULTS, 20))
    assert too_rare(often, GAMES) == [] and too_rare(often, 2 * GAMES) == list(FAULTS)
    assert too_rare(often - Counter({"cut": 1}), GAMES) == ["cut"]
    assert table(often, GAMES)[-1] == "     200  games"
    tally = Tally()
    tally.games = GAMES
    assert tally.rare == list(FAULTS)
    tally.games -= 1
    assert tally.rare == []


# --- The checkers ---


def calm(seed: str = "calm", seats: int = 3) -> Plan:
    """A game in which nothing strikes."""
    plan = plan_of(seed)
    quiet = replace(plan, rates={}, cuts=(), kills=(), doomed=None, liar=None, watchers=0, seats=seats, hands=1)
    return replace(quiet, protocol=make_protocol("mask"), rules=HighCard(6), package=GAME)


def wrong_with(world: World) -> Wrong | None:
    world.run()
    return first_wrong(world)


def of(world: World, participant: type[Participant]) -> World:
    """A world in which the program of the second seat is another one."""
    new, plan = world.new_participant, world.plan

    def made(node: Node) -> Participant:
        honest = new(node)
        if node.place == 1:
            honest.__class__ = participant
        return honest

    world.new_participant = made  # type: ignore[method-assign]
    assert world.plan is plan
    return world


def test_nothing_is_wrong_with_a_game_in_which_nothing_is() -> None:
    world = World(calm())
    assert wrong_with(world) is None
    assert {node.replica.state.phase for node in world.nodes} == {Phase.ENDED}
    assert sum(world.struck.values()) == 0


class Whispering(Participant):
    """Puts into its log, at the end, what nobody else hears."""

    def receive(self, frame: bytes, number: int | None = None) -> Step:
        ended = self.begun and self.replica.state.phase is Phase.ENDED
        step = super().receive(frame, number)
        if not ended and self.begun and self.replica.state.phase is Phase.ENDED:
            self.seat.receive(self.seat._send(next(iter(BODIES))))
        return step


def test_one_table_at_the_end() -> None:
    wrong = wrong_with(of(World(calm()), Whispering))
    assert wrong is not None and wrong.checker == "same digest" and "2 different tables" in wrong.reason


class Generous(HighCard):
    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> HighHand:
        return GenerousHand(hand, self.deck_max, seats, chips, dict.fromkeys(seats, 1), seats)


class GenerousHand(HighHand):
    """A game that pays out more than was paid in."""

    def net(self) -> dict[int, int]:
        return {seat: net + 1 for seat, net in super().net().items()}


def test_chips_from_nowhere() -> None:
    wrong = wrong_with(World(replace(calm(), rules=Generous(6))))
    assert wrong is not None and wrong.checker == "chips conserved"


class DoubleDeck(ClearDeck):
    """Has one face on every card that is opened."""

    def _finish(self, events: tuple[object, ...]) -> DeckChange:
        return super()._finish(tuple(replace(one, face=0) if isinstance(one, Opened) else one for one in events))


class Double(ClearProtocol):
    def new_deck(self, binding: Binding, deck: int, size: int, owner: int | None) -> DoubleDeck:
        made = super().new_deck(binding, deck, size, owner)
        return DoubleDeck(self, binding, made.places, made.doing, made.active, made.faces)
