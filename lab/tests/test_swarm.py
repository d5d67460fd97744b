"""Each kind of fault by itself, and each checker that looks at what came of it, in a game in which it fires."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec import Raw, structs

from games.dealer import FOLD, Dealer, script, table_of
from nodealer.cards.events import Half
from nodealer.cards.operations import Close, Deal, Open, Portion
from nodealer.engine import transitions, votes
from nodealer.engine.bodies import Agree, Begin, Body, Book, Break, Leave, Tick, Without, read_body
from nodealer.engine.frame_result import Received, ReceivedEvent
from nodealer.engine.ledger import Ledger
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Applied, Outcome
from nodealer.engine.seat import Seat
from nodealer.engine.votes import voters
from nodealer.errors import CardUnreadable, HomeUnusable, JournalLost
from nodealer.games.base import Done
from nodealer.games.holdem import Holdem
from nodealer.group import group
from nodealer.keys import Identity
from nodealer.log.entry import Entry, read_entry, sign_entry
from nodealer.log.journal import Sent
from nodealer.log.session import Limits
from nodealer.protocols import make_protocol
from nodealer.protocols.duel import DuelDeck
from nodealer.protocols.keyed_deck import add_published
from nodealer.protocols.lock.deck import LockDeck
from nodealer.wire import encode
from nodealer_lab.sim import entry_groups
from nodealer_lab.sim.cheats import late_cheats_for
from nodealer_lab.sim.checkers.blame import (
    check_guilty_named,
    check_honest_not_blamed,
    contradictions,
    gains_from_leaving,
    had_won,
    votes_with_too_few,
)
from nodealer_lab.sim.checkers.chips import ChipLedger, shares
from nodealer_lab.sim.checkers.disclosures import check_disclosures
from nodealer_lab.sim.checkers.invariants import (
    check_batches,
    check_game_ends,
    check_stored_first,
    find_violation,
    unreported_forks,
)
from nodealer_lab.sim.checkers.lateness import count_lateness
from nodealer_lab.sim.checkers.leave_prices import check_leave_prices
from nodealer_lab.sim.checkers.replay import FinishedGame, ReplayedLog
from nodealer_lab.sim.checkers.secrecy import keys_needed, seen_by_one, unrequested_keys
from nodealer_lab.sim.checkers.signed_entries import check_due_when_signed
from nodealer_lab.sim.checkers.votes import _has_no_move, check_votes
from nodealer_lab.sim.dice import SeededDice
from nodealer_lab.sim.entry_groups import EntryGroups
from nodealer_lab.sim.faults.lies import NONSENSE
from nodealer_lab.sim.highcard import DEAR, OWN, DearHighCard, HighCard, HighHand, OwnHighCard
from nodealer_lab.sim.node import Node
from nodealer_lab.sim.plan import Backup, BadDisk, Failing, Fork, Forking, GamePlan, Leaver, Split, Stopping, Struck
from nodealer_lab.sim.player import HURRY_TIME
from nodealer_lab.sim.swarm import _choose_game, draw_plan
from nodealer_lab.sim.world import World
from protocols.mask.kit import fresh
from quiet import PlayedBy, calm, statements, timed, wrong_with
from sampling import times


def test_the_seed_draws_the_mix() -> None:
    """Games differ in kind: each of these is there in some games, and not in others."""
    plans = [draw_plan(f"mix {number}") for number in range(60)]
    for field in (
        "cuts",
        "splits",
        "kills",
        "closed",
        "disks",
        "fork",
        "mute",
        "lost_home",
        "backup",
        "liar",
        "cheater",
        "withheld",
    ):
        assert {bool(getattr(plan, field) not in (None, ())) for plan in plans} == {True, False}, field
    assert {plan.rates["lost"] > 0 for plan in plans} == {plan.sealed for plan in plans} == {True, False}
    assert {plan.played for plan in plans} == {plan.protocol.claims.open_book_at_end for plan in plans} == {True, False}
    assert {plan.backup.log_only for plan in plans if plan.backup is not None} == {True, False}
    assert {plan.withheld for plan in plans} == {None, "deal", "open", "book"}
    assert all(2 * len(plan.fated) <= plan.seats for plan in plans)
    assert len({str(plan) for plan in plans}) == 60


# --- Faults ---


def test_a_network_that_splits_and_heals() -> None:
    world = World(replace(calm(), splits=(Split(600, (0, 2), 3000),)))
    assert wrong_with(world) is None and world.struck == Counter(split=1)
    assert all(node.ended for node in world.nodes) and world.clock.now > 3600


@pytest.mark.parametrize("how", ["full", "torn", "unsure"])
def test_a_disk_that_fails(how: Failing) -> None:
    """The participant stops, signs nothing, and comes back from what was kept; twice."""
    world = World(replace(calm(seats=2), disks=(BadDisk(700, 1, 1, how, 1),)))
    assert wrong_with(world) is None and world.struck == Counter(disk=2)
    assert all(node.ended for node in world.nodes)


@pytest.mark.parametrize("writes", [1, 2, 3])
def test_a_disk_that_fails_just_before_the_process_is_killed(writes: int) -> None:
    """night-a-1055 and late2-602 of earlier simulators: the checker that asks for more was killed itself."""
    kills = (Struck(700, 1, 2000, writes),)
    world = World(replace(calm(seats=2), disks=(BadDisk(700, 1, 1, "unsure", 0),), kills=kills))
    assert wrong_with(world) is None and all(node.ended for node in world.nodes)


def test_a_disk_that_fails_when_what_came_in_together_is_looked_at() -> None:
    """night-c12-380: it is written then. Whoever only asks whether it has ended writes nothing."""

    class Full:
        is_settled = False

        def settle(self) -> Received:
            raise HomeUnusable("cannot use the home: no space left on device")

    world = World(calm(seats=2))
    node = world.nodes[0]
    node.participant = Full()  # type: ignore[assignment]
    assert not node.ended and not world.struck
    node.act(lambda participant: [])
    assert world.nodes[0].participant is None and world.struck == Counter(disk=1)


def test_slow_people_end_a_long_game() -> None:
    """night-c6-305: they were slow to the end, and wardens has more questions than fit into that time."""
    protocol = make_protocol("duel")
    rules, package = _choose_game("wardens", protocol, SeededDice("slow", "plan"))
    world = World(replace(calm("slow", seats=2), protocol=protocol, rules=rules, package=package, slow=(0, 1)))
    assert wrong_with(world) is None and world.clock.now > HURRY_TIME
    # morning-31-137: a deck that is put away is its owner's to read as soon as the rival has given its keys.
    decks = [deck for log in FinishedGame(world).logs for one in log.applied for deck in one.after.hand.decks.values()]
    deck = next(deck for deck in decks if isinstance(deck, DuelDeck) and deck.places.pile and deck.places.held)
    # a9106c88243f-15456: so are cards of the pile that both will see.
    opening, closing = Open(deck.number, 2), Close(deck.number)
    pile, held = deck.places.pile, deck.places.held
    for asked, known in ((None, ()), (opening, pile[:2]), (closing, (*pile, *held))):
        state = SimpleNamespace(hand=SimpleNamespace(decks={deck.number: replace(deck, asked=asked)}))
        found = {*seen_by_one(state)}  # type: ignore[arg-type]
        assert found == {(deck.places.card(each), deck.owner) for each in (*known, *deck.peeked, *deck.places.discards)}


def test_a_tab_that_is_closed_and_opened_again() -> None:
    """The others go on without it, as more than half of them can; it comes back, and ends with them."""
    world = World(replace(calm(), closed=(Struck(900, 1, 15_000),)))
    assert wrong_with(world) is None and world.struck == Counter(closed=1)
    assert all(node.ended for node in world.nodes) and (1, "gone") in statements(world)


def test_one_who_began_and_is_away_for_long_while_another_does_not_agree() -> None:
    """morning-0-297: the game was stopped as one in which nobody had begun."""
    plan = replace(calm("lobby 5", seats=2), fated=(1,), fork=Fork("withhold", 0, 5))
    world = World(replace(plan, closed=(Struck(5469, 0, 40_000),)))
    assert wrong_with(world) is None
    assert world.nodes[0].living_participant.has_session and not world.nodes[1].living_participant.has_session


def test_one_who_agrees_when_it_comes_back() -> None:
    """morning-25-271: the game was stopped in the moment in which the last one had come back."""
    plan = replace(calm("late 3"), fated=(1,), fork=Fork("swap", 0, 3), closed=(Struck(520, 2, 40_000),))
    world = World(plan)
    assert wrong_with(world) is None and world.clock.now > 45_000


def test_a_book_that_is_never_opened_is_waited_for() -> None:
    """morning-0-174: one of two, who owes a book, is heard no more. That is the law, not a fault."""
    protocol = make_protocol("chain", b'{"proven":false}')
    world = World(replace(calm("book", seats=2), protocol=protocol, fated=(1,), mute=7))
    assert wrong_with(world) is None
    state = world.nodes[0].replica.state
    assert (
        state.no_more_hands
        and not world.nodes[0].ended
        and any(1 in books.owing for books in state.disclosures.values())
    )


def test_a_home_that_is_lost() -> None:
    """Somebody else comes in its place, who watches: nobody can sign for that seat any more."""
    world = World(replace(calm(), fated=(1,), lost_home=5))
    assert wrong_with(world) is None and world.struck["closed"] == 1
    stranger = world.nodes[3].living_participant
    assert not stranger.has_seat and stranger.is_over and world.nodes[1].away and (1, "gone") in statements(world)


def test_an_old_copy_of_a_home_is_silenced() -> None:
    """What it has signed since is in the log and not in its journal."""
    world = World(replace(calm(), fated=(1,), backup=Backup(850, 1400, 1)))
    assert wrong_with(world) is None and world.struck["restored"] == 1
    silenced = world.nodes[1].living_participant.silenced
    assert silenced is not None and "not in its journal" in silenced
    world.plan = replace(world.plan, backup=None)
    wrong = find_violation(FinishedGame(world))
    assert wrong is not None and "player 1 is silenced" in wrong.reason


def test_an_old_copy_that_was_silenced_does_not_start_again() -> None:
    """morning-5-333: what it heard has its own entries, which are not in its journal."""
    closed = (Struck(3500, 1, 6000),)
    world = World(replace(calm(), fated=(1,), backup=Backup(850, 1400, 1), closed=closed))
    assert wrong_with(world) is None and world.nodes[1].away and world.struck["closed"] == 1


def test_an_old_copy_believes_the_relay() -> None:
    """morning-6-326: one that is not shown what it signed signs that number again, and is named. Threats.md says so."""
    plan = replace(calm(seats=4), fated=(0, 1), fork=Fork("withhold", 2), backup=Backup(850, 1400, 1), together=0)
    world = next(made for made in (World(replace(plan, seed=f"old {n}")) for n in range(40)) if _named(made) == {1})
    seen = FinishedGame(world)
    assert find_violation(seen) is None
    # That excuses nothing else: a false proof of the same seat is told of.
    (fault,) = world.nodes[2].replica.state.faults
    for check, told in (("signatures", 0), ("shuffle", 1)):
        log = SimpleNamespace(state=SimpleNamespace(faults=(replace(fault, check=check),)))
        begun = [SimpleNamespace(name="a log", place=2, replica=log, living_participant=SimpleNamespace(silenced=None))]
        assert len([*check_honest_not_blamed(cast(Any, SimpleNamespace(world=world, begun=begun, logs=())))]) == told
    world.plan = replace(world.plan, backup=None)
    wrong = find_violation(FinishedGame(world))
    assert wrong is not None and wrong.checker == "nobody honest blamed"


def test_only_who_has_an_old_copy_may_lack_what_it_signed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the copy comes, a home that lacks something is a fault of the program."""
    world = World(replace(calm(), fated=(1,), backup=Backup(850, 1400, 1)))
    node = world.nodes[1]

    def lost(*arguments: object) -> Participant:
        raise JournalLost("an entry is not in its journal")

    monkeypatch.setattr(world, "new_participant", lost)
    with pytest.raises(JournalLost):
        node.start()
    node.restore(node.home.copy())
    node.start()
    assert node.away


