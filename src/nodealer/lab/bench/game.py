"""`bench game`: whole games of hold'em by the real command, and the audit of a saved one."""

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

from nodealer.drive.local import LocalTable, seat_players
from nodealer.errors import BadParameter
from nodealer.lab.bench.rows import Row, meets, time_row
from nodealer.lab.bench.timing import Effort, interleaved, timed
from nodealer.log.file import save_log
from nodealer.play.participant import Participant
from nodealer.play.phases import Phase
from nodealer.play.replica import Replica
from nodealer.play.state import Config
from nodealer.play.stays import for_hands
from nodealer.proofs.checks import Check, Entropy, settle
from nodealer.protocols import make_protocol

SEATS: Final = 6
#: Played by bots, and saved for the audit.
PLAYED: Final = 12
SAVED: Final = 100
AS_ONE, TWO_FILES = 0.6, 0.85
#: A game is long work: fewer pairs than usual are enough.
PAIRS: Final = 5
COMMAND: Final = (sys.executable, "-P", "-m", "nodealer.cli")


def run(effort: Effort) -> Iterator[Row]:
    """All rows, with as many processes and threads as the command uses."""
    few = replace(effort, pairs=min(effort.pairs, PAIRS), most=PAIRS)
    yield from _bots(effort)
    table = played(effort.size(SAVED))
    config = table.seats[0].replica.config
    yield _as_one(effort, config, table.log)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.jsonl"
        save_log(path, config.session, table.log)
        yield from _audits(few, path, effort.size(SAVED))


# --- Playing ---


def _bots(effort: Effort) -> Iterator[Row]:
    """Bots in processes of their own, by the real command. What starting them costs is subtracted."""
    hands = effort.size(PLAYED)
    (_, short), (_, _) = _play(1), _play(1)
    seconds, cpu = _play(hands)
    n = {"seats": SEATS, "hands": hands}
    yield Row("play, bots in processes", n, value=60 * hands / seconds, unit="hands a minute")
    yield Row("CPU a hand, all seats and their minds", n, max(0.0, cpu - short) / max(1, hands - 1))


def _play(hands: int) -> tuple[float, float]:
    """Time of the game without set-up, and CPU time of all processes with it."""
    before = _children_cpu()
    # So many chips that nobody is out before the end.
    options = ("--auto", "--json", "--seats", str(SEATS), "--hands", str(hands), "--stack", "100000")
    done = subprocess.run([*COMMAND, "play", *options], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode != 0:
        raise BadParameter(f"the game failed: {done.stderr.decode(errors='replace')[-200:]}")
    told = [json.loads(line) for line in done.stdout.splitlines()]
    return next(event["seconds"] for event in told if event["event"] == "done"), _children_cpu() - before


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def played(hands: int) -> LocalTable:
    """A game in this process in which everybody calls everything: no minds to pay for."""
    from nodealer.games.holdem.moves import Call, Muck  # late: pokerkit takes its time
    from nodealer.games.holdem.rules import Holdem

    names = [f"player {seat}" for seat in range(SEATS)]
    rules, stays = Holdem(stack=100_000), for_hands(hands)
    table = seat_players(names, make_protocol("mask"), rules, os.urandom, stays=stays)

    def decide(participant: Participant) -> list[bytes]:
        game = participant.replica.state.hand.game
        if game is None or participant.options().question is None:
            return []
        legal = game.legal(participant.seat.number)  # type: ignore[attr-defined]
        return participant.move(Call() if legal.call is not None else Muck())

    table.run(decide)
    if table.seats[0].replica.state.phase is not Phase.ENDED:
        raise BadParameter("the game did not end")
    return table


# --- Verifying ---


def _as_one(effort: Effort, config: Config, log: Sequence[bytes]) -> Row:
    checks = list[Check]()

    def collect(owed: Sequence[Check], entropy: Entropy) -> Callable[[], None]:
        checks.extend(owed)
        return lambda: None

    replica = Replica(config, entropy=os.urandom, eager=False, begin=collect)
    for data in log:
        if checks:
            break
        replica.append(data)

    def alone() -> None:
        for check in checks:
            settle([check], os.urandom)

    times = interleaved(effort, timed(lambda: settle(checks, os.urandom)), timed(alone))
    n = {"seats": SEATS, "proofs": len(checks)}
    return time_row("the arithmetic of a hand, as one", n, times, "each proof alone", AS_ONE)


def _audits(effort: Effort, path: Path, hands: int) -> Iterator[Row]:
    n = {"seats": SEATS, "hands": hands}
    two, twice = interleaved(effort, timed(lambda: _verify([path, path])), timed(lambda: _verify([path], times=2)))
    one = min(timed(lambda: _verify([path]))() for _ in range(effort.pairs))
    yield Row("verify a saved log", n, one, hands / one, "hands a second")
    ratio = twice / two
    yardstick = "two commands that verify one each, side by side"
    yield Row(
        "verify two saved logs, --jobs 2", n, two, 2 * hands / two, "hands a second", yardstick, ratio, TWO_FILES,
        "min", meets(ratio, TWO_FILES, "min") if hands == SAVED else None,
        None if hands == SAVED else "logs this short are mostly the start of processes",
    )  # fmt: skip


def _verify(paths: Sequence[Path], times: int = 1) -> float:
    start = perf_counter()
    command = [*COMMAND, "verify", *map(str, paths), "--json", "--jobs", str(len(paths))]
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(times)]
    codes = [process.wait() for process in processes]
    if any(codes):
        raise BadParameter("an honest game does not verify")
    return perf_counter() - start
