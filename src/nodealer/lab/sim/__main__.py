"""Play the game of a seed: `python -m nodealer.lab.sim SEED [--steps]`, or many of them: `SEED --games 200`."""

from __future__ import annotations

import sys
from collections import Counter

from nodealer.lab.sim.runs import play, seeds_of, table, too_rare
from nodealer.lab.sim.swarm import plan_of


def one(seed: str, steps: bool) -> int:
    """One game: every step of it, if wanted, and what is wrong with it."""
    print(plan_of(seed))
    played = play(seed, (lambda now, who, what: print(f"{now:7} {who}: {what}")) if steps else None)
    print(*table(played.struck, 1), sep="\n")
    print(f"wrong: {played.wrong}" if played.wrong is not None else "all is well")
    return 0 if played.wrong is None else 1


def many(seed: str, games: int) -> int:
    """Many games: those in which something is wrong, and how often each kind of fault struck."""
    struck, bad = Counter[str](), 0
    for each in seeds_of(seed, range(games)):
        played = play(each)
        struck += played.struck
        if played.wrong is not None:
            bad += 1
            print(f"{each}: {played.wrong}")
    print(f"seed {seed}", *table(struck, games), sep="\n")
    rare = too_rare(struck, games)
    if rare:
        print(f"too rare: {', '.join(rare)}")
    return 1 if bad or rare else 0


def main(words: list[str]) -> int:
    """Run what the words of a command line ask for."""
    match words:
        case [seed]:
            return one(seed, steps=False)
        case [seed, "--steps"]:
            return one(seed, steps=True)
        case [seed, "--games", count] if count.isdigit():
            return many(seed, int(count))
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
