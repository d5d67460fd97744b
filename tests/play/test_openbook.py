"""The open-book audit: who opens, in which order, and who is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from conformance.clear import bad_dealt_share, bad_opened_share, fixed_shuffle
from conformance.games import TinyRules
from conformance.harness import Game
from conformance.suite import dealt, decoded_strings, eager_and_lazy_agree
from nodealer.cards import Look
from nodealer.errors import CardUnreadable
from nodealer.play.bodies import Book, Choice, Claim, Without
from nodealer.play.phases import Phase
from nodealer.play.replica import Outcome
from nodealer.tape import hand_tape
from nodealer.wire import encode

Make = Callable[..., Game]


def disputed(make: Make, liar: int = 1, **options: object) -> Game:
    """A table at which a seat got a false share and has claimed so."""
    table = make(liars={liar: {(liar, "share"): bad_dealt_share}}, **options).play(until=dealt)
    victim = 0 if liar != 0 else 1
    with pytest.raises(CardUnreadable) as caught:
        table.seats[victim].cards()
    table.order(table.seats[victim].claim(caught.value))
    return table


def seeds_in_log(table: Game) -> set[int]:
    text = b"".join(decoded_strings(table.log))
    return {seat for seat in range(len(table.persons)) if table.tape(seat).seed in text}


def false_entry(table: Game, seat: int, word: bytes) -> int:
    return next(n for n, data in enumerate(table.log) if table.signer(data) == seat and word in data)


def test_the_false_share_is_named(game: Make) -> None:
    for liar in range(3):
        table = disputed(game, liar)
        assert table.state.phase is Phase.BOOKS
        assert seeds_in_log(table) == {0 if liar != 0 else 1}, "the claimant first"
        table.play()
        fault = table.state.fault
        assert fault is not None and fault.seat == liar and fault.entry == false_entry(table, liar, b'"shares"')
        assert "share" in fault.reason
        assert seeds_in_log(table) == {0, 1, 2}
        eager_and_lazy_agree(table)


def test_a_card_that_should_open_for_all(game: Make) -> None:
    """A false share in a public opening: the table waits, any seat may claim, the liar is named."""
    for claimant in (0, 1):
        table = game(liars={2: {(2, "share"): bad_opened_share}}).play()
        assert table.state.phase is Phase.PLAYING and not table.state.duties.open
        with pytest.raises(CardUnreadable) as caught:
            table.seats[claimant].cards()
        assert caught.value.position == 3
        table.order(table.seats[claimant].claim(caught.value))
        table.play()
        assert table.state.fault is not None and table.state.fault.seat == 2
        eager_and_lazy_agree(table)


def test_a_false_claim_names_the_claimant_and_nobody_opens(game: Make) -> None:
    table = game().play(until=dealt)
    replica = table.replica()
    lies = [Claim(0, position, table.tape(1).seed, ()) for position in range(6)]
    lies += [Claim(3, 0, table.tape(1).seed, ()), Claim(0, 99, table.tape(1).seed, ())]
    for lie in lies:
        twin = table.replica()
        assert twin.append(table.by_hand(1, lie, twin)).outcome is Outcome.FAULT
        assert twin.state.fault is not None and (twin.state.fault.seat, twin.state.fault.entry) == (1, replica.height)
        text = b"".join(decoded_strings(twin.entries))
        assert table.tape(1).seed in text
        assert table.tape(0).seed not in text and table.tape(2).seed not in text
        assert not twin.state.duties.open, "nobody else opens"


def test_a_claim_with_another_seed(game: Make) -> None:
    table = disputed_without_claim(game)
    replica = table.replica()
    assert replica.append(table.by_hand(0, Claim(0, 0, bytes(32), ()), replica)).outcome is Outcome.FAULT
    assert replica.state.fault is not None and replica.state.fault.seat == 0
    assert "committed" in replica.state.fault.reason


def disputed_without_claim(make: Make) -> Game:
    return make(liars={1: {(1, "share"): bad_dealt_share}}).play(until=dealt)


def test_a_true_claim_about_the_wrong_card(game: Make) -> None:
    table = disputed_without_claim(game)
    for deck, position in ((0, 1), (1, 0), (0, 3)):
        replica = table.replica()
        assert (
            replica.append(table.by_hand(0, Claim(deck, position, table.tape(0).seed, ()), replica)).outcome
            is Outcome.FAULT
        )
        assert replica.state.fault is not None and replica.state.fault.seat == 0


def test_a_claimant_that_lied_itself(game: Make) -> None:
    """Two liars: the claimant's own false message is found in its own book, and nobody else opens."""
    table = game(liars={1: {(1, "share"): bad_dealt_share}, 2: {(2, "shuffle"): fixed_shuffle}}).play(until=dealt)
    replica = table.replica()
    seed = table.tape(2).seed
    assert replica.append(table.by_hand(2, Claim(0, 2, seed, ()), replica)).outcome is Outcome.FAULT
    fault = replica.state.fault
    assert fault is not None and fault.seat == 2 and fault.entry == false_entry(table, 2, b'"commitments"')


