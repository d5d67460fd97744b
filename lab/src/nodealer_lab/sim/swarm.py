"""Swarm testing: each seed draws its own mix of faults, and from it the plan of one game.

Games thus differ in kind, and effects of a few faults together are not hidden by all the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from nodealer.games.base import Rules
from nodealer.games.free.rules import OPERATIONS, Free
from nodealer.games.package import GamePackage
from nodealer.games.registry import find_game
from nodealer.group import group
from nodealer.log.session import Limits
from nodealer.protocols import make_protocol
from nodealer.protocols.base import CardProtocol
from nodealer_lab.sim import highcard
from nodealer_lab.sim.cheats import FREQUENT_CHEATS, cheats_for, late_cheats_for
from nodealer_lab.sim.dice import SeededDice
from nodealer_lab.sim.plan import (
    HEALED,
    OF_FRAMES,
    Backup,
    BadDisk,
    Failing,
    Fork,
    GamePlan,
    Keeper,
    Keeping,
    Leaver,
    Split,
    Stopping,
    Struck,
)

#: In how many of a thousand games each kind can strike. In 200 games each kind should strike far more than 20 times.
MIX: Final[Mapping[str, int]] = {
    **dict.fromkeys(OF_FRAMES, 600),
    "cut": 500,
    "split": 450,
    "killed": 600,
    "disk": 500,
    "closed": 450,
    "restored": 400,
    "forked": 650,
    "lobby": 330,
    "muted": 700,
    "lost home": 250,
    "left": 500,
    "rebuilt": 450,
    "keyed": 550,
    "late": 900,
    "timed": 850,
    "held": 500,
    "nonsense": 400,
    "cheated": 900,
    "grouped": 700,
}
#: In how many of a thousand games with a liar or cheater no other permanent fault strikes. Permanent faults hit the
#: same seats, and the lies of a muted seat would have no effect.
HEARD: Final = 300
#: The protocols with modes. Modes with disclosures are drawn more often.
MODES: Final[Mapping[str, tuple[bytes, ...]]] = {
    "chain": (b"{}", *(b'{"proven":false}',) * 2),
    "duel": (b"{}", *(b'{"mode":"committed"}',) * 2),
}
KEEPERS: Final[tuple[Keeping, ...]] = (*("truly",) * 4, *("ahead",) * 5, *("back",) * 4, "silent", "dying")


def draw_plan(seed: str) -> GamePlan:
    """Draw the plan of a game from a seed."""
    dice = SeededDice(seed, "plan")
    on = {kind for kind, often in MIX.items() if dice.chance(often)}
    if on & {"nonsense", "cheated"} and dice.chance(HEARD):
        on -= {"forked", "lobby", "muted", "lost home"}
    plan = _draw_table(seed, on, dice)
    plan = _draw_permanent_faults(replace(plan, fated=_draw_fated_seats(dice, plan.seats, on)), on, dice)
    places = plan.sitting + plan.watchers
    return replace(
        plan,
        played=dice.chance(600),
        rates={fault: dice.pick((10, 30, 80, 150)) if fault in on else 0 for fault in OF_FRAMES},
        cuts=tuple(_draw_strike(dice, places, 0) for _ in range(dice.between(1, 3) if "cut" in on else 0)),
        splits=tuple(_draw_split(dice, places) for _ in range(dice.between(1, 2) if "split" in on else 0)),
        kills=tuple(_draw_strike(dice, places, 8) for _ in range(dice.between(1, 3) if "killed" in on else 0)),
        closed=tuple(_draw_closed_tab(dice, places) for _ in range(dice.between(1, 2) if "closed" in on else 0)),
        disks=tuple(_draw_bad_disk(dice, places) for _ in range(dice.between(1, 2) if "disk" in on else 0)),
        slow=tuple(sorted({dice.between(0, plan.seats - 1) for _ in range(2)})) if "late" in on else (),
        leavers=_draw_leavers(dice, plan, on),
        again=tuple(seat for seat in range(plan.seats) if dice.chance(850)) if "rebuilt" in on else (),
        together=dice.pick((300, 700, 950)) if "grouped" in on else 0,
    )


def _draw_table(seed: str, on: set[str], dice: SeededDice) -> GamePlan:
    """Draw the game and its seats.

    Removing a seat, or leaving while a deck is rebuilt, needs more than two seats.
    """
    name = dice.pick(("highcard",) * 8 + ("dear highcard",) * 14 + ("free",) * 14 + ("holdem",))
    many = bool(on & {"keyed", "rebuilt"})
    card = dice.pick(("mask", "lock") if "rebuilt" in on else ("mask", "lock", "offset"))
    if "rebuilt" not in on and name != "holdem" and dice.chance(500):
        card = "chain" if many else dice.pick(("chain", "duel"))
    seats = 4 if "rebuilt" in on else dice.pick((3, 4)) if many else dice.pick((2, 2, 2, 3, 3, 4))
    mode = dice.pick(MODES.get(card, (b"{}",)))
    # The group does not matter here, and chain's own group has large numbers.
    protocol = make_protocol("mask" if name == "holdem" else card, mode, group() if card == "chain" else None)
    proven = card == "chain" and not protocol.claims.open_book_at_end
    # With two seats, one of them alone cannot end a table at which the other owes a disclosure.
    if card in MODES:
        seats = 2 if card == "duel" or (proven and not many) else 3
    elif name == "holdem":
        seats = min(seats, 3)
    if card == "duel":
        name = dice.pick(("own highcard",) * 4 + ("wardens",))
    rules, package = _choose_game(name, protocol, dice)
    often = (1, 2) if protocol.claims.open_book_at_end or name == "dear highcard" else (1, 1, 1, 2)
    hands = 1 if name in ("holdem", "wardens") or proven else 2 if "keyed" in on else dice.pick(often)
    return GamePlan(
        seed,
        protocol,
        rules,
        package,
        seats,
        hands,
        int(dice.chance(150)),
        keeper=_draw_keeper(dice, on) if "timed" in on else None,
        sealed="keyed" in on,
    )


def _choose_game(name: str, protocol: CardProtocol, dice: SeededDice) -> tuple[Rules, GamePackage]:
    """Return the rules and the package of the named game, with a small deck and a fast bot."""
    cards = dice.between(4, 6)
    if name == "highcard":
        return highcard.HighCard(cards), highcard.GAME
    if name == "dear highcard":
        return highcard.DearHighCard(cards), highcard.DEAR
    if name == "own highcard":
        return highcard.OwnHighCard(cards), highcard.OWN
    package = find_game(name)
    if name == "free":
        return Free(cards, protocol.claims.operations & frozenset(OPERATIONS)), package
    # Use a fast bot: what it does matters here, not how well it plays.
    quick = package if package.measured is None else replace(package, bot=package.measured.bot)
    return package.from_settings(package.settled({})), quick


def _draw_keeper(dice: SeededDice, on: set[str]) -> Keeper:
    """Draw a timekeeper: how it keeps time, the time limits, and how long the relay holds its ticks back."""
    limits = Limits(move=3000, cards=3000, bank=dice.pick((0, 0, 1500, 4000)), refill=dice.pick((0, 1000)))
    return Keeper(dice.pick(KEEPERS), limits, dice.pick((1000, 4000)) if "held" in on else 0, dice.between(1, 15))


# --- Permanent faults ---


def _draw_fated_seats(dice: SeededDice, seats: int, on: set[str]) -> tuple[int, ...]:
    """Draw the seats that permanent faults hit: at most half of the table.

    It is only one seat if the others must suffice to agree on another roster.
    """
    first, count = dice.between(0, seats - 1), 1 if "keyed" in on else dice.between(1, seats // 2)
    return tuple(sorted((first + more) % seats for more in range(count)))


def _draw_permanent_faults(plan: GamePlan, on: set[str], dice: SeededDice) -> GamePlan:
    """Draw the permanent faults that hit the fated seats."""
    fork = None
    if on & {"forked", "lobby"}:
        entries = 0 if "lobby" in on else dice.between(1, 15)
        fork = Fork(dice.pick(("swap", "withhold")), entries, dice.between(0, 8))
    withheld = dice.pick(_stopping_points(plan)) if "muted" in on else None
    first, last = plan.fated[0], plan.fated[-1]
    lies = "nonsense" in on
    return replace(
        plan,
        fork=fork,
        mute=dice.between(1, 15) if "muted" in on and withheld is None else None,
        withheld=withheld,
        lost_home=dice.between(1, 15) if "lost home" in on else None,
        backup=_draw_backup(dice, last) if "restored" in on else None,
        liar=first if lies else None,
        cheater=(last, _draw_cheat(plan, dice)) if "cheated" in on and not (lies and first == last) else None,
    )


def _stopping_points(plan: GamePlan) -> tuple[Stopping | None, ...]:
    """Return where a seat may fall silent: anywhere (None), in the middle of a card, or before its disclosure."""
    cards: tuple[Stopping, ...] = ("deal", "open") if isinstance(plan.rules, highcard.DearHighCard) else ()
    books: tuple[Stopping, ...] = ("book",) * 3 if plan.protocol.claims.open_book_at_end else ()
    return (None, *cards, *books)


def _draw_cheat(plan: GamePlan, dice: SeededDice) -> str:
    """Draw an attack.

    One that waits for all other seats is only drawn if no other seat is fated, because then all others will act again.
    """
    waiting = late_cheats_for(plan.protocol)
    if waiting and len(plan.fated) == 1 and dice.chance(400):
        return dice.pick(waiting)
    others = tuple(name for name in cheats_for(plan.protocol) if name not in waiting)
    return dice.pick(FREQUENT_CHEATS if dice.chance(700) else others)


def _draw_backup(dice: SeededDice, place: int) -> Backup:
    """Draw a backup of the store of this place, and the later time when it replaces the store."""
    copied = dice.between(300, 3000)
    return Backup(copied, copied + dice.between(300, 3000), place, dice.chance(500))


# --- Temporary faults ---


def _draw_leavers(dice: SeededDice, plan: GamePlan, on: set[str]) -> tuple[Leaver, ...]:
    """Draw a seat that leaves. It is not a fated one, because the checkers look at what others say about leavers.

    For a roster change, one absent seat is enough.
    """
    doomed = any(one is not None for one in (plan.fork, plan.mute, plan.withheld, plan.lost_home))
    if not on & {"left", "rebuilt", "keyed"} or ("keyed" in on and doomed and "rebuilt" not in on):
        return ()
    others = [seat for seat in range(plan.seats) if seat not in plan.fated]
    away = None if "keyed" in on and not doomed else dice.pick((0, 500, 3000, 8000))
    sits_out = on.isdisjoint({"rebuilt", "keyed"}) and dice.chance(250)
    return (Leaver(dice.pick(others), dice.between(4, 16), sits_out, away, "rebuilt" in on),)


def _draw_strike(dice: SeededDice, places: int, writes: int) -> Struck:
    """Draw a cut connection or a killed process: the time, the place, how long, and after how many writes."""
    down = dice.pick((300, 1000, 3000, 8000))
    return Struck(dice.between(0, HEALED // 2), dice.between(0, places - 1), down, dice.between(0, writes))


def _draw_closed_tab(dice: SeededDice, places: int) -> Struck:
    """Draw a closed browser tab: the time, the place, and how long it stays closed."""
    return Struck(dice.between(0, HEALED // 2), dice.between(0, places - 1), dice.pick((6000, 15_000, 40_000)))


def _draw_split(dice: SeededDice, places: int) -> Split:
    """Draw a network partition: the time, the places that are cut off, and how long."""
    apart = tuple(place for place in range(places) if dice.chance(500)) or (dice.between(0, places - 1),)
    return Split(dice.between(0, HEALED // 2), apart, dice.pick((500, 2000, 6000)))


def _draw_bad_disk(dice: SeededDice, places: int) -> BadDisk:
    """Draw a failing disk: the time, the place, after how many writes, in which way, and how often again."""
    how: Failing = dice.pick(("full", "torn", "unsure"))
    time, place, writes = dice.between(0, HEALED // 3), dice.between(0, places - 1), dice.between(0, 4)
    return BadDisk(time, place, writes, how, dice.pick((0, 0, 1)))