def _named(world: World) -> set[int | None]:
    world.run()
    return {fault.seat for node in world.nodes[2:] for fault in node.replica.state.faults}


def test_a_copy_in_which_nothing_is_missing_goes_on() -> None:
    world = World(replace(calm(), fated=(1,), backup=Backup(200, 210, 1)))
    assert wrong_with(world) is None and world.struck["restored"] == 1
    assert world.nodes[1].living_participant.silenced is None and all(node.ended for node in world.nodes)


@pytest.mark.parametrize("how", ["swap", "withhold"])
def test_two_lobbies(how: Forking) -> None:
    """There is one session, or none."""
    worlds = [World(replace(calm(f"lobby {frames}"), fated=(1,), fork=Fork(how, 0, frames))) for frames in range(4)]
    assert [wrong_with(world) for world in worlds] == [None] * 4
    assert all(world.struck["lobby"] for world in worlds)
    assert not all(world.nodes[0].ended for world in worlds)


def test_seats_that_leave_while_a_deck_is_made_again() -> None:
    plan = replace(calm(seats=4), leavers=(Leaver(0, 1, False, 0, dealt=True),), again=(1, 2))
    world = World(plan)
    assert wrong_with(world) is None and world.struck["left"] == 3
    assert FinishedGame(world).count_logged_faults()["rebuilt"] == 2 and all(node.ended for node in world.nodes)


