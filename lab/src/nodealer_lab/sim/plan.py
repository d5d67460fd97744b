"""What happens in the game of a seed: who plays what, and what goes wrong when. `swarm` draws it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from nodealer.games.base import Rules
from nodealer.games.package import GamePackage
from nodealer.log.session import Limits
from nodealer.protocols.base import CardProtocol

#: What strikes a frame on its way.
OF_FRAMES: Final = ("lost", "repeated", "delayed", "reordered")
#: Every kind of fault.
FAULTS: Final = (
    *OF_FRAMES,
    *("cut", "split", "killed", "disk", "closed", "restored", "forked", "lobby", "muted"),
    *("left", "rebuilt", "keyed", "late", "lied", "held", "nonsense", "cheated", "grouped"),
)
#: When all faults but those for good stop, in milliseconds, and how long the game may take from there to its end.
HEALED: Final = 12_000
BOUND: Final = 120_000
#: Nobody waits or is away for longer than this.
STILL: Final = 45_000

#: What a timekeeper does: its duty; run ahead; go back behind what it said, under the same number or before it; or
#: nothing, from the beginning or from when the log has some entries.
Keeping = Literal["truly", "ahead", "back", "silent", "dying"]
#: How a relay shows somebody another table: two entries in the other order, or never one of them.
Forking = Literal["swap", "withhold"]
#: Where somebody stops: in the middle of cards that are dealt, or of one that is opened to all; or before its book.
Stopping = Literal["deal", "open", "book"]
#: What a write to a failing disk leaves: nothing, half a line, or all of it; it fails in any case.
Failing = Literal["full", "torn", "unsure"]


@dataclass(frozen=True)
class Keeper:
    """Who keeps the time of the game, after the last seat: how, with which limits, and how long the relay holds its
    ticks back, in milliseconds at the most."""

    how: Keeping
    limits: Limits
    held: int
    entries: int

    @property
    def lasts(self) -> bool:
        """Whether it can be relied on that what is late will be found late."""
        return self.how in ("truly", "ahead")


@dataclass(frozen=True)
class Fork:
    """The relay shows some seats another order for good, once there are so many frames and, of the log, so many
    entries; in the lobby none."""

    how: Forking
    entries: int
    frames: int = 0


@dataclass(frozen=True)
class Leaver:
    """A seat leaves by its own word, once the log has so many entries; or it sits out, from the next hand on. `dealt`:
    not before there is a deck whose cards are dealt.

    It comes back after so many milliseconds; after none, it begins the next hand at once; without a number, never.
    """

    seat: int
    entries: int
    sits_out: bool
    away: int | None
    dealt: bool = False


@dataclass(frozen=True)
class Struck:
    """A cut or a kill: when, whom, and for how long. `writes`: after how many writes and words it dies, if it dies."""

    time: int
    place: int
    down: int
    writes: int = 0


@dataclass(frozen=True)
class Split:
    """Nothing passes between some places and the relay, from a time on and for so long."""

    time: int
    places: tuple[int, ...]
    down: int


@dataclass(frozen=True)
class BadDisk:
    """From a time on, the disk of a place fails after so many writes, and so many times more when it was repaired."""

    time: int
    place: int
    writes: int
    how: Failing
    again: int


@dataclass(frozen=True)
class Backup:
    """The home of a seat is copied at a time, and the copy comes in its place later. `log_only`: of the log alone, and
    the journal is the one that it has."""

    copied: int
    time: int
    place: int
    log_only: bool = False


@dataclass(frozen=True)
class GamePlan:
    """One game."""

    seed: str
    protocol: CardProtocol
    rules: Rules
    package: GamePackage
    seats: int
    hands: int = 1
    #: Those who only watch; their places come after the seats.
    watchers: int = 0
    #: Whether what passes strikes only once the log has an entry: a lobby in trouble may last until all has healed.
    played: bool = False
    #: What strikes a frame on its way, in a thousand.
    rates: Mapping[str, int] = field(default_factory=dict)
    cuts: tuple[Struck, ...] = ()
    splits: tuple[Split, ...] = ()
    kills: tuple[Struck, ...] = ()
    #: Tabs that are closed, and opened again much later.
    closed: tuple[Struck, ...] = ()
    disks: tuple[BadDisk, ...] = ()
    #: Whom all that strikes for good strikes: never more than half of the table, for the law promises nothing then.
    fated: tuple[int, ...] = ()
    fork: Fork | None = None
    #: How many entries the log has when nothing comes any more from the first of the fated; and when the last of them
    #: loses its home, and somebody else comes in its place who only knows the link.
    mute: int | None = None
    #: What the first of the fated owes when it says nothing more, where that is so: its key of a card, or its book.
    withheld: Stopping | None = None
    lost_home: int | None = None
    backup: Backup | None = None
    #: The seat that signs nonsense under the numbers of its entries, if one does; and the one that cheats, and how.
    liar: int | None = None
    cheater: tuple[int, str] | None = None
    keeper: Keeper | None = None
    #: The seats that think for longer than they may, now and then.
    slow: tuple[int, ...] = ()
    leavers: tuple[Leaver, ...] = ()
    #: The seats that leave too when they see a deck made again.
    again: tuple[int, ...] = ()
    #: Whether frames are sealed, and who is gone is put out of the table, which gets a new key.
    sealed: bool = False
    #: Of how many frames in a thousand it is said that more come, so that their proofs are looked at together.
    together: int = 0

    def __str__(self) -> str:
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
        """How many sit at the table, the timekeeper too; its place is the last one of them."""
        return self.seats + (self.keeper is not None)
