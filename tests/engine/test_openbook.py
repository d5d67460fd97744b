"""The open-book audit: who opens, when, what counts until then, and who is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from conformance.clear import bad_dealt_share, bad_opened_share, fixed_shuffle
from conformance.games import TinyRules
from conformance.harness import Game, refusal, stands
from conformance.suite import dealt, decoded_strings, eager_and_lazy_agree
from nodealer.cards.operations import Look
from nodealer.engine.bodies import Begin, Book, Break, Choice, Claim, Without
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Outcome, Replica
from nodealer.errors import CardUnreadable, EntryRefused, IllegalMove
from nodealer.tape import hand_tape
from nodealer.wire import encode

Make = Callable[..., Game]


def disputed(make: Make, liar: int = 1, rules: TinyRules | None = None, **options: object) -> Game:
    """A table at which a seat got a false share and has claimed so."""
    table = make(rules, liars={liar: {(liar, "share"): bad_dealt_share}}, **options).play(until=dealt)
    victim = 0 if liar != 0 else 1
    with pytest.raises(CardUnreadable) as caught:
        table.seats[victim].known_cards()
    table.order(table.seats[victim].dispute(caught.value))
    return table


def seeds_in_log(table: Game) -> set[int]:
    text = b"".join(decoded_strings(table.log))
    return {seat for seat in range(len(table.persons)) if table.tape(seat).seed in text}


def false_entry(table: Game, seat: int, word: bytes) -> int:
    return next(n for n, data in enumerate(table.log) if table.signer(data) == seat and word in data)


def test_the_false_share_is_named(game: Make) -> None:
    for liar in range(3):
        table = disputed(game, liar)
        victim = 0 if liar != 0 else 1
        assert seeds_in_log(table) == {victim}, "the claimant first"
        assert stands(table, Phase.BETWEEN) and table.state.disclosures[0].owing == {0, 1, 2} - {victim}
        (record,) = table.state.chronicle.records
        assert record.void is not None and "does not open" in record.void and table.state.results == ()
        table.play()
        (fault,) = table.state.faults
        assert fault.seat == liar and fault.entry == false_entry(table, liar, b'"shares"')
        assert "share" in fault.reason and fault.check == "book"
        assert stands(table, Phase.ENDED) and table.state.expelled == {liar} and not table.state.disclosures
        assert seeds_in_log(table) == {0, 1, 2}
        eager_and_lazy_agree(table)


def test_a_card_that_should_open_for_all(game: Make) -> None:
    """A false share in a public opening: the table waits, any seat may claim, the liar is named."""
    for claimant in (0, 1):
        table = game(liars={2: {(2, "share"): bad_opened_share}}).play()
        assert stands(table, Phase.PLAYING) and not table.state.duties.open
        with pytest.raises(CardUnreadable) as caught:
            table.seats[claimant].known_cards()
        assert caught.value.position == 3
        table.order(table.seats[claimant].dispute(caught.value))
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
        assert not twin.state.disclosures, "nobody else opens"
        assert twin.state.phase is Phase.PLAYING and twin.state.expelled == {1}, "and the others play on"


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
        table.seats[0].known_cards()
    late = table.seats[0].dispute(caught.value)
    replica = table.replica()
    forgetful = replica.state.hand.decks[0].places
    # As if an operation had finished meanwhile that takes the card out of the seat's hand.
    deck = replace(replica.state.hand.decks[0], places=replace(forgetful, held={}))  # type: ignore[type-var]
    replica.state = replica.state.with_hand(decks={0: deck})
    assert replica.append(late).outcome is Outcome.ACCEPTED
    assert replica.state.disclosures[0].owing == {1, 2}


def test_a_false_book(game: Make) -> None:
    """The seed that is opened must be the one that was committed to."""
    table = disputed(game)
    replica = table.replica()
    duty = book_duties(replica)[2]
    assert replica.append(table.by_hand(2, Book(duty, bytes(32), ()), replica)).outcome is Outcome.FAULT
    assert replica.state.fault is not None and replica.state.fault.seat == 2
    assert replica.state.disclosures[0].owing == {1}, "what the others owe is still owed"


def book_duties(replica: Replica) -> dict[int, bytes]:
    open_duties = replica.state.duties.open.items()
    return {known.duty.seat: id for id, known in open_duties if known.duty.kind == "book"}


def test_a_book_is_never_too_late(game: Make) -> None:
    """Silence is no fault. Who owes a book is not dealt in; the others play on; what it opens in the end names it."""
    table = disputed(game, rules=TinyRules(stake=10), hands=2)
    table.silent = {1}
    for data in table.due():
        table.order(data)
    assert table.state.disclosures[0].owing == {1} and not table.state.faults
    liar = table.by_hand(1, begin_of(table), table.replica())
    answer = refusal(table.replica(), liar)
    assert isinstance(answer, EntryRefused) and "owes a disclosure" in answer.reason
    for seat in (0, 2):
        table.order(table.seats[seat].vote_skip([1]))
    assert stands(table, Phase.PLAYING) and table.state.gone == {1} and table.state.hand.binding.players == (0, 2)
    replica = table.replica()
    book = Book(book_duties(replica)[1], table.tape(1).seed, ())
    assert replica.append(table.by_hand(1, book, replica)).outcome is Outcome.FAULT
    assert replica.state.expelled == {1} and replica.state.phase is Phase.PLAYING
    # Or it never opens: nobody is named, and its bet goes to the others in the end.
    table.play()
    assert stands(table, Phase.ENDED) and not table.state.faults and table.state.disclosures[0].owing == {1}
    assert len(table.state.results) == 1 and table.state.chronicle.records[0].void is not None
    assert sum(table.state.ledger.chips.values()) == 30 and table.state.ledger.chips[1] == 9
    assert seeds_in_log(table) == {0, 2}
    eager_and_lazy_agree(table)


def test_a_person_is_asked_before_its_book_is_opened(game: Make) -> None:
    """It says nothing until it is told to, and does not begin: then its part is unchecked, and nobody is named."""
    table = disputed(game, rules=TinyRules(stake=10), hands=2)
    asked = table.seats[2]
    with pytest.raises(IllegalMove, match="no disclosure of this seat"):
        table.seats[0].disclose()
    asked.asks_before_disclosing = True
    assert list(asked.hands_to_disclose) == [0] and asked.answer_duties() == []
    for data in table.due():
        table.order(data)
    assert table.state.disclosures[0].owing == {2} and table.state.expelled == {1}
    for data in asked.disclose():
        table.order(data)
    assert not asked.hands_to_disclose and not table.state.disclosures
    table.play()
    assert stands(table, Phase.ENDED) and len(table.state.results) == 1 and seeds_in_log(table) == {0, 1, 2}
    # A hand that ends with books by agreement asks nobody.
    routine = game(TinyRules(stake=10), {"open_book_at_end": True})
    for seat in routine.seats.values():
        seat.asks_before_disclosing = True
    assert stands(routine.play(), Phase.ENDED) and not routine.state.disclosures


def begin_of(table: Game) -> Begin:
    open_duties = table.state.duties.of_seat(1).items()
    return Begin(next(id for id, known in open_duties if known.duty.kind == "begin"), bytes(32))


def test_nobody_is_named_for_a_book(game: Make) -> None:
    """Neither `without` nor `break` applies to one, whoever says it: nobody can hurry an honest seat out."""
    table = disputed(game)
    replica = table.replica()
    for seat, duty in book_duties(replica).items():
        for other in {0, 1, 2} - {seat}:
            for body in (Without((duty,)), Break(duty)):
                answer = refusal(replica, table.by_hand(other, body, replica))
                assert isinstance(answer, EntryRefused) and "no one is waiting for" in answer.reason
    honest = table.seats[2].answer_duties()[0]
    assert replica.append(honest).outcome is Outcome.ACCEPTED
    assert replica.state.fault is None and not replica.state.gone


def test_a_seat_that_left_owes_its_book_too(game: Make) -> None:
    """The liar is gone before the dispute: the others are honest, and nobody is named until it opens."""
    table = game(liars={1: {(1, "share"): bad_dealt_share}}).play(until=dealt)
    table.order(table.seats[1].leave())
    with pytest.raises(CardUnreadable) as caught:
        table.seats[0].known_cards()
    table.order(table.seats[0].dispute(caught.value))
    table.silent = {1}
    table.play()
    assert stands(table, Phase.ENDED) and not table.state.faults and table.state.results == ()
    assert seeds_in_log(table) == {0, 2} and table.state.disclosures[0].owing == {1}
    replica = table.replica()
    book = Book(book_duties(replica)[1], table.tape(1).seed, ())
    assert replica.append(table.by_hand(1, book, replica)).outcome is Outcome.FAULT
    assert replica.state.fault is not None and replica.state.fault.seat == 1
    assert replica.state.phase is Phase.ENDED and replica.state.ledger == table.state.ledger


def test_entries_on_their_way_when_books_open_are_dropped(game: Make) -> None:
    table = game(TinyRules(together=True), liars={1: {(1, "share"): bad_dealt_share}}).play(until=dealt)
    move = table.seats[2].move({"show": True})
    with pytest.raises(CardUnreadable) as caught:
        table.seats[0].known_cards()
    table.order(table.seats[0].dispute(caught.value))
    assert table.order(move) is Outcome.DROPPED
    table.play()
    assert table.state.fault is not None and table.state.fault.seat == 1


# --- Private choices ---


def test_choices_are_in_the_book(game: Make) -> None:
    table = game(TinyRules(peek=Look.REORDER), protocol={"open_book_at_end": True}, hands=2).play()
    assert stands(table, Phase.ENDED) and table.state.fault is None
    books = [data for data in table.log if b'"type":"book"' in data]
    assert len(books) == 6 and sum(b'"choice"' in data for data in books) == 2
    assert seeds_in_log(table) == {0, 1, 2}


@pytest.mark.parametrize("choices", ["none", "other", "garbage"])
def test_a_book_without_its_choice_is_false(game: Make, choices: str) -> None:
    """And it names the one whose book it is, whenever it is opened."""
    table = game(TinyRules(peek=Look.REORDER), protocol={"open_book_at_end": True})
    table.play(until=lambda g: bool(g.state.disclosures))
    replica = table.replica()
    duty = book_duties(replica)
    deed = next(deed for _, deed in replica.state.disclosures[0].messages.items() if deed.duty.kind == "arrange")
    order = list(reversed(json.loads(deed.message)["positions"]))
    lie = {"none": (), "other": (Choice(deed.duty.id, encode(order)),), "garbage": (Choice(deed.duty.id, b"\xff"),)}
    outcomes = {
        seat: replica.append(
            table.by_hand(seat, Book(duty[seat], table.tape(seat).seed, lie[choices] if seat == 0 else ()), replica)
        ).outcome
        for seat in (1, 0, 2)
    }
    assert outcomes == {1: Outcome.ACCEPTED, 0: Outcome.FAULT, 2: Outcome.ACCEPTED}
    (fault,) = replica.state.faults
    assert (fault.seat, fault.entry) == (0, deed.entry)
    assert replica.state.results == () and not replica.state.disclosures


def test_a_hand_left_as_it_was_is_found_at_the_end(game: Make) -> None:
    """Not shuffling is seen by nobody until the books are open."""
    table = game(protocol={"open_book_at_end": True}, liars={1: {(1, "shuffle"): fixed_shuffle}})
    table.play(until=lambda g: bool(g.state.disclosures))
    assert len(table.state.results) == 1 and table.state.disclosures[0].owing == {0, 1, 2}
    table.play()
    (fault,) = table.state.faults
    assert (fault.seat, fault.entry) == (1, false_entry(table, 1, b'"commitments"'))
    assert not len(table.state.results), "then nothing of the hand counts"
    assert table.state.chronicle.records[0].void == "seat 1 was found at fault by its book"
    eager_and_lazy_agree(table)


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
