"""The plan of one simulated game: what is played, by whom, and what goes wrong when. `swarm` draws it from a seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from nodealer.games.base import Rules
from nodealer.games.package import GamePackage
from nodealer.log.session import Limits
from nodealer.protocols.base import CardProtocol

#: Faults that hit a frame in transit.
OF_FRAMES: Final = ("lost", "repeated", "delayed", "reordered")
#: Every kind of fault.
FAULTS: Final = (
    *OF_FRAMES,
    *("cut", "split", "killed", "disk", "closed", "restored", "forked", "lobby", "muted"),
    *("left", "rebuilt", "keyed", "late", "lied", "held", "nonsense", "cheated", "grouped"),
)
#: When all temporary faults stop, in milliseconds, and how long the game may take from then on.
HEALED: Final = 12_000
BOUND: Final = 120_000
#: No one waits or is away for longer than this.
STILL: Final = 45_000

#: How a timekeeper behaves: correctly; running ahead; going back to an earlier time, under the same number or before
#: it; or silent, from the beginning or once the log has some entries.
Keeping = Literal["truly", "ahead", "back", "silent", "dying"]
#: How a relay forks the log for some seats: it swaps two entries, or never shows one of them.
Forking = Literal["swap", "withhold"]
#: Where a seat stops: while cards are being dealt, while a card is being opened to everyone, or before its disclosure.
Stopping = Literal["deal", "open", "book"]
#: What a failing write leaves on disk: nothing, half a line, or all of it. The write fails in any case.
Failing = Literal["full", "torn", "unsure"]


@dataclass(frozen=True)
class Keeper:
    """The timekeeper, whose place comes after the last seat.

    It has a behaviour, time limits, the longest time for which the relay holds its ticks back (in milliseconds), and
    for a dying timekeeper the length of the log at which it falls silent.
    """

    how: Keeping
    limits: Limits
    held: int
    entries: int

    @property
    def lasts(self) -> bool:
        """True if this timekeeper reliably declares duties late when they run out of time."""
        return self.how in ("truly", "ahead")


@dataclass(frozen=True)
class Fork:
    """The relay permanently shows some seats another order, once there are `frames` frames and `entries` log entries.

    With zero entries, the fork happens in the lobby.
    """

    how: Forking
    entries: int
    frames: int = 0


@dataclass(frozen=True)
class Leaver:
    """A seat leaves once the log has `entries` entries, or sits out from the next hand on.

    With `dealt`, it waits until cards of a deck are dealt. It comes back after `away` milliseconds: with zero it joins
    the next hand at once, and with None it never comes back.
    """

    seat: int
    entries: int
    sits_out: bool
    away: int | None
    dealt: bool = False


@dataclass(frozen=True)
class Struck:
    """A cut, a kill or a closed tab: when, where, and for how long.

    `writes` is the number of writes and messages before a kill.
    """

    time: int
    place: int
    down: int
    writes: int = 0


@dataclass(frozen=True)
class Split:
    """A network partition: some places are disconnected from the relay, from a time on and for a while."""

    time: int
    places: tuple[int, ...]
    down: int


@dataclass(frozen=True)
class BadDisk:
    """From a time on, the disk of a place fails after `writes` writes, and `again` more times after being repaired."""

    time: int
    place: int
    writes: int
    how: Failing
    again: int


@dataclass(frozen=True)
class Backup:
    """The store of a seat is copied at one time and replaced by the copy later.

    With `log_only`, only the log is replaced, and the journal stays current.
    """

    copied: int
    time: int
    place: int
    log_only: bool = False


@dataclass(frozen=True)
class GamePlan:
    """Everything that determines one game."""

    seed: str
    protocol: CardProtocol
    rules: Rules
    package: GamePackage
    seats: int
    hands: int = 1
    #: The number of spectators; their places come after the seats.
    watchers: int = 0
    #: Whether temporary faults start only with the first log entry. A troubled lobby may otherwise last until all has
    #: healed.
    played: bool = False
    #: The faults of frames in transit, with their rates per thousand.
    rates: Mapping[str, int] = field(default_factory=dict)
    cuts: tuple[Struck, ...] = ()
    splits: tuple[Split, ...] = ()
    kills: tuple[Struck, ...] = ()
    #: Browser tabs that are closed, and opened again much later.
    closed: tuple[Struck, ...] = ()
    disks: tuple[BadDisk, ...] = ()
    #: The seats that permanent faults hit: never more than half of the table, because the table rules promise nothing
    #: then.
    fated: tuple[int, ...] = ()
    fork: Fork | None = None
    #: The log length at which the first fated seat falls silent. Below: the one at which the last fated seat loses its
    #: store, and someone else joins who only knows the link.
    mute: int | None = None
    #: What the first fated seat owes when it falls silent, if that is planned: its key of a card, or its disclosure.
    withheld: Stopping | None = None
    lost_home: int | None = None
    backup: Backup | None = None
    #: The seat that signs nonsense under the numbers of its entries, if any; and the seat that cheats, with the attack.
    liar: int | None = None
    cheater: tuple[int, str] | None = None
    keeper: Keeper | None = None
    #: The seats that sometimes think for longer than they may.
    slow: tuple[int, ...] = ()
    leavers: tuple[Leaver, ...] = ()
    #: The seats that also leave when they see a deck being rebuilt.
    again: tuple[int, ...] = ()
    #: Whether frames are sealed. Seats that have left are then removed from the roster, and the table gets a new key.
    sealed: bool = False
    #: For how many of a thousand frames the node announces that more follow, so that their proofs are verified as a
    #: batch.
    together: int = 0

    def __str__(self) -> str:
        """Return one line that describes the game and everything that goes wrong in it."""
        what = f"{self.package.name} on {self.protocol.claims.name}, {self.rules.deck_max} cards"
        some = {
            "splits": len(self.splits),
            "bad disks": len(self.disks),
            "closed": len(self.closed),
            "fork": self.fork and f"{self.fork.how} from {self.fork.entries}",
            "mute": self.mute is not None,
            "withheld": self.withheld,
            "home lost": self.lost_home is not None,
            "old copy": self.backup is not None,
            "liar": self.liar is not None,
            "cheat": self.cheater and self.cheater[1],
            "slow": self.slow,
            "leaving": [leaver.seat for leaver in self.leavers],
            "leaving again": self.again,
            "time kept": self.keeper and self.keeper.how,
            "sealed": self.sealed,
            "together": self.together,
        }
        wrong = "".join(
            f", {name} {value}" if value is not True else f", {name}" for name, value in some.items() if value
        )
        fated = f", fated {self.fated}" if self.fated else ""
        hands = "1 hand" if self.hands == 1 else f"{self.hands} hands"
        return f"{what}, {self.seats} seats, {self.watchers} watching, {hands}{fated}{wrong}"

    @property
    def sitting(self) -> int:
        """The number of seats including the timekeeper, whose place is the last of them."""
        return self.seats + (self.keeper is not None)
