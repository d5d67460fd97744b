"""Each kind of fault by itself, and each checker that looks at what came of it, in a game in which it fires."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec import Raw

from lab.quiet import PlayedBy, calm, statements, wrong_with
from nodealer.cards import Close, Deal, Portion
from nodealer.errors import HomeUnusable, JournalLost
from nodealer.group import group
from nodealer.keys import Identity
from nodealer.lab.sim import groups
from nodealer.lab.sim.cheats import waiting_on
from nodealer.lab.sim.checkers import first_wrong, kept_first, not_told, same_together
from nodealer.lab.sim.dice import Dice
from nodealer.lab.sim.groups import Groups
from nodealer.lab.sim.highcard import OWN, HighCard, OwnHighCard
from nodealer.lab.sim.justice import contradictions, gained_by_going, guilty_named, nobody_blamed, too_few
from nodealer.lab.sim.lateness import counted_anew
from nodealer.lab.sim.plan import Backup, BadDisk, Failing, Fork, Forking, Leaver, Split, Struck
from nodealer.lab.sim.player import HURRIES
from nodealer.lab.sim.secrecy import keys_too_soon, seen_by_one
from nodealer.lab.sim.seen import Seen
from nodealer.lab.sim.swarm import _game, plan_of
from nodealer.lab.sim.world import World
from nodealer.log.entry import Entry, sign_entry
from nodealer.log.session import Limits
from nodealer.play.account import Account
from nodealer.play.bodies import Body, Leave, Tick
from nodealer.play.happened import Happened, Step
from nodealer.play.participant import Participant
from nodealer.play.phases import Phase
from nodealer.play.replica import Outcome
from nodealer.protocols import make_protocol
from nodealer.protocols.duel import DuelDeck
from nodealer.protocols.keyed import publish
from nodealer.wire import encode
from protocols.mask.kit import fresh
from sampling import times


def test_the_seed_draws_the_mix() -> None:
    """Games differ in kind: each of these is there in some games, and not in others."""
    plans = [plan_of(f"mix {number}") for number in range(60)]
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
    ):
        assert {bool(getattr(plan, field) not in (None, ())) for plan in plans} == {True, False}, field
    assert {plan.rates["lost"] > 0 for plan in plans} == {plan.sealed for plan in plans} == {True, False}
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


def test_a_disk_that_fails_when_somebody_is_asked_whether_it_has_ended() -> None:
    """night-c12-380: what came in together is looked at then, and written."""

    class Full:
        @property
        def over(self) -> bool:
            raise HomeUnusable("cannot use the home: no space left on device")

    world = World(calm(seats=2))
    node = world.nodes[0]
    node.participant = Full()  # type: ignore[assignment]
    assert not node.ended and node.participant is None and world.struck == Counter(disk=1)


def test_slow_people_end_a_long_game() -> None:
    """night-c6-305: they were slow to the end, and wardens has more questions than fit into that time."""
    protocol = make_protocol("duel")
    rules, package = _game("wardens", protocol, Dice("slow", "plan"))
    world = World(replace(calm("slow", seats=2), protocol=protocol, rules=rules, package=package, slow=(0, 1)))
    assert wrong_with(world) is None and world.clock.now > HURRIES
    # morning-31-137: a deck that is put away is its owner's to read as soon as the rival has given its keys.
    decks = [deck for log in Seen(world).logs for one in log.applied for deck in one.after.hand.decks.values()]
    deck = next(deck for deck in decks if isinstance(deck, DuelDeck) and deck.places.pile and deck.places.held)
    for asked, known in ((None, ()), (Close(deck.number), (*deck.places.pile, *deck.places.held))):
        state = SimpleNamespace(hand=SimpleNamespace(decks={deck.number: replace(deck, asked=asked)}))
        found = {*seen_by_one(state)}  # type: ignore[arg-type]
        assert found == {(deck.places.card(each), deck.owner) for each in (*known, *deck.peeked, *deck.places.aside)}


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
    assert world.nodes[0].living_participant.begun and not world.nodes[1].living_participant.begun


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
    assert state.over and not world.nodes[0].ended and any(1 in books.owing for books in state.books.values())


def test_a_home_that_is_lost() -> None:
    """Somebody else comes in its place, who watches: nobody can sign for that seat any more."""
    world = World(replace(calm(), fated=(1,), lost_home=5))
    assert wrong_with(world) is None and world.struck["closed"] == 1
    stranger = world.nodes[3].living_participant
    assert not stranger.seated and stranger.over and world.nodes[1].away and (1, "gone") in statements(world)


def test_an_old_copy_of_a_home_is_silenced() -> None:
    """What it has signed since is in the log and not in its journal."""
    world = World(replace(calm(), fated=(1,), backup=Backup(850, 1400, 1)))
    assert wrong_with(world) is None and world.struck["restored"] == 1
    silenced = world.nodes[1].living_participant.silenced
    assert silenced is not None and "not in its journal" in silenced
    world.plan = replace(world.plan, backup=None)
    wrong = first_wrong(Seen(world))
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
    seen = Seen(world)
    assert first_wrong(seen) is None
    # That excuses nothing else: a false proof of the same seat is told of.
    (fault,) = world.nodes[2].replica.state.faults
    for check, told in (("signatures", 0), ("shuffle", 1)):
        log = SimpleNamespace(state=SimpleNamespace(faults=(replace(fault, check=check),)))
        begun = [SimpleNamespace(name="a log", place=2, replica=log, living_participant=SimpleNamespace(silenced=None))]
        assert len([*nobody_blamed(cast(Any, SimpleNamespace(world=world, begun=begun, logs=())))]) == told
    world.plan = replace(world.plan, backup=None)
    wrong = first_wrong(Seen(world))
    assert wrong is not None and wrong.checker == "nobody honest blamed"


def test_only_who_has_an_old_copy_may_lack_what_it_signed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the copy comes, a home that lacks something is a fault of the program."""
    world = World(replace(calm(), fated=(1,), backup=Backup(850, 1400, 1)))
    node = world.nodes[1]

    def lost(*arguments: object) -> Participant:
        raise JournalLost("an entry is not in its journal")

    monkeypatch.setattr(world, "new_participant", lost)
    with pytest.raises(JournalLost):
        node.come()
    node.restore(node.home.copied())
    node.come()
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
    assert Seen(world).found()["rebuilt"] == 2 and all(node.ended for node in world.nodes)


