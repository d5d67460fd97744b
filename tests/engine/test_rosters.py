"""Who sits at the table: no seat alone changes it, and nobody takes another's number, name, key or chips."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from conformance.games import TinyRules
from conformance.harness import Game, Person, people
from nodealer.engine.bodies import Agree, Claim, Leave, Newcomer, Propose
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Outcome, Replica
from nodealer.engine.rosters import proposal_id
from nodealer.errors import EntryRefused
from nodealer.log.roster import Member, Roster, member_of, newcomer_signed_bytes

Make = Callable[..., Game]


def between(game: Make, seats: int = 3, hands: int = 3) -> tuple[Game, Replica]:
    """After the first hand."""
    rules = TinyRules(stake=10, deck_max=10)
    table = game(rules, seats=seats, hands=hands).play(until=lambda g: g.state.hand.number == 1)
    return table, table.replica()


def stranger(table: Game, seat: int = 3, name: str = "Dana") -> tuple[Person, Member]:
    person = people(seat + 1, table.source)[seat]
    return person, member_of(person.key, seat, name)


def proposal(table: Game, roster: Roster, *newcomers: tuple[Person, Member]) -> Propose:
    session = table.config.session.id
    signed = [Newcomer(m.seat, p.key.sign(newcomer_signed_bytes(session, roster.digest, m))) for p, m in newcomers]
    return Propose(roster, tuple(signed))


def take(table: Game, replica: Replica, seat: int, body: Propose | Agree) -> Outcome:
    return replica.append(table.by_hand(seat, body, replica)).outcome


def with_member(replica: Replica, member: Member) -> Roster:
    rest = [one for one in replica.state.roster.members if one.seat != member.seat]
    return Roster(tuple(sorted((*rest, member), key=lambda one: one.seat)))


# --- How it goes ---


def test_more_than_half_let_somebody_in(game: Make) -> None:
    table, replica = between(game)
    new = stranger(table)
    roster = with_member(replica, new[1])
    assert take(table, replica, 0, proposal(table, roster, new)) is Outcome.ACCEPTED
    assert replica.state.roster != roster, "one of three is not more than half"
    assert take(table, replica, 1, Agree(proposal_id(roster, 0, 1))) is Outcome.ACCEPTED
    assert replica.state.roster == roster and replica.state.ledger.chips[3] == 10
    seating = replica.state.chronicle.roster_periods[-1]
    assert (seating.from_hand, seating.agreed, seating.roster) == (1, (0, 1), roster)


def test_a_roster_that_is_agreed_on_in_a_hand_holds_from_the_next(game: Make) -> None:
    table = game(TinyRules(stake=10, deck_max=10), hands=2).play(until=lambda g: g.state.phase is Phase.PLAYING)
    roster = Roster(table.state.roster.members[:2])
    before = set(table.state.duties.open)
    table.order(table.seats[0].propose_roster(roster))
    assert set(table.state.duties.open) == before, "a proposal closes no duty"
    table.order(table.seats[1].agree_to_roster(proposal_id(roster, 0, 0)))
    assert len(table.state.roster.members) == 3
    table.play(until=lambda g: g.state.hand.number == 1)
    assert table.state.roster == roster and not table.state.proposed


def test_a_proposal_lapses_at_the_second_begin(game: Make) -> None:
    table = game(TinyRules(stake=10, deck_max=10), hands=4).play(until=lambda g: g.state.hand.number == 1)
    roster = Roster(table.state.roster.members[:2])
    table.order(table.seats[0].propose_roster(roster))
    table.play(until=lambda g: g.state.hand.number == 2)
    assert table.state.proposed
    table.play(until=lambda g: g.state.hand.number == 3)
    assert not table.state.proposed
    replica = table.replica()
    assert take(table, replica, 1, Agree(proposal_id(roster, 0, 1))) is Outcome.DROPPED


def test_who_comes_back_has_its_number_and_its_chips(game: Make) -> None:
    table, replica = between(game)
    everybody = replica.state.roster
    without = Roster(everybody.members[:2])
    take(table, replica, 0, Propose(without, ()))
    take(table, replica, 1, Agree(proposal_id(without, 0, 1)))
    chips = replica.state.ledger.chips[2]
    assert 2 not in replica.state.roster.seats and chips == 9
    take(table, replica, 1, Propose(everybody, ()))
    take(table, replica, 0, Agree(proposal_id(everybody, 1, 1)))
    assert replica.state.roster == everybody and replica.state.ledger.chips[2] == chips


# --- What nobody can do ---


@pytest.mark.parametrize("proposer", [0, 1, 2])
def test_one_seat_alone_changes_nothing(game: Make, proposer: int) -> None:
    """The last seat alone once swapped the names of winner and loser."""
    table, replica = between(game)
    alone = Roster(replica.state.roster.members[:2])
    take(table, replica, proposer, Propose(alone, ()))
    for _ in range(3):
        take(table, replica, proposer, Agree(proposal_id(alone, proposer, 1)))
    assert len(replica.state.roster.members) == 3
    with pytest.raises(EntryRefused, match="one roster per hand"):
        take(table, replica, proposer, Propose(alone, ()))


def test_the_rest_of_a_table_of_two_is_not_a_majority(game: Make) -> None:
    table, replica = between(game, seats=3)
    seated = Roster(replica.state.roster.members[:2])
    take(table, replica, 0, Propose(seated, ()))
    take(table, replica, 1, Agree(proposal_id(seated, 0, 1)))
    assert len(replica.state.roster.members) == 2
    new = stranger(table)
    puppets = with_member(replica, new[1])
    take(table, replica, 0, proposal(table, puppets, new))
    assert replica.state.roster == seated


def names_swapped(table: Game, roster: Roster) -> Roster:
    ada, bo, *rest = roster.members
    return Roster((msgspec.structs.replace(ada, name=bo.name), msgspec.structs.replace(bo, name=ada.name), *rest))


def seats_swapped(table: Game, roster: Roster) -> Roster:
    ada, bo, *rest = roster.members
    return Roster((msgspec.structs.replace(bo, seat=0), msgspec.structs.replace(ada, seat=1), *rest))


def a_puppet_at_a_used_seat(table: Game, roster: Roster) -> Roster:
    person, _ = stranger(table)
    return Roster((*roster.members[:2], member_of(person.key, 2, roster.members[2].name)))


def a_puppet_with_a_used_name(table: Game, roster: Roster) -> Roster:
    _, member = stranger(table, name=roster.members[2].name)
    return Roster((*roster.members[:2], member))


def a_puppet_with_nearly_a_used_name(table: Game, roster: Roster) -> Roster:
    _, member = stranger(table, name=roster.members[2].name.upper())
    return Roster((*roster.members[:2], member))


def a_known_key_at_a_new_seat(table: Game, roster: Roster) -> Roster:
    return Roster((*roster.members[:2], msgspec.structs.replace(roster.members[2], seat=4, name="Zoe")))


@pytest.mark.parametrize(
    "change",
    [
        names_swapped,
        seats_swapped,
        a_puppet_at_a_used_seat,
        a_puppet_with_a_used_name,
        a_puppet_with_nearly_a_used_name,
        a_known_key_at_a_new_seat,
    ],
)
def test_a_number_a_key_and_a_name_belong_together(game: Make, change: Callable[[Game, Roster], Roster]) -> None:
    """A newcomer once inherited the chips and the past wins of whoever sat there before."""
    table, replica = between(game)
    roster = change(table, replica.state.roster)
    fresh = [m for m in roster.members if m.seat not in replica.state.all_members]
    person = stranger(table)[0]
    with pytest.raises(EntryRefused, match=r"for the whole session|name or the key of another seat"):
        take(table, replica, 0, proposal(table, roster, *((person, member) for member in fresh)))


@pytest.mark.parametrize("wrong", ["none", "another roster", "another session", "another key", "one too many"])
def test_a_newcomer_signs_for_itself(game: Make, wrong: str) -> None:
    table, replica = between(game)
    person, member = stranger(table)
    roster, session = with_member(replica, member), table.config.session.id
    words = {
        "another roster": newcomer_signed_bytes(session, bytes(32), member),
        "another session": newcomer_signed_bytes(bytes(32), roster.digest, member),
    }.get(wrong, newcomer_signed_bytes(session, roster.digest, member))
    key = table.persons[0].key if wrong == "another key" else person.key
    signed = [] if wrong == "none" else [Newcomer(3, key.sign(words))]
    if wrong == "one too many":
        signed.insert(0, Newcomer(0, table.persons[0].key.sign(words)))
    with pytest.raises(EntryRefused):
        take(table, replica, 0, Propose(roster, tuple(signed)))


def test_an_end_is_never_undone(game: Make) -> None:
    table, replica = between(game, seats=4, hands=1)
    for seat in table.seats.values():
        seat.stays = False
    table.order(table.seats[3].answer_duties()[0])
    replica = table.replica()
    roster = Roster(replica.state.roster.members)
    with pytest.raises(EntryRefused):
        take(table, replica, 3, Propose(roster, ()))
    take(table, replica, 0, Propose(Roster((*roster.members[:2], roster.members[3])), ()))
    take(table, replica, 1, Agree(proposal_id(Roster((*roster.members[:2], roster.members[3])), 0, 1)))
    assert 3 in replica.state.ended and 3 not in replica.state.present


def test_other_roles_do_not_change(game: Make) -> None:
    table = game(TinyRules(deck_max=10), seats=4, hands=2, protocol={"roles": ("server",)}, roles={3: "server"})
    table.play(until=lambda g: g.state.hand.number == 1)
    replica = table.replica()
    with pytest.raises(EntryRefused):
        take(table, replica, 0, Propose(Roster(replica.state.roster.members[:3]), ()))
    with pytest.raises(EntryRefused, match="only a seat with cards"):
        take(table, replica, 3, Propose(replica.state.roster, ()))


def test_nothing_is_heard_of_a_seat_that_is_not_there_any_more(game: Make) -> None:
    table, replica = between(game)
    without = Roster(replica.state.roster.members[:2])
    take(table, replica, 0, Propose(without, ()))
    take(table, replica, 1, Agree(proposal_id(without, 0, 1)))
    for body in (Leave(), Agree(bytes(32)), Claim(0, 0, bytes(32), ())):
        with pytest.raises(EntryRefused):
            replica.append(table.by_hand(2, body, replica))
