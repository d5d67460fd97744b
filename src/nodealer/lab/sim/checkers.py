"""What must hold after every game, looked at from outside."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from nodealer.audit.verify import Report, verify_file
from nodealer.cards import Card, Event, Moved, Opened
from nodealer.errors import NodealerError
from nodealer.lab.sim.dice import Dice
from nodealer.lab.sim.lateness import counted_anew, used
from nodealer.lab.sim.node import Node
from nodealer.lab.sim.relay import entry_in
from nodealer.lab.sim.world import World
from nodealer.log.file import save_log
from nodealer.play.bodies import Tick, Without
from nodealer.play.law import voters
from nodealer.play.phases import Phase
from nodealer.play.replica import Applied, Replica
from nodealer.play.state import TableState
from nodealer.protocols.keyed import KeyedDeck


class Seen:
    """A game that was played, and each of its logs played again."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.begun = [node for node in world.nodes if node.participant is not None and node.participant.begun]

    @cached_property
    def logs(self) -> list[Replayed]:
        """Each log once: forks have more than one."""
        logs = {tuple(node.replica.entries): node for node in self.begun}
        return [Replayed(node, self.world.plan.seed) for node in logs.values()]


class Replayed:
    """A log, and what became of each entry of it."""

    def __init__(self, node: Node, seed: str) -> None:
        self.node = node
        self.applied: list[Applied] = []
        self.broken: str | None = None
        self._seed = seed
        self.replica = Replica(node.replica.config, entropy=Dice(seed, "replay"), eager=False)
        try:
            self.applied += [self.replica.append(entry) for entry in node.replica.entries]
            self.replica.settle()
        except NodealerError as error:
            self.broken = str(error)

    @property
    def state(self) -> TableState:
        """The table at its end."""
        return self.replica.state

    def audited(self) -> Report:
        """What an audit of it finds."""
        config = self.replica.config
        with TemporaryDirectory() as folder:
            path = Path(folder) / "log.jsonl"
            save_log(path, config.session, self.node.replica.entries)
            return verify_file(path, entropy=Dice(self._seed, "audit"), game=config.package)


def same_digest(seen: Seen) -> Iterator[str]:
    """Who was shown one order has one table at its end, one log in the home, and says that of all others."""
    digests = {node.replica.digest() for node in seen.world.lasting if node.ended}
    if len(digests) > 1:
        yield f"{len(digests)} different tables at the end of one order"
    for log in seen.logs:
        if log.broken is not None:
            yield f"the log of {log.node.name} cannot be replayed: {log.broken}"
        elif log.replica.digest() != log.node.replica.digest():
            yield f"the log of {log.node.name}, replayed, is another table"
    for node in seen.begun:
        if node.home.entries != node.replica.entries:
            yield f"the home of {node.name} has another log than it has itself"
        if node.diverged and not seen.world.relay.forked:
            yield f"{node.name} says that logs have parted, and there is one order"


def chips_conserved(seen: Seen) -> Iterator[str]:
    """After every entry the chips of all seats, what is held and what is dead are what the seats began with."""
    stake = seen.world.plan.rules.stake
    for log in seen.logs if stake else ():
        for applied in log.applied:
            account = applied.after.account
            if account.total != stake * seen.world.plan.seats or min(account.chips.values()) < 0:
                yield f"entry {applied.number} of {log.node.name}: {dict(account.chips)} and {account.held}"


def each_card_once(seen: Seen) -> Iterator[str]:
    """No card has two holders, none has two faces, and no two cards of an epoch have one face; hidden ones too."""
    for log in seen.logs:
        held: dict[tuple[int, int, int], int | None] = {}
        faces = set[tuple[int, Card, int]]()
        for applied in log.applied:
            hand = applied.before.hand.number
            for event in applied.events:
                yield from held_twice(held, hand, event)
            faces |= {(hand, one.card, one.face) for one in applied.events if isinstance(one, Opened)}
        if log.node.place not in seen.world.doomed:
            faces |= {one for node in seen.begun for one in node.faces}
        yield from twice(faces)