def test_who_is_put_out_has_no_key_any_more() -> None:
    plan = replace(calm(), leavers=(Leaver(2, 6, False, None),), sealed=True, hands=2, watchers=1)
    world = World(plan)
    assert wrong_with(world) is None and FinishedGame(world).count_logged_faults()["keyed"] == 1
    assert [node.locked for node in world.nodes] == [False, False, True, True]
    assert [node.ended for node in world.nodes] == [True, True, False, False]
    assert world.nodes[0].replica.state.roster.seats == (0, 1)


def test_who_was_put_out_hears_of_no_further_key() -> None:
    """fin-40: it was locked out by the first key, and knows that; of the second one nobody can tell it."""
    seen = FinishedGame(World(replace(calm("twice", seats=4), sealed=True)))
    keys = (SimpleNamespace(chronicle=SimpleNamespace(key_changes=(None,) * count)) for count in (2, 1, 1))
    told = ((False, False), (False, True), (True, False))
    nodes: list[Any] = [
        SimpleNamespace(
            name=f"player {place}", place=place, behind=behind, locked=locked, replica=SimpleNamespace(state=state)
        )
        for place, (state, (behind, locked)) in enumerate(zip(keys, told, strict=True))
    ]
    seen.begun = nodes
    assert unreported_forks(seen, saw=lambda node: True) == []
    nodes[2].behind = False
    assert unreported_forks(seen, saw=lambda node: True) == ["player 2"]


def test_who_has_lost_its_home_is_let_in_as_somebody_else() -> None:
    world = World(replace(calm(seats=4), fated=(1,), lost_home=6, sealed=True, hands=3))
    assert wrong_with(world) is None
    assert 4 in world.nodes[0].replica.state.all_members and world.nodes[4].living_participant.has_seat


# --- Checkers ---


class Careless(Participant):
    """Says what it has not kept."""

    def receive(self, frame: bytes, number: int | None = None, *, more: bool = False) -> Received:
        step = super().receive(frame, number, more=more)
        if not self.has_session or self.replica.height != 1:
            return step
        state, seat, body = self.replica.state, self.seat.number, Raw(encode(Leave()))
        entry = Entry(self.session.id, state.roster.digest, 0, seat, 1, self.replica.head, body)
        return replace(step, send=(*step.send, sign_entry(self.store.identity, entry)))


def test_what_was_said_and_not_kept() -> None:
    world = PlayedBy(calm(), Careless)
    world.run()
    assert set(check_stored_first(FinishedGame(world))) == {
        "player 1 has sent an entry that its journal does not contain"
    }


def test_a_cheat_that_is_not_named() -> None:
    world = World(replace(calm("double"), fated=(1,), cheater=(1, "double")))
    assert wrong_with(world) is None and world.nodes[0].replica.state.expelled == {1}
    seen = FinishedGame(world)
    assert seen.count_logged_faults()["cheated"] == 1
    # As if it had been taken.
    log = seen.logs[0]
    log.replica.state = log.state.with_chronicle(faults=())
    log.applied[:] = [replace(one, outcome=Outcome.ACCEPTED) for one in log.applied]
    (wrong,) = check_guilty_named(seen)
    assert "is a cheat (double), and no one is named" in wrong


def test_a_cheat_that_its_book_does_not_name() -> None:
    """Where nothing is proven it stands in the log until the book is open, and no longer."""
    duel = make_protocol("duel", b'{"mode":"committed"}')
    plan = replace(calm("slot", 2), protocol=duel, rules=OwnHighCard(4), package=OWN)
    world = World(replace(plan, fated=(1,), cheater=(1, "slot")))
    assert wrong_with(world) is None and world.nodes[0].replica.state.expelled == {1}
    seen = FinishedGame(world)
    log = seen.logs[0]
    log.replica.state = log.state.with_chronicle(faults=())
    assert list(check_guilty_named(seen)) == []
    # As if the book had held.
    log.applied[:] = [replace(one, outcome=Outcome.ACCEPTED) for one in log.applied]
    (wrong,) = check_guilty_named(seen)
    assert "is a cheat (slot), and no one is named" in wrong


