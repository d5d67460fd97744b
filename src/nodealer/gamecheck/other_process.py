"""Play the same hands in another process: a difference there is a difference between two players.

Python hashes strings differently in each process, so sets of them have another order; globals, caches and clocks differ
too. Run as a program, this module plays the hands and prints a digest of each step.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Final

from nodealer.gamecheck.agreement import default_rules
from nodealer.gamecheck.findings import Finding, Findings, Found
from nodealer.gamecheck.hand import HandMoment
from nodealer.gamecheck.open_decks import CheckEffort, OpenDecks
from nodealer.games.base import Done
from nodealer.games.registry import resolve_game
from nodealer.wire import encode

#: Only play the hands; try nothing else.
BRIEF: Final = CheckEffort(games=1, others=1, hands=1, moments=0, finishes=0, seats=0)
#: Two different hash seeds, so that the two processes differ for certain.
HASH_SEEDS: Final = ("1", "2")
TIMEOUT: Final = 300


def refuse_other_processes(place: str, counts: Sequence[int]) -> None:
    """Raise `Found` if a hand goes differently in another process."""
    outputs = [_run_process(place, counts, seed) for seed in HASH_SEEDS]
    for one, other in zip(*outputs, strict=False):
        if one != other:
            what = f"The same hand was played in two processes, and they differ {one.partition(' ')[2].lower()}."
            remedy = "Look for iteration over a set (use `sorted`), or for a clock, a file or a cache."
            raise Found(Finding("random", f"{what} {remedy}"))
    if len(outputs[0]) != len(outputs[1]):
        raise Found(Finding("random", "The same hand was played in two processes, and one took longer."))


def _run_process(place: str, counts: Sequence[int], hash_seed: str) -> list[str]:
    """Play the hands in a new process and return its lines. Raises `Found` if it fails."""
    environment = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-P", "-m", "nodealer.gamecheck.other_process", place, *map(str, counts)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode != 0:
        message = (done.stderr.strip().splitlines() or ["no error message"])[-1]
        raise Found(Finding("random", f"In another process the game could not be played: {message}."))
    return done.stdout.splitlines()


def main(place: str, counts: Sequence[str]) -> None:
    """Play, and print for each moment a digest of what everyone sees, and which moment it is."""
    package = resolve_game(place)
    decks = OpenDecks(package, default_rules(package), BRIEF, Findings(), lambda message: None)
    decks.check([int(count) for count in counts])
    for moment in (moment for trail in decks.trails for moment in trail.moments):
        sys.stdout.write(f"{hashlib.sha256(_public_bytes(moment)).hexdigest()} {moment.when}\n")


def _public_bytes(moment: HandMoment) -> bytes:
    """Return what the game publicly wants at a moment, as bytes to compare between processes."""
    want = moment.game.wants
    # A result is hashed in its canonical encoding. In a request for moves or operations, the order counts.
    return encode(want.result) if isinstance(want, Done) else str(want).encode()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
