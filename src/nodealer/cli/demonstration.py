"""The demonstration of `nodealer demo`: a bot cheats, and the players and an independent program detect it."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from nodealer.cli import text as phrases
from nodealer.cli.cheat_option import parse_cheat
from nodealer.cli.exits import BAD, GOOD
from nodealer.cli.local_game import run
from nodealer.cli.output import escape_markup, out
from nodealer.cli.settings import parse_settings
from nodealer.client.game_loader import load_game
from nodealer.client.setup import table_setup
from nodealer.games.registry import DEFAULT_GAME


def run_demo() -> int:
    """Play, explain and verify. Return the exit code."""
    console = out()
    game = load_game(DEFAULT_GAME)
    setup = table_setup(game, parse_settings(game, []), seats=3, hands=2).with_bots()
    cheat = parse_cheat("Ben:double", setup.names, setup.protocol)
    # The log is kept, so that the person can look at it again.
    log = Path(tempfile.mkdtemp(prefix="nodealer-demo-")) / "game.jsonl"
    console.print(phrases.DEMO_INTRODUCTION)
    at_the_table = run(setup, auto=True, json=False, seed=None, log=log, cheat=cheat)
    console.print(phrases.DEMO_AUDIT)
    console.print(f"[dim]$ nodealer verify {escape_markup(log)}[/dim]", soft_wrap=True)
    elsewhere = asyncio.run(_verify(log))
    console.print(phrases.DEMO_END)
    return GOOD if at_the_table == elsewhere == BAD else BAD


async def _verify(log: Path) -> int:
    """Verify the log in another process, which gets nothing but the file."""
    process = await asyncio.create_subprocess_exec(sys.executable, "-P", "-m", "nodealer.cli", "verify", str(log))
    return await process.wait()
