"""`bench seat`: one participant over a long game.

Its memory growth is compared with the log, and its restart with an audit of the same log.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import process_time
from typing import Final

from nodealer.audit.background import in_background
from nodealer.audit.verify import verify_file
from nodealer.cards.events import Event
from nodealer.cards.operations import Capability, Deal, NewDeck, Portion
from nodealer.client.folder_store import LOG, FolderStore
from nodealer.client.local_table import LocalTable, seat_players
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.resolve import Parts, resolve_parts
from nodealer.errors import BadParameter
from nodealer.games.base import Ask, Done, Game, Want, WithoutStakes
from nodealer.games.package import GamePackage
from nodealer.log.session import Proposal
from nodealer.protocols import make_protocol
from nodealer_lab.bench.honest_table import make_trusting
from nodealer_lab.bench.rounds import BenchEffort, interleaved, timed_fresh
from nodealer_lab.bench.rows import BenchRow, meets, time_row

SEATS: Final = 9
CARDS: Final = 10
#: Memory is measured after this many hands, and again after this many.
EARLY, LATE = 20, 200
#: The length of the log in hands for the restart.
RESTARTED: Final = 100
#: The limits: memory growth per byte of the log, and restart time relative to an audit.
GROWTH, RESTART = 1.5, 1.0
#: A restart takes long, so two pairs after the warm-up are enough.
PAIRS: Final = 2
NAME: Final = "player 0"


# --- The game: no one moves, so that the same frames make a participant sign the same bytes ---


@dataclass(frozen=True)
class DealtHand(WithoutStakes):
    """A hand that creates a deck and deals each seat a card."""

    seats: tuple[int, ...]
    dealt: bool = False

    @property
    def wants(self) -> Want:
        """Ask for a deck and one card for each seat. Then the hand is done."""
        if self.dealt:
            return Done({})
        return Ask((NewDeck(0, CARDS), Deal(0, tuple(Portion(seat, 1) for seat in self.seats))))

    def told(self, events: tuple[Event, ...]) -> Game:
        """End the hand: the cards are dealt."""
        return replace(self, dealt=True)

    def moved(self, seat: int, move: bytes) -> Game:
        """Raise `BadParameter`: this hand has no moves."""
        raise BadParameter("no seat moves in this hand")

    def left(self, seats: tuple[int, ...], *, cards: bool) -> Game:
        """End the hand, because a player left."""
        return replace(self, dealt=True)


@dataclass(frozen=True)
class DealtRules:
    """The rules of the benchmark's game."""

    deck_max: int = CARDS
    name: str = "bench seat"
    version: int = 0
    stake: int = 0
    versions = ()
    parameters: bytes = b"{}"
    operations = frozenset({Capability.SHARED_DECK, Capability.DEAL_TOP})

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> Game:
        """Begin a hand for these seats."""
        return DealtHand(seats)


def _rules(parameters: bytes) -> DealtRules:
    """Return the rules. They have no parameters."""
    return DealtRules()


def _no_settings(settings: Mapping[str, str]) -> DealtRules:
    """Return the rules. They have no settings."""
    return DealtRules()


GAME: Final = GamePackage(DealtRules.name, DealtRules.version, _rules, _no_settings)


def _parts(proposal: Proposal) -> Parts:
    """Return the protocol and the rules of a proposal to play this game."""
    return resolve_parts(proposal, game=GAME)


# --- A recorded game ---


@dataclass
class Recording:
    """The frames that one player received, and its secrets."""

    key: bytes = b""
    root: bytes = b""
    frames: list[bytes] = field(default_factory=list)

    def play(self, hands: int) -> Recording:
        """Have a whole table play a game, and record the frames that the first player received."""
        names = [f"player {seat}" for seat in range(SEATS)]
        protocol, stays = make_protocol("mask"), stay_for_hands(hands)
        table = make_trusting(seat_players(names, protocol, DealtRules(), self._draw, stays=stays, package=GAME))
        table.run()
        self._record(table)
        return self

    def _draw(self, size: int) -> bytes:
        """Return random bytes. The first draws of a table are the first player's key and root, which are recorded."""
        drawn = os.urandom(size)
        if not self.key:
            self.key = drawn
        elif not self.root:
            self.root = drawn
        return drawn

    def _record(self, table: LocalTable) -> None:
        """Keep all frames of a finished game, as seat 0 received them. Raise `BadParameter` if the game did not end."""
        home = table.participants[0].store
        if table.participants[0].replica.state.phase is not Phase.ENDED:
            raise BadParameter("the game did not end")
        self.frames = [*home.lobby, *home.entries]

    def save(self, path: Path) -> None:
        """Write the key and the root of seat 0, and all frames, to a file."""
        path.write_bytes(b"\n".join([self.key.hex().encode(), self.root.hex().encode(), *self.frames]))


