"""The bots of a game: a process each. How one ends is known, and no process outlives the table."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from nodealer.cli import text as phrases
from nodealer.cli.bot_process import PlayerOrder
from nodealer.cli.cheat_option import Cheating
from nodealer.cli.timekeeper_process import KeeperOrder
from nodealer.wire import encode

#: What Python is told to run for each bot.
BOT: Final = ("-P", "-m", "nodealer.cli.bot_process")
#: And for one that cheats, before the name of its attack.
CHEATER: Final = ("-P", "-m", "nodealer.cli.cheater")
#: And for who keeps the time.
KEEPER: Final = ("-P", "-m", "nodealer.cli.timekeeper_process")
#: How many seconds a process has to end by itself, once it was asked to.
TERM: Final = 1.0
#: How much of what a bot's program complained about is read.
COMPLAINT_BYTES_MAX: Final = 4096

Process = asyncio.subprocess.Process


@asynccontextmanager
async def bots(
    orders: Mapping[Path, PlayerOrder | KeeperOrder], cheat: Cheating | None
) -> AsyncIterator[dict[str, Process]]:
    """A process for each order, by the name of its player; gone when this ends, however it ends, and whatever they do.

    What a bot's program has to complain about goes to the file that its order is listed under.
    """
    processes: dict[str, Process] = {}
    try:
        for complaints, order in orders.items():
            program: tuple[str, ...] = KEEPER if isinstance(order, KeeperOrder) else BOT
            if cheat is not None and cheat.name == order.name:
                program = (*CHEATER, cheat.attack)
            processes[order.name] = await _start(order, program, complaints)
        yield processes
        # The game is over for them too, once they have heard the last entry.
        await _wait(processes.values())
    finally:
        await _end([process for process in processes.values() if process.returncode is None])
        for complaints in orders:
            with suppress(OSError):
                if not complaints.stat().st_size:
                    complaints.unlink()


async def _start(order: PlayerOrder | KeeperOrder, program: Sequence[str], complaints: Path) -> Process:
    with complaints.open("ab") as file:
        process = await asyncio.create_subprocess_exec(
            sys.executable, *program, stdin=asyncio.subprocess.PIPE, stderr=file, start_new_session=True
        )
    if process.stdin is not None:
        process.stdin.write(encode(order) + b"\n")
        if not isinstance(order, KeeperOrder):
            process.stdin.close()
    return process


async def _end(processes: list[Process]) -> None:
    """Ask them to end. One that is stopped hears nothing: it is killed."""
    for process in processes:
        with suppress(ProcessLookupError):
            process.terminate()
    await _wait(processes)
    for process in processes:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
    await asyncio.gather(*(process.wait() for process in processes))


async def _wait(processes: Iterable[Process]) -> None:
    """Until all have ended, but not for long."""
    with suppress(TimeoutError):
        async with asyncio.timeout(TERM):
            for process in processes:
                await process.wait()


def how_it_ended(code: int, complaints: Path) -> str:
    """How a process ended that did not end well, in words."""
    if code < 0:
        with suppress(ValueError):
            return phrases.program_killed(signal.Signals(-code).name)
    return phrases.program_ended(code, _last_words(complaints))


def _last_words(complaints: Path) -> str:
    try:
        with complaints.open("rb") as file:
            file.seek(max(0, complaints.stat().st_size - COMPLAINT_BYTES_MAX))
            lines = file.read().decode(errors="replace").split("\n")
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
