"""Attacks on the law that worked once: crossings, logs that a lazy reader takes back, seats that come again."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from conformance.clear import SHARE_BYTES, ClearDeck, ClearProtocol, ShareMessage, bad_dealt_share, bad_proof
from conformance.games import TinyRules
from conformance.harness import Game, choose_reversed, people
from nodealer.cards.operations import Look
from nodealer.engine import replica as replicas
from nodealer.engine.bodies import Agree, Begin, Body, Cards, Leave, Newcomer, Propose, Without
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Outcome, Replica
from nodealer.engine.rosters import proposal_id
from nodealer.engine.seat import Seat
from nodealer.errors import BadSignature, CardUnreadable, EntryRefused, IllegalMove
from nodealer.games.holdem import Call, Holdem, Muck
from nodealer.games.holdem.hand import Hand
from nodealer.group import group
from nodealer.log.entry import read_entry, sign_entry
from nodealer.log.roster import Roster, member_of, newcomer_signed_bytes
from nodealer.protocols.base import Duty
from nodealer.wire import decode, encode

Make = Callable[..., Game]


def between(game: Make, seats: int = 3) -> Game:
    """After the first hand, before anybody has begun the next."""
    table = game(TinyRules(stake=10, deck_max=12), seats=seats, hands=3)
    return table.play(until=lambda g: g.state.hand.number == 1)


def begin_duty(replica: Replica, seat: int) -> bytes:
    return next(id for id, known in replica.state.duties.of_seat(seat).items() if known.duty.kind == "begin")


def begun(table: Game, replica: Replica, seat: int) -> bytes:
    return table.by_hand(seat, Begin(begin_duty(replica, seat), bytes(32)), replica)


# --- Honest statements that cross with what makes them needless ---


def test_the_vote_that_comes_after_enough_others_is_not_refused(game: Make) -> None:
    """A refused number is used up: the seat that said it could never say anything again."""
    table = between(game, seats=5)
    replica = table.replica()
    votes = [table.by_hand(seat, Without((begin_duty(replica, 4),)), replica) for seat in range(4)]
    assert [replica.append(data).outcome for data in votes] == [Outcome.ACCEPTED] * 3 + [Outcome.DROPPED]
    assert replica.state.gone == {4}
    assert replica.append(begun(table, replica, 3)).outcome is Outcome.ACCEPTED


@pytest.mark.parametrize("times", [1, 2])
def test_a_vote_that_crosses_with_a_begin_and_a_leaving_is_not_refused(game: Make, times: int) -> None:
    table = between(game, seats=4)
    replica = table.replica()
    late = table.by_hand(0, Without((begin_duty(replica, 3),)), replica)
    for _ in range(times):
        replica.append(begun(table, replica, 3))
        replica.append(table.by_hand(3, Leave(), replica))
    assert replica.append(late).outcome is Outcome.DROPPED


def roster_back_and_forth(table: Game, replica: Replica) -> None:
    """Two of three take the third from the roster and bring it back, before the next hand."""
    everybody = replica.state.roster
    pair = Roster(everybody.members[:2])
    for by, roster in ((0, pair), (1, everybody)):
        hand = replica.state.hand.number
        replica.append(table.by_hand(by, Propose(roster, ()), replica))
        replica.append(table.by_hand(1 - by, Agree(proposal_id(roster, by, hand)), replica))
        assert replica.state.roster == roster


def test_a_begin_that_crosses_with_two_rosters_is_not_refused(game: Make) -> None:
    table = between(game)
    replica = table.replica()
    late = begun(table, replica, 2)
    roster_back_and_forth(table, replica)
    assert replica.append(late).outcome is Outcome.DROPPED


def test_a_seat_begins_again_when_its_roster_is_back(game: Make) -> None:
    table = between(game)
    for data in table.due():
        if table.signer(data) == 2:
            table.order(data)
    replica = table.replica()
    height = replica.height
    roster_back_and_forth(table, replica)
    for data in replica.entries[height:]:
        table.seats[2].receive(data)
    assert [read_entry(data).entry.seat for data in table.seats[2].answer_duties()] == [2], (
        "whoever had begun begins again"
    )


# --- A fault of a seat that was gone and has begun again ---


def test_a_seat_at_fault_is_not_dealt_in_though_it_had_come_back(game: Make) -> None:
    table = between(game, seats=4)
    replica = table.replica()
    replica.append(table.by_hand(3, Leave(), replica))
    replica.append(begun(table, replica, 3))
    last = read_entry(replica.entries[-1]).entry
    other = sign_entry(table.persons[3].key, msgspec.structs.replace(last, body=msgspec.Raw(encode(Leave()))))
    assert replica.append(other).outcome is Outcome.FAULT
    for seat in range(3):
        replica.append(begun(table, replica, seat))
    assert replica.state.phase is Phase.PLAYING
    assert replica.state.hand.game is not None and replica.state.hand.game.players == (0, 1, 2)
    assert 3 in replica.state.gone


# --- Choices that are on their way when a seat claims ---


def test_a_claim_that_follows_a_message_on_its_way_names_nobody_honest(
    game: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The book that a claim opens must hold for what its seat has said, though the log does not have it yet."""
    monkeypatch.setattr(ClearDeck, "_readable", lambda deck: True)
    liars = {1: {(1, "share"): bad_dealt_share}}
    table = game(TinyRules(peek=Look.REORDER), liars=liars, decide=lambda seat, duty: seat.move({"show": False}))
    table.play(until=lambda g: any(known.duty.kind == "arrange" for known in g.state.duties.open.values()))
    seat = table.seats[0]
    (duty,) = seat.pending_choices
    choose_reversed(seat, duty)
    with pytest.raises(CardUnreadable) as caught:
        seat.known_cards()
    sent = [*seat.answer_duties(), seat.dispute(caught.value)]
    for data in sent:
        table.order(data)
    assert not table.state.faults and table.state.disclosures[0].owing == {1, 2}


