"""A process that carries out attacks: `python -m nodealer_lab.attacks.process`.

It reads tasks, one per line, and forks for each: what is removed from the program is then missing in that fork only,
and the program is loaded once for all tasks. Before the third task on a protocol it plays an honest game on it, so that
everything computed once for all games, such as tables of generators, is computed once for all tasks too.
"""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import traceback
from collections import Counter
from contextlib import suppress
from typing import IO, Final, Self

import msgspec

from nodealer.errors import BadParameter, NodealerError
from nodealer_lab.attacks import find_attack
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import (
    Scene,
    carry_out_once,
    play_out,
    scene_of,
    seat_players,
    seeded_entropy,
    small_game,
    small_protocol,
)

#: The number of tasks on one protocol from which an honest game before them pays off.
WARM_UP_AT: Final = 3


#: The code that makes a cheater lie. Removed like a defence, it leaves a seat that sends only honest messages.
LIES: Final = (
    RemovedDefence(
        "nodealer.cheats.cheater:CheatingSeat._forge",
        "forge = self._scheme.way.forge.get(duty.kind)",
        "forge = None",
    ),
    RemovedDefence("nodealer.cheats.cheater:Cheater._beside", "[] if beside is None else beside(self, sent)", "[]"),
)


class AttackTask(msgspec.Struct, frozen=True):
    """One run of one attack: `weak` without the defence that it tests, `honest` without its own lies."""

    attack: str
    protocol: str
    mode: str = "{}"
    weak: bool = False
    honest: bool = False
    seed: int = 4
    seat: int | None = None


class AttackReport(msgspec.Struct, frozen=True):
    """The outcome of a task, or the reason why it could not be carried out."""

    came: AttackOutcome | None = None
    cannot: str = ""


def run_task(task: AttackTask) -> AttackOutcome:
    """Carry out an attack in this process, which `weak` and `honest` leave unfit for anything else."""
    attack, protocol = find_attack(task.attack), small_protocol(task.protocol, task.mode.encode())
    removed = (*(attack.on(protocol).way.defence if task.weak else ()), *(LIES if task.honest else ()))
    for defence in removed:
        defence.remove()
    return carry_out_once(attack, scene_of(attack, protocol, task.seed, task.seat), honest=task.honest)


class AttackProcess:
    """A handle on the process that carries out attacks. Use it as a context manager."""

    def __init__(self) -> None:
        """Prepare a handle without a process."""
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Start the process, in a session of its own."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "nodealer_lab.attacks.process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Interrupting this process from a terminal must not reach the other one: this process stops it.
            start_new_session=True,
        )
        return self

    def __exit__(self, failed: object, *_: object) -> None:
        """End the process: kill it and its forks after an error, otherwise let it finish."""
        if self._process is not None:
            if failed is not None:
                # A task may still be running, and no one waits for it any more.
                os.killpg(self._process.pid, signal.SIGKILL)
            # Otherwise the process ends by itself when there is nothing more to read.
            self._process.communicate()
            self._process = None

    def run(self, task: AttackTask) -> AttackOutcome:
        """Carry out a task in the process and return its outcome. Raise `BadParameter` if that is not possible."""
        if self._process is None or self._process.stdin is None or self._process.stdout is None:
            raise BadParameter("the process is not running; use it as a context manager")
        line = b""
        with suppress(BrokenPipeError):
            self._process.stdin.write(msgspec.json.encode(task) + b"\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        if not line:
            raise BadParameter(f"the process died while it carried out {task.attack}")
        report = msgspec.json.decode(line, type=AttackReport)
        if report.came is None:
            raise BadParameter(report.cannot)
        return report.came


def _report_on(task: AttackTask) -> AttackReport:
    """Carry out a task and return its outcome or the error."""
    try:
        return AttackReport(run_task(task))
    except NodealerError as error:
        return AttackReport(cannot=f"{task.attack} on {task.protocol} cannot be carried out: {error}")
    except Exception:
        # Without a defence, anything may go wrong in the program. The caller needs the whole traceback.
        return AttackReport(cannot=f"{task.attack} on {task.protocol} broke down: {traceback.format_exc()}")


def _play_honest_game(name: str) -> None:
    """Play an honest game on a protocol.

    It is played in the first mode only: other modes start threads, which a fork would not have.
    """
    game = small_game(name)
    scene = Scene(small_protocol(name), game, seeded_entropy(0, "an honest game"), 1, game.seats - 1)
    play_out(scene, *seat_players(scene, {}))


def serve_tasks(tasks: IO[bytes], out: int) -> None:
    """Carry out each task in a fork of this process, until there are no more."""
    count = Counter[str]()
    for line in tasks:
        task = msgspec.json.decode(line, type=AttackTask)
        count[task.protocol] += 1
        if count[task.protocol] == WARM_UP_AT:
            _play_honest_game(task.protocol)
        if pid := os.fork():
            _, status = os.waitpid(pid, 0)
            if status:
                os.write(out, msgspec.json.encode(AttackReport(cannot=f"{task.attack} ended with {status}")) + b"\n")
            continue
        # The fork lives for one short game, so collecting garbage is not worth it.
        gc.disable()
        with os.fdopen(out, "wb", closefd=False) as file:
            file.write(msgspec.json.encode(_report_on(task)) + b"\n")
        os._exit(0)


if __name__ == "__main__":
    serve_tasks(sys.stdin.buffer, sys.stdout.fileno())
