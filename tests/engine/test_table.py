"""Between hands and around them: rosters, leaving, going on without, the end."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from conformance.games import TinyRules
from conformance.harness import NAMES, Game, Person, Source, refusal, stands, statement
from conformance.suite import dealt, eager_and_lazy_agree
from nodealer.cards.events import Finished
from nodealer.cards.operations import NewDeck
from nodealer.engine.bodies import Agree, Begin, Break, Claim, Leave, Propose, Without
from nodealer.engine.hand import update_deck
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Outcome, Replica
from nodealer.engine.rosters import proposal_id
from nodealer.engine.state import Change, Config
from nodealer.errors import BadSignature, EntryRefused, IllegalMove
from nodealer.log.roster import Roster, member_of, newcomer_signed_bytes
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


def owes(seat: int, step: str = "move") -> Callable[[Game], bool]:
    return lambda game: any(duty.kind == step and not duty.optional for duty in game.seats[seat].open_duties)


# --- Rosters ---


def with_newcomer(game: Game, person: Person) -> tuple[Roster, dict[int, bytes]]:
    """The roster with one more seat, and its own signature that it sits there."""
    member = member_of(person.key, person.number, NAMES[person.number])
    roster = Roster((*game.state.roster.members, member))
    return roster, {person.number: signed(game, person, roster)}


def signed(game: Game, person: Person, roster: Roster) -> bytes:
    return person.key.sign(newcomer_signed_bytes(game.config.session.id, roster.digest, roster.member(person.number)))


def proposal(game: Game) -> bytes:
    (id,) = game.state.proposed
    return id


def test_join(game: Make) -> None:
    table = game(TinyRules(stake=10), hands=2).play(until=between)
    person = joined(table)
    roster, newcomers = with_newcomer(table, person)
    table.order(table.seats[0].propose_roster(roster, newcomers))
    id = proposal(table)
    assert id == proposal_id(roster, 0, 1)
    assert table.state.proposed[id].roster == roster != table.state.roster, "one of three is not more than half"
    late = table.seats[2].agree_to_roster(id)
    table.order(table.seats[1].agree_to_roster(id))
    adopted = table.state
    assert adopted.roster == roster and adopted.proposed == {}
    seating = adopted.chronicle.roster_periods[-1]
    assert (seating.from_hand, seating.agreed) == (1, (0, 1))
    assert seating.chips == {0: 12, 1: 9, 2: 9, 3: 10}
    assert table.order(late) is Outcome.DROPPED
    table.seats[3] = table.seat(person, table.log)
    table.play()
    assert stands(table, Phase.ENDED) and table.state.fault is None
    assert [len(result["faces"]) for result in table.state.results] == [6, 6]
    assert [set(record.names) for record in table.state.chronicle.records] == [{0, 1, 2}, {0, 1, 2, 3}]
    assert 3 in {table.signer(data) for data in table.log}
    eager_and_lazy_agree(table)


def test_leave(game: Make) -> None:
    table = game(hands=2).play(until=between)
    roster = Roster(table.state.roster.members[:2])
    table.order(table.seats[2].propose_roster(roster))
    table.order(table.seats[0].agree_to_roster(proposal(table)))
    assert table.state.roster == roster
    left = table.seats.pop(2)
    table.play()
    assert stands(table, Phase.ENDED) and len(table.state.results) == 2
    assert left.answer_duties() == []
    replica = table.replica()
    # It has no word: not about the others, not about the roster. It cannot even begin.
    for body in (Without((bytes(32),)), Propose(roster, ()), Begin(bytes(32), bytes(32))):
        assert isinstance(refusal(replica, table.by_hand(2, body, replica)), EntryRefused)
    assert isinstance(refusal(replica, table.by_hand(2, Leave(), replica)), EntryRefused)
    # Nobody signs in the name of a seat that never was.
    never = Person(7, table.persons[2].signing, bytes(32))
    table.persons += [never] * 5
    assert isinstance(refusal(replica, table.by_hand(7, Leave(), replica)), BadSignature)


def test_who_comes_back_has_its_number_and_its_chips(game: Make) -> None:
    table = game(TinyRules(stake=10), hands=3).play(until=between)
    everybody, two = table.state.roster, Roster(table.state.roster.members[:2])
    table.order(table.seats[2].propose_roster(two))
    table.order(table.seats[0].agree_to_roster(proposal(table)))
    table.silent = {2}
    table.play(until=lambda g: stands(g, Phase.BETWEEN) and g.state.hand.number == 2)
    table.order(table.seats[1].propose_roster(everybody))
    table.order(table.seats[0].agree_to_roster(proposal(table)))
    assert table.state.roster == everybody
    assert table.state.chronicle.roster_periods[-1].chips == {0: 13, 1: 8, 2: 9}
    table.silent = set()
    table.play()
    assert stands(table, Phase.ENDED) and table.state.ledger.chips == {0: 15, 1: 7, 2: 8}


def test_a_roster_that_nobody_agrees_to_changes_nothing(game: Make) -> None:
    """Who has begun has begun; it lapses at the second begin after it."""
    table = game(hands=4)
    for data in table.seats[0].answer_duties() + table.seats[1].answer_duties():
        table.order(data)
    roster = Roster(table.state.roster.members[:2])
    table.order(table.seats[2].propose_roster(roster))
    id = proposal(table)
    assert table.state.hand.commitments.keys() == {0, 1} and len(table.state.roster.members) == 3
    with pytest.raises(IllegalMove, match="one roster per hand"):
        table.seats[2].propose_roster(Roster(table.state.roster.members[1:]))
    table.play(until=between)
    assert table.state.proposed.keys() == {id}
    table.play(until=lambda g: stands(g, Phase.PLAYING) and g.state.hand.number == 1)
    replica = table.replica()
    assert not table.state.proposed and refusal(replica, table.by_hand(0, Agree(id), replica)) is Outcome.DROPPED
    with pytest.raises(IllegalMove, match="no effect"):
        table.seats[1].agree_to_roster(id)
    table.play()
    assert stands(table, Phase.ENDED) and table.state.fault is None and len(table.state.roster.members) == 3


def test_who_had_begun_begins_again(game: Make) -> None:
    """A hand is bound to its roster: a begin that crosses a proposal counts, one that crosses a new roster does not."""
    table = game()
    first, second = table.seats[0].answer_duties()[0], table.seats[1].answer_duties()[0]
    table.order(table.seats[2].propose_roster(Roster(table.state.roster.members[:2])))
    assert table.order(first) is Outcome.ACCEPTED and table.state.hand.commitments.keys() == {0}
    table.order(table.seats[0].agree_to_roster(proposal(table)))
    assert not table.state.hand.commitments and len(table.state.roster.members) == 2
    assert table.order(second) is Outcome.DROPPED
    table.play()
    assert stands(table, Phase.ENDED) and len(table.state.results) == 1 and table.state.fault is None


def test_a_roster_agreed_on_during_a_hand_waits_for_its_end(game: Make) -> None:
    table = game(hands=2).play(until=dealt)
    table.order(table.seats[1].propose_roster(Roster(table.state.roster.members[:2])))
    table.order(table.seats[0].agree_to_roster(proposal(table)))
    assert 2 in table.state.roster.seats and len(table.state.duties.open) == 1, "it closes no duty"
    table.play(until=between)
    assert 2 not in table.state.roster.seats
    table.play()
    assert stands(table, Phase.ENDED) and table.state.fault is None and len(table.state.results) == 2


def test_two_proposals_cross(game: Make) -> None:
    """Both stand; the first that enough seats agree to is the roster, and the other is none any more."""
    table = game()
    players = table.state.roster.members
    first, second = (
        table.seats[0].propose_roster(Roster(players[:2])),
        table.seats[1].propose_roster(Roster(players[1:])),
    )
    assert table.order(first) is Outcome.ACCEPTED is table.order(second)
    one, two = (proposal_id(Roster(players[:2]), 0, 0), proposal_id(Roster(players[1:]), 1, 0))
    crossing = table.seats[0].agree_to_roster(two)
    table.order(table.seats[1].agree_to_roster(one))
    assert table.state.roster.members == players[:2] and not table.state.proposed
    assert table.order(crossing) is Outcome.DROPPED


def test_one_alone_changes_no_roster(game: Make) -> None:
    """At a table of two, and when all others have ended: fewer than two that agree change nothing."""
    table = game(seats=2)
    person = joined(table, 2)
    roster, newcomers = with_newcomer(table, person)
    table.order(table.seats[0].propose_roster(roster, newcomers))
    assert table.state.roster != roster and table.state.proposed
    table.seats[1].stays = False
    table.order(table.seats[1].answer_duties()[0])
    assert table.state.roster != roster and table.state.ended == {1}
    replica = table.replica()
    for body in (Agree(proposal(table)), Propose(roster, ())):
        assert isinstance(refusal(replica, table.by_hand(1, body, replica)), EntryRefused), "an end is never undone"


def test_rosters_that_mix_people_up(game: Make) -> None:
    """A number, a key and a name belong together for the whole log; a newcomer signs itself."""
    table = game().play(until=dealt)
    seat, players = table.seats[0], table.state.roster.members
    person = joined(table)
    new, old = person.key, table.persons[2].key
    for mixed, reason in (
        ((*players[:2], member_of(old, 2, "Other")), "belongs to Cy for the whole session"),
        ((*players[:2], member_of(new, 2, "Cy")), "belongs to Cy for the whole session"),
        ((*players[:2], member_of(old, 2, "Cy", "dealer")), "belongs to Cy for the whole session"),
        ((*players[:2], member_of(new, 3, "Cy")), "another seat of this session"),
        ((*players[:2], member_of(old, 3, "Dee")), "another seat of this session"),
        ((*players, member_of(new, 3, "Dee", "server")), "only players and the timekeeper"),
        ((players[0],), "2 to 20 seats"),
    ):
        roster = Roster(mixed)
        newcomers = {3: signed(table, person, roster)} if 3 in roster.seats else {}
        with pytest.raises(IllegalMove, match=reason):
            seat.propose_roster(roster, newcomers)
    roster, newcomers = with_newcomer(table, person)
    other = person.key.sign(newcomer_signed_bytes(table.config.session.id, table.state.roster.digest, roster.member(3)))
    for signatures, reason in (
        ({}, "carry the signature of each new seat"),
        ({2: newcomers[3]}, "carry the signature of each new seat"),
        ({2: newcomers[3], 3: newcomers[3]}, "carry the signature of each new seat"),
        ({3: bytes(64)}, "has not signed"),
        ({3: other}, "has not signed"),
    ):
        with pytest.raises(IllegalMove, match=reason):
            seat.propose_roster(roster, signatures)
    table.order(seat.propose_roster(roster, newcomers))


def test_without_crossing_a_new_roster_is_dropped(game: Make) -> None:
    table = game()
    late = table.seats[0].vote_skip([2])
    table.order(table.seats[1].propose_roster(Roster(table.state.roster.members[:2])))
    table.order(table.seats[2].agree_to_roster(proposal(table)))
    assert len(table.state.roster.members) == 2
    assert table.order(late) is Outcome.DROPPED and not table.state.hand.skip_votes


# --- Without ---


@pytest.mark.parametrize("recovers", [True, False])
def test_without_holds_when_more_than_half_say_so(game: Make, recovers: bool) -> None:
    table = game(protocol={"recovers": recovers}).play(until=dealt)
    with pytest.raises(IllegalMove, match="not waiting for"):
        table.seats[0].vote_skip([2])
    table.play(until=owes(2))
    table.silent = {2}
    table.order(table.seats[0].vote_skip([2]))
    assert not table.state.gone
    table.order(table.seats[1].vote_skip([2]))
    assert table.state.gone == {2}
    (said,) = table.state.chronicle.vote_results
    assert (said.entry, said.hand, said.by, said.of, said.did) == (len(table.log) - 1, 0, (0, 1), 2, "gone")
    table.play()
    assert stands(table, Phase.ENDED) and table.state.fault is None
    assert table.state.results[0]["gone"] == [2]
    assert (len(table.state.results[0]["faces"]) == 5) is recovers
    eager_and_lazy_agree(table)


def test_half_can_only_break_off(game: Make) -> None:
    """Of two, one cannot throw the other out. It can undo the hand, and that is the session's last."""
    table = game(TinyRules(stake=10), seats=2, hands=3).play(until=owes(1))
    table.order(table.seats[0].vote_skip([1]))
    assert not table.state.gone and table.state.hand.skip_votes
    table.order(table.seats[0].vote_abort())
    assert (
        stands(table, Phase.BETWEEN) and table.state.no_more_hands and not table.state.gone and not table.state.faults
    )
    assert table.state.chronicle.records[0].void == "broken off" and table.state.results == ()
    assert table.state.ledger.chips == {0: 10, 1: 10}
    (said,) = table.state.chronicle.vote_results
    assert (said.by, said.of, said.did) == ((0,), None, "broken off")
    assert not any(duty.kind == "begin" for seat in table.seats.values() for duty in seat.open_duties)
    table.hands = 0
    table.play()
    assert stands(table, Phase.ENDED)
    eager_and_lazy_agree(table)


