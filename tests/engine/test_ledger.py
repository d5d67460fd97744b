"""When a result counts: chips are never made or lost, and nobody keeps what it did not show that it won."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.clear import fixed_shuffle
from conformance.games import TinyRules
from conformance.harness import Game
from nodealer.audit.report import Report
from nodealer.engine.bodies import Begin, Book, Break, Choice, End, Without
from nodealer.engine.duties import TableDuty
from nodealer.engine.ledger import Ledger
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Replica
from nodealer.errors import EntryRefused
from nodealer.games.base import Done

Make = Callable[..., Game]
START = {0: 100, 1: 100, 2: 100}


def total(account: Ledger) -> int:
    return sum(account.chips.values()) + sum(sum(held.gains.values()) for held in account.held)


def a_hand(books: bool = True) -> Ledger:
    """Seat 0 won 30 of seat 1 and 10 of seat 2."""
    return Ledger(START).close_hand(0, Done({}, {0: 30, 1: 30, 2: 10}, {0: 40, 1: -30, 2: -10}), (0, 1, 2), books=books)


def test_a_loss_counts_at_once_and_a_gain_after_the_book() -> None:
    account = a_hand()
    assert account.chips == {0: 100, 1: 70, 2: 90} and account.held[0].gains == {0: 40}
    assert account.release_covered().chips == account.chips, "not before the gainer's book"
    assert account.mark_covered(0, 1).release_covered().chips == account.chips, "nor by another's"
    counted = account.mark_covered(0, 0).release_covered()
    assert counted.chips == {0: 140, 1: 70, 2: 90} and not counted.held
    assert a_hand(books=False) == counted, "where all is proven it counts at once"


def test_a_winner_that_keeps_its_book_does_not_keep_the_pot() -> None:
    """A cheater once let all fold, fell silent, and kept it."""
    assert a_hand().close_session().chips == START
    odd = Ledger({0: 5, 1: 5, 2: 5}).close_hand(
        0, Done({}, {0: 2, 1: 2, 2: 1}, {0: 3, 1: -2, 2: -1}), (0, 1, 2), books=True
    )
    assert odd.close_session().chips == {0: 5, 1: 5, 2: 5}


def test_a_false_book_voids_the_hand_and_costs_its_bets() -> None:
    named = a_hand().forfeit(0, 0)
    # The cheater's 30 go to the others in proportion to what they put in: 30 and 10, odd chips to the lowest.
    assert named.chips == {0: 70, 1: 123, 2: 107} and not named.held
    loser = a_hand().forfeit(0, 1)
    assert loser.chips == {0: 123, 1: 70, 2: 107}, "the winner keeps no result of a hand with a cheater in it"


def test_a_false_book_costs_its_bets_also_when_the_pot_was_divided() -> None:
    tie = Ledger(START).close_hand(0, Done({}, {0: 30, 1: 30, 2: 0}, {0: 0, 1: 0, 2: 0}), (0, 1, 2), books=True)
    assert tie.chips == START and tie.forfeit(0, 1).chips == {0: 130, 1: 70, 2: 100}
    assert tie.release_covered() == Ledger(START) and tie.close_session() == Ledger(START)


def test_what_has_counted_is_final() -> None:
    split = Ledger(START).close_hand(0, Done({}, {0: 20, 1: 20, 2: 40}, {0: 20, 1: 20, 2: -40}), (0, 1, 2), books=True)
    counted = split.mark_covered(0, 0).release_covered()
    assert counted.chips == {0: 120, 1: 100, 2: 60} and counted.held[0].final
    assert counted.forfeit(0, 2).chips == counted.chips, "a false book afterwards names, and moves no chips"
    assert counted.forfeit(0, 1).chips == {0: 120, 1: 100, 2: 80}, "but nothing to a seat whose own book is false"
    assert counted.mark_covered(0, 0).release_covered().forfeit(0, 0).chips == counted.chips


def test_bets_of_a_disputed_hand_come_back_with_ones_own_book() -> None:
    claimed = Ledger(START).hold_bets(0, {0: 10, 1: 20, 2: 0})
    assert claimed.chips == {0: 90, 1: 80, 2: 100}
    assert claimed.mark_covered(0, 0).release_covered().chips == {0: 100, 1: 80, 2: 100}
    assert claimed.mark_covered(0, 0).close_session().chips == {0: 120, 1: 80, 2: 100}, (
        "what is never covered goes to the others"
    )
    assert claimed.forfeit(0, 1).mark_covered(0, 0).close_session().chips == {0: 120, 1: 80, 2: 100}


def test_points_are_held_too_and_vanish_when_never_covered() -> None:
    won = Ledger({0: 0, 1: 0}).close_hand(0, Done({}, {}, {0: 1, 1: 0}), (0, 1, 2), books=True)
    assert won.chips == {0: 0, 1: 0} and won.mark_covered(0, 0).release_covered().chips == {0: 1, 1: 0}
    assert won.close_session().chips == {0: 0, 1: 0}


Net = st.lists(st.integers(-50, 50), min_size=3, max_size=3).map(
    lambda deltas: {0: deltas[0] - deltas[2], 1: deltas[1] - deltas[0], 2: deltas[2] - deltas[1]}
)
Act = st.tuples(st.sampled_from(["covered", "named", "released", "closed", "claimed"]), st.integers(0, 2))


@given(st.lists(st.tuples(Act, Net), max_size=12))
def test_chips_are_neither_made_nor_lost(acts: list[tuple[tuple[str, int], dict[int, int]]]) -> None:
    account, hand = Ledger(dict.fromkeys(range(3), 1000)), 0
    for (act, seat), net in acts:
        match act:
            case "closed":
                account = account.close_hand(
                    hand, Done({}, {s: max(0, -n) for s, n in net.items()}, net), net, books=True
                )
                hand += 1
            case "claimed":
                account = account.hold_bets(hand, {s: abs(n) for s, n in net.items()})
                hand += 1
            case "released":
                account = account.release_covered()
            case "covered":
                account = account.mark_covered(max(0, hand - 1), seat)
            case "named":
                account = account.forfeit(max(0, hand - 1), seat)
        assert total(account) == 3000 and min(account.chips.values()) >= 1000 - 150 * max(1, hand)
    assert sum(account.close_session().chips.values()) == 3000 and not account.close_session().held


# --- At the table ---


def books(game: Make, hands: int = 2, **options: object) -> Game:
    return game(TinyRules(stake=10), protocol={"open_book_at_end": True}, hands=hands, **options)


def opened(
    table: Game, replica: Replica, seat: int, seed: bytes | None = None, choices: tuple[Choice, ...] = ()
) -> None:
    duty = next(id for id, d in replica.state.duties.of_seat(seat).items() if d.duty.kind == TableDuty.BOOK)
    own = table.tape(seat).seed if seed is None else seed
    replica.append(table.by_hand(seat, Book(duty, own, choices), replica))


def test_the_table_goes_on_while_a_gain_is_held(game: Make) -> None:
    table = books(game).play(until=lambda g: g.state.hand.number == 1)
    replica = table.replica()
    assert replica.state.phase is Phase.BETWEEN and replica.state.ledger.chips == {0: 10, 1: 9, 2: 9}
    assert replica.state.ledger.held[0].gains == {0: 2}
    for seat in range(3):
        opened(table, replica, seat)
    assert not replica.state.disclosures and replica.state.ledger.chips[0] == 10, "it counts when the next hand begins"


def test_a_seat_that_owes_a_book_is_not_dealt_in(game: Make) -> None:
    table = books(game).play(until=lambda g: g.state.hand.number == 1)
    replica = table.replica()
    begin = next(id for id, d in replica.state.duties.of_seat(0).items() if d.duty.kind == TableDuty.BEGIN)
    with pytest.raises(EntryRefused, match="owes a disclosure"):
        replica.append(table.by_hand(0, Begin(begin, bytes(32)), replica))


def test_nobody_is_hurried_over_a_book(game: Make) -> None:
    """The first to open its book once wrote `without` of the rest in the same burst, and an honest seat was named."""
    table = books(game).play(until=lambda g: g.state.hand.number == 1)
    replica = table.replica()
    opened(table, replica, 0)
    duty = next(id for id, d in replica.state.duties.of_seat(1).items() if d.duty.kind == TableDuty.BOOK)
    for body in (Without((duty,)), Break(duty)):
        with pytest.raises(EntryRefused):
            replica.append(table.by_hand(0, body, replica))
    assert not replica.state.faults


def test_a_book_is_never_too_late(game: Make) -> None:
    """It stays due over later hands; until then the gain is held, and at the end it goes back."""
    table = books(game, seats=4, hands=3)
    table.play(until=lambda g: g.state.hand.number == 1)
    table.silent = {0}
    late = table.tape(0).seed
    for data in table.due():
        table.order(data)
    for seat in (1, 2, 3):
        table.order(table.seats[seat].vote_skip({0}))
    table.play(until=lambda g: g.state.hand.number == 2)
    replica = table.replica()
    assert replica.state.ledger.held[0].gains == {0: 3} and (0 in replica.state.disclosures[0].owing)
    opened(table, replica, 0, late)
    assert 0 in replica.state.ledger.held[0].covered and not replica.state.faults


def test_a_false_book_names_its_seat_and_leaves_no_result(game: Make) -> None:
    """A hand whose books named a cheater once stayed a result."""
    table = books(game, liars={1: {(1, "shuffle"): fixed_shuffle}}, hands=1)
    table.play(until=lambda g: g.state.hand.number == 1)
    replica = table.replica()
    for seat in (0, 2, 1):
        opened(table, replica, seat)
    assert [(fault.seat, fault.check) for fault in replica.state.faults] == [(1, "book")]
    assert replica.state.chronicle.records[0].void is not None and not replica.state.results
    assert replica.state.ledger.chips == {0: 11, 1: 9, 2: 10}


def test_another_seed_than_the_one_committed_to_is_a_false_book(game: Make) -> None:
    table = books(game).play(until=lambda g: g.state.hand.number == 1)
    replica = table.replica()
    opened(table, replica, 2, bytes(32))
    assert [fault.seat for fault in replica.state.faults] == [2] and 2 in replica.state.expelled


def test_a_gain_that_was_never_covered_is_marked_in_the_report_also_after_the_end(game: Make) -> None:
    table = books(game, hands=1).play(until=lambda g: g.state.hand.number == 1)
    replica = table.replica()
    for seat in (1, 2):
        opened(table, replica, seat)
    for seat in range(3):
        duty = next(id for id, d in replica.state.duties.of_seat(seat).items() if d.duty.kind == TableDuty.END)
        replica.append(table.by_hand(seat, End(duty), replica))
    assert replica.state.phase is Phase.ENDED and replica.state.ledger.chips == {0: 10, 1: 10, 2: 10}
    document = Report("clean", state=replica.state).as_json()
    assert document["results"][0]["held"] == {"0": 2} and document["unchecked"] == [{"hand": 1, "seat": 0}]