def held_twice(held: dict[tuple[int, int, int], int | None], hand: int, event: Event) -> Iterator[str]:
    """Whether a card goes to somebody that somebody else has. `held` is what was there before."""
    if isinstance(event, Moved):
        where = (hand, event.card.deck, event.card.position)
        if event.holder is not None and held.get(where) is not None:
            yield f"{event.card} of hand {hand} goes to {event.holder}, and {held[where]} has it"
        held[where] = event.holder


def twice(faces: set[tuple[int, Card, int]]) -> Iterator[str]:
    """Cards with two faces, and faces on two cards of one deck and epoch."""
    of = dict[tuple[int, Card], int]()
    where = dict[tuple[int, int, int, int], Card]()
    for hand, card, face in sorted(faces):
        if of.setdefault((hand, card), face) != face:
            yield f"{card} of hand {hand} has two faces"
        if where.setdefault((hand, card.deck, card.epoch, face), card) != card:
            yield f"face {face} is on two cards of hand {hand}: {card} and another"


def old_places_closed(seen: Seen) -> Iterator[str]:
    """No key is published of a place where no card lies any more: it was passed, put back, gathered or made again."""
    for log in seen.logs:
        for applied in log.applied:
            for wrong in keys_of_old_places(applied.before, applied.after):
                yield f"entry {applied.number} of {log.node.name}: {wrong}"


def keys_of_old_places(before: TableState, after: TableState) -> Iterator[str]:
    """The keys that were published between two moments of places that were dead by then."""
    for number, deck in after.hand.decks.items():
        was = before.hand.decks.get(number)
        if not isinstance(deck, KeyedDeck) or not isinstance(was, KeyedDeck) or deck.released is was.released:
            continue
        places = was.places
        living = {*places.pile, *places.held, *places.aside, *places.opened}
        for position, keys in deck.released.items():
            if position not in living and keys.keys() - was.released.get(position, {}).keys():
                yield f"a key of card {position} of deck {number} is published, and no card lies there"


def nobody_blamed(seen: Seen) -> Iterator[str]:
    """No log names anybody but a liar, no audit does, and nobody is silenced."""
    keeper = seen.world.plan.keeper
    liars = {seen.world.plan.liar, seen.world.plan.seats if keeper is not None and keeper.how == "back" else None}
    liars -= {None}
    for node in seen.begun:
        if {fault.seat for fault in node.replica.state.faults} - liars:
            yield f"the log of {node.name}: {node.replica.state.faults}"
        if node.living_participant.silenced is not None and node.place not in liars:
            yield f"{node.name} is silenced: {node.living_participant.silenced}"
    for log in seen.logs:
        report = log.audited()
        named = {fault.seat for fault in report.faults}
        if report.verdict not in ("clean", "incomplete", *(["fault"] if liars else [])) or named - liars:
            yield f"the audit of the log of {log.node.name}: {report.verdict}, {report.reason} {report.faults}"


def game_ends(seen: Seen) -> Iterator[str]:
    """Who could end has, those who could not are named by the law, and who was shown another order has heard of it."""
    world = seen.world
    for node in world.lasting:
        if node.ended:
            yield from _unnamed(world, node)
        elif node not in seen.begun or not _outvoted(world, node):
            yield f"{node.name} has not ended after {world.clock.now} ms"
    for node in seen.begun:
        if not node.diverged and _saw_another(world, node):
            yield f"{node.name} has an entry on a head of another log, and has not said so"


def _unnamed(world: World, node: Node) -> Iterator[str]:
    state = node.replica.state
    named = {statement.of for statement in state.chronicle.statements}
    if (state.phase is Phase.ENDED or state.over) and None not in named:
        for seat in sorted(world.doomed - state.ended - named):
            yield f"seat {seat} is gone for good, and the log of {node.name} does not say so"


