"""The script behind `make walk`: it plays a game and finds both walks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

WALK = Path(__file__).with_name("walk.py")


def test_both_walks_are_found() -> None:
    done = subprocess.run([sys.executable, str(WALK), "--json"], capture_output=True, text=True, check=True)
    walks = {walk["walk"]: walk for walk in map(json.loads, done.stdout.splitlines())}
    assert list(walks) == ["send", "receive"]
    for walk in walks.values():
        names = [function["name"] for function in walk["list"]]
        files = {function["file"] for function in walk["list"]}
        assert len(names) == len(set(names)) == walk["functions"] and len(files) == walk["files"]
        assert all(name.startswith("nodealer.") for name in names)
        # Both begin at the socket and check a proof; the receiver's ends in its store.
        assert "nodealer/relay/client.py" in files and "nodealer.proofs.shuffle:check" in names
    sent, received = ({function["name"] for function in walks[name]["list"]} for name in ("send", "receive"))
    assert "nodealer.proofs.shuffle:prove" in sent - received
    assert walks["receive"]["list"][-1]["file"] == "nodealer/client/durable_files.py"
