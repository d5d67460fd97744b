"""Hands of hold'em by six seats from fixed seeds, recorded once and then replayed by a single seat.

The replay runs natively and in a tab's Python alike. Usage: `record FOLDER HANDS`, `replay FOLDER`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from hashlib import shake_256
from itertools import islice
from pathlib import Path
from typing import Any, Final

from nodealer.client.agents import BotAgent
from nodealer.client.local_table import LocalTable
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant
from nodealer.engine.resolve import create_proposal
from nodealer.engine.store import MemoryPlayerStore
from nodealer.games.registry import find_game
from nodealer.keys import KEY_BYTES, Identity
from nodealer.protocols import make_protocol
from nodealer.tape import ROOT_BYTES

NAMES: Final = ("Ada", "Ben", "Cleo", "Dov", "Eve", "Finn")
#: How many hands are timed after the first, which includes the rest of the start-up.
TIMED: Final = 5
#: The name of the recording, with a frame on each line.
FRAMES: Final = "frames"


def _seat(name: str, hands: int) -> Participant:
    """Return a participant whose key and random bytes depend on the name only, so that all runs play the same game."""
    seed = shake_256(name.encode()).digest(KEY_BYTES + ROOT_BYTES)
    home = MemoryPlayerStore(name, Identity(seed[:KEY_BYTES]), seed[KEY_BYTES:])
    drawn = 0

    def entropy(size: int) -> bytes:
        """Return the next `size` bytes, from the name and the number of the call."""
        nonlocal drawn
        drawn += 1
        return shake_256(f"{name} {drawn}".encode()).digest(size)

    return Participant(home, entropy=entropy, accept=lambda proposal: None, stay_policy=stay_for_hands(hands))


class _Recorded(LocalTable):
    """A table that records every frame in order."""

    frames: list[bytes]

    def _receive(self, participant: Participant, frame: bytes, number: int) -> list[bytes]:
        """Deliver a frame, and record it if it is for the first participant."""
        if participant is self.participants[0]:
            self.frames.append(frame)
        return super()._receive(participant, frame, number)


def record(folder: str, hands: int) -> None:
    """Play the hands with bots that never raise, and save the frames."""
    from nodealer_lab.bench.honest_table import make_trusting  # late: it is not in a tab

    game = find_game("holdem")
    measured = game.measured
    rules = game.from_settings(game.settled({} if measured is None else measured.settings))
    table = _Recorded(_seat(name, hands) for name in NAMES)
    table.frames = []
    table.run()
    offers = {offer.name: offer for offer in table.participants[0].offers}
    members = [offers[name].as_member(seat) for seat, name in enumerate(NAMES)]
    table.agree(create_proposal(rules, make_protocol(game.protocol), members))
    make_trusting(table)
    minds = {one.store.name: BotAgent(game, one.store.root) for one in table.participants}

    def decide(one: Participant) -> Iterable[bytes]:
        """Return what the bot of this participant sends."""
        return minds[one.store.name].act(one)

    table.run(decide)
    (Path(folder) / FRAMES).write_bytes(b"".join(frame + b"\n" for frame in table.frames))


def replay_frames(folder: str) -> Iterator[None]:
    """Replay all frames at one seat, which signs its own messages and decides. Yield after each hand."""
    one, game = _seat(NAMES[0], 1_000_000), find_game("holdem")
    mind, hand = BotAgent(game, one.store.root), 0
    one.resend(0)
    for number, frame in enumerate((Path(folder) / FRAMES).read_bytes().splitlines()):
        one.receive(frame, number)
        if one.has_session:
            mind.act(one)
            done = len(one.replica.state.chronicle.records)
            if done > hand:
                hand = done
                yield


def replay(hands: Iterator[None], cpu: Callable[[], float] = time.process_time) -> dict[str, Any]:
    """Return the CPU seconds of the first hands."""
    took, began = list[float](), cpu()
    for _ in islice(hands, 1 + TIMED):
        now = cpu()
        took.append(now - began)
        began = now
    return {"hands": without_first(took)}


def without_first(took: list[float]) -> list[float]:
    """Return the hands that count: those after the first, if there are any."""
    return took[1 : 1 + TIMED] or took


if __name__ == "__main__":
    if sys.argv[1] == "record":
        record(sys.argv[2], int(sys.argv[3]))
        sys.stdout.write("{}")
    else:
        sys.stdout.write(json.dumps(replay(replay_frames(sys.argv[2]))))
