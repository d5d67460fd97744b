"""The checkers: what must hold after every game, judged independently of the participants."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

from nodealer.cards.events import Event, Moved, Opened
from nodealer.cards.operations import Card
from nodealer.engine.bodies import Leave, read_body
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Applied
from nodealer.engine.votes import voters
from nodealer.errors import Malformed
from nodealer.log.entry import Entry
from nodealer_lab.sim.checkers.blame import check_guilty_named, check_honest_not_blamed, check_minority_gains
from nodealer_lab.sim.checkers.chips import check_chip_account
from nodealer_lab.sim.checkers.disclosures import check_disclosures
from nodealer_lab.sim.checkers.lateness import count_lateness, used
from nodealer_lab.sim.checkers.leave_prices import check_leave_prices
from nodealer_lab.sim.checkers.replay import FinishedGame, ReplayedLog
from nodealer_lab.sim.checkers.secrecy import check_early_knowledge, check_old_places, check_opening_order
from nodealer_lab.sim.checkers.signed_entries import check_due_when_signed, check_rollbacks
from nodealer_lab.sim.checkers.votes import check_votes
from nodealer_lab.sim.node import Node
from nodealer_lab.sim.relay import parse_entry
from nodealer_lab.sim.world import World


def check_digests(played: FinishedGame) -> Iterator[str]:
    """Yield differences between nodes that were shown the same order.

    They must have the same table at the end and the same log in the store, and must not report a divergence.
    """
    if len({node.replica.config.session.id for node in played.begun}) > 1:
        yield "more than one session has begun"
    digests = {node.replica.digest() for node in played.world.lasting if node.ended and node in played.begun}
    if len(digests) > 1:
        yield f"{len(digests)} different tables at the end of one order"
    for log in played.logs:
        if log.broken is not None:
            yield f"the log of {log.node.name} cannot be replayed: {log.broken}"
        elif log.replica.digest() != log.node.replica.digest():
            yield f"the log of {log.node.name} gives another table when replayed"
    for node in played.begun:
        if node.home.entries != node.replica.entries:
            yield f"the store of {node.name} has another log than its replica"
        if node.diverged and not played.world.relay.forked:
            yield f"{node.name} reports a divergence, but there is one order"


def check_chips_conserved(played: FinishedGame) -> Iterator[str]:
    """Yield entries after which chips, held gains and dead money do not add up to what the seats began with."""
    stake = played.world.plan.rules.stake
    for log in played.logs if stake else ():
        for applied in log.applied:
            account = applied.after.ledger
            if account.total != stake * len(account.chips) or min(account.chips.values()) < 0:
                yield f"entry {applied.number} of {log.node.name}: {dict(account.chips)} and {account.held}"


def check_cards_unique(played: FinishedGame) -> Iterator[str]:
    """Yield cards with two holders or two faces, and faces on two cards of one epoch, including hidden cards."""
    for log in played.logs:
        held: dict[tuple[int, int, int], int | None] = {}
        faces = set[tuple[int, Card, int]]()
        for applied in log.applied:
            hand = applied.before.hand.number
            for event in applied.events:
                yield from double_holders(held, hand, event)
            faces |= {(hand, one.card, one.face) for one in applied.events if isinstance(one, Opened)}
        if log in played.lasting:
            faces |= {one[1:] for node in played.begun for one in node.player.faces}
        # Until a cheater is named, cards that it spoilt may be read as others for as long as the claims say.
        spoilt = _hands_named_in(log, played.world.plan.cheater)
        yield from repeated_faces({one for one in faces if one[0] not in spoilt})


def _hands_named_in(log: ReplayedLog, cheater: tuple[int, str] | None) -> set[int]:
    """Return the hands of the entries for which the cheater was named."""
    named = [fault for fault in log.state.faults if cheater is not None and fault.seat == cheater[0]]
    return {log.applied[fault.entry].entry.hand for fault in named}


def double_holders(held: dict[tuple[int, int, int], int | None], hand: int, event: Event) -> Iterator[str]:
    """Yield a violation if a card goes to a seat while another has it. `held` maps cards to holders and is updated."""
    if isinstance(event, Moved):
        where = (hand, event.card.deck, event.card.position)
        if event.holder is not None and held.get(where) is not None:
            yield f"{event.card} of hand {hand} goes to {event.holder} while {held[where]} has it"
        held[where] = event.holder


def repeated_faces(faces: set[tuple[int, Card, int]]) -> Iterator[str]:
    """Yield cards with two faces, and faces on two cards of one deck and epoch."""
    of = dict[tuple[int, Card], int]()
    where = dict[tuple[int, int, int, int], Card]()
    for hand, card, face in sorted(faces):
        if of.setdefault((hand, card), face) != face:
            yield f"{card} of hand {hand} has two faces"
        if where.setdefault((hand, card.deck, card.epoch, face), card) != card:
            yield f"face {face} is on two cards of hand {hand}: {card} and another"


def check_game_ends(played: FinishedGame) -> Iterator[str]:
    """Yield nodes that should have ended, absent seats that no log names, and forks that were not reported."""
    world = played.world
    for node in world.lasting:
        if node.ended:
            yield from _unnamed_absentees(world, node)
        elif node in played.begun and not _is_outvoted(played, node):
            yield f"{node.name} has not ended after {world.clock.now} ms"
        elif node not in played.begun and not _is_lobby_forked(world):
            yield f"{node.name} has not begun after {world.clock.now} ms"
    for name in unreported_forks(played, partial(_saw_other_log, world)):
        yield f"{name} was shown an entry on a head of another log and did not report it"


def unreported_forks(played: FinishedGame, saw: Callable[[Node], bool]) -> list[str]:
    """Return the nodes that saw something of another log and reported neither a divergence nor a later key.

    A node that was not shown a key change cannot open frames under the new key, and only reports the key. A node with
    the later key ignores frames under the old one, which may be honest and late. A removed node knows that it was
    removed.
    """
    last = max((len(node.replica.state.chronicle.key_changes) for node in played.begun), default=0)
    reads = [
        node
        for node in played.begun
        if len(node.replica.state.chronicle.key_changes) < max(last, 1) and not node.locked
    ]
    return [node.name for node in reads if not (node.behind if last else node.diverged) and saw(node)]


def _unnamed_absentees(world: World, node: Node) -> Iterator[str]:
    """Yield the seats that can never act again, did not leave themselves, and are not named in a finished log."""
    state = node.replica.state
    named = {statement.of for statement in state.chronicle.vote_results}
    own_word = {
        entry.seat for entry in map(parse_entry, node.replica.entries) if entry is not None and _is_leave(entry)
    }
    if (state.phase is Phase.ENDED or state.no_more_hands) and None not in named:
        for seat in sorted(world.doomed - state.ended - state.expelled - named - own_word):
            yield f"seat {seat} is gone for good, and the log of {node.name} does not name it"


def _is_leave(entry: Entry) -> bool:
    """Return whether an entry is a seat's own message that it leaves."""
    with suppress(Malformed):
        return isinstance(read_body(bytes(entry.body)), Leave)
    return False