def test_fewer_than_half_can_do_nothing(game: Make) -> None:
    table = game().play(until=owes(1))
    before = table.state
    for said in (table.seats[0].vote_skip([1]), table.seats[0].vote_abort()):
        assert table.order(said) is Outcome.ACCEPTED
    after = table.state
    assert (after.phase, after.gone, after.duties.open) == (before.phase, before.gone, before.duties.open)
    assert after.hand.skip_votes.keys() == after.hand.abort_votes.keys() == {0} and not after.no_more_hands


def test_who_owes_a_card_message_has_no_word(game: Make) -> None:
    table = game().play(until=owes(2, "key"))
    replica = table.replica()
    assert replica.append(table.by_hand(0, statement(replica, 1, 2), replica)).outcome is Outcome.DROPPED
    assert not replica.state.hand.skip_votes
    with pytest.raises(IllegalMove, match="no effect"):
        table.seats[0].vote_skip([1, 2])


@pytest.mark.parametrize("step", ["key", "shuffle", "share"])
def test_in_the_middle_of_making_a_deck(game: Make, step: str) -> None:
    """A seat falls silent when it owes a key, a shuffle or a share: the others go on without it."""
    table = game().play(until=lambda g: any(duty.kind == step for duty in g.seats[1].open_duties))
    table.silent = {1}
    table.play()
    assert stands(table, Phase.PLAYING)
    for seat in (0, 2):
        table.order(table.seats[seat].vote_skip([1]))
    table.play()
    assert stands(table, Phase.ENDED) and table.state.fault is None