def test_two_things_under_one_number_that_are_not_named() -> None:
    world = World(replace(calm("two things"), fated=(1,), cheater=(1, "two-things")))
    assert wrong_with(world) is None and world.nodes[0].replica.state.expelled == {1}
    seen = FinishedGame(world)
    assert [seat for seat, _ in contradictions(seen, seen.logs[0])] == [1]
    seen.logs[0].replica.state = seen.logs[0].state.with_chronicle(faults=())
    assert any("signed two entries" in wrong for wrong in check_guilty_named(seen))


def test_what_came_too_early_had_no_place_that_another_thing_could_contradict() -> None:
    """d-49: number 3 came before number 2, so it was in nobody's log when something else came as number 3."""
    liar = Identity(bytes(32))

    def entry(number: int, body: Body) -> bytes:
        return sign_entry(liar, Entry(bytes(32), bytes(32), 0, 0, number, bytes(32), Raw(encode(body))))

    second, third, false = entry(2, Leave()), entry(3, Leave()), entry(3, Tick(1))

    def wrong(*frames: bytes) -> list[tuple[int, int]]:
        world = SimpleNamespace(relay=SimpleNamespace(frames_for=lambda place: frames), text=lambda frame: frame)
        node = SimpleNamespace(place=0, replica=SimpleNamespace(entries=[second, third]))
        return list(contradictions(SimpleNamespace(world=world), SimpleNamespace(node=node)))  # type: ignore[arg-type]

    assert wrong(third, second, false, third) == []
    assert wrong(third, second, false, third, false) == [(0, 3)]


def test_a_key_that_nobody_asked_for() -> None:
    """Of a card of the pile, by anybody; of a card that is dealt, by the seat that gets it."""
    decks = fresh(group(), 2, 4)
    before = decks.ask(Deal(0, (Portion(0, 1),)))
    pile = before.with_fields(
        released=add_published(before.released, 1, (2,), before.card_secrets(decks.tapes[1], (2,), 1))
    )
    own = before.with_fields(
        released=add_published(before.released, 0, (0,), before.card_secrets(decks.tapes[0], (0,), 0))
    )

    def wrong(deck: object) -> list[str]:
        states = (SimpleNamespace(hand=SimpleNamespace(decks={0: one})) for one in (before, deck))
        return list(unrequested_keys(*states))  # type: ignore[arg-type]

    assert wrong(before) == []
    assert wrong(pile) == ["seat 1 publishes its key of card 2 of deck 0, which no operation asked for"]
    assert wrong(own) == ["seat 0 publishes its key of card 0 of deck 0, which no operation asked for"]


def test_a_card_that_is_read_too_soon() -> None:
    world = World(calm())
    assert wrong_with(world) is None
    player = world.nodes[0].player
    height, hand, card, face = min(player.faces)
    player.faces.add((height - 4, hand, card, face))
    wrong = find_violation(FinishedGame(world))
    assert wrong is not None and wrong.checker == "nobody knows early" and "player 0 reads" in wrong.reason


def test_who_leaves_and_has_more() -> None:
    world = World(replace(calm(), leavers=(Leaver(2, 10, False, 0),)))
    assert wrong_with(world) is None
    (log,) = FinishedGame(world).logs
    assert list(gains_from_leaving(log)) == []
    place = next(n for n, one in enumerate(log.applied) if one.before.phase is Phase.PLAYING is not one.after.phase)
    last = log.applied[place]
    rich = replace(last.after, ledger=Ledger({**last.after.ledger.chips, 2: 9}))
    log.applied[place] = replace(last, after=rich)
    assert list(gains_from_leaving(log)) == [f"seat 2 left hand 0 of {log.node.name}, and has 9"]


def test_too_few_where_nobody_keeps_the_time() -> None:
    """More than half go on without somebody; half of them may do no more than break off."""
    world = World(replace(calm(seats=4), fated=(1,), mute=6))
    assert wrong_with(world) is None
    log = FinishedGame(world).logs[0]
    applied = next(one for one in log.applied if one.after.chronicle.vote_results)
    (said,) = applied.after.chronicle.vote_results
    assert (len(said.by), said.of, said.did) == (3, 1, "gone") and list(votes_with_too_few(applied)) == []
    for by, did, wrong in ((2, "gone", 1), (2, "broken off", 0), (1, "broken off", 1)):
        other = replace(said, by=said.by[:by], did=did)
        assert (
            len(list(votes_with_too_few(replace(applied, after=applied.after.with_chronicle(vote_results=(other,))))))
            == wrong
        )


def test_two_sessions() -> None:
    world, other = World(calm()), World(calm("other"))
    assert wrong_with(world) is None is wrong_with(other)
    world.nodes[1] = other.nodes[1]
    wrong = find_violation(FinishedGame(world))
    assert wrong is not None and wrong.reason == "more than one session has begun"


def test_a_tick_that_begins_a_hand_is_paid_for_before_the_banks_are_filled() -> None:
    """It puts out the last one who was waited for."""
    owed = SimpleNamespace(is_blocking=True, duty=SimpleNamespace(seat=1, deck=None, choice=False))

    def table(phase: Phase, *, waits: bool) -> SimpleNamespace:
        duties = SimpleNamespace(open={b"begin": owed} if waits else {})
        return SimpleNamespace(phase=phase, duties=duties, chronicle=SimpleNamespace(records=()))

    def tick(number: int, time: int, *, begins: bool = False) -> SimpleNamespace:
        after = table(Phase.PLAYING, waits=False) if begins else table(Phase.BETWEEN, waits=True)
        entry = SimpleNamespace(seen=number)
        before = table(Phase.BETWEEN, waits=True)
        return SimpleNamespace(
            number=number, body=Tick(time), outcome=Outcome.ACCEPTED, entry=entry, before=before, after=after
        )

    replica = SimpleNamespace(height_of=lambda seen: seen)
    ticks = [tick(0, 0), tick(1, 4000), tick(2, 7500, begins=True)]
    found = [*count_lateness(ticks, replica, Limits(3000, 3000, 4000, 1000))]  # type: ignore[arg-type]
    assert found == [(0, frozenset(), {}), (1, frozenset(), {1: 3000}), (2, frozenset(), {1: 1000})]


