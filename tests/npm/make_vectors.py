"""Play a game of three seats that are all the npm package's, and write down everything that was said and kept secret.

    python -m npm.make_vectors          (from the folder tests)

Arrays are concatenated encodings in hex: 32 bytes a secret, 33 bytes a point.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from nodealer.group import group
from nodealer_lab.npm import NodeSeat, install
from npm.game import CARDS, Game, PackageSeat

VECTORS: Final = Path(__file__).parents[1] / "vectors" / "mental_poker_1_0_0.json"


def record() -> dict[str, Any]:
    with ExitStack() as stack:
        nodes = [stack.enter_context(NodeSeat(install())) for _ in range(3)]
        about = nodes[0].ask("about")
        seats = [PackageSeat(node, group("secp256k1")) for node in nodes]
        game = Game(seats)
        game.play()
        opened = [game.open(place) for place in range(CARDS)]
        return {
            "package": f"mental-poker {about['version']} on secp256k1 {about['secp256k1']}",
            "seats": [
                {
                    "fragments": seat.fragments.to_bytes().hex(),
                    "public_keys": seat.public_keys.to_bytes().hex(),
                    "keys": seat.reveal().to_bytes().hex(),
                    "order": seat.node.ask("reveal")["order"],
                }
                for seat in seats
            ],
            "faces": game.faces.to_bytes().hex(),
            "cascaded": [deck.to_bytes().hex() for deck in game.cascaded],
            "locked": [deck.to_bytes().hex() for deck in game.locked],
            "opened": opened,
        }


if __name__ == "__main__":
    lines = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in record().items()]
    VECTORS.write_text("{\n" + ",\n".join(lines) + "\n}\n")
