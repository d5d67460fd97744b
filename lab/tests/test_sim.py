"""The simulator: many games, each with its faults; the same seed is the same game; and every checker fires."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest

from cli.running import called
from conformance.clear import ClearDeck, ClearProtocol
from nodealer.cards.events import Event, Moved, Opened
from nodealer.cards.operations import Card, Deal, Place, Portion, Return
from nodealer.cli.app import app
from nodealer.engine.bodies import Leave
from nodealer.engine.clock import Clock
from nodealer.engine.frame_result import Diverged, Received
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import JournalLost
from nodealer.games.base import Game
from nodealer.group import group
from nodealer.protocols.base import Binding, DeckChange
from nodealer.protocols.keyed_deck import add_published
from nodealer_lab.sim import runs
from nodealer_lab.sim.checkers.blame import votes_with_too_few
from nodealer_lab.sim.checkers.invariants import Violation, double_holders, find_violation, repeated_faces
from nodealer_lab.sim.checkers.replay import FinishedGame
from nodealer_lab.sim.checkers.secrecy import keys_of_old_places
from nodealer_lab.sim.highcard import HighCard, HighHand
from nodealer_lab.sim.plan import FAULTS, Fork, Keeping, Struck
from nodealer_lab.sim.relay import SimRelay
from nodealer_lab.sim.runs import GAMES, GameResult, fault_table, play, replay_command, seeds_of, too_rare
from nodealer_lab.sim.world import World
from protocols.mask.kit import fresh
from quiet import PlayedBy, calm, statements, timed, wrong_with
from sampling import times
from simulated import SEED, STRUCK, Tally, seed_of_the_run

#: How many games are one test, and how many `make deep` plays, in larger tests.
TOGETHER, DEEP_TOGETHER = 20, 100
DEEP_GAMES = 20_000


def parts() -> list[object]:
    deep = (range(first, first + DEEP_TOGETHER) for first in range(GAMES, DEEP_GAMES, DEEP_TOGETHER))
    some = [range(first, first + TOGETHER) for first in range(0, GAMES, TOGETHER)]
    return [*some, *(pytest.param(games, marks=pytest.mark.deep) for games in deep)]


@pytest.mark.parametrize("games", parts(), ids=lambda games: f"{games.start}-{games.stop}")
def test_games(games: range, record_property: Callable[[str, object], None]) -> None:
    played = [play(seed) for seed in seeds_of(seed_of_the_run(), games)]
    wrong = [f"{replay_command(one.seed)}: {one.wrong}" for one in played if one.wrong is not None]
    struck = sum((one.struck for one in played), Counter[str]())
    record_property(STRUCK, {"games": len(played), **struck})
    assert wrong == []


def test_the_same_seed_is_the_same_game_to_the_byte(capsys: pytest.CaptureFixture[str]) -> None:
    """The same holds in another process, with other hash seeds."""
    here = hash("again")
    child = f"import sys; from nodealer.cli.app import app; assert hash('again') != {here}; app(sys.argv[1:])"
    command = [sys.executable, "-c", child, "lab", "sim", "again", "--steps"]
    there = {**os.environ, "PYTHONHASHSEED": "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"}
    first = subprocess.run(command, capture_output=True, check=True, env=there, text=True).stdout
    said = [_told(capsys, "lab", "sim", seed, "--steps")[1] for seed in ("again", "other")]
    assert first == said[0] != said[1]
    assert first.count("\n") > 100 and first.endswith("all is well\n")


def _told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as end:
        app(words)
    return int(str(end.value.code)), capsys.readouterr().out


def test_a_program_that_stops_is_told_with_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    def stops(world: World) -> None:
        raise JournalLost("the log has an entry of seat 1 that is not in its journal")

    monkeypatch.setattr(World, "run", stops)
    played = play("stops")
    assert str(played.wrong) == "nobody stops: JournalLost: the log has an entry of seat 1 that is not in its journal"


def test_a_seed_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SEED, "mine")
    assert seed_of_the_run() == "mine"
    monkeypatch.delenv(SEED)
    assert seed_of_the_run() not in ("mine", "")


def test_many_games_from_a_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    run = partial(_told, capsys, "lab", "sim")
    code, said = run("few", "--games", "2")
    assert (
        code == 1
        and "       2  games\n" in said
        and "too rare to prove anything: " in said
        and said.startswith("seed few, ")
    )
    assert "\nnothing was wrong in any game\n" in said
    code, said = run("few", "--games", "3", "--cores", "2", "--json")
    document = json.loads(said)
    assert (code, document["seed"], document["games"], document["wrong"]) == (1, "few", 3, [])
    assert document["struck"].keys() == document["games_struck"].keys() == {*FAULTS} and document["entries"] > 0


@pytest.mark.parametrize("words", [("x", "--json"), ("x", "--cores", "2"), ("x", "--games", "2", "--steps")])
def test_what_would_say_nothing_is_refused(words: tuple[str, ...]) -> None:
    done = called("lab", "sim", *words)
    assert done.returncode == 2 and "games" in done.stderr and not done.stdout


def test_a_game_in_which_something_is_wrong_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = GameResult("bad-0", Counter(), 5, Violation("a checker", "a reason"))
    monkeypatch.setattr(runs, "play", lambda seed, trace=None: wrong)
    for words in ([], ["bad", "--games", "1"]):
        with pytest.raises(SystemExit) as end:
            app(["lab", "sim", *words])
        assert end.value.code == 1
    said = capsys.readouterr().out
    assert "wrong: a checker: a reason" in said and "nodealer lab sim bad-0 --steps: a checker: a reason" in said
    assert "\nwrong: 1 games\n" in said


def test_faults_that_are_too_rare_are_named() -> None:
    often = Counter(dict.fromkeys(FAULTS, 20))
    assert too_rare(often, GAMES) == [] and too_rare(often, 2 * GAMES) == list(FAULTS)
    assert too_rare(often - Counter({"cut": 1}), GAMES) == ["cut"]
    assert fault_table(often, GAMES)[-1] == "     200  games"
    tally = Tally()
    tally.games = GAMES
    assert tally.rare == list(FAULTS)
    tally.games -= 1
    assert tally.rare == []


# --- The checkers ---


def test_nothing_is_wrong_with_a_game_in_which_nothing_is() -> None:
    world = World(calm())
    assert wrong_with(world) is None
    assert {node.replica.state.phase for node in world.nodes} == {Phase.ENDED}
    assert sum(world.struck.values()) == 0


class Whispering(Participant):
    """A participant that adds an entry to its log at the end that no one else receives."""

    def receive(self, frame: bytes, number: int | None = None, *, more: bool = False) -> Received:
        step = super().receive(frame, number, more=more)
        if self.has_session and self.replica.state.phase is Phase.ENDED and not self.seat.unconfirmed:
            self.seat.receive(self.seat._sign(Leave()))
        return step


def test_a_log_of_ones_own() -> None:
    wrong = wrong_with(PlayedBy(calm(), Whispering))
    assert wrong is not None and wrong.checker == "same digest" and "2 different tables" in wrong.reason


class Alarmed(Participant):
    """Says that logs have parted when they have not."""

    def receive(self, frame: bytes, number: int | None = None, *, more: bool = False) -> Received:
        step = super().receive(frame, number, more=more)
        return replace(step, happened=(*step.happened, Diverged(0, b"", b"")))


def test_logs_that_have_not_parted() -> None:
    wrong = wrong_with(PlayedBy(calm(), Alarmed))
    assert wrong is not None and wrong.checker == "same digest" and "there is one order" in wrong.reason


class Forgetful(Participant):
    """A participant that loses its stored log."""

    def receive(self, frame: bytes, number: int | None = None, *, more: bool = False) -> Received:
        step = super().receive(frame, number, more=more)
        if self.has_session and self.replica.state.phase is Phase.ENDED and isinstance(self.store, MemoryPlayerStore):
            self.store.entries.clear()
        return step


def test_a_home_without_the_log() -> None:
    wrong = wrong_with(PlayedBy(calm(), Forgetful))
    assert wrong is not None and wrong.checker == "same digest" and "the store of player 1" in wrong.reason


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

    def _finish(self, events: tuple[Event, ...]) -> DeckChange:
        return super()._finish(tuple(replace(one, face=0) if isinstance(one, Opened) else one for one in events))


class Double(ClearProtocol):
    def new_deck(self, binding: Binding, deck: int, size: int, owner: int | None) -> DoubleDeck:
        made = super().new_deck(binding, deck, size, owner)
        return DoubleDeck(self, binding, made.places, made.doing, made.active, made.faces)


def test_a_face_twice() -> None:
    wrong = wrong_with(World(replace(calm(), protocol=Double(group()))))
    assert wrong is not None and wrong.checker == "each card once" and "of hand 0" in wrong.reason


def test_a_card_with_two_holders_and_one_with_two_faces() -> None:
    held: dict[tuple[int, int, int], int | None] = {}
    card = Card(0, 0, 3)
    assert list(double_holders(held, 0, Moved(card, 1))) == list(double_holders(held, 0, Moved(card, None))) == []
    assert list(double_holders(held, 0, Moved(card, 1))) == []
    assert len(list(double_holders(held, 0, Moved(card, 2)))) == 1
    assert list(double_holders(held, 1, Moved(card, 2))) == [], "another hand"
    assert (
        len(list(repeated_faces({(0, card, 5), (0, card, 6)}))) == 1
        and list(repeated_faces({(0, card, 5), (1, card, 6)})) == []
    )
    assert len(list(repeated_faces({(0, card, 5), (0, Card(0, 0, 4), 5)}))) == 1, "one face on two cards"
    assert list(repeated_faces({(0, card, 5), (0, Card(0, 1, 4), 5)})) == [], "another epoch"


def test_a_key_of_a_place_where_no_card_lies() -> None:
    """The card is put back, and then its holder publishes the key that it was under."""
    decks = fresh(group(), 2, 4)
    decks.ask(Deal(0, (Portion(0, 1),)))
    before = decks.ask(Return(0, (0,), Place.TOP))
    key = before.card_secrets(decks.tapes[0], (0,), 0)
    after = before.with_fields(released=add_published(before.released, 0, (0,), key))
    states = (SimpleNamespace(hand=SimpleNamespace(decks={0: deck})) for deck in (before, after))
    (wrong,) = keys_of_old_places(*states)  # type: ignore[arg-type]
    assert wrong == "a key of card 0 of deck 0 is published, but there is no card"


def test_a_fault_of_somebody_who_passes_for_honest() -> None:
    """It signs two things under one number."""
    plan = replace(calm(), liar=1, rates={"lost": 200, "repeated": 200, "delayed": 0, "reordered": 500})
    world = World(plan)
    assert wrong_with(world) is None, "a liar may be named"
    assert {fault.seat for node in world.nodes for fault in node.replica.state.faults} == {1}
    world.plan = replace(plan, liar=None)
    wrong = find_violation(FinishedGame(world))
    assert wrong is not None and wrong.checker == "nobody honest blamed" and "seat=1" in wrong.reason


class Deaf(SimRelay):
    """A relay that accepts only 20 frames."""

    def append(self, frame: bytes) -> None:
        if len(self.frames) < 20:
            super().append(frame)


def test_a_game_that_does_not_end() -> None:
    world = World(calm())
    world.relay = Deaf()
    wrong = wrong_with(world)
    assert wrong is not None and wrong.checker == "the game ends" and "player 0 has not ended" in wrong.reason


def test_where_most_who_have_a_word_are_gone_the_rest_can_only_wait() -> None:
    half = World(replace(calm(seats=2), fated=(1,), mute=5))
    assert wrong_with(half) is None and half.nodes[0].ended
    alone = World(replace(calm(), fated=(1, 2), mute=8, lost_home=8))
    assert wrong_with(alone) is None and not alone.nodes[0].ended


def test_ties_wait_for_a_timekeeper_that_does_not_come() -> None:
    """One of two is gone for good: with ticks the other goes on, without them it can only wait."""
    kept: list[tuple[Keeping, bool]] = [("truly", True), ("silent", False), ("dying", False)]
    for how, ends in kept:
        world = World(replace(timed(how, seats=2), fated=(1,), mute=9))
        assert wrong_with(world) is None and world.nodes[0].ended is ends, how
        assert bool(statements(world)) is ends


def test_somebody_slow_gets_the_move_of_the_rules() -> None:
    slow = timed("truly", slow=(0,))
    games = times(2, deep=4)
    worlds = [
        World(replace(slow, seed=f"slow {number}", keeper=keeper))
        for keeper in (slow.keeper, None)
        for number in range(6, 6 + games)
    ]
    assert [wrong_with(world) for world in worlds] == [None] * len(worlds)
    made = [(0, "move") in statements(world) for world in worlds]
    assert any(made[:games]) and any(FinishedGame(world).count_logged_faults()["late"] for world in worlds[:games])


def test_a_timekeeper_that_runs_ahead_while_nobody_is_slow_does_nothing() -> None:
    for number in range(times(2, deep=4)):
        world = World(replace(timed("ahead"), seed=f"ahead {number}"))
        assert wrong_with(world) is None and not statements(world)


def test_two_ticks_with_one_number_name_the_timekeeper_and_nobody_else() -> None:
    rates = {"lost": 0, "repeated": 0, "delayed": 300, "reordered": 500}
    named = set[int | None]()
    for number in range(times(3, deep=6)):
        world = World(replace(timed("back", slow=(0,)), seed=f"back {number}", rates=rates))
        assert wrong_with(world) is None
        named |= {fault.seat for fault in world.nodes[0].replica.state.faults}
    assert named == {3}


def test_a_timekeeper_whose_lie_stands_in_its_own_log_does_not_come_back() -> None:
    plan = replace(timed("back", slow=(0, 1, 2)), hands=2, kills=(Struck(7000, 3, 300), Struck(11_000, 3, 300)))
    worlds = [World(replace(plan, seed=f"away {number}")) for number in range(times(2, deep=4))]
    assert [wrong_with(world) for world in worlds] == [None] * len(worlds)
    assert any(world.nodes[3].away for world in worlds)


def test_somebody_who_is_late_too_soon() -> None:
    """A timekeeper that runs ahead and passes for a true one."""
    plan = replace(timed("ahead", slow=(0,), limit=6000), seed="soon 0")
    world = World(plan)
    assert wrong_with(world) is None and FinishedGame(world).count_logged_faults()["late"]
    world.plan = replace(plan, keeper=timed("truly").keeper)
    wrong = find_violation(FinishedGame(world))
    assert wrong is not None and wrong.checker == "nobody hurried" and "is late after" in wrong.reason


def test_another_lateness(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that takes twice from the bank is the same at every seat, and wrong."""
    took = Clock.bank
    monkeypatch.setattr(Clock, "bank", lambda clock, seat: max(0, took(clock, seat) - 400))
    wrong = wrong_with(World(replace(timed("truly", slow=(0,)), seed="slow 6")))
    assert wrong is not None and wrong.checker == "same lateness"