def test_who_is_put_out_has_no_key_any_more() -> None:
    plan = replace(calm(), leavers=(Leaver(2, 6, False, None),), sealed=True, hands=2, watchers=1)
    world = World(plan)
    assert wrong_with(world) is None and Seen(world).found()["keyed"] == 1
    assert [node.locked for node in world.nodes] == [False, False, True, True]
    assert [node.ended for node in world.nodes] == [True, True, False, False]
    assert world.nodes[0].replica.state.roster.seats == (0, 1)


def test_who_was_put_out_hears_of_no_further_key() -> None:
    """fin-40: it was locked out by the first key, and knows that; of the second one nobody can tell it."""
    seen = Seen(World(replace(calm("twice", seats=4), sealed=True)))
    keys = (SimpleNamespace(chronicle=SimpleNamespace(keys=(None,) * count)) for count in (2, 1, 1))
    told = ((False, False), (False, True), (True, False))
    nodes: list[Any] = [
        SimpleNamespace(
            name=f"player {place}", place=place, behind=behind, locked=locked, replica=SimpleNamespace(state=state)
        )
        for place, (state, (behind, locked)) in enumerate(zip(keys, told, strict=True))
    ]
    seen.begun = nodes
    assert not_told(seen, saw=lambda node: True) == []
    nodes[2].behind = False
    assert not_told(seen, saw=lambda node: True) == ["player 2"]


def test_who_has_lost_its_home_is_let_in_as_somebody_else() -> None:
    world = World(replace(calm(seats=4), fated=(1,), lost_home=6, sealed=True, hands=3))
    assert wrong_with(world) is None
    assert 4 in world.nodes[0].replica.state.known and world.nodes[4].living_participant.seated


# --- Checkers ---


class Careless(Participant):
    """Says what it has not kept."""

    def receive(self, frame: bytes, number: int | None = None) -> Step:
        step = super().receive(frame, number)
        if not self.begun or self.replica.height != 1:
            return step
        state, seat, body = self.replica.state, self.seat.number, Raw(encode(Leave()))
        entry = Entry(self.session.id, state.roster.digest, 0, seat, 1, self.replica.head, body)
        return replace(step, send=(*step.send, sign_entry(self.home.identity, entry)))