def test_a_claim_is_judged_by_what_its_seat_saw(game: Make) -> None:
    """The card may be gone when the claim arrives: it was unreadable where the claimant stood, and that counts."""
    table = game(
        TinyRules(discard=False),
        liars={1: {(1, "share"): bad_dealt_share}},
        decide=lambda seat, duty: seat.move({"show": False}),
    ).play(until=dealt)
    with pytest.raises(CardUnreadable) as caught:
        table.seats[0].cards()
    late = table.seats[0].claim(caught.value)
    replica = table.replica()
    forgetful = replica.state.hand.decks[0].places
    # As if an operation had finished meanwhile that takes the card out of the seat's hand.
    deck = replace(replica.state.hand.decks[0], places=replace(forgetful, held={}))  # type: ignore[type-var]
    replica.state = replica.state.with_hand(decks={0: deck})
    assert replica.append(late).outcome is Outcome.ACCEPTED
    assert replica.state.phase is Phase.BOOKS


def test_a_false_book(game: Make) -> None:
    """The seed that is opened must be the one that was committed to."""
    table = disputed(game)
    replica = table.replica()
    duty = next(id for id, d in replica.state.duties.open.items() if d.duty.seat == 2)
    assert replica.append(table.by_hand(2, Book(duty, bytes(32), ()), replica)).outcome is Outcome.FAULT
    assert replica.state.fault is not None and replica.state.fault.seat == 2


def test_silence_counts_as_a_fault_here(game: Make) -> None:
    table = disputed(game)
    table.silent = {1}
    table.play()
    assert table.state.phase is Phase.BOOKS
    table.order(table.seats[0].without([1]))
    table.order(table.seats[2].without([1]))
    fault = table.state.fault
    assert fault is not None and fault.seat == 1 and "silent" in fault.reason


def test_nobody_is_called_silent_by_one_who_is(game: Make) -> None:
    """A liar that has not opened its own book cannot make others the silent ones, alone or with what it says of all."""
    table = disputed(game)
    replica = table.replica()
    for named in ((0,), (2,), (0, 2)):
        assert replica.append(table.by_hand(1, Without(named), replica)).outcome is Outcome.DROPPED
    assert replica.state.phase is Phase.BOOKS
    # Nor does the claimant count as silent, whose book is open.
    honest = table.seats[2].due()[0]
    assert replica.append(honest).outcome is Outcome.ACCEPTED
    assert replica.append(table.by_hand(2, Without((0, 1)), replica)).outcome is Outcome.DROPPED
    assert replica.state.fault is None


