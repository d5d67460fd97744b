"""Ten games whose `play --json` and `verify --json` are recorded.

Eight are rehearsals, which are the same each time. No one can cheat in a rehearsal, so the other two are golden logs in
which someone did: `show --json` tells them with the events of `play --json`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from baseline.masks import lines_of
from cli.running import called

HERE: Final = Path(__file__).parent
GOLDEN: Final = HERE.parent / "golden"

#: Name of the recording to the options of `nodealer play`.
REHEARSED: Final = {
    "holdem-mask": ("--seed", "1", "--seats", "4", "--hands", "3"),
    "holdem-mask-settings": (
        *("--seed", "2", "--seats", "9", "--hands", "1"),
        *("--blinds", "5/10", "--ante", "1", "--stack", "500", "--leaving", "gentle"),
    ),
    "holdem-lock": ("--seed", "3", "--seats", "3", "--hands", "2", "--protocol", "lock"),
    "holdem-offset": ("--seed", "4", "--seats", "3", "--hands", "1", "--protocol", "offset"),
    "holdem-chain": ("--seed", "5", "--seats", "2", "--hands", "1", "--protocol", "chain"),
    "hearts-mask": ("--seed", "7", "--game", "hearts", "--hands", "1", "--points", "20"),
    "wardens-duel": ("--seed", "8", "--game", "wardens", "--hands", "1", "--decks", "root,veil"),
    "wardens-duel-xor": ("--seed", "9", "--game", "wardens", "--hands", "1", "--mode", "xor"),
}
#: Golden logs of games in which someone cheated.
CHEATED: Final = ("holdem-mask-false-key", "holdem-lock-double")
NAMES: Final = (*REHEARSED, *CHEATED)


def recording_of(name: str) -> Path:
    """Return where the recording of a game is."""
    return HERE / "games" / f"{name}.jsonl.gz"


def told(name: str, folder: Path) -> list[str]:
    """Return what the command says of a game now: its events, and the report of `verify` as the last line."""
    if name in CHEATED:
        log = GOLDEN / f"{name}.jsonl"
        events = called("show", "--json", str(log)).stdout
    else:
        log = folder / f"{name}.jsonl"
        done = called("play", "--json", "--log", str(log), *REHEARSED[name])
        assert done.returncode == 0, done.stderr
        events = done.stdout
    report = json.loads(called("verify", "--json", str(log)).stdout)
    return lines_of([*map(json.loads, events.splitlines()), report])