def test_a_cheat_that_waits_for_the_others_is_drawn_where_nobody_else_is_fated() -> None:
    """d90597a3fbe1-115: it waited for a seat that was muted, and so half of the table was silent."""
    assert late_cheats_for(make_protocol("lock")) == ("fragments",) and not late_cheats_for(make_protocol("mask"))
    plans = [draw_plan(f"waits {number}") for number in range(150)]
    waiting = [plan for plan in plans if plan.cheater is not None and plan.cheater[1] in late_cheats_for(plan.protocol)]
    assert {plan.cheater[1] for plan in waiting if plan.cheater is not None} >= {"fragments", "rogue-key"}
    assert {len(plan.fated) for plan in waiting} == {1} and max(len(plan.fated) for plan in plans) == 2


@pytest.mark.parametrize("name", ["mask", "lock"])
def test_a_held_card_that_is_declared_as_the_last_one_of_a_smaller_deck(name: str) -> None:
    """night-c11-231: the attack knew only decks of six cards."""
    plan = replace(calm("held", seats=4), protocol=make_protocol(name), rules=HighCard(5), fated=(1,))
    world = World(replace(plan, cheater=(1, "held"), leavers=(Leaver(2, 0, sits_out=False, away=None, dealt=True),)))
    assert wrong_with(world) is None and world.nodes[0].replica.state.expelled == {1}


def test_who_waits_for_the_others_is_caught_when_they_have_spoken() -> None:
    """Also where one of them comes late."""
    plan = replace(calm("fragments"), protocol=make_protocol("lock"), fated=(1,), cheater=(1, "fragments"))
    world = World(replace(plan, closed=(Struck(600, 2, 6000),)))
    assert wrong_with(world) is None and world.nodes[0].replica.state.expelled == {1}
    assert FinishedGame(world).count_logged_faults()["cheated"] == 1


# --- What comes in together ---


def test_entries_that_come_in_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those with a false proof among them are heard twice in any case, and the same seat is blamed."""
    compared = Counter[int]()

    class Counted(EntryGroups):
        def _compare(self, *heard: Any) -> None:
            super()._compare(*heard)
            compared[entry_groups.REPLAY_RATE] += 1

    for twice in (0, 1000):
        monkeypatch.setattr(entry_groups, "REPLAY_RATE", twice)
        for number in (1, 0, 2)[: times(1, deep=3)]:
            plan = replace(calm(f"groups {number}", seats=4), together=900, fated=(1,), cheater=(1, "double"))
            world = World(plan)
            for node in world.nodes:
                node.groups = Counted(world, node)
            assert wrong_with(world) is None and world.struck["grouped"]
    assert 0 < compared[0] < compared[1000]


class Chatty(Participant):
    """Says more where entries came in together."""

    def _settle_batch(self, send: list[bytes], happened: list[ReceivedEvent]) -> None:
        if self._batch is not None:
            send.append(b"these came together")
        super()._settle_batch(send, happened)


def test_a_seat_that_says_something_else_when_entries_come_in_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_groups, "REPLAY_RATE", 1000)
    world = PlayedBy(replace(calm("groups", seats=4), together=900, hands=2), Chatty)
    world.run()
    wrong = {*check_batches(FinishedGame(world))}
    assert wrong and all("player 1 signs [b'these came together'" in one for one in wrong)


# --- What is counted anew ---


def _books(seed: str, seats: int = 3) -> GamePlan:
    """A game in which every hand ends with open books, on the group of the others."""
    return replace(calm(seed, seats), protocol=make_protocol("chain", b'{"proven":false}', group()), hands=2)


def _dear(seed: str, seats: int = 3) -> GamePlan:
    return replace(calm(seed, seats), rules=DearHighCard(6), package=DEAR, hands=2)


def _doctored(log: ReplayedLog, place: int, **changes: Any) -> None:
    """As if an entry had been something else, or had done something else."""
    log.applied[place] = replace(log.applied[place], **changes)


def _fires(checker: Callable[[FinishedGame], Iterator[str]], seen: FinishedGame) -> str:
    return next(checker(seen), "")


def test_words_that_are_counted_otherwise() -> None:
    world = World(replace(calm(seats=4), fated=(1,), mute=6))
    assert wrong_with(world) is None
    seen = FinishedGame(world)
    log = seen.logs[0]
    place = next(n for n, one in enumerate(log.applied) if one.after.chronicle.vote_results)
    honest, after = log.applied[place], log.applied[place].after
    (said,) = after.chronicle.vote_results
    assert said.did == "gone" and _fires(check_votes, seen) == ""
    # Fewer have said it; a move was made, and it owes none; a word counts that nobody has said.
    for other in (replace(said, by=said.by[:2]), replace(said, did="move"), replace(said, of=None, did="broken off")):
        _doctored(log, place, after=after.with_chronicle(vote_results=(other,)))
        assert "have not enough votes for" in _fires(check_votes, seen)
    _doctored(log, place, after=after.with_hand(skip_votes={0: frozenset({bytes(32)})}))
    assert "other votes count" in _fires(check_votes, seen)
    # As if nothing had come of it.
    _doctored(log, place, after=replace(honest.before, hand=replace(honest.before.hand, skip_votes=_with(honest))))
    assert "enough have voted to skip seat 1" in _fires(check_votes, seen)


def _with(applied: Applied) -> dict[int, frozenset[bytes]]:
    assert isinstance(applied.body, Without)
    return {**applied.before.hand.skip_votes, applied.entry.seat: frozenset(applied.body.duties)}


def test_a_word_of_somebody_who_owes_a_card_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """A liar says it under the number of the message that it owes."""
    monkeypatch.setattr(transitions, "can_vote", lambda state, seat: seat in voters(state))
    wrong = wrong_with(World(replace(calm("owes 10", seats=4), fated=(1,), liar=1)))
    assert wrong is not None and wrong.checker == "same votes" and "other votes count" in wrong.reason


def test_a_move_that_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever only thinks too long is not gone."""
    monkeypatch.setattr(HighHand, "default", lambda hand, seat: None)
    world = World(replace(timed("truly", slow=(0,)), seed="slow 6"))
    assert wrong_with(world) is None and (0, "gone") in statements(world)
    seen = FinishedGame(world)
    assert seen.logs
    monkeypatch.undo()
    assert "have not enough votes for: gone, 0" in _fires(check_votes, seen)


