"""What Node runs in the bundle: self-tests, golden logs, a hand on every protocol. Prints one JSON document."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from secrets import token_bytes

from nodealer.audit.verify import verify_file
from nodealer.client.agents import BotAgent
from nodealer.client.local_table import seat_players
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant
from nodealer.games.package import GamePackage
from nodealer.games.registry import find_game
from nodealer.group import default_backend, group
from nodealer.protocols import make_protocol
from nodealer.web.tab.setup import SUPPORTED_PROTOCOLS, games_here

# The self-tests are a part of the commands, which a tab has not got.
Path("/lib/python3.14/site-packages/nodealer/cli/__init__.py").touch()

#: Every protocol that is served, and every game on its own.
PLAYED = {("wardens" if on == "duel" else "holdem", on) for on in SUPPORTED_PROTOCOLS}
PLAYED |= {(game.name, game.protocol) for game in games_here()}


def hand(game: GamePackage, on: str) -> int:
    """A hand of a game on a protocol, by bots; how many entries it took."""
    names = ["Ada", "Ben", "Cleo", "Dov"][: game.seats if game.name != "holdem" else 3]
    settings = game.settled({})
    protocol = make_protocol(on, game.protocol_parameters(on, settings))
    table = seat_players(
        names, protocol, game.from_settings(settings), token_bytes, stays=stay_for_hands(1), package=game
    )
    minds = {one.store.name: BotAgent(game, one.store.root) for one in table.participants}

    def decide(one: Participant) -> Iterable[bytes]:
        return minds[one.store.name].act(one)

    table.run(decide)
    return len(table.log) if table.participants[0].replica.state.chronicle.records else 0


def main() -> None:
    from nodealer.cli.selftest import run_selftests

    logs = sorted(Path("/golden").glob("*.jsonl"))
    told = {
        "debug": __debug__,
        "backend": default_backend(),
        "absent": sorted(name for name in ("gmpy2", "cryptography", "websockets") if name in sys.modules),
        "selftests": {one.name: one.ok for one in run_selftests(group())},
        "golden": {path.stem: verify_file(path, entropy=token_bytes).verdict for path in logs},
        "hands": {f"{game} {on}": hand(find_game(game), on) for game, on in sorted(PLAYED)},
    }
    sys.stdout.write(json.dumps(told) + "\n")


main()