# --- What a lazy reader takes back ---


@pytest.fixture
def believed(game: Make, monkeypatch: pytest.MonkeyPatch) -> Game:
    """A hand in which seat 1 lied, and everybody believed it."""
    table = game(TinyRules(stake=10, deck_max=12), seats=4, hands=2, liars={1: {(1, "key"): bad_proof}})
    with monkeypatch.context() as patch:
        patch.setattr(replicas, "settle", lambda checks, entropy: None)
        return table.play(until=lambda g: g.state.hand.number == 1)


def outcome(replica: Replica, data: bytes) -> str:
    try:
        return replica.append(data).outcome.value
    except (EntryRefused, BadSignature) as error:
        return type(error).__name__


def readers(table: Game) -> tuple[Replica, Replica]:
    """One that looks at every proof at once, and one that looks when it has to."""
    return Replica(table.config, entropy=table.source), Replica(table.config, entropy=table.source, eager=False)


def test_a_newcomer_of_a_roster_that_was_taken_back_is_nobody(believed: Game) -> None:
    """The false proof is found when the roster comes into force: its newcomer was never there."""
    eager, lazy = readers(believed)
    for data in believed.log:
        lazy.append(data)
        outcome(eager, data)
    person = people(5, believed.source)[4]
    member = member_of(person.key, 4, "Dana")
    roster = Roster((*lazy.state.roster.members, member))
    words = newcomer_signed_bytes(believed.config.session.id, roster.digest, member)
    proposal = Propose(roster, (Newcomer(4, person.key.sign(words)),))
    agreement = Agree(proposal_id(roster, 1, 1))
    said: list[tuple[int, Body]] = [(1, proposal), (2, agreement), (3, agreement)]
    for seat, body in said:
        data = believed.by_hand(seat, body, lazy)
        outcome(eager, data)
        lazy.append(data)
    assert lazy.state.expelled == {1} and 4 not in lazy.state.all_members
    believed.persons.append(person)
    data = believed.by_hand(4, Leave(), lazy)
    assert outcome(eager, data) == outcome(lazy, data) == "BadSignature"
    assert eager.digest() == lazy.digest()


