"""Write the example of docs/spec/log.md again: two players who say at once that they will not play.

Run as `python -m log.make_example` in `tests/` after every change of signed bytes.
"""

from __future__ import annotations

import re
from pathlib import Path

from conformance.clear import ClearProtocol
from conformance.games import TinyRules
from conformance.harness import Game
from nodealer.group import group
from nodealer.log.entry import first_head, next_head
from nodealer.wire import encode

PAGE = Path(__file__).parents[2] / "docs" / "spec" / "log.md"


def blocks() -> list[str]:
    """The four blocks of the example, as they stand on the page."""
    game = Game(ClearProtocol(group(backend="reference")), TinyRules(), seats=2, seed="docs", hands=0).play()
    session, heads = game.config.session, [first_head(game.config.session.id)]
    for data in game.log:
        heads.append(next_head(heads[-1], data))
    proposal = session.proposal
    numbers = {"session": session.id, "proposal": proposal.digest, "roster": proposal.roster.digest}
    named = {f"head {number}": head for number, head in enumerate(heads)}
    return [
        f"```json\n{encode(session).decode()}\n```",
        "```\n" + "".join(f"{name:<10}{value.hex()}\n" for name, value in numbers.items()) + "```",
        "```json\n" + "".join(f"{data.decode()}\n" for data in game.log) + "```",
        "```\n" + "".join(f"{name:<10}{value.hex()}\n" for name, value in named.items()) + "```",
    ]


def rewritten(page: str) -> str:
    """The page with its example made again."""
    before, _, rest = page.partition("### Example\n")
    example, mark, after = rest.partition("## Phases\n")
    fresh = iter(blocks())
    example = re.sub(r"```(json)?\n.*?```", lambda _: next(fresh), example, flags=re.S)
    return f"{before}### Example\n{example}{mark}{after}"


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text()))
