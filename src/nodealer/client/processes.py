"""The bots and the timekeeper of a table, one process each. No process outlives the table."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from nodealer.client.bot_process import BotConfig
from nodealer.client.timekeeper_process import TimekeeperConfig
from nodealer.wire import encode

#: The Python arguments that start a bot, and those that start a timekeeper.
BOT_PROGRAM: Final = ("-P", "-m", "nodealer.client.bot_process")
TIMEKEEPER_PROGRAM: Final = ("-P", "-m", "nodealer.client.timekeeper_process")
#: How many seconds a process has to end by itself.
TERM: Final = 1.0
#: How much of a bot's standard error is read.
COMPLAINT_BYTES_MAX: Final = 4096

Process = asyncio.subprocess.Process


@asynccontextmanager
async def run_processes(
    configs: Mapping[Path, BotConfig | TimekeeperConfig], programs: Mapping[str, Sequence[str]] | None = None
) -> AsyncIterator[dict[str, Process]]:
    """Start a process for each configuration and yield the processes by player name.

    All of them have ended when this exits, whatever happens. What a process writes to standard error goes to the file
    that its configuration is listed under. `programs` has the Python arguments of players whose program is another one.
    """
    processes: dict[str, Process] = {}
    try:
        for complaints, config in configs.items():
            usual = TIMEKEEPER_PROGRAM if isinstance(config, TimekeeperConfig) else BOT_PROGRAM
            processes[config.name] = await _start(config, (programs or {}).get(config.name, usual), complaints)
        yield processes
        # The game is over for them too, once they have received the last entry.
        await _wait(processes.values())
    finally:
        await _stop([process for process in processes.values() if process.returncode is None])
        for complaints in configs:
            with suppress(OSError):
                if not complaints.stat().st_size:
                    complaints.unlink()


async def _start(config: BotConfig | TimekeeperConfig, program: Sequence[str], complaints: Path) -> Process:
    """Start a process and send it its configuration.

    A timekeeper's standard input stays open: it ends when that closes.
    """
    with complaints.open("ab") as file:
        process = await asyncio.create_subprocess_exec(
            sys.executable, *program, stdin=asyncio.subprocess.PIPE, stderr=file, start_new_session=True
        )
    if process.stdin is not None:
        process.stdin.write(encode(config) + b"\n")
        if not isinstance(config, TimekeeperConfig):
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
            return f"its program was killed ({signal.Signals(-code).name})"
    last_line = _last_error_line(complaints)
    return f"its program ended with code {code}" + (f": {last_line}" if last_line else "")


def _last_error_line(complaints: Path) -> str:
    """Return the last line that a process wrote to standard error, or an empty string."""
    try:
        with complaints.open("rb") as file:
            file.seek(max(0, complaints.stat().st_size - COMPLAINT_BYTES_MAX))
            lines = file.read().decode(errors="replace").split("\n")
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