def test_a_vote_is_void_when_its_duty_closes_and_only_then(game: Make) -> None:
    table = game().play(until=owes(1))
    table.order(table.seats[0].vote_skip([1]))
    assert table.state.hand.skip_votes.keys() == {0}
    table.order(table.seats[1].propose_roster(Roster(table.state.roster.members[:2])))
    assert table.state.hand.skip_votes.keys() == {0}, "a word about something else does not cancel it"
    crossing = table.seats[2].vote_skip([1])
    table.order(table.seats[1].move({"show": False}))
    assert not table.state.hand.skip_votes
    assert table.order(crossing) is Outcome.DROPPED and not table.state.hand.skip_votes and not table.state.gone
    table.play()
    assert stands(table, Phase.ENDED) and table.state.results[0]["gone"] == []


def test_votes_are_counted_for_each_seat(game: Make) -> None:
    """Not for equal lists; who is gone has no vote, and is not counted any more."""
    table = game(TinyRules(deck_max=8, together=True, rounds=True), seats=5).play(until=dealt)
    table.order(table.seats[0].vote_skip([3, 4]))
    table.order(table.seats[3].vote_skip([4]))
    assert not table.state.gone
    table.order(table.seats[1].vote_skip([4]))
    assert table.state.gone == {4}
    table.order(table.seats[1].vote_skip([3]))
    assert table.state.gone == {4}, "two of four"
    table.order(table.seats[2].vote_skip([0, 3]))
    assert table.state.gone == {3, 4}


