"""A bot that cheats, in its own process: `python -m nodealer.cli.cheater CHEAT`."""

from __future__ import annotations

import sys
from functools import partial

from nodealer.cheats.cheater import Cheater
from nodealer.cheats.registry import find_cheat
from nodealer.client import bot_process

if __name__ == "__main__":
    raise SystemExit(bot_process.main(partial(Cheater, attack=find_cheat(sys.argv[1]))))
