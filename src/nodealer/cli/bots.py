"""The bots of a game, one process each. How each process ended is reported, and no process outlives the table."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from nodealer.cli import text as phrases
from nodealer.cli.bot_process import PlayerConfig
from nodealer.cli.cheat_option import Cheating
from nodealer.cli.timekeeper_process import TimekeeperConfig
from nodealer.wire import encode

#: The Python arguments that start a bot.
BOT: Final = ("-P", "-m", "nodealer.cli.bot_process")
#: Those that start a bot that cheats, before the name of its cheat.
CHEATER: Final = ("-P", "-m", "nodealer.cli.cheater")
#: Those that start the timekeeper.
KEEPER: Final = ("-P", "-m", "nodealer.cli.timekeeper_process")
#: How many seconds a process has to end by itself.
TERM: Final = 1.0
#: How much of a bot's standard error is read.
COMPLAINT_BYTES_MAX: Final = 4096

Process = asyncio.subprocess.Process


@asynccontextmanager
async def bots(
    orders: Mapping[Path, PlayerConfig | TimekeeperConfig], cheat: Cheating | None
) -> AsyncIterator[dict[str, Process]]:
    """Start a process for each order and yield the processes by player name.

    All of them have ended when this exits, whatever happens.

    What a bot's program writes to standard error goes to the file that its order is listed under.
    """
    processes: dict[str, Process] = {}
    try:
        for complaints, order in orders.items():
            program: tuple[str, ...] = KEEPER if isinstance(order, TimekeeperConfig) else BOT
            if cheat is not None and cheat.name == order.name:
                program = (*CHEATER, cheat.attack)
            processes[order.name] = await _start(order, program, complaints)
        yield processes
        # The game is over for them too, once they have received the last entry.
        await _wait(processes.values())
    finally:
        await _stop([process for process in processes.values() if process.returncode is None])
        for complaints in orders:
            with suppress(OSError):
                if not complaints.stat().st_size:
                    complaints.unlink()


async def _start(order: PlayerConfig | TimekeeperConfig, program: Sequence[str], complaints: Path) -> Process:
    """Start a process and send it its configuration.

    A timekeeper's standard input stays open: it ends when that closes.
    """
    with complaints.open("ab") as file:
        process = await asyncio.create_subprocess_exec(
            sys.executable, *program, stdin=asyncio.subprocess.PIPE, stderr=file, start_new_session=True
        )
    if process.stdin is not None:
        process.stdin.write(encode(order) + b"\n")
        if not isinstance(order, TimekeeperConfig):
            process.stdin.close()
    return process


async def _stop(processes: list[Process]) -> None:
    """Ask the processes to end, and kill those that do not react, such as a stopped one."""
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
    """Wait until all processes have ended, but at most `TERM` seconds."""
    with suppress(TimeoutError):
        async with asyncio.timeout(TERM):
            for process in processes:
                await process.wait()


def describe_exit(code: int, complaints: Path) -> str:
    """Describe how a process that failed has ended."""
    if code < 0:
        with suppress(ValueError):
            return phrases.program_killed(signal.Signals(-code).name)
    return phrases.program_ended(code, _last_error_line(complaints))


def _last_error_line(complaints: Path) -> str:
    """Return the last line that a process wrote to standard error, or an empty string."""
    try:
        with complaints.open("rb") as file:
            file.seek(max(0, complaints.stat().st_size - COMPLAINT_BYTES_MAX))
            lines = file.read().decode(errors="replace").split("\n")
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
