"""A process in which attacks are carried out: `python -m nodealer_lab.attacks.process`.

It reads tasks, a line each, and forks for every one: what is taken away from the program is gone in that process and in
no other, and the program is loaded once for all of them. Where many are about one protocol, an honest game on it comes
before them: what is made once for all games, such as tables of generators, is made once for all tasks too.
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

#: From which task about one protocol on an honest game on it pays.
MANY: Final = 3


#: What a cheater is made of. It is taken away as a defence is, and what is left says what an honest seat says.
LIES: Final = (
    RemovedDefence(
        "nodealer.cheats.cheater:CheatingSeat._forged",
        "forge = self._scheme.way.forge.get(duty.kind)",
        "forge = None",
    ),
    RemovedDefence("nodealer.cheats.cheater:Cheater._beside", "[] if beside is None else beside(self, said)", "[]"),
)


class AttackTask(msgspec.Struct, frozen=True):
    """One attack, once: `weak` without the defence that it must have removed, `honest` without its own lies."""

    attack: str
    protocol: str
    mode: str = "{}"
    weak: bool = False
    honest: bool = False
    seed: int = 4
    seat: int | None = None


class AttackReport(msgspec.Struct, frozen=True):
    """What came of it; or why it could not be carried out."""

    came: AttackOutcome | None = None
    cannot: str = ""


def run_task(task: AttackTask) -> AttackOutcome:
    """Carry an attack out in this process. With `weak` or `honest` it is good for nothing else afterwards."""
    attack, protocol = find_attack(task.attack), small_protocol(task.protocol, task.mode.encode())
    gone = (*(attack.on(protocol).way.defence if task.weak else ()), *(LIES if task.honest else ()))
    for without in gone:
        without.remove()
    return carry_out_once(attack, scene_of(attack, protocol, task.seed, task.seat), honest=task.honest)


class AttackProcess:
    """The process, from outside. Use it as a context."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "nodealer_lab.attacks.process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Who stops this one from a terminal stops this one, and this one the others.
            start_new_session=True,
        )
        return self

    def __exit__(self, failed: object, *_: object) -> None:
        if self._process is not None:
            if failed is not None:
                # Perhaps a task is on its way, and nobody waits for it any more.
                os.killpg(self._process.pid, signal.SIGKILL)
            # Otherwise it ends by itself when there is nothing more to read.
            self._process.communicate()
            self._process = None

    def run(self, task: AttackTask) -> AttackOutcome:
        """Carry an attack out there. Raises `BadParameter` where it could not be."""
        if self._process is None or self._process.stdin is None or self._process.stdout is None:
            raise BadParameter("the process has not begun")
        line = b""
        with suppress(BrokenPipeError):
            self._process.stdin.write(msgspec.json.encode(task) + b"\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        if not line:
            raise BadParameter(f"the process that carried {task.attack} out has died")
        told = msgspec.json.decode(line, type=AttackReport)
        if told.came is None:
            raise BadParameter(told.cannot)
        return told.came


def _told(task: AttackTask) -> AttackReport:
    try:
        return AttackReport(run_task(task))
    except NodealerError as error:
        return AttackReport(cannot=f"{task.attack} on {task.protocol} cannot be carried out: {error}")
    except Exception:
        # Whatever a program does that has lost a defence: whoever asked for it is to see all of it.
        return AttackReport(cannot=f"{task.attack} on {task.protocol} broke down: {traceback.format_exc()}")


def _play(name: str) -> None:
    """An honest game. Only in a protocol's first mode: others have threads of their own, which no fork would have."""
    game = small_game(name)
    scene = Scene(small_protocol(name), game, seeded_entropy(0, "an honest game"), 1, game.seats - 1)
    play_out(scene, *seat_players(scene, {}))


def serve(tasks: IO[bytes], out: int) -> None:
    """Carry tasks out, each in a fork of this process, until there are no more."""
    often = Counter[str]()
    for line in tasks:
        task = msgspec.json.decode(line, type=AttackTask)
        often[task.protocol] += 1
        if often[task.protocol] == MANY:
            _play(task.protocol)
        if pid := os.fork():
            _, status = os.waitpid(pid, 0)
            if status:
                os.write(out, msgspec.json.encode(AttackReport(cannot=f"{task.attack} ended with {status}")) + b"\n")
            continue
        # It lives for one short game: what it leaves lying goes with it.
        gc.disable()
        with os.fdopen(out, "wb", closefd=False) as file:
            file.write(msgspec.json.encode(_told(task)) + b"\n")
        os._exit(0)


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.fileno())
