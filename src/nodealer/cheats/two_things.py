"""Sign two different entries with one number, so that the seat could later claim to have sent either."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Raw
from msgspec.structs import replace

from nodealer.cheats.base import BotCheat, CheatMethod, CheatScheme
from nodealer.cheats.cheater import Cheater
from nodealer.engine.bodies import Cards, Leave, read_body
from nodealer.log.entry import read_entry, sign_entry
from nodealer.protocols.base import Cheat
from nodealer.wire import encode


def _contradict(cheater: Cheater, sent: Sequence[bytes]) -> list[bytes]:
    """Return a second entry with the number of the first card message: one in which the seat leaves."""
    for data in sent if not cheater.lies else ():
        entry = read_entry(data).entry
        if isinstance(read_body(bytes(entry.body)), Cards):
            return [sign_entry(cheater.store.identity, replace(entry, body=Raw(encode(Leave()))))]
    return []


CLAIM: Final = Cheat("two different entries with one number", "at once", True)

TWO_THINGS: Final = BotCheat(
    name="two-things",
    does="sends two different messages where it may send one",
    law=CheatScheme(CheatMethod(CLAIM.cheat, beside=_contradict), CLAIM),
)