def _is_lobby_forked(world: World) -> bool:
    """Return whether the relay forked the lobby. No one plays before all have agreed."""
    fork = world.plan.fork
    return fork is not None and not fork.entries


def _is_outvoted(played: FinishedGame, node: Node) -> bool:
    """Return whether more than half of the voters are gone for good, so that the table rules let the others only wait.

    With an unreliable timekeeper half of them is enough, because ties wait. After the last hand half is also enough if
    one of them owes a book, or a removed seat does that lacks the table's new key: a book is never too late.
    """
    state, keeper = node.replica.state, played.world.plan.keeper
    said = {*voters(state)}
    gone = said & played.gone
    unheard = played.gone | {other.place for other in played.world.nodes if other.locked}
    unopened = state.no_more_hands and any(books.owing & unheard for books in state.disclosures.values())
    ties_wait = unopened or (keeper is not None and not keeper.lasts)
    return 2 * len(gone) > len(said) or (2 * len(gone) == len(said) and ties_wait)


def _saw_other_log(world: World, node: Node) -> bool:
    """Return whether a seat that is not expelled showed the node an entry on a head of another log."""
    entries = (parse_entry(world.text(frame)) for frame in world.relay.frames_for(node.place))
    others = (entry for entry in entries if entry is not None and entry.seat not in node.replica.state.expelled)
    return any(not node.replica.has_seen(entry.seen) for entry in others)