def test_one_that_is_gone_throws_nobody_out(game: Make) -> None:
    """The word of a seat that no longer plays counts for nothing, even if it names everybody who does."""
    table = game(TinyRules(together=True)).play(until=dealt)
    for seat in (0, 1):
        table.order(table.seats[seat].vote_skip([2]))
    replica = table.replica()
    for named in ((0, 1), (0,), (1,)):
        assert replica.append(table.by_hand(2, statement(replica, *named), replica)).outcome is Outcome.DROPPED
        owed = statement(replica, *named).duties
        assert replica.append(table.by_hand(2, Break(owed[0]), replica)).outcome is Outcome.DROPPED
    assert replica.state.gone == {2} and not replica.state.hand.skip_votes and not replica.state.hand.abort_votes
    seed = table.tape(2).seed
    assert replica.append(table.by_hand(2, Claim(0, 0, seed, ()), replica)).outcome is Outcome.DROPPED


def test_lists_that_make_no_sense(game: Make) -> None:
    table = game(TinyRules(together=True)).play(until=dealt)
    replica = table.replica()
    (own,), (one,), (two,) = (statement(replica, seat).duties for seat in range(3))
    low, high = sorted((one, two))
    for named in ((), (own,), (one, one), (high, low), (bytes(32),), tuple(sorted((own, one)))):
        assert isinstance(refusal(replica, table.by_hand(0, Without(named), replica)), EntryRefused)
    for duty in (own, bytes(32)):
        assert isinstance(refusal(replica, table.by_hand(0, Break(duty), replica)), EntryRefused)
    early = table.by_hand(0, Without((one,)), replica, seen=head_at(replica, 1))
    assert isinstance(refusal(replica, early), EntryRefused), "it names what it has not seen"
    assert refusal(replica, table.by_hand(0, Without((low, high)), replica)) is Outcome.ACCEPTED


