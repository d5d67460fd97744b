"""What happens in the game of a seed: who plays what, and what goes wrong when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from nodealer.games.base import Rules
from nodealer.games.found import find
from nodealer.games.free.rules import OPERATIONS, Free
from nodealer.games.package import GamePackage
from nodealer.lab.sim import highcard
from nodealer.lab.sim.dice import Dice
from nodealer.log.session import Limits
from nodealer.protocols import make_protocol
from nodealer.protocols.base import CardProtocol

#: Every kind of fault.
FAULTS: Final = (
    *("lost", "repeated", "delayed", "reordered", "cut", "killed", "forked", "muted", "left", "late", "lied", "held"),
)
#: When all faults but those for good stop, in milliseconds, and how long the game may take from there to its end.
HEALED: Final = 12_000
BOUND: Final = 120_000

Doom = Literal["swap", "withhold", "mute"]
FATES: Final[tuple[Doom | None, ...]] = (None, None, "swap", "withhold", "mute", "mute")


#: What a timekeeper does: its duty; run ahead; go back behind what it said, under the same number or before it; or
#: nothing, from the beginning or from when the log has some entries.
Keeping = Literal["truly", "ahead", "back", "silent", "dying"]
KEEPERS: Final[tuple[Keeping, ...]] = ("truly", "truly", "truly", "ahead", "ahead", "back", "back", "silent", "dying")


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
class Doomed:
    """What happens for good to some seats, once the log has so many entries.

    The relay shows them two entries in another order, or keeps one from them; or nothing comes from them any more.
    """

    how: Doom
    seats: tuple[int, ...]
    entries: int


@dataclass(frozen=True)
class Leaver:
    """A seat leaves by its own word, once the log has so many entries; or it sits out, from the next hand on.

    It comes back after so many milliseconds; after none, it begins the next hand at once.
    """

    seat: int
    entries: int
    sits_out: bool
    away: int


@dataclass(frozen=True)
class Struck:
    """A cut or a kill: when, whom, and for how long. `writes`: after how many writes and words it dies, if it dies."""

    time: int
    place: int
    down: int
    writes: int = 0


@dataclass(frozen=True)
class Plan:
    """One game."""

    seed: str
    protocol: CardProtocol
    rules: Rules
    package: GamePackage
    seats: int
    hands: int
    #: Those who only watch; their places come after the seats.
    watchers: int
    #: What strikes a frame on its way, in a thousand.
    rates: Mapping[str, int]
    cuts: tuple[Struck, ...]
    kills: tuple[Struck, ...]
    doomed: Doomed | None
    #: The seat that signs nonsense under the numbers of its entries, if one does.
    liar: int | None
    keeper: Keeper | None = None
    #: The seat that thinks for longer than it may, now and then.
    slow: int | None = None
    leaver: Leaver | None = None

    def __str__(self) -> str:
        what = f"{self.package.name} on {self.protocol.claims.name}, {self.rules.deck_max} cards"
        doom = "nobody doomed" if self.doomed is None else f"{self.doomed.how} of {self.doomed.seats}"
        doom += "" if self.liar is None else f", seat {self.liar} lies"
        doom += "" if self.slow is None else f", seat {self.slow} is slow"
        doom += "" if self.leaver is None else f", seat {self.leaver.seat} leaves"
        doom += "" if self.keeper is None else f", time kept {self.keeper.how}"
        return f"{what}, {self.seats} seats, {self.watchers} watching, {self.hands} hands, {doom}"

    @property
    def sitting(self) -> int:
        """How many sit at the table, the timekeeper too; its place is the last one of them."""
        return self.seats + (self.keeper is not None)


def plan_of(seed: str) -> Plan:
    """The game of a seed."""
    dice = Dice(seed, "plan")
    name = dice.pick(("highcard",) * 10 + ("free",) * 8 + ("holdem",))
    seats = dice.pick((2, 2, 3)) if name == "holdem" else dice.pick((2, 2, 2, 3, 3, 4))
    protocol = make_protocol("mask" if name == "holdem" else dice.pick(("mask", "lock", "offset")))
    rules, package = _game(name, protocol, dice)
    watchers = int(dice.chance(200))
    keeper = _keeper(dice) if dice.chance(500) else None
    places, doomed = seats + (keeper is not None) + watchers, _doomed(dice, seats)
    return Plan(
        seed,
        protocol,
        rules,
        package,
        seats,
        1 if name == "holdem" else dice.pick((1, 1, 1, 2)),
        watchers,
        {fault: dice.pick((0, 10, 30, 80)) for fault in FAULTS[:4]},
        tuple(_struck(dice, places, 0) for _ in range(dice.between(0, 2))),
        tuple(_struck(dice, places, 8) for _ in range(dice.between(0, 3))),
        doomed,
        dice.between(0, seats - 1) if doomed is None and dice.chance(600) else None,
        keeper,
        dice.between(0, seats - 1) if dice.chance(600) else None,
        _leaver(dice, seats, doomed) if dice.chance(400) else None,
    )


def _leaver(dice: Dice, seats: int, doomed: Doomed | None) -> Leaver | None:
    """Not somebody who is doomed: what the others say of such a seat is looked at."""
    seat = dice.between(0, seats - 1)
    if doomed is not None and seat in doomed.seats:
        return None
    return Leaver(seat, dice.between(1, 20), dice.chance(250), dice.pick((0, 500, 3000, 8000)))


def _keeper(dice: Dice) -> Keeper:
    limits = Limits(move=3000, cards=3000, bank=dice.pick((0, 1500, 4000)), refill=dice.pick((0, 1000)))
    return Keeper(dice.pick(KEEPERS), limits, dice.pick((0, 0, 1000, 4000)), dice.between(1, 15))


def _game(name: str, protocol: CardProtocol, dice: Dice) -> tuple[Rules, GamePackage]:
    cards = dice.between(4, 6)
    if name == "highcard":
        return highcard.HighCard(cards), highcard.GAME
    package = find(name)
    if name == "free":
        return Free(cards, protocol.claims.operations & frozenset(OPERATIONS)), package
    # A bot that does not think: what it does matters here, and not how well.
    quick = package if package.measured is None else replace(package, bot=package.measured.bot)
    return package.from_settings(package.settled({})), quick


def _struck(dice: Dice, places: int, writes: int) -> Struck:
    down = dice.pick((300, 1000, 3000, 8000))
    return Struck(dice.between(0, HEALED * 2 // 3), dice.between(0, places - 1), down, dice.between(0, writes))


def _doomed(dice: Dice, seats: int) -> Doomed | None:
    how = dice.pick(FATES)
    if how is None:
        return None
    # Never more than half of the table: the law promises nothing to the others then.
    first, count = dice.between(0, seats - 1), 1 if how == "mute" else dice.between(1, seats // 2)
    doomed = tuple(sorted((first + more) % seats for more in range(count)))
    return Doomed(how, doomed, dice.between(1, 15))
