"""Makes a golden log of each protocol: `python -m golden.make` in the folder of the tests. Never over an old one.

A released format is never made again; before the first release a file may be deleted and made anew.
"""

from __future__ import annotations

from pathlib import Path

from conformance.cases import CASES
from conformance.games import TinyRules
from nodealer.group import group
from nodealer.log.file import save_log
from nodealer.log.session import FORMAT_VERSION

RULES = TinyRules()


def main() -> None:
    for case in CASES:
        path = Path(__file__).parent / f"{case.name}-{FORMAT_VERSION}.jsonl"
        if not path.exists():
            game = case.game(group(), RULES, seed="golden", hands=2).play()
            save_log(path, game.config.session, game.log)


if __name__ == "__main__":
    main()
