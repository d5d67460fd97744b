"""A bot cheats, the others find it, and somebody who was not there finds it too. What `nodealer demo` shows."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Final

from nodealer.cli.exits import BAD, GOOD
from nodealer.cli.games import game_of, settings_of
from nodealer.cli.local_game import run
from nodealer.cli.output import out, shown
from nodealer.cli.plan import plan_of
from nodealer.games.registry import DEFAULT_GAME

BEFORE: Final = """\
[bold]Nobody deals here.[/bold] Every player shuffles the deck in turn and proves it; nobody can see the cards of \
another, and nobody has to be trusted. What if one of them cheats?

[bold]1. A game.[/bold] Three bots play, each in a process of its own. One of them puts a card into the deck twice.
"""
BETWEEN: Final = """
[bold]2. Somebody else looks.[/bold] The log of the game goes to a program that was not there. It has no secrets of \
anybody's and trusts nobody: it reads what the players signed.
"""
AFTER: Final = """
[bold]That is all.[/bold] The cheater cannot deny it: the false proof has its signature. Try the others with \
[bold]nodealer play --cheat SEAT:KIND[/bold]; [bold]nodealer protocols[/bold] says what each protocol sees, and when.\
"""


def show() -> int:
    """Play, explain, verify. Gives the exit code."""
    console = out()
    plan = plan_of(DEFAULT_GAME, settings_of(game_of(DEFAULT_GAME), []), seats=3, hands=2, cheat="Ben:double")
    # It stays, for whoever wants to look at it once more.
    log = Path(tempfile.mkdtemp(prefix="nodealer-demo-")) / "game.jsonl"
    console.print(BEFORE)
    at_the_table = run(plan, auto=True, json=False, seed=None, log=log)
    console.print(BETWEEN)
    console.print(f"[dim]$ nodealer verify {shown(log)}[/dim]", soft_wrap=True)
    elsewhere = asyncio.run(_verify(log))
    console.print(AFTER)
    return GOOD if at_the_table == elsewhere == BAD else BAD


async def _verify(log: Path) -> int:
    """In a process of its own, which gets nothing but the file."""
    process = await asyncio.create_subprocess_exec(sys.executable, "-P", "-m", "nodealer.cli", "verify", str(log))
    return await process.wait()
