"""The seat: what it keeps, what it refuses, and what it never says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from conformance.clear import bad_dealt_share, bad_order, bad_proof
from conformance.games import TinyRules
from conformance.harness import Game, journal_of, statement
from conformance.suite import dealt
from nodealer.cards.operations import Look
from nodealer.engine.replica import Outcome
from nodealer.engine.seat import Seat
from nodealer.errors import CardUnreadable, IllegalMove, JournalLost, LogRolledBack
from nodealer.log.journal import Chosen, MemoryJournal, Record, Sent
from nodealer.log.roster import Roster, member_of
from nodealer.wire import encode

Make = Callable[..., Game]


class BrokenJournal(MemoryJournal):
    def write(self, record: Record) -> None:
        raise OSError("disk full")


def test_nothing_leaves_on_an_unverified_log(game: Make) -> None:
    """A seat that has false data before it says nothing: not even what it had computed already."""
    table = game(liars={0: {(0, "key"): bad_proof}})
    for data in table.step():
        table.order(data)
    for data in table.step():
        table.order(data)
    assert not any(seat.replica.state.faults for seat in table.seats.values()), "nobody has settled anything yet"
    shuffles = table.due()
    assert all(seat.replica.state.expelled == {0} for seat in table.seats.values())
    assert table.state.fault is not None and table.state.fault.seat == 0
    # Of the two that go on, the first shuffles: on the unverified log it would have been the turn of seat 0.
    assert [table.signer(data) for data in shuffles] == [1]


def test_a_seat_at_fault_says_nothing(game: Make) -> None:
    """Its own program knows that nobody would listen, and signs nothing more."""
    table = game(liars={0: {(0, "shuffle"): bad_order}}).play(until=lambda g: bool(g.state.faults))
    liar, before = table.seats[0], table.persons[0].journal.records
    assert liar.answer_duties() == []
    for said in (liar.leave, liar.vote_abort, lambda: liar.vote_skip([1])):
        with pytest.raises(IllegalMove, match="found at fault"):
            said()
    assert table.persons[0].journal.records == before
    with pytest.raises(IllegalMove, match="not waiting for"):
        table.seats[1].vote_skip([0])


def test_nothing_leaves_that_is_not_on_disk(game: Make) -> None:
    table = game()
    seat = table.seat(table.persons[0], journal=BrokenJournal())
    with pytest.raises(OSError, match="disk full"):
        seat.answer_duties()
    assert seat.unconfirmed == ()


def test_a_lost_journal_is_a_dropout(game: Make) -> None:
    """Without its disk a seat would sign numbers a second time. It refuses, at every height after its first entry."""
    table = game().play()
    for person in table.persons:
        first = next(n for n, data in enumerate(table.log) if table.signer(data) == person.number)
        table.seat(person, table.log[:first], MemoryJournal())
        for height in range(first + 1, len(table.log)):
            with pytest.raises(JournalLost, match="not in its journal"):
                table.seat(person, table.log[:height], MemoryJournal())


def test_a_journal_of_another_life(game: Make) -> None:
    """An entry that the log has and the journal has otherwise: somebody else signs with this key."""
    table = game().play(until=lambda g: len(g.log) == 3)
    forged = table.by_hand(0, statement(table.replica(0), 2), table.replica(0))
    with pytest.raises(JournalLost, match="not in its journal"):
        table.seat(table.persons[0], table.log, journal_of([Sent(forged)]))


def test_rollback_after_a_choice(game: Make) -> None:
    """A private choice that is on the disk binds the seat to the log it was made on, before anything was sent."""
    table = game(TinyRules(peek=Look.REORDER)).play(
        until=lambda g: any(d.choice and d.deck == 0 for d in g.seats[0].open_duties)
    )
    seat = table.seats[0]
    duty = next(duty for duty in seat.open_duties if duty.choice)
    top = seat.replica.state.hand.decks[0].places.pile[:2]
    seat.choose(duty, encode(top[::-1]))
    assert isinstance(table.persons[0].journal.records[-1], Chosen)
    for height in range(len(table.log)):
        with pytest.raises(LogRolledBack):
            table.seat(table.persons[0], table.log[:height])
    back = table.seat(table.persons[0], table.log)
    with pytest.raises(IllegalMove, match="already"):
        back.choose(duty, encode(top))
    assert back.answer_duties() == seat.answer_duties() != []


def test_bad_choices_are_not_written_down(game: Make) -> None:
    table = game(TinyRules(peek=Look.REORDER)).play(
        until=lambda g: any(d.choice and d.deck == 0 for d in g.seats[0].open_duties)
    )
    seat, before = table.seats[0], table.persons[0].journal.records
    duty = next(duty for duty in seat.open_duties if duty.choice)
    for choice in (b"", b"{}", b"[0,0]", b"[0]", b"[3,4]", b"[-1,0]", b"null"):
        with pytest.raises(IllegalMove):
            seat.choose(duty, choice)
    with pytest.raises(IllegalMove):
        table.seats[1].choose(duty, b"[0,1]")
    assert table.persons[0].journal.records == before
    assert seat.answer_duties() == [], "nothing is chosen, so nothing is sent"


def test_what_would_be_refused_is_not_signed(game: Make) -> None:
    """A number that is signed is used up, so a seat that signs nonsense could never speak again."""
    table = game().play(until=dealt)
    seat, other = table.seats[0], table.seats[1]
    before = [person.journal.records for person in table.persons]
    attempts: tuple[Callable[[], bytes], ...] = (
        lambda: seat.move({"show": 1}),
        lambda: seat.move({}),
        lambda: seat.move(None),
        lambda: other.move({"show": True}),
        lambda: seat.vote_skip([]),
        lambda: seat.vote_skip([0]),
        lambda: seat.vote_skip([0, 1]),
        lambda: seat.vote_skip([7]),
        lambda: seat.vote_skip([1]),
        lambda: seat.vote_abort(),
        lambda: seat.propose_roster(table.config.session.proposal.roster, {0: bytes(64)}),
        lambda: seat.propose_roster(Roster((*table.state.roster.members[:2], member_of(seat._key, 3, "Dee")))),
        lambda: seat.agree_to_roster(bytes(32)),
        lambda: seat.dispute(CardUnreadable(0, 0, "not true")),
        lambda: seat.dispute(CardUnreadable(9, 0, "no such deck")),
    )
    for wrong in attempts:
        with pytest.raises(IllegalMove):
            wrong()
    assert [person.journal.records for person in table.persons] == before
    table.order(seat.move({"show": False}))


def test_a_bad_roster_is_not_proposed(game: Make) -> None:
    table = game()
    players = table.config.session.proposal.roster.members
    for bad in (Roster(players[:1]), Roster((*players[:2], member_of(table.persons[2].key, 2, ""))), Roster(())):
        with pytest.raises(IllegalMove):
            table.seats[0].propose_roster(bad)
    assert table.persons[0].journal.records == ()


def test_cards(game: Make) -> None:
    table = game().play(until=dealt)
    for number, seat in table.seats.items():
        known = seat.known_cards()
        assert {card.position for card in known} == {number, 3}
    assert len({face for seat in table.seats.values() for face in seat.known_cards().values()}) == 4


def test_a_card_that_does_not_open(game: Make) -> None:
    table = game(liars={1: {(1, "share"): bad_dealt_share}})
    table.play(until=dealt)
    with pytest.raises(CardUnreadable) as caught:
        table.seats[0].known_cards()
    assert (caught.value.deck, caught.value.position) == (0, 0)
    assert isinstance(table.seats[0].dispute(caught.value), bytes)


def test_what_does_not_hang_on_the_unreadable_card_goes_on(game: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A message that cannot be made is not sent, and does not keep the seat from all else that it owes."""
    table = game().play(until=lambda g: any(duty.kind == "share" for duty in g.seats[0].open_duties))

    def unreadable(*args: object) -> bytes:
        raise CardUnreadable(0, 0, "false")

    with monkeypatch.context() as patch:
        patch.setattr("conformance.clear.ClearDeck.message", unreadable)
        assert table.seats[0].answer_duties() == []
    assert len(table.seats[0].answer_duties()) == 1


def test_repeats_and_entries_of_one_log(game: Make) -> None:
    table = game().play(until=dealt)
    for data in table.log:
        for seat in table.seats.values():
            digest = seat.replica.digest()
            assert seat.receive(data).outcome is Outcome.REPEATED
            assert seat.replica.digest() == digest


def test_unconfirmed_keeps_order(game: Make) -> None:
    table = game()
    batch = table.due()
    assert [seat.unconfirmed for seat in table.seats.values()] == [(data,) for data in batch]
    table.order(batch[1])
    assert table.seats[1].unconfirmed == () and table.seats[0].unconfirmed == (batch[0],)
    back = table.seat(table.persons[0], table.log)
    assert back.unconfirmed == (batch[0],) and back.answer_duties() == []


def test_a_seat_holds_what_the_log_cannot(game: Make) -> None:
    table = game()
    assert isinstance(table.seats[0], Seat)
    assert table.persons[0].root.hex() not in repr(vars(table.seats[0].replica))