def test_half_that_breaks_off_and_all_go_on() -> None:
    world = World(replace(calm(seats=2), fated=(1,), mute=5))
    assert wrong_with(world) is None and statements(world)[0] == (None, "broken off")
    seen = FinishedGame(world)
    log = seen.logs[0]
    place = next(n for n, one in enumerate(log.applied) if one.after.chronicle.vote_results)
    one = log.applied[place]
    assert isinstance(one.body, Break)
    _doctored(log, place, after=one.before.with_hand(abort_votes={one.entry.seat: one.body.duty}))
    assert "half of the table has aborted, and the table continues" in _fires(check_votes, seen)


def test_a_roster_to_which_too_few_agreed() -> None:
    plan = replace(calm(seats=4), leavers=(Leaver(2, 6, False, None),), sealed=True, hands=2)
    world = World(plan)
    assert wrong_with(world) is None and world.nodes[0].replica.state.roster.seats == (0, 1, 3)
    seen = FinishedGame(world)
    log = seen.logs[0]
    agreed = [n for n, one in enumerate(log.applied) if isinstance(one.body, Agree)]
    honest = log.applied[agreed[0]]
    for place in agreed:
        _doctored(log, place, body=None)
    assert "a roster is in force to which [[0]] agreed" in _fires(check_votes, seen)
    # As if all had agreed, and it had never come into force.
    log.applied[:] = log.applied[: agreed[0]]
    for seat in (1, 3):
        entry = structs.replace(honest.entry, seat=seat)
        between = replace(honest.before, phase=Phase.BETWEEN)
        log.applied.append(replace(honest, entry=entry, before=between, after=between))
    assert "agreed to a roster, and it is not in force" in _fires(check_votes, seen)


def test_a_gain_that_counts_before_its_book(monkeypatch: pytest.MonkeyPatch) -> None:
    assert wrong_with(World(_books("gain"))) is None
    close = Ledger.close_hand
    monkeypatch.setattr(
        Ledger, "close_hand", lambda self, hand, done, players, *, books: close(self, hand, done, players, books=False)
    )
    wrong = wrong_with(World(_books("gain")))
    assert wrong is not None and wrong.checker == "same money"


def test_the_second_account_by_the_law() -> None:
    """Numbers that were reckoned by hand."""
    ledger = ChipLedger({0: 10, 1: 10, 2: 10, 3: 10})
    # Seat 3 wins nine of three, and pays two for a card that it left half done.
    done = Done({}, {0: 2, 1: 3, 2: 4, 3: 1}, {0: -2, 1: -3, 2: -4, 3: 9}, {2: 2})
    ledger.close(0, done, (0, 1, 2, 3), books=True)
    assert ledger.summary() == ({0: 8, 1: 7, 2: 4, 3: 10}, {0: {3: 9}}, [(2, 2)])
    ledger.count()
    assert ledger.summary()[0][3] == 10, "its book is not open"
    copies = [deepcopy(ledger) for _ in range(3)]
    ledger.open(0, 3)
    ledger.count()
    assert ledger.summary() == ({0: 8, 1: 7, 2: 4, 3: 19}, {}, [(2, 2)])
    # Or never: what it won goes back in the same parts, and what is dead to the others, the odd chip to the lowest.
    copies[0].finish()
    assert copies[0].summary() == ({0: 8 + 2 + 0 + 2, 1: 7 + 3, 2: 4 + 4, 3: 10}, {}, [])
    # Or seat 2's book is false: its four go to the others by what they paid, two, three and one.
    copies[1].name(0, 2)
    assert copies[1].summary() == ({0: 10 + 2, 1: 10 + 2, 2: 4, 3: 10 + 0}, {}, [(2, 2)])
    # Or the winner's is, of which nobody else has anything yet.
    copies[2].name(0, 3)
    assert copies[2].summary() == ({0: 10 + 1, 1: 10, 2: 8, 3: 9}, {}, [(2, 2)])
    # What has counted is final: a false book moves nothing but the seat's own gain.
    pots = ChipLedger({0: 10, 1: 10, 2: 10})
    pots.close(0, Done({}, {0: 4, 1: 2, 2: 2}, {0: -4, 1: 1, 2: 3}), (0, 1, 2), books=True)
    pots.open(0, 1)
    pots.count()
    pots.name(0, 2)
    assert pots.summary() == ({0: 9, 1: 11, 2: 10}, {}, [])
    # A claim: each has its own again when its book is open; of a false one the others have it.
    pots.dispute(1, {0: 1, 1: 1, 2: 3})
    pots.name(1, 2)
    assert pots.summary() == ({0: 8, 1: 10, 2: 7}, {1: {0: 1 + 2, 1: 1 + 1}}, [])
    assert shares(5, {}) == {} and shares(3, {1: 0, 2: 0}) == {1: 2, 2: 1}