@pytest.mark.parametrize("again", [False, True])
def test_a_number_that_was_taken_back_can_be_used_again(believed: Game, again: bool) -> None:
    """The first of two entries with one number was never part of the log: no reader names anybody for the second."""
    eager, lazy = readers(believed)
    for data in believed.log:
        lazy.append(data)
        refused = outcome(eager, data)
        if refused in ("EntryRefused", "SawAnother") and believed.signer(data) != 1:
            break
    seat, first = believed.signer(data), read_entry(data).entry
    other = data if again else believed.by_hand(seat, Leave(), eager)
    assert read_entry(other).entry.seq == first.seq
    assert outcome(eager, other) == outcome(lazy, other) == (refused if again else "accepted")
    lazy.settle()
    assert eager.digest() == lazy.digest() and eager.state.expelled == {1}


# --- After a hand without a result ---


def bad_share_of_four(message: bytes) -> bytes:
    """A false share in the deal to the two others, and nowhere else."""
    shares = decode(ShareMessage, message, what="the share message").shares
    return bad_dealt_share(message) if len(shares) == 4 * SHARE_BYTES else message


def call_or_muck(seat: Seat, duty: Duty) -> bytes:
    hand = seat.replica.state.hand.game
    assert isinstance(hand, Hand)
    return seat.move(Call() if hand.legal(seat.number).call is not None else Muck())


def test_hold_em_goes_on_after_a_claim() -> None:
    """The hand that was disputed was asked for the button as if it were over, and every reader of the log stopped."""
    liar = ClearProtocol(group(), lies={(1, "share"): bad_share_of_four})
    table = Game(ClearProtocol(group()), Holdem(200), hands=2, decide=call_or_muck, liars={1: liar})
    table.play(until=lambda g: any(known.is_move for known in g.state.duties.open.values()))
    with pytest.raises(CardUnreadable) as caught:
        table.seats[2].known_cards()
    table.order(table.seats[2].dispute(caught.value))
    table.play()
    assert table.state.expelled == {1} and table.state.phase is Phase.ENDED
    assert [record.void is None for record in table.state.chronicle.records] == [False, True]
    assert sum(table.state.ledger.chips.values()) == 600


# --- A seat that comes back after it had taken something back ---


def test_a_seat_comes_back_to_a_log_with_what_a_liar_went_on_to_say(game: Make) -> None:
    """Its journal names a head that the log has only once the false proof is found."""
    table = game(TinyRules(stake=10, deck_max=12), seats=4)
    table.play(until=lambda g: any(known.duty.kind == "key" for known in g.state.duties.open.values()))
    honest = [data for seat in (0, 2, 3) for data in table.seats[seat].answer_duties()]
    liar = table.replica(eager=False)
    duty = next(known.duty for known in liar.state.duties.of_seat(1).values() if known.duty.kind == "key")
    false = bad_proof(liar.state.hand.decks[0].message(duty, table.tape(1)))
    said = [table.by_hand(1, Cards(duty.id, msgspec.Raw(false)), liar)]
    liar.append(said[0])
    said.append(table.by_hand(1, Leave(), liar))
    carried = [*table.log, *said, *honest]
    for data in carried[len(table.log) :]:
        table.seats[0].receive(data)
    assert table.seats[0].answer_duties(), "it goes on without the liar"
    again = table.seat(table.persons[0], carried)
    assert again.replica.digest() == table.seats[0].replica.digest()


def test_a_seat_proposes_and_agrees_to_nothing_while_its_own_words_are_on_their_way(game: Make) -> None:
    """A second proposal, or an agreement after an end, would be refused, and the number would be used up."""
    table = between(game)
    pair = Roster(table.state.roster.members[:2])
    table.order(table.seats[1].propose_roster(pair))
    table.seats[0].propose_roster(table.state.roster)
    table.seats[2].stays = False
    assert table.seats[2].answer_duties()
    with pytest.raises(IllegalMove, match="on its way"):
        table.seats[0].propose_roster(table.state.roster)
    with pytest.raises(IllegalMove, match="on its way"):
        table.seats[2].agree_to_roster(proposal_id(pair, 1, 1))