def test_too_few_who_go_on_without_somebody() -> None:
    world = World(replace(timed("truly", slow=(0,)), seed="slow 6"))
    assert wrong_with(world) is None and statements(world)
    (log,) = FinishedGame(world).logs
    applied = next(one for one in log.applied if one.after.chronicle.vote_results)
    (said,) = applied.after.chronicle.vote_results
    assert list(votes_with_too_few(applied)) == []
    alone = replace(applied, after=applied.after.with_chronicle(vote_results=(replace(said, by=said.by[:1]),)))
    assert len(list(votes_with_too_few(alone))) == 1
    off = replace(applied, after=applied.after.with_chronicle(vote_results=(replace(said, of=None, did="broken off"),)))
    assert len(list(votes_with_too_few(off))) == 1, "where somebody keeps the time no hand is broken off"


class Unsaid(Participant):
    """Does not say that logs have parted."""

    def receive(self, frame: bytes, number: int | None = None, *, more: bool = False) -> Received:
        step = super().receive(frame, number, more=more)
        return replace(step, happened=tuple(one for one in step.happened if not isinstance(one, Diverged)))


def test_a_fork_that_nobody_speaks_of() -> None:
    forked = replace(calm(), fated=(1,), fork=Fork("swap", 8))
    said = World(forked)
    assert wrong_with(said) is None and said.nodes[1].diverged and said.struck["forked"] == 1
    wrong = wrong_with(PlayedBy(forked, Unsaid))
    assert wrong is not None and wrong.checker == "the game ends" and "did not report it" in wrong.reason


def test_one_who_is_gone_and_is_not_named() -> None:
    world = World(calm())
    assert wrong_with(world) is None
    # As if the last seat, whose end was signed, had been mute from the beginning.
    world.doomed = frozenset({9})
    wrong = find_violation(FinishedGame(world))
    assert wrong is not None and wrong.checker == "the game ends" and "seat 9 is gone for good" in wrong.reason
