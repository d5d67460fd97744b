"""A bot that cheats, in a process of its own like every other: `python -m nodealer.cli.cheater ATTACK`."""

from __future__ import annotations

import sys
from functools import partial

from nodealer.cli import player
from nodealer.lab.attacks import cheat_of
from nodealer.lab.attacks.cheater import Cheater

if __name__ == "__main__":
    raise SystemExit(player.main(partial(Cheater, attack=cheat_of(sys.argv[1]))))