@pytest.mark.parametrize(("where", "half"), [("deal", Half.DEALT), ("open", Half.OPENED)])
def test_leaving_that_costs_nothing(where: Stopping, half: Half, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = replace(_dear("dear 0"), hands=1, fated=(1,), withheld=where)
    world = World(plan)
    assert wrong_with(world) is None and _charged(world) == {(1, half)}
    monkeypatch.setattr(votes, "_charge_leavers", lambda hand, seats: hand)
    wrong = wrong_with(World(plan))
    assert wrong is not None and wrong.checker == "leaving costs" and f"['{half.value}'] half done" in wrong.reason


def _charged(world: World) -> set[tuple[int, Half]]:
    games = [one.after.hand.game for log in FinishedGame(world).lasting for one in log.applied]
    return {half for game in games if isinstance(game, HighHand) for half in game.halves}


def test_another_price_for_leaving() -> None:
    world = World(replace(_dear("dear 0"), hands=1, fated=(1,), withheld="deal"))
    world.run()
    seen = FinishedGame(world)
    (place,) = [n for n, one in enumerate(seen.logs[0].applied) if one.after.gone - one.before.gone]
    one = seen.logs[0].applied[place]
    game = one.after.hand.game
    assert isinstance(game, HighHand) and game.charges == {1: 1} and _fires(check_leave_prices, seen) == ""
    _doctored(seen.logs[0], place, after=one.after.with_hand(game=replace(game, charges={1: 2})))
    assert "seat 1 pays 2 for leaving, and not 1" in _fires(check_leave_prices, seen)


def test_a_book_that_does_not_come() -> None:
    """Who wins and does not open its book: all have what they had."""
    world = World(replace(_books("kept 1"), fated=(1,), withheld="book", hands=1))
    assert wrong_with(world) is None
    last = FinishedGame(world).lasting[0].applied[-1]
    assert [held.gains for held in last.before.ledger.held] == [{1: 4}]
    assert last.after.ledger.chips == {0: 5, 1: 5, 2: 5}


def test_a_book_with_another_seed() -> None:
    world = World(_books("seed"))
    assert wrong_with(world) is None
    seen = FinishedGame(world)
    log = seen.logs[0]
    place = next(n for n, one in enumerate(log.applied) if isinstance(one.body, Book))
    body = log.applied[place].body
    assert isinstance(body, Book)
    _doctored(log, place, body=structs.replace(body, seed=bytes(len(body.seed))))
    assert "opens another seed for hand 0 than it began with" in _fires(check_disclosures, seen)
    # As if it had never come: then its seat still owes it, and may not begin.
    seat = log.applied[place].entry.seat
    _doctored(log, place, outcome=Outcome.DROPPED)
    found = [*check_disclosures(seen)]
    assert (
        f"seat {seat} begins while it owes a book" in found[0]
        and f"seat {seat} is dealt in while it owes a book" in found[1]
    )


def test_a_false_claim_that_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transitions, "refuse_false_dispute", lambda *told: None)
    wrong = wrong_with(World(replace(calm("claims 6"), fated=(1,), liar=1)))
    assert wrong is not None and wrong.checker == "books held" and "which it can read" in wrong.reason


def test_what_a_liar_says_in_the_place_of_a_book() -> None:
    """Another seed, which names it; or that it begins the next hand, and that is refused."""
    worlds = [World(replace(_books(f"liar {number}"), fated=(1,), liar=1)) for number in (1, 2, 6, 8)]
    assert [wrong_with(world) for world in worlds] == [None] * 4
    faults = [fault for world in worlds for fault in world.nodes[0].replica.state.faults]
    assert any("not the one it committed to" in fault.reason for fault in faults)
    said = [read_body(bytes(read_entry(lie).entry.body)) for world in worlds for lie in _meant(world)]
    assert {type(one) for one in said} == {Book, Begin}
    # A false book may be all that the next hand has waited for: it is judged first.
    last = [one for world in worlds for one in FinishedGame(world).logs[0].applied if isinstance(one.body, Book)]
    assert any(one.outcome is Outcome.FAULT and one.after.phase is Phase.PLAYING for one in last)


def _meant(world: World) -> list[bytes]:
    return [lie for lie in world.nodes[1].lied if NONSENSE not in lie]


