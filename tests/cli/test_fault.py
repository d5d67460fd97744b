"""A player cheats in a live game: it is named and out, its bets stay, the others play on, and the evidence is kept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from cli.calling import PLACE
from cli.running import TESTS, environment, nodealer

#: Every bot runs this; seat 1 answers with a false proof.
CHEATER = """
from nodealer.client import bot_process
from nodealer.protocols.mask.messages import MaskRekey
from nodealer.protocols.mask.rekey import Rekeying
from nodealer.wire import decode, encode

honest = Rekeying.message

def false(self, deck, duty, tape, choice):
    said = decode(MaskRekey, honest(self, deck, duty, tape, choice), what="")
    proof = bytearray(said.proof)
    proof[-32] ^= duty.seat == 1
    return encode(MaskRekey(said.keys, said.gains, bytes(proof)))

Rekeying.message = false
raise SystemExit(bot_process.main())
"""

TABLE = f"""
from nodealer.cli import main
from nodealer.client import processes
processes.BOT_PROGRAM = ("-c", {CHEATER!r})
main()
"""


def test_a_cheater_in_a_live_game() -> None:
    done = subprocess.run(
        [sys.executable, "-c", TABLE, "play", "--auto", *PLACE, "--seats", "3", "--hands", "2"],
        cwd=TESTS,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "FAULT" in done.stdout and "Ben" in done.stdout
    first, second = [line for line in done.stdout.splitlines() if "result" in line]
    # Ben has posted the small blind. The others make the deck without him and play on, also the next hand.
    assert "Ben 199 (-1)" in first
    assert "Ben" not in second and "Ada" in second and "Cleo" in second
    assert "Traceback" not in done.stdout + done.stderr
    (evidence,) = (Path(line.split()[4]) for line in done.stdout.splitlines() if line.startswith("The log is in"))
    judged = nodealer("verify", str(evidence).rstrip("."))
    assert judged.returncode == 1
    assert "Ben" in judged.stdout and "does not verify" in judged.stdout
