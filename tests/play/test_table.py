"""Between hands and around them: rosters, leaving, going on without, the end."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from conformance.games import TinyRules
from conformance.harness import NAMES, Game, Person, Source, forked, refusal, stands
from conformance.suite import dealt, eager_and_lazy_agree
from nodealer.cards import Finished, NewDeck
from nodealer.errors import BadSignature, EntryRefused, IllegalMove
from nodealer.log.roster import Member, Roster
from nodealer.play.bodies import Agree, Claim, Without
from nodealer.play.hand import take_deck
from nodealer.play.phases import Phase
from nodealer.play.replica import Outcome, Replica
from nodealer.play.state import Change, Config
from nodealer.protocols.base import DeckChange

Make = Callable[..., Game]


def joined(game: Game, number: int = 3) -> Person:
    source = Source(f"joins {number}")
    person = Person(number, source(32), source(32))
    game.persons.append(person)
    game.configs[number] = Config(game.config.session, game.config.protocol, game.config.rules)
    return person


def between(game: Game) -> bool:
    return stands(game, Phase.BETWEEN) and game.state.hand.number == 1


# --- Rosters ---


def test_join(game: Make) -> None:
    table = game(hands=2).play(until=between)
    person = joined(table)
    roster = Roster((*table.state.roster.players, Member(3, NAMES[3], person.key.public)))
    table.order(table.seats[0].propose(roster))
    table.order(table.seats[1].agree())
    assert table.state.proposed is not None and table.state.proposed.roster == roster != table.state.roster
    table.order(table.seats[2].agree())
    adopted = table.state
    assert adopted.roster == roster and adopted.proposed is None
    table.seats[3] = table.seat(person, table.log)
    table.play()
    assert stands(table, Phase.ENDED) and table.state.fault is None
    assert [len(result["faces"]) for result in table.state.results] == [6, 6]
    assert 3 in {table.signer(data) for data in table.log}
    eager_and_lazy_agree(table)


def test_leave(game: Make) -> None:
    table = game(hands=2).play(until=between)
    roster = Roster(table.state.roster.players[:2])
    table.order(table.seats[2].propose(roster))
    table.order(table.seats[0].agree())
    table.order(table.seats[1].agree())
    left = table.seats.pop(2)
    table.play()
    assert stands(table, Phase.ENDED) and len(table.state.results) == 2
    assert left.due() == []
    # Nobody signs in the name of a seat that does not exist.
    assert isinstance(refusal(table.replica(), table.by_hand(2, Without((0,)), table.replica())), BadSignature)


def test_a_refused_roster_changes_nothing_and_everybody_begins_again(game: Make) -> None:
    """Twice, so that nothing that was due before a proposal is taken for what is due after it."""
    table = game()
    begun = table.seats[0].due() + table.seats[1].due()
    for data in begun:
        table.order(data)
    roster = Roster(table.state.roster.players[:2])
    for _ in range(2):
        table.order(table.seats[2].propose(roster))
        assert not table.state.hand.commitments
        table.order(table.seats[0].agree(False))
        assert table.state.proposed is None and len(table.state.roster.players) == 3
    table.play()
    assert stands(table, Phase.ENDED) and table.state.fault is None


def test_a_begin_that_crosses_a_proposal_is_dropped(game: Make) -> None:
    table = game()
    begin = table.seats[1].due()[0]
    table.order(table.seats[0].propose(Roster(table.state.roster.players[:2])))
    table.order(table.seats[2].agree(False))
    assert table.order(begin) is Outcome.DROPPED
    table.play()
    assert stands(table, Phase.ENDED)


def test_two_proposals_cross(game: Make) -> None:
    table = game()
    first = table.seats[0].propose(Roster(table.state.roster.players[:2]))
    second = table.seats[1].propose(Roster(table.state.roster.players[1:]))
    assert table.order(first) is Outcome.ACCEPTED
    assert table.order(second) is Outcome.DROPPED
    assert table.seats[1].agree() and table.seats[2].agree(False)


def test_without_crossing_a_new_roster_is_dropped(game: Make) -> None:
    table = game()
    late = table.seats[0].without([2])
    table.order(
        table.seats[1].propose(
            Roster((*table.state.roster.players[:2], Member(2, "Other", table.persons[2].key.public)))
        )
    )
    crossing = forked(table.replica())
    for seat in (0, 2):
        data = table.by_hand(seat, _agree(crossing, seat), crossing)
        assert crossing.append(data).outcome is Outcome.ACCEPTED
    assert crossing.state.roster.player(2).name == "Other"
    again = table.by_hand(0, Without((2,)), crossing, seen=head_at(crossing, 0), roster=table.state.roster.digest)
    assert crossing.append(again).outcome is Outcome.DROPPED
    assert late


def _agree(replica: Replica, seat: int) -> Agree:
    duties = ((id, one.duty) for id, one in replica.state.duties.open.items())
    return Agree(next(id for id, duty in duties if (duty.seat, duty.kind) == (seat, "agree")), True)


def head_at(replica: Replica, height: int) -> bytes:
    return next(head for head, at in replica._heights.items() if at == height)


# --- Without ---


@pytest.mark.parametrize("recovers", [True, False])
def test_without_holds_when_all_who_stay_say_so(game: Make, recovers: bool) -> None:
    table = game(protocol={"recovers": recovers}).play(until=dealt)
    table.silent = {2}
    table.order(table.seats[0].without([2]))
    assert not table.state.gone
    table.order(table.seats[1].without([2]))
    assert table.state.gone == {2}
    table.play()
    assert stands(table, Phase.ENDED) and table.state.fault is None
    assert table.state.results[0]["gone"] == [2]
    assert (len(table.state.results[0]["faces"]) == 5) is recovers
    eager_and_lazy_agree(table)


@pytest.mark.parametrize("step", ["key", "shuffle", "share"])
def test_in_the_middle_of_making_a_deck(game: Make, step: str) -> None:
    """A seat falls silent when it owes a key, a shuffle or a share: the others go on without it."""
    table = game().play(until=lambda g: any(duty.kind == step for duty in g.seats[1].open_duties))
    table.silent = {1}
    table.play()
    assert stands(table, Phase.PLAYING)
    for seat in (0, 2):
        table.order(table.seats[seat].without([1]))
    table.play()
    assert stands(table, Phase.ENDED) and table.state.fault is None


def test_an_entry_of_the_named_seat_cancels_it(game: Make) -> None:
    table = game().play(until=dealt)
    table.order(table.seats[0].move({"show": False}))
    table.order(table.seats[0].without([1]))
    assert table.state.hand.withouts
    table.order(table.seats[1].move({"show": False}))
    assert not table.state.hand.withouts
    table.order(table.seats[2].without([1]))
    assert not table.state.gone
    table.order(table.seats[0].without([1]))
    assert table.state.gone == {1}


def test_different_lists_do_not_add_up(game: Make) -> None:
    table = game(seats=4).play(until=dealt)
    table.order(table.seats[0].without([2, 3]))
    table.order(table.seats[1].without([3]))
    assert not table.state.gone
    table.order(table.seats[1].without([2, 3]))
    assert table.state.gone == {2, 3}


def test_one_that_is_gone_throws_nobody_out(game: Make) -> None:
    """The word of a seat that no longer plays counts for nothing, even if it names everybody who does."""
    table = game().play(until=dealt)
    for seat in (0, 1):
        table.order(table.seats[seat].without([2]))
    replica = table.replica()
    for named in ((0, 1), (0,), (1,)):
        assert replica.append(table.by_hand(2, Without(named), replica)).outcome is Outcome.DROPPED
    assert replica.state.gone == {2}
    seed = table.tape(2).seed
    assert replica.append(table.by_hand(2, Claim(0, 0, seed, ()), replica)).outcome is Outcome.DROPPED


def test_lists_that_make_no_sense(game: Make) -> None:
    table = game().play(until=dealt)
    replica = table.replica()
    for named in ((), (0,), (1, 1), (2, 1), (5,), (0, 1)):
        assert isinstance(refusal(replica, table.by_hand(0, Without(named), replica)), EntryRefused)


def test_one_that_begun_and_is_gone_does_not_play(game: Make) -> None:
    """It begun, fell silent before the others had, and they go on without it: the hand must not wait for it."""
    table = game()
    table.order(table.seats[2].due()[0])
    table.silent = {2}
    for seat in (0, 1):
        table.order(table.seats[seat].without([2]))
    table.play()
    assert stands(table, Phase.ENDED) and len(table.state.results) == 1
    assert table.state.gone == {2}


def test_coming_back_for_the_next_hand(game: Make) -> None:
    table = game(hands=2).play(until=dealt)
    table.silent = {2}
    for seat in (0, 1):
        table.order(table.seats[seat].without([2]))
    table.play(until=between)
    table.silent = set()
    for data in table.seats[2].due():
        table.order(data)
    table.play()
    assert stands(table, Phase.ENDED)
    assert [result["gone"] for result in table.state.results] == [[2], []]


# --- The end ---


def test_the_end_needs_everybody(game: Make) -> None:
    table = game(hands=0)
    batch = table.due()
    for data in batch[:2]:
        table.order(data)
    assert stands(table, Phase.BETWEEN)
    table.order(batch[2])
    assert stands(table, Phase.ENDED)
    replica = table.replica()
    assert replica.append(table.by_hand(0, Without((1,)), replica)).outcome is Outcome.DROPPED
    assert table.due() == []
    with pytest.raises(IllegalMove):
        table.seats[0].propose(table.state.roster)


def test_one_who_waits_alone_can_end(game: Make) -> None:
    """A seat that has begun a hand which will never start can still leave, or the log would never be complete."""
    table = game(seats=2)
    seat, other = table.seats.values()
    table.order(seat.due()[0])
    other.stays = False
    table.order(other.due()[0])
    assert stands(table, Phase.BETWEEN)
    seat.stays = False
    table.order(seat.due()[0])
    assert stands(table, Phase.ENDED)


def test_an_end_that_crosses_the_last_begin_is_dropped(game: Make) -> None:
    table = game()
    begins = table.due()
    table.order(begins[0])
    table.seats[0].stays = False
    end = table.seats[0].due()[0]
    table.order(begins[1])
    table.order(begins[2])
    assert stands(table, Phase.PLAYING)
    assert table.order(end) is Outcome.DROPPED
    table.play()
    assert stands(table, Phase.ENDED) and len(table.state.results) == 1


def test_one_that_begun_and_ended_does_not_play(game: Make) -> None:
    table = game()
    table.order(table.seats[0].due()[0])
    table.seats[0].stays = False
    table.order(table.seats[0].due()[0])
    table.silent = {0}
    table.play()
    assert stands(table, Phase.ENDED) and len(table.state.results) == 1
    assert not [data for data in table.log if table.signer(data) == 0 and b'"type":"cards"' in data]


def test_a_deck_may_finish_what_nobody_asked_for(game: Make) -> None:
    """Such as going on without a seat: what the game has asked for stays in progress."""
    table = game().play(until=lambda g: any(duty.kind == "share" for duty in g.seats[0].open_duties))
    state = table.state
    assert state.hand.asked is not None and len(state.hand.asked.queues[0]) == 2
    change = take_deck(Change(state), 0, DeckChange(state.hand.decks[0], (Finished(NewDeck(0, 6)),)))
    assert change.state.hand.asked is not None and change.state.hand.asked.queues == state.hand.asked.queues
    idle = state.with_hand(asked=None)
    again = take_deck(Change(idle), 0, DeckChange(state.hand.decks[0], (Finished(NewDeck(0, 6)),)))
    assert again.state.hand.asked is None


def test_one_ends_and_two_go_on(game: Make) -> None:
    table = game(hands=2).play(until=between)
    table.seats[2].stays = False
    table.order(table.seats[2].due()[0])
    table.silent = {2}
    table.play()
    assert stands(table, Phase.ENDED) and len(table.state.results) == 2


def test_a_role_that_is_needed_must_sit(game: Make) -> None:
    table = game(protocol={"roles": ("dealer",)}, roles={1: "dealer"}, hands=2).play(until=between)
    for seat in (0, 2):
        table.order(table.seats[seat].without([1]))
        table.order(table.seats[seat].due()[0]) if table.seats[seat].open_duties else None
    assert stands(table, Phase.BETWEEN), "no hand begins without the dealer"
    with pytest.raises(IllegalMove, match="roles"):
        table.seats[0].propose(Roster(table.state.roster.players[:1] + table.state.roster.players[2:]))


def test_tiny_rules_are_what_the_tests_think(game: Make) -> None:
    assert game(TinyRules(deck_max=8, deal=2)).play().state.phase is Phase.ENDED
