"""`bench log`: signed entries against the bare signatures in them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Final, TypeVar

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from nodealer.client.local_table import seat_players
from nodealer.engine.replica import replay
from nodealer.engine.seat import Seat
from nodealer.engine.state import Config
from nodealer.log.entry import read_entry
from nodealer.log.file import read_log, save_log
from nodealer_lab.bench.rounds import BenchEffort, Timed, interleaved, timed
from nodealer_lab.bench.rows import BenchRow, meets
from nodealer_lab.bench.tally import NoCards, TallyRules

T = TypeVar("T")

HANDS: Final = 4
MOVES: Final = 48
#: The highest allowed ratio of signing, appending and applying an entry to its signature, made and verified.
APPLY: Final = 2.0


class LogGame:
    """A whole game of two, with the time for signing the entries, and the time for receiving them at one seat.

    The time at the other seat, and finding out whose turn it is, are not measured.
    """

    def __init__(self, effort: BenchEffort) -> None:
        """Play `HANDS` hands without cards between two seats, and time how long they sign and receive entries."""
        self.making = self.taking = 0.0
        self.entries: list[bytes] = []
        table = seat_players(["Ann", "Ben"], NoCards(), TallyRules(effort.size(MOVES)), os.urandom)
        self.seats = {number: one.seat for number, one in table.seats.items()}
        for hand in range(HANDS + 1):
            self._play(stays=hand < HANDS)

    @property
    def config(self) -> Config:
        """The configuration of the session, as seat 0 has it."""
        return self.seats[0].replica.config

    def _play(self, *, stays: bool) -> None:
        """Play until no seat can move. `stays` says whether the seats then stay for another hand."""
        for seat in self.seats.values():
            seat.stays = stays
        for seat in self.seats.values():
            # The first begin was signed when the players agreed.
            for data in (*seat.unconfirmed, *self._time_signing(seat.answer_duties)):
                self._receive(data)
        while mover := next((seat for seat in self.seats.values() if _can_move(seat)), None):
            self._receive(self._time_signing(lambda mover=mover: mover.move(7)))  # type: ignore[misc]

    def _time_signing(self, work: Callable[[], T]) -> T:
        """Do work that signs entries, add its time to `making`, and return its result."""
        start = perf_counter()
        made = work()
        self.making += perf_counter() - start
        return made

    def _receive(self, data: bytes) -> None:
        """Deliver an entry to both seats. Add the time of the first to `taking`: only one receiver is measured."""
        start = perf_counter()
        self.seats[0].receive(data)
        self.taking += perf_counter() - start
        self.seats[1].receive(data)
        self.entries.append(data)


def _can_move(seat: Seat) -> bool:
    return seat.can_move


def run(effort: BenchEffort) -> Iterator[BenchRow]:
    """Yield all rows. No native core is needed, because there are no group operations."""
    game = LogGame(effort)
    count = len(game.entries)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.jsonl"
        save_log(path, game.config.session, game.entries)
        for name, work, bare, yardstick, required in _measurements(effort, game, path):
            seconds, signatures = (time / count for time in interleaved(effort, work, bare))
            ratio = seconds / signatures
            ok = meets(ratio, required, "max")
            yield BenchRow(
                name, {"entries": count}, seconds, 1 / seconds, "entries/s", yardstick, ratio, required, "max", ok
            )


def _measurements(
    effort: BenchEffort, game: LogGame, path: Path
) -> Iterator[tuple[str, Timed, Timed, str, float | None]]:
    """Yield the measurements of this suite.

    Each has a name, the timer of the work, the timer of the bare signatures, the name of that yardstick, and the limit.
    """
    sign, verify = _bare_signatures(game.entries)

    def whole() -> float:
        """Play a new game and return the seconds spent on signing and receiving."""
        played = LogGame(effort)
        return played.making + played.taking

    yield "sign", lambda: LogGame(effort).making, sign, "Ed25519 sign", None
    yield "append and apply", lambda: LogGame(effort).taking, verify, "Ed25519 verify", None
    yield "sign, append and apply", whole, lambda: sign() + verify(), "Ed25519 sign + verify", APPLY
    yield "read and verify a saved log", timed(lambda: _replay(game.config, path)), verify, "Ed25519 verify", None
    save = timed(lambda: save_log(path, game.config.session, game.entries))
    yield "save", save, lambda: sign() + verify(), "Ed25519 sign + verify", None


def _replay(config: Config, path: Path) -> None:
    """Read a log file and replay all its entries."""
    with path.open("rb") as file:
        _, entries = read_log(file)
        replay(config, list(entries), entropy=os.urandom)


def _bare_signatures(entries: list[bytes]) -> tuple[Timed, Timed]:
    """Return timers for signing and verifying the bare contents of the entries."""
    key = Ed25519PrivateKey.generate()
    messages = [read_entry(data).signed for data in entries]
    public, signatures = key.public_key(), [key.sign(message) for message in messages]

    def verify() -> None:
        """Verify all signatures in a plain loop, without any log around them."""
        for signature, message in zip(signatures, messages, strict=True):
            public.verify(signature, message)

    return timed(lambda: [key.sign(message) for message in messages]), timed(verify)
