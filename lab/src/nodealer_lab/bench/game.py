"""`bench game`: whole games played by the real command, and the audit of a saved one."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Final

from nodealer.client.agents import bot_decision
from nodealer.client.local_table import LocalTable, seat_players
from nodealer.engine.commands import AnswerQuestion
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Replica
from nodealer.engine.state import Config
from nodealer.errors import BadParameter
from nodealer.games.package import GamePackage, Measured
from nodealer.games.registry import DEFAULT_GAME, resolve_game
from nodealer.log.file import save_log
from nodealer.proofs.checks import Check, Entropy, settle
from nodealer.protocols import make_protocol
from nodealer_lab.bench.honest_table import make_trusting
from nodealer_lab.bench.rounds import BenchEffort, interleaved, timed
from nodealer_lab.bench.rows import BenchRow, meets, time_row

#: The hands played by bots, and the hands saved for the audit.
PLAYED: Final = 12
SAVED: Final = 100
AS_ONE, TWO_FILES = 0.6, 0.85
#: A game takes long, so two pairs after the warm-up are enough.
PAIRS: Final = 2
COMMAND: Final = (sys.executable, "-P", "-m", "nodealer.cli")


def run(effort: BenchEffort, place: str = DEFAULT_GAME) -> Iterator[BenchRow]:
    """Yield all rows, with as many processes and threads as the command uses."""
    game = resolve_game(place)
    few = replace(effort, pairs=min(effort.pairs, PAIRS), most=PAIRS)
    yield from _bot_rows(effort, game, place)
    table = play_locally(game, effort.size(SAVED))
    config = table.seats[0].replica.config
    yield _batch_row(effort, config, table.log)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.jsonl"
        save_log(path, config.session, table.log)
        yield from _audit_rows(few, path, {"seats": len(table.seats), "hands": effort.size(SAVED)}, place)


# --- Playing ---


def measuring_plan(game: GamePackage) -> Measured:
    """Return how to measure a game: as its package says, or as it is usually played."""
    return game.measured or Measured(game.seats, {}, game.new_bot)


def _bot_rows(effort: BenchEffort, game: GamePackage, place: str) -> Iterator[BenchRow]:
    """Measure whole games of bots in processes of their own, run by the real command.

    The CPU time of a one-hand game is subtracted, so that the start of the processes does not count.
    """
    hands = effort.size(PLAYED)
    _, short = _play_command(game, place, 1)
    seconds, cpu = _play_command(game, place, hands)
    n = {"seats": measuring_plan(game).seats, "hands": hands}
    yield BenchRow("play, bots in processes", n, value=60 * hands / seconds, unit="hands a minute")
    yield BenchRow("CPU a hand, all seats and their minds", n, max(0.0, cpu - short) / max(1, hands - 1))


def _play_command(game: GamePackage, place: str, hands: int) -> tuple[float, float]:
    """Play with the real command.

    Return the time of the game without set-up, and the CPU time of all processes with it.
    """
    before, how = _children_cpu(), measuring_plan(game)
    options = ["--game", place, "--auto", "--json", "--seats", str(how.seats), "--hands", str(hands)]
    options += [f"--{name}={value}" for name, value in how.settings.items()]
    done = subprocess.run([*COMMAND, "play", *options], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode != 0:
        raise BadParameter(f"the game failed: {done.stderr.decode(errors='replace')[-200:]}")
    told = [json.loads(line) for line in done.stdout.splitlines()]
    return next(event["seconds"] for event in told if event["event"] == "done"), _children_cpu() - before


def _children_cpu() -> float:
    """Return the CPU seconds used so far by all finished child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def play_locally(game: GamePackage, hands: int) -> LocalTable:
    """Play a game in this process, with the game's fast bots if it has any. Return the table."""
    how = measuring_plan(game)
    settings = game.settled(how.settings)
    names = [f"player {seat}" for seat in range(how.seats)]
    protocol = make_protocol(game.protocol, game.protocol_parameters(game.protocol, settings))
    rules, stays = game.from_settings(settings), stay_for_hands(hands)
    table = make_trusting(seat_players(names, protocol, rules, os.urandom, stays=stays, package=game))
    bot = how.bot(os.urandom)

    def decide(participant: Participant) -> list[bytes]:
        """Return the bot's answer to the question before this participant, or nothing if there is none."""
        question = participant.question()
        return [] if question is None else participant.command(AnswerQuestion(question, bot_decision(bot, question)))

    table.run(decide)
    if table.seats[0].replica.state.phase is not Phase.ENDED:
        raise BadParameter("the game did not end")
    return table


# --- Verifying ---


def _batch_row(effort: BenchEffort, config: Config, log: Sequence[bytes]) -> BenchRow:
    """Time the first batch of proofs that a replica of this log must check: all together, and one by one."""
    checks = list[Check]()

    def collect(owed: Sequence[Check], entropy: Entropy) -> Callable[[], None]:
        """Keep the checks of this batch instead of running them."""
        checks.extend(owed)
        return lambda: None

    replica = Replica(config, entropy=os.urandom, eager=False, check_runner=collect)
    for data in log:
        if checks:
            break
        replica.append(data)

    def check_one_by_one() -> None:
        """Check each proof by itself."""
        for check in checks:
            settle([check], os.urandom)

    times = interleaved(effort, timed(lambda: settle(checks, os.urandom)), timed(check_one_by_one))
    n = {"seats": len(config.session.proposal.roster.seats), "proofs": len(checks)}
    return time_row("the arithmetic of a hand, as one", n, times, "each proof alone", AS_ONE)


def _audit_rows(effort: BenchEffort, path: Path, n: dict[str, int], place: str) -> Iterator[BenchRow]:
    """Time `nodealer verify` on a saved log.

    The second row compares one command that verifies two logs in two jobs with two commands that verify one log each at
    the same time.
    """
    hands = n["hands"]
    together, apart = (
        timed(lambda: _run_verify(place, [path, path])),
        timed(lambda: _run_verify(place, [path], times=2)),
    )
    two, twice = interleaved(effort, together, apart)
    one = min(timed(lambda: _run_verify(place, [path]))() for _ in range(effort.pairs))
    yield BenchRow("verify a saved log", n, one, hands / one, "hands a second")
    ratio = twice / two
    yardstick = "two commands that verify one each, side by side"
    yield BenchRow(
        "verify two saved logs, --jobs 2", n, two, 2 * hands / two, "hands a second", yardstick, ratio, TWO_FILES,
        "min", meets(ratio, TWO_FILES, "min") if hands == SAVED else None,
        None if hands == SAVED else "logs this short are mostly the start of processes",
    )  # fmt: skip


def _run_verify(place: str, paths: Sequence[Path], times: int = 1) -> float:
    """Run `nodealer verify` on these logs, `times` times at once, and return the seconds until all are done.

    Raise `BadParameter` if a log does not verify.
    """
    start = perf_counter()
    command = [*COMMAND, "verify", *map(str, paths), "--json", "--jobs", str(len(paths)), "--game", place]
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(times)]
    codes = [process.wait() for process in processes]
    if any(codes):
        raise BadParameter("an honest game does not verify")
    return perf_counter() - start