def test_a_card_that_all_see_and_not_by_stake(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = _dear("stakes 1", seats=4)
    assert wrong_with(World(plan)) is None
    monkeypatch.setattr(Open, "in_turn", lambda opening, owing: tuple(owing))
    wrong = wrong_with(World(plan))
    assert wrong is not None and wrong.checker == "opened in turn"


def test_what_was_signed_on_what_is_not_so() -> None:
    world = World(replace(calm("double"), fated=(1,), cheater=(1, "double")))
    assert wrong_with(world) is None
    seen, node = FinishedGame(world), world.nodes[0]
    signed = [record for record in node.home.journal.records if isinstance(record, Sent)]
    entry = read_entry(signed[-1].entry).entry
    # The same on the log as it was before; and on one that there never was.
    for head, reason in ((seen.logs[0].applied[0].entry.seen, "answers nothing"), (bytes(32), "a head that its log")):
        again = sign_entry(node.home.identity, structs.replace(entry, seen=head))
        node.home.journal.write(Sent(again))
        assert reason in [*check_due_when_signed(seen)][-1]


class Rash(Participant):
    """Says what follows from what it hears before it has looked at the proofs."""

    def outgoing(self) -> list[bytes]:
        replica = self._replica
        if replica is None:
            return super().outgoing()
        replica.eager, settle = False, replica.settle
        replica.settle = lambda: None  # type: ignore[method-assign]
        try:
            return super().outgoing()
        finally:
            replica.settle = settle  # type: ignore[method-assign]


def test_somebody_who_speaks_before_it_has_looked() -> None:
    world = PlayedBy(replace(calm("rash"), fated=(0,), cheater=(0, "double")), Rash)
    world.run()
    (wrong,) = check_due_when_signed(FinishedGame(world))
    assert wrong == "player 1: number 1, signed on 4 entries, answers nothing that was due there"


def test_an_old_log_beside_a_new_journal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has signed on what its log does not have does not go on."""
    plan = replace(calm(), fated=(1,), backup=Backup(850, 1400, 1, log_only=True))
    world = World(plan)
    assert wrong_with(world) is None and world.nodes[1].away and world.struck["restored"] == 1
    monkeypatch.setattr(Seat, "_refuse_rollback", lambda seat, seen: None)
    wrong = wrong_with(World(plan))
    assert wrong is not None and wrong.checker == "no way back"


def test_a_card_that_does_not_open_where_nobody_owes_anything() -> None:
    """d17347418e5a-169: at a table without rules its holder was not asked to dispute it, and waited for ever."""
    protocol = make_protocol("chain", b'{"proven":false}', group())
    rules, package = _choose_game("free", protocol, SeededDice("stuck", "plan"))
    plan = replace(calm("stuck", seats=3), protocol=protocol, rules=rules, package=package, fated=(0,))
    world = World(replace(plan, cheater=(0, "double")))
    assert wrong_with(world) is None and FinishedGame(world).count_logged_faults()["cheated"]
    assert world.nodes[1].replica.state.expelled == {0}


def test_somebody_without_cards_is_voted_out() -> None:
    """ff39a94fc4fd-343: the rules were asked for a move of it."""
    game = HighCard(6).begin(0, (0, 1), None, {0: 5, 1: 5})
    assert _has_no_move(game, 4) and _has_no_move(None, 0) and not _has_no_move(game, 0)


def test_cards_that_a_cheater_has_spoilt_are_read_as_others_until_it_is_named() -> None:
    """f61fcf37bad3-152: by names in another order a card that was opened had the face of one in a hand."""
    protocol = make_protocol("chain", b'{"proven":false}', group())
    for number in (0, 1):
        rules, package = _choose_game("dear highcard", protocol, SeededDice(f"mixed {number}", "plan"))
        plan = replace(calm(f"mixed {number}", seats=3), protocol=protocol, rules=rules, package=package, fated=(0,))
        world = World(replace(plan, hands=1, cheater=(0, "names")))
        assert wrong_with(world) is None and world.nodes[1].replica.state.expelled == {0}


def test_cards_that_are_dealt_again_wait_for_the_keys_of_others_than_their_holders() -> None:
    """a9106c88243f-15328: who left when a card of its own lacked nothing was to have paid for it."""
    protocol = make_protocol("lock")
    rules, package = _choose_game("dear highcard", protocol, SeededDice("again", "plan"))
    plan = replace(calm("again", seats=3), protocol=protocol, rules=rules, package=package, fated=(0,))
    world = World(replace(plan, hands=1, cheater=(0, "false-key")))
    assert wrong_with(world) is None and world.nodes[1].replica.state.expelled == {0}
    decks = [deck for one in FinishedGame(world).logs[0].applied for deck in one.after.hand.decks.values()]
    again = next(
        deck
        for deck in decks
        if isinstance(deck, LockDeck)
        and deck.binding.players == (1, 2)
        and isinstance(deck.asked, Deal)
        and not deck.rebuilding
    )
    first, second = again.places.pile[:2]
    assert keys_needed(again) == {first: {2}, second: {1}}


def test_a_table_without_rules_that_all_leave() -> None:
    """a9106c88243f-13843: nobody was left who could say that it is over."""
    protocol = make_protocol("mask")
    rules, package = _choose_game("free", protocol, SeededDice("deserted", "plan"))
    plan = replace(calm("deserted", seats=2), protocol=protocol, rules=rules, package=package)
    world = World(replace(plan, leavers=(Leaver(0, 2, False, None), Leaver(1, 3, False, None))))
    assert wrong_with(world) is None and all(node.ended for node in world.nodes)


def test_a_book_of_somebody_who_was_taken_out_and_cannot_say_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """a9106c88243f-13284: it has not got the new key, and half of a table does not end it while a book is owed."""
    seed, protocol = "a9106c88243f-13284", make_protocol("chain", b'{"proven":false}', group())
    rules, package = _choose_game("free", protocol, SeededDice(seed, "plan"))
    plan = replace(calm(seed, seats=3), protocol=protocol, rules=rules, package=package, hands=2, played=True)
    plan = replace(plan, rates={"lost": 0, "repeated": 30, "delayed": 0, "reordered": 0}, sealed=True)
    plan = replace(plan, closed=(Struck(1877, 1, 6000),), backup=Backup(899, 2526, 1), cheater=(1, "throw-out"))
    world = World(replace(plan, leavers=(Leaver(2, 4, False, None),)))
    assert wrong_with(world) is None and world.nodes[2].locked and not world.nodes[0].ended
    assert {2} in [books.owing for books in world.nodes[0].replica.state.disclosures.values()]
    monkeypatch.setattr(Node, "locked", False)
    assert "player 0 has not ended" in _fires(check_game_ends, FinishedGame(world))


def test_somebody_who_has_spoilt_a_card_of_its_own() -> None:
    """evening-3-136: it cannot choose what it cannot read, and half of a table waits where nobody keeps the time."""
    protocol = make_protocol("duel", b'{"mode":"committed"}')
    rules, package = _choose_game("wardens", protocol, SeededDice("spoilt", "plan"))
    plan = replace(calm("spoilt 4", seats=2), protocol=protocol, rules=rules, package=package, fated=(0,))
    world = World(replace(plan, cheater=(0, "slot")))
    # It is named when its deck is closed, and has not won.
    assert wrong_with(world) is None and world.nodes[1].replica.state.expelled == {0}
    seen, node = FinishedGame(world), world.nodes[0]
    assert seen.gone == frozenset()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Seat, "known_cards", _unreadable)
        assert seen.gone == {0}, "the other one has not lied"
    assert node.lied


def _unreadable(seat: Seat) -> None:
    raise CardUnreadable(0, 0, "spoilt")


def test_who_goes_when_all_others_have_given_up_had_won() -> None:
    """nightfall-4-933: the last one left the table instead of showing its cards, and kept the pot."""
    dealer = Dealer.shuffled("won")
    hand = script(table_of({0: 200, 1: 200, 2: 200}, Holdem(200, (1, 2))), dealer, FOLD)
    assert not had_won(hand, 2) and not had_won(None, 2)
    won = script(hand, dealer, FOLD)
    assert had_won(won, 2) and not had_won(won, 1)