def _replay_frames(path: Path, folder: Path, is_done: Callable[[Participant], bool]) -> None:
    """Feed a recorded game to a participant with a store in a folder.

    Stop when `is_done`, called after each frame, returns True. Raise `BadParameter` if that never happens.
    """
    with path.open("rb") as file:
        key, root = bytes.fromhex(file.readline().decode()), bytes.fromhex(file.readline().decode())
        with FolderStore.create(folder, NAME, key, root) as home:
            one = Participant(home, entropy=os.urandom, stay_policy=lambda state: True, parts=_parts)
            one.resend()
            for number, line in enumerate(file):
                one.receive(line.rstrip(b"\n"), number)
                if one.silenced is not None:
                    raise BadParameter(one.silenced)
                if is_done(one):
                    return
    raise BadParameter("the recorded game is too short")


# --- Memory ---


def _resident_bytes() -> int:
    """Return the resident memory of this process in bytes.

    Python's own count would miss the allocations of the native core.
    """
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def print_growth(path: str, folder: str, early: int, late: int) -> None:
    """Print the growth of memory and log between two hands. `_growth_row` runs it in a separate process."""
    at: list[tuple[int, int]] = []

    def sample(one: Participant) -> bool:
        """Record memory and log size at the early and the late hand. Return True once both are recorded."""
        hand = one.replica.state.hand.number if one.has_session else 0
        if hand == (early, late)[len(at)]:
            at.append((_resident_bytes(), sum(map(len, one.replica.entries))))
        return len(at) == 2

    _replay_frames(Path(path), Path(folder), sample)
    (before, short), (after, long) = at
    print(after - before, long - short)


def _growth_row(path: Path, folder: Path, early: int, late: int) -> BenchRow:
    """Measure how much memory a participant gains from one hand to a later one, relative to the growth of its log.

    The game is replayed in a new process.
    """
    n = {"seats": SEATS, "hands": late}
    name, yardstick = f"memory of a participant, from hand {early} on", "bytes added to the log"
    if not Path("/proc/self/statm").exists():
        return BenchRow(
            name, n, yardstick=yardstick, required=GROWTH, note="this system does not say what a process has"
        )
    call = f"print_growth({str(path)!r}, {str(folder)!r}, {early}, {late})"
    command = [sys.executable, "-c", f"from nodealer_lab.bench.seat import print_growth; {call}"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    grown, added = map(int, done.stdout.split())
    ok = meets(grown / added, GROWTH, "max") if late == LATE else None
    return BenchRow(name, n, None, grown / 1e6, "MB", yardstick, grown / added, GROWTH, "max", ok)


# --- Restart ---


def _restart_row(effort: BenchEffort, path: Path, folder: Path, hands: int) -> BenchRow:
    """Compare the CPU time of restarting a seat from its folder with that of verifying its log."""
    _replay_frames(path, folder, lambda one: one.has_session and one.replica.state.hand.number == hands)

    def restart(_: int) -> None:
        """Open the folder and create the participant from it."""
        with FolderStore.open(folder) as home, in_background() as begin:
            Participant(home, entropy=os.urandom, parts=_parts, check_runner=begin)

    def audit(_: int) -> None:
        """Verify the log in the folder. Raise `BadParameter` unless it is valid as far as it goes."""
        report = verify_file(folder / LOG, entropy=os.urandom, game=GAME)
        if report.verdict != "incomplete":
            raise BadParameter(f"the log does not verify: {report.reason}")

    # By the processor time of the whole process, because both settle proofs on a separate thread. Garbage of the
    # previous run is collected first.
    times = interleaved(
        effort, timed_fresh(gc.collect, restart, process_time), timed_fresh(gc.collect, audit, process_time)
    )
    return time_row("restart of a seat", {"seats": SEATS, "hands": hands}, times, "the audit of its log", RESTART)


def run(effort: BenchEffort) -> Iterator[BenchRow]:
    """Yield all rows, from one recorded game."""
    few = replace(effort, pairs=min(effort.pairs, PAIRS), most=PAIRS)
    late = effort.size(LATE)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "frames"
        Recording().play(late).save(path)
        yield _growth_row(path, folder / "grown", effort.size(EARLY), late)
        yield _restart_row(few, path, folder / "restarted", effort.size(RESTARTED))