def head_at(replica: Replica, height: int) -> bytes:
    return next(head for head, at in replica._heights.items() if at == height)


def test_what_is_optional_is_not_waited_for(game: Make) -> None:
    """An end that nobody needs yet, and the begin of one that sits out."""
    table = game()
    table.order(table.seats[2].leave())
    assert table.state.gone == {2}
    replica = table.replica()
    for known in list(replica.state.duties.of_seat(2).values()) + list(replica.state.duties.of_seat(1).values()):
        if known.duty.optional:
            data = table.by_hand(0, Without((known.duty.id,)), replica)
            assert isinstance(refusal(replica, data), EntryRefused)


def test_one_that_begun_and_leaves_does_not_play(game: Make) -> None:
    """It begun and left before the others had: the hand does not wait for it. If it only fell silent it would be in."""
    table = game()
    table.order(table.seats[2].answer_duties()[0])
    with pytest.raises(IllegalMove, match="not waiting for"):
        table.seats[0].vote_skip([2])
    table.order(table.seats[2].leave())
    table.silent = {2}
    table.play()
    assert stands(table, Phase.ENDED) and len(table.state.results) == 1
    assert table.state.gone == {2} and table.state.chronicle.records[0].names.keys() == {0, 1}


def test_one_that_does_not_begin_sits_out(game: Make) -> None:
    table = game()
    table.silent = {2}
    for data in table.due():
        table.order(data)
    for seat in (0, 1):
        assert stands(table, Phase.BETWEEN)
        table.order(table.seats[seat].vote_skip([2]))
    assert stands(table, Phase.PLAYING) and table.state.gone == {2}
    table.play()
    assert stands(table, Phase.ENDED) and len(table.state.results) == 1


def test_coming_back_for_the_next_hand(game: Make) -> None:
    table = game(TinyRules(together=True), hands=2).play(until=dealt)
    table.silent = {2}
    for seat in (0, 1):
        table.order(table.seats[seat].vote_skip([2]))
    table.play(until=between)
    table.silent = set()
    for data in table.seats[2].answer_duties():
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
    named = statement(table.replica(0), 1)
    late = table.by_hand(0, named, replica, seen=head_at(replica, 0))
    assert replica.append(late).outcome is Outcome.DROPPED, "it was owed on what it saw"
    assert isinstance(refusal(replica, table.by_hand(0, named, replica)), EntryRefused)
    assert table.due() == []
    with pytest.raises(IllegalMove):
        table.seats[0].propose_roster(table.state.roster)