def check_lateness(played: FinishedGame) -> Iterator[str]:
    """Yield ticks after which late duties or time banks differ from an independent count."""
    for log in played.logs:
        limits = log.replica.config.session.proposal.clock
        if limits is None or not log.applied:
            continue
        for number, late, banks in count_lateness(log.applied, log.replica, limits):
            clock = log.applied[number].after.clock
            if clock is None or (clock.late, used(clock.banks, limits)) != (late, banks):
                yield f"entry {number} of {log.node.name}: {clock} has other late duties or banks than counted: {banks}"


def check_nobody_hurried(played: FinishedGame) -> Iterator[str]:
    """Yield duties that an honest timekeeper declared late before their limit had passed.

    This must not happen whatever is killed or held back.
    """
    world, keeper = played.world, played.world.plan.keeper
    for log in played.lasting if keeper is not None and keeper.how not in ("ahead", "back") else ():
        # After a key change an entry may have been sent twice, so its time is unknown.
        for applied in log.applied if not log.state.chronicle.key_changes else ():
            yield from _early_lateness(world, log, applied)


def check_stored_first(played: FinishedGame) -> Iterator[str]:
    """Yield honest nodes that sent an entry before their store had it, or after their disk had failed."""
    for node in played.world.nodes:
        for _ in node.unkept:
            yield f"{node.name} has sent an entry that its journal does not contain"


def check_batches(played: FinishedGame) -> Iterator[str]:
    """Yield the differences between processing entries in a batch and processing them one by one."""
    for node in played.world.nodes:
        yield from node.groups.differences


def _early_lateness(world: World, log: ReplayedLog, applied: Applied) -> Iterator[str]:
    """Yield the duties that an entry makes late although less than their time limit has really passed."""
    before, after, ordered = applied.before.clock, applied.after.clock, world.ordered
    for duty in after.late - before.late if before is not None and after is not None else ():
        watched, entries = before.timed[duty] if before is not None else None, log.node.replica.entries
        if watched is not None and watched.since:
            passed = ordered[entries[applied.number]] - ordered[entries[watched.since - 1]]
            if passed < watched.limit:
                yield f"entry {applied.number} of {log.node.name}: seat {watched.seat} is late after {passed} ms"


#: The checkers by name, in the order in which they run.
CHECKERS: Final[dict[str, Callable[[FinishedGame], Iterator[str]]]] = {
    "same digest": check_digests,
    "chips conserved": check_chips_conserved,
    "each card once": check_cards_unique,
    "old places closed": check_old_places,
    "nobody knows early": check_early_knowledge,
    "opened in turn": check_opening_order,
    "nobody honest blamed": check_honest_not_blamed,
    "the guilty named": check_guilty_named,
    "no minority gains": check_minority_gains,
    "same votes": check_votes,
    "same money": check_chip_account,
    "leaving costs": check_leave_prices,
    "books held": check_disclosures,
    "due when signed": check_due_when_signed,
    "no way back": check_rollbacks,
    "kept first": check_stored_first,
    "same together": check_batches,
    "the game ends": check_game_ends,
    "same lateness": check_lateness,
    "nobody hurried": check_nobody_hurried,
}


@dataclass(frozen=True)
class Violation:
    """A checker that fired, and why."""

    checker: str
    reason: str

    def __str__(self) -> str:
        return f"{self.checker}: {self.reason}"


def find_violation(played: FinishedGame) -> Violation | None:
    """Run the checkers on a game. Return the first violation, or None."""
    found = (Violation(name, reason) for name, checker in CHECKERS.items() for reason in checker(played))
    return next(found, None)
