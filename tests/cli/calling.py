"""Hold'em by bots that call everything, for games whose course must not hang on chance or on the moment.

Nobody loses more than a blind in a hand, so that nobody is out before the last one. Where a file is named, Ben does not
move before it is there, or no bot comes to the table: whatever somebody does to a bot meanwhile comes in time.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Final

from nodealer.games.holdem.bot import Caller
from nodealer.games.holdem.moves import Move
from nodealer.games.holdem.package import GAME as HOLDEM
from nodealer.games.view import View

#: Where it is found, from the folder of the tests.
PLACE: Final = ("--game", "cli.calling:GAME")
#: The names of files for which is waited, in the environment.
BEN_MOVES, BOTS_COME = "BEN_MOVES_WITH", "BOTS_COME_WITH"


def _wait_for(name: str) -> None:
    """Until the file is there, or the one who started this process is gone."""
    path, parent = os.environ.get(name), os.getppid()
    while path is not None and not Path(path).exists() and os.getppid() == parent:
        time.sleep(0.01)


class Calls(Caller):
    def move(self, view: View) -> Move:
        if view.names[view.seat] == "Ben":
            _wait_for(BEN_MOVES)
        return super().move(view)


GAME: Final = replace(HOLDEM, bot=Calls)

if Path(sys.argv[0]).name == "player.py":
    # A bot looks for its game before it comes.
    _wait_for(BOTS_COME)