def test_those_who_have_ended_need_not_wait_for_one(game: Make) -> None:
    """When one seat is left that neither begins nor ends, the others have a word again."""
    table = game(hands=0)
    for data in table.due()[:2]:
        table.order(data)
    table.silent = {2}
    table.order(table.seats[0].vote_skip([2]))
    assert stands(table, Phase.BETWEEN)
    table.order(table.seats[1].vote_skip([2]))
    assert stands(table, Phase.ENDED) and table.state.gone == {2} and table.state.ended == {0, 1}


def test_one_who_waits_alone_can_end(game: Make) -> None:
    """A seat that has begun a hand which will never start can still leave, or the log would never be complete."""
    table = game(seats=2)
    seat, other = table.seats.values()
    table.order(seat.answer_duties()[0])
    other.stays = False
    table.order(other.answer_duties()[0])
    assert stands(table, Phase.BETWEEN)
    seat.stays = False
    table.order(seat.answer_duties()[0])
    assert stands(table, Phase.ENDED)


def test_an_end_that_crosses_the_last_begin_is_dropped(game: Make) -> None:
    table = game()
    begins = table.due()
    table.order(begins[0])
    table.seats[0].stays = False
    end = table.seats[0].answer_duties()[0]
    table.order(begins[1])
    table.order(begins[2])
    assert stands(table, Phase.PLAYING)
    assert table.order(end) is Outcome.DROPPED
    table.play()
    assert stands(table, Phase.ENDED) and len(table.state.results) == 1


def test_one_that_begun_and_ended_does_not_play(game: Make) -> None:
    table = game()
    table.order(table.seats[0].answer_duties()[0])
    table.seats[0].stays = False
    table.order(table.seats[0].answer_duties()[0])
    table.silent = {0}
    table.play()
    assert stands(table, Phase.ENDED) and len(table.state.results) == 1
    assert not [data for data in table.log if table.signer(data) == 0 and b'"type":"cards"' in data]


def test_a_deck_may_finish_what_nobody_asked_for(game: Make) -> None:
    """Such as going on without a seat: what the game has asked for stays in progress."""
    table = game().play(until=lambda g: any(duty.kind == "share" for duty in g.seats[0].open_duties))
    state = table.state
    assert state.hand.requests is not None and len(state.hand.requests.queues[0]) == 2
    change = update_deck(Change(state), 0, DeckChange(state.hand.decks[0], (Finished(NewDeck(0, 6)),)))
    assert change.state.hand.requests is not None and change.state.hand.requests.queues == state.hand.requests.queues
    idle = state.with_hand(requests=None)
    again = update_deck(Change(idle), 0, DeckChange(state.hand.decks[0], (Finished(NewDeck(0, 6)),)))
    assert again.state.hand.requests is None


def test_one_ends_and_two_go_on(game: Make) -> None:
    table = game(hands=2).play(until=between)
    table.seats[2].stays = False
    table.order(table.seats[2].answer_duties()[0])
    table.silent = {2}
    table.play()
    assert stands(table, Phase.ENDED) and len(table.state.results) == 2


def test_a_role_that_is_needed_must_sit(game: Make) -> None:
    table = game(protocol={"roles": ("dealer",)}, roles={1: "dealer"}, hands=2).play(until=between)
    for seat in (0, 2):
        table.order(table.seats[seat].vote_skip([1]))
        table.order(table.seats[seat].answer_duties()[0])
    assert table.state.gone == {1} and table.state.hand.commitments.keys() == {0, 2}
    assert stands(table, Phase.BETWEEN), "no hand begins without the dealer"
    with pytest.raises(IllegalMove, match="roles"):
        table.seats[0].propose_roster(Roster(table.state.roster.members[:1] + table.state.roster.members[2:]))


def test_tiny_rules_are_what_the_tests_think(game: Make) -> None:
    assert game(TinyRules(deck_max=8, deal=2)).play().state.phase is Phase.ENDED