def test_what_was_said_and_not_kept() -> None:
    world = PlayedBy(calm(), Careless)
    world.run()
    assert set(kept_first(Seen(world))) == {"player 1 has said what its journal does not have"}


def test_a_cheat_that_is_not_named() -> None:
    world = World(replace(calm("double"), fated=(1,), cheater=(1, "double")))
    assert wrong_with(world) is None and world.nodes[0].replica.state.expelled == {1}
    seen = Seen(world)
    assert seen.found()["cheated"] == 1
    # As if it had been taken.
    log = seen.logs[0]
    log.replica.state = log.state.noted(faults=())
    log.applied[:] = [replace(one, outcome=Outcome.ACCEPTED) for one in log.applied]
    (wrong,) = guilty_named(seen)
    assert "is a cheat, double: nobody is named" in wrong


def test_a_cheat_that_its_book_does_not_name() -> None:
    """Where nothing is proven it stands in the log until the book is open, and no longer."""
    duel = make_protocol("duel", b'{"mode":"committed"}')
    plan = replace(calm("slot", 2), protocol=duel, rules=OwnHighCard(4), package=OWN)
    world = World(replace(plan, fated=(1,), cheater=(1, "slot")))
    assert wrong_with(world) is None and world.nodes[0].replica.state.expelled == {1}
    seen = Seen(world)
    log = seen.logs[0]
    log.replica.state = log.state.noted(faults=())
    assert list(guilty_named(seen)) == []
    # As if the book had held.
    log.applied[:] = [replace(one, outcome=Outcome.ACCEPTED) for one in log.applied]
    (wrong,) = guilty_named(seen)
    assert "is a cheat, slot: nobody is named" in wrong


def test_two_things_under_one_number_that_are_not_named() -> None:
    world = World(replace(calm("two things"), fated=(1,), cheater=(1, "two-things")))
    assert wrong_with(world) is None and world.nodes[0].replica.state.expelled == {1}
    seen = Seen(world)
    assert [seat for seat, _ in contradictions(seen, seen.logs[0])] == [1]
    seen.logs[0].replica.state = seen.logs[0].state.noted(faults=())
    assert any("signed two entries" in wrong for wrong in guilty_named(seen))


def test_what_came_too_early_had_no_place_that_another_thing_could_contradict() -> None:
    """d-49: number 3 came before number 2, so it was in nobody's log when something else came as number 3."""
    liar = Identity(bytes(32))

    def entry(number: int, body: Body) -> bytes:
        return sign_entry(liar, Entry(bytes(32), bytes(32), 0, 0, number, bytes(32), Raw(encode(body))))

    second, third, false = entry(2, Leave()), entry(3, Leave()), entry(3, Tick(1))

    def wrong(*frames: bytes) -> list[tuple[int, int]]:
        world = SimpleNamespace(relay=SimpleNamespace(order=lambda place: frames), text=lambda frame: frame)
        node = SimpleNamespace(place=0, replica=SimpleNamespace(entries=[second, third]))
        return list(contradictions(SimpleNamespace(world=world), SimpleNamespace(node=node)))  # type: ignore[arg-type]

    assert wrong(third, second, false, third) == []
    assert wrong(third, second, false, third, false) == [(0, 3)]


def test_a_key_that_nobody_asked_for() -> None:
    """Of a card of the pile, by anybody; of a card that is dealt, by the seat that gets it."""
    decks = fresh(group(), 2, 4)
    before = decks.ask(Deal(0, (Portion(0, 1),)))
    pile = before.at(released=publish(before.released, 1, (2,), before.card_secrets(decks.tapes[1], (2,), 1)))
    own = before.at(released=publish(before.released, 0, (0,), before.card_secrets(decks.tapes[0], (0,), 0)))

    def wrong(deck: object) -> list[str]:
        states = (SimpleNamespace(hand=SimpleNamespace(decks={0: one})) for one in (before, deck))
        return list(keys_too_soon(*states))  # type: ignore[arg-type]

    assert wrong(before) == []
    assert wrong(pile) == ["seat 1 publishes its key of card 2 of deck 0, and nobody asked for it"]
    assert wrong(own) == ["seat 0 publishes its key of card 0 of deck 0, and nobody asked for it"]


def test_a_card_that_is_read_too_soon() -> None:
    world = World(calm())
    assert wrong_with(world) is None
    player = world.nodes[0].player
    height, hand, card, face = min(player.faces)
    player.faces.add((height - 4, hand, card, face))
    wrong = first_wrong(Seen(world))
    assert wrong is not None and wrong.checker == "nobody knows early" and "player 0 reads" in wrong.reason