def test_a_seat_that_left_is_not_replayed(game: Make) -> None:
    """The liar is gone before the dispute: nobody opens for it, all others are honest, and nobody is named."""
    table = game(liars={1: {(1, "share"): bad_dealt_share}}).play(until=dealt)
    for seat in (0, 2):
        table.order(table.seats[seat].without([1]))
    with pytest.raises(CardUnreadable) as caught:
        table.seats[0].cards()
    table.order(table.seats[0].claim(caught.value))
    table.silent = {1}
    table.play()
    assert table.state.phase is Phase.STOPPED
    assert table.state.fault is not None and table.state.fault.seat is None
    assert seeds_in_log(table) == {0, 2}


def test_entries_on_their_way_when_books_open_are_dropped(game: Make) -> None:
    table = game(TinyRules(together=True), liars={1: {(1, "share"): bad_dealt_share}}).play(until=dealt)
    move = table.seats[2].move({"show": True})
    with pytest.raises(CardUnreadable) as caught:
        table.seats[0].cards()
    table.order(table.seats[0].claim(caught.value))
    assert table.order(move) is Outcome.DROPPED
    table.play()
    assert table.state.fault is not None and table.state.fault.seat == 1


# --- Private choices ---


def test_choices_are_in_the_book(game: Make) -> None:
    table = game(TinyRules(peek=Look.REORDER), protocol={"open_book_at_end": True}, hands=2).play()
    assert table.state.phase is Phase.ENDED and table.state.fault is None
    books = [data for data in table.log if b'"type":"book"' in data]
    assert len(books) == 6 and sum(b'"choice"' in data for data in books) == 2
    assert seeds_in_log(table) == {0, 1, 2}


@pytest.mark.parametrize("choices", ["none", "other", "garbage"])
def test_a_book_without_its_choice_is_false(game: Make, choices: str) -> None:
    """And it names the one whose book it is, whoever opens last."""
    table = game(TinyRules(peek=Look.REORDER), protocol={"open_book_at_end": True})
    table.play(until=lambda g: g.state.phase is Phase.BOOKS)
    replica = table.replica()
    duty = {d.duty.seat: id for id, d in replica.state.duties.open.items()}
    deed = next(deed for _, deed in replica.state.hand.deeds.items() if deed.duty.kind == "arrange")
    order = list(reversed(json.loads(deed.message)["positions"]))
    lie = {"none": (), "other": (Choice(deed.duty.id, encode(order)),), "garbage": (Choice(deed.duty.id, b"\xff"),)}
    assert (
        replica.append(table.by_hand(0, Book(duty[0], table.tape(0).seed, lie[choices]), replica)).outcome
        is Outcome.ACCEPTED
    )
    for seat in (1, 2):
        outcome = replica.append(table.by_hand(seat, Book(duty[seat], table.tape(seat).seed, ()), replica)).outcome
    assert outcome is Outcome.FAULT
    assert replica.state.fault is not None
    assert (replica.state.fault.seat, replica.state.fault.entry) == (0, deed.entry)


def test_a_hand_left_as_it_was_is_found_at_the_end(game: Make) -> None:
    """Not shuffling is seen by nobody until the books are open."""
    table = game(protocol={"open_book_at_end": True}, liars={1: {(1, "shuffle"): fixed_shuffle}}).play()
    fault = table.state.fault
    assert fault is not None and (fault.seat, fault.entry) == (1, false_entry(table, 1, b'"commitments"'))


def test_one_seed_opens_one_hand(game: Make) -> None:
    """An opened seed says nothing of other hands, other seats or the signing key."""
    table = game(protocol={"open_book_at_end": True}, hands=3).play()
    session = table.config.session.id
    for person in table.persons:
        seeds = {hand: hand_tape(person.root, session=session, seat=person.number, hand=hand).seed for hand in range(3)}
        assert len(set(seeds.values())) == 3
        for hand, seed in seeds.items():
            for other in (hand - 1, hand + 1):
                if other in seeds:
                    # Taken for a root, or for the other hand's seed, it gives nothing of that hand.
                    assert hand_tape(seed, session=session, seat=person.number, hand=other).seed != seeds[other]
            assert seed != person.signing and person.root != seed
    commitments = [data for data in table.log if b'"type":"begin"' in data]
    assert len(commitments) == 9