def _outvoted(world: World, node: Node) -> bool:
    """Whether more than half of those who have a word are gone for good: then the law lets the others only wait.

    With a timekeeper that cannot be relied on, half of them are enough for that: ties wait.
    """
    said, keeper = {*voters(node.replica.state)}, world.plan.keeper
    gone = 2 * len(said & world.doomed)
    return gone > len(said) or (gone == len(said) and keeper is not None and not keeper.lasts)


def _saw_another(world: World, node: Node) -> bool:
    order = world.relay.order(node.place)
    entries = map(entry_in, order)
    return any(entry is not None and not node.replica.has_seen(entry.seen) for entry in entries)


def same_lateness(seen: Seen) -> Iterator[str]:
    """What is late, and what is left in the banks, is what whoever counts anew finds in the ticks of the log."""
    for log in seen.logs:
        limits = log.replica.config.session.proposal.clock
        if limits is None:
            continue
        for number, late, banks in counted_anew(log.applied, log.replica, limits):
            clock = log.applied[number].after.clock
            if clock is None or (clock.late, used(clock.banks, limits)) != (late, banks):
                yield f"entry {number} of {log.node.name}: {clock} has other late duties or banks than {banks}"


def nobody_hurried(seen: Seen) -> Iterator[str]:
    """By the ticks of a timekeeper that does not lie nothing is late before its limit has passed, whatever is killed or
    held back; and whoever could not be waited for any more was named by half of the voters, or late and by half."""
    world, keeper = seen.world, seen.world.plan.keeper
    for log in seen.logs if keeper is not None else ():
        for applied in log.applied:
            yield from _too_few(log, applied)
            if keeper is not None and keeper.how not in ("ahead", "back") and log.node.place not in world.doomed:
                yield from _too_soon(world, log, applied)


def _too_few(log: Replayed, applied: Applied) -> Iterator[str]:
    before, after = applied.before, applied.after
    said = after.chronicle.statements[len(before.chronicle.statements) :][:1]
    if isinstance(applied.body, Without | Tick) and before.clock is not None and after.clock is not None:
        late = {before.clock.watched[duty].seat for duty in before.clock.late}
        late |= {known.seat for duty, known in before.clock.watched.items() if duty in after.clock.late}
        for one in said:
            by, count = 2 * len(one.by), len(voters(before))
            if by < count or (by == count and one.of not in late and isinstance(applied.body, Without)):
                yield f"entry {applied.number} of {log.node.name}: {one.by} of {count} went on without {one.of}"


def _too_soon(world: World, log: Replayed, applied: Applied) -> Iterator[str]:
    before, after, ordered = applied.before.clock, applied.after.clock, world.ordered
    for duty in after.late - before.late if before is not None and after is not None else ():
        watched, entries = before.watched[duty] if before is not None else None, log.node.replica.entries
        if watched is not None and watched.since:
            passed = ordered[entries[applied.number]] - ordered[entries[watched.since - 1]]
            if passed < watched.limit:
                yield f"entry {applied.number} of {log.node.name}: seat {watched.seat} is late after {passed} ms"


#: What must hold, in the order in which it is looked at.
CHECKERS: Final[dict[str, Callable[[Seen], Iterator[str]]]] = {
    "same digest": same_digest,
    "chips conserved": chips_conserved,
    "each card once": each_card_once,
    "old places closed": old_places_closed,
    "nobody honest blamed": nobody_blamed,
    "the game ends": game_ends,
    "same lateness": same_lateness,
    "nobody hurried": nobody_hurried,
}


@dataclass(frozen=True)
class Wrong:
    """A checker that fired, and why."""

    checker: str
    reason: str

    def __str__(self) -> str:
        return f"{self.checker}: {self.reason}"


def first_wrong(world: World) -> Wrong | None:
    """The first checker that fires for a game that was played."""
    seen = Seen(world)
    found = (Wrong(name, reason) for name, checker in CHECKERS.items() for reason in checker(seen))
    return next(found, None)