def test_who_leaves_and_has_more() -> None:
    world = World(replace(calm(), leavers=(Leaver(2, 10, False, 0),)))
    assert wrong_with(world) is None
    (log,) = Seen(world).logs
    assert list(gained_by_going(log)) == []
    place = next(n for n, one in enumerate(log.applied) if one.before.phase is Phase.PLAYING is not one.after.phase)
    last = log.applied[place]
    rich = replace(last.after, account=Account({**last.after.account.chips, 2: 9}))
    log.applied[place] = replace(last, after=rich)
    assert list(gained_by_going(log)) == [f"seat 2 left hand 0 of {log.node.name}, and has 9"]


def test_too_few_where_nobody_keeps_the_time() -> None:
    """More than half go on without somebody; half of them may do no more than break off."""
    world = World(replace(calm(seats=4), fated=(1,), mute=6))
    assert wrong_with(world) is None
    log = Seen(world).logs[0]
    applied = next(one for one in log.applied if one.after.chronicle.statements)
    (said,) = applied.after.chronicle.statements
    assert (len(said.by), said.of, said.did) == (3, 1, "gone") and list(too_few(applied)) == []
    for by, did, wrong in ((2, "gone", 1), (2, "broken off", 0), (1, "broken off", 1)):
        other = replace(said, by=said.by[:by], did=did)
        assert len(list(too_few(replace(applied, after=applied.after.noted(statements=(other,)))))) == wrong


def test_two_sessions() -> None:
    world, other = World(calm()), World(calm("other"))
    assert wrong_with(world) is None is wrong_with(other)
    world.nodes[1] = other.nodes[1]
    wrong = first_wrong(Seen(world))
    assert wrong is not None and wrong.reason == "more than one session has begun"


def test_a_tick_that_begins_a_hand_is_paid_for_before_the_banks_are_filled() -> None:
    """It puts out the last one who was waited for."""
    owed = SimpleNamespace(holds_up=True, duty=SimpleNamespace(seat=1, deck=None, choice=False))

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
    found = [*counted_anew(ticks, replica, Limits(3000, 3000, 4000, 1000))]  # type: ignore[arg-type]
    assert found == [(0, frozenset(), {}), (1, frozenset(), {1: 3000}), (2, frozenset(), {1: 1000})]


def test_a_cheat_that_waits_for_the_others_is_drawn_where_nobody_else_is_fated() -> None:
    """d90597a3fbe1-115: it waited for a seat that was muted, and so half of the table was silent."""
    assert waiting_on(make_protocol("lock")) == ("fragments",) and not waiting_on(make_protocol("mask"))
    plans = [plan_of(f"waits {number}") for number in range(150)]
    waiting = [plan for plan in plans if plan.cheater is not None and plan.cheater[1] in waiting_on(plan.protocol)]
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
    assert Seen(world).found()["cheated"] == 1


# --- What comes in together ---


def test_entries_that_come_in_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those with a false proof among them are heard twice in any case, and the same seat is blamed."""
    compared = Counter[int]()

    class Counted(Groups):
        def _compare(self, *heard: Any) -> None:
            super()._compare(*heard)
            compared[groups.TWICE] += 1

    for twice in (0, 1000):
        monkeypatch.setattr(groups, "TWICE", twice)
        for number in (1, 0, 2)[: times(1, deep=3)]:
            plan = replace(calm(f"groups {number}", seats=4), together=900, fated=(1,), cheater=(1, "double"))
            world = World(plan)
            for node in world.nodes:
                node.groups = Counted(world, node)
            assert wrong_with(world) is None and world.struck["grouped"]
    assert 0 < compared[0] < compared[1000]


class Chatty(Participant):
    """Says more where entries came in together."""

    def _look_at_all(self, send: list[bytes], happened: list[Happened]) -> None:
        if self._together is not None:
            send.append(b"these came together")
        super()._look_at_all(send, happened)


def test_a_seat_that_says_something_else_when_entries_come_in_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "TWICE", 1000)
    world = PlayedBy(replace(calm("groups", seats=4), together=900, hands=2), Chatty)
    world.run()
    wrong = {*same_together(Seen(world))}
    assert wrong and all("player 1 says [b'these came together'" in one for one in wrong)
