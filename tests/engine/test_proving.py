"""Seats prove what their hidden cards are not, at a table: side by side, through leaving, and what cannot be proven."""

from __future__ import annotations

from functools import cache
from typing import Final

import msgspec
import pytest

from backends import FASTEST
from conformance.cases import LASTING
from conformance.harness import Table, forked
from conformance.leaving import fall_silent, leave, scripted
from conformance.suite import ProtocolCase
from nodealer.cards.events import Finished
from nodealer.cards.operations import Deal, NewDeck, NoneOf, Open, Operation, Portion, Prove, Show
from nodealer.client.events import CardOperation
from nodealer.client.narrator import Narrator, proven_claim
from nodealer.engine.bodies import Cards, read_body
from nodealer.engine.duties import OpenDuty
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Outcome
from nodealer.errors import BadParameter, EntryRefused
from nodealer.games.text import Words
from nodealer.group import group as make_group
from nodealer.log.entry import read_entry

SEATS: Final = 3
HANDS: Final = Deal(0, tuple(Portion(seat, 2) for seat in range(SEATS)))
#: Two cards in each hand, one open; and all prove that they do not have it.
BEGUN: Final[tuple[tuple[Operation, ...], ...]] = ((NewDeck(0, 9), HANDS), (Open(0, 1),))
ALL: Final = (*BEGUN, (Prove(0, ()),))

over_cases = pytest.mark.parametrize("case", LASTING, ids=lambda case: case.name)


def table(case: ProtocolCase, *script: tuple[Operation, ...], seed: str = "prove") -> Table:
    return scripted(case, make_group(backend=FASTEST), seed, SEATS, script or ALL)


def owed(game: Table) -> dict[int, OpenDuty]:
    """Who owes a proof."""
    return {one.duty.seat: one for one in game.state.duties.open.values() if one.duty.kind == "exclude"}


def until_owed(game: Table) -> Table:
    return game.play(until=lambda game: bool(owed(game)))  # type: ignore[arg-type]


def held(game: Table, seat: int) -> dict[int, int]:
    """Position to face of a seat's hidden cards."""
    deck = game.state.hand.decks[0]
    return {
        card.position: face
        for card, face in deck.knows(seat, game.tape(seat)).items()
        if deck.places.holder(card.position) == seat and deck.places.face(card.position) is None
    }


@cache
def faces(name: str, seed: str = "prove") -> dict[int, dict[int, int]]:
    """Seat to its cards, as they come with a seed."""
    case = next(case for case in LASTING if case.name == name)
    game = table(case, seed=seed).play(until=lambda game: bool(owed(game)))  # type: ignore[arg-type]
    return {seat: held(game, seat) for seat in range(SEATS)}


def proofs(game: Table) -> list[bytes]:
    """The entries that are proofs."""
    return [data for data in game.log if b'"exclude"' in data]


@over_cases
def test_all_prove_side_by_side(case: ProtocolCase) -> None:
    """All owe at once, and answer one head; nobody waits for another. The game is told once, when all are in."""
    game = until_owed(table(case))
    assert owed(game).keys() == {0, 1, 2} and len({one.duty.anchor for one in owed(game).values()}) == 1
    assert len({one.since for one in owed(game).values()}) == 1
    waiting = game.state
    game.play()
    assert game.state.phase is Phase.ENDED and game.state.fault is None
    said = proofs(game)
    assert len(said) == 3 and len({read_entry(data).entry.seen for data in said}) == 1
    replica, told = game.replica(0), list[object]()
    narrator = Narrator.for_table(game.config, you=0)
    lines = list[str]()
    for data in game.log:
        applied = replica.append(data)
        if data in said:
            assert [check.seat for check in applied.checks] == [game.signer(data)]
            lines += [event.text for event in narrator.describe(applied) if isinstance(event, CardOperation)]
            proof = proven_claim(applied)
            assert proof is not None and proof[1].seat == game.signer(data) and len(proof[1].positions) == 2
        told += [event for event in applied.events if isinstance(event, Finished)]
    (face,) = waiting.hand.decks[0].places.opened.values()
    claims = tuple(NoneOf(seat, tuple(sorted(held)), (face,)) for seat, held in faces(case.name).items())
    assert told[-1] == Finished(Prove(0, claims))
    assert all(line.endswith(f": none of these 2 cards is {face}") for line in lines)
    assert sum("proven, you checked it" in line for line in lines) == 2


@over_cases
def test_any_order_comes_to_the_same(case: ProtocolCase) -> None:
    game = table(case).play()
    said = proofs(game)
    replica = game.replica(len(game.log[: game.log.index(said[0])]))
    digests = set()
    for order in (said, said[::-1], [said[1], said[2], said[0]]):
        twin = forked(replica)
        for data in order:
            assert twin.append(data).outcome is Outcome.ACCEPTED
        twin.settle()
        digests.add(twin.state.hand.decks[0].places.digest() if twin.state.hand.decks else b"")
        assert twin.state.fault is None
    assert len(digests) == 1


# --- What is not so ---


def claim_of(case: ProtocolCase, seat: int, *, true: bool) -> NoneOf:
    mine = faces(case.name)[seat]
    wrong = min(mine.values())
    none_of = {wrong} if not true else set(range(9)) - set(mine.values())
    return NoneOf(seat, tuple(sorted(mine)), tuple(sorted(none_of)))


@over_cases
def test_what_is_not_so_is_not_said(case: ProtocolCase) -> None:
    """Its seat sends nothing, however often it is asked, and its person is told; more than half go on without it."""
    claims = tuple(claim_of(case, seat, true=seat != 1) for seat in range(SEATS))
    game = table(case, *BEGUN, (Prove(0, claims),)).play()
    assert owed(game).keys() == {1} and len(proofs(game)) == 2
    liar, other = game.seats[1], game.seats[0]
    assert liar.answer_duties() == [] == liar.answer_duties() and [duty.id for duty in liar.unprovable_duties] == [
        owed(game)[1].duty.id
    ]
    assert not other.unprovable_duties and liar.unconfirmed == ()
    # Killed and resumed it says as little.
    back = game.seat(game.persons[1], game.log)
    assert back.answer_duties() == [] and len(back.unprovable_duties) == 1
    fall_silent(game, (1,))
    game.play()
    assert game.state.fault is None and game.state.results[0]["gone"] == [1]
    # The two who stay prove it once more: the deck is another one now.
    assert len(proofs(game)) == 4


# --- Leaving ---


@over_cases
@pytest.mark.parametrize("said", [0, 1, 2])
def test_one_leaves_in_the_middle(case: ProtocolCase, said: int) -> None:
    """Its claim is dropped, whether it had proven it or not, and the others prove theirs on the deck that is whole."""
    game = until_owed(table(case)).play(until=lambda game: len(proofs(game)) >= said)  # type: ignore[arg-type]
    leaver, taken = game.signer(proofs(game)[0]) if said else 1, len(proofs(game))
    before = {one.duty.id for one in owed(game).values()}
    leave(game, (leaver,))
    until_owed(game)
    assert leaver not in owed(game) and not before & {one.duty.id for one in owed(game).values()}
    game.play()
    assert game.state.fault is None and game.state.results[0]["gone"] == [leaver]
    replica = game.replica(0)
    outcomes = [replica.append(data).outcome for data in game.log]
    accepted = [data for data, outcome in zip(game.log, outcomes, strict=True) if outcome is Outcome.ACCEPTED]
    assert len([data for data in accepted if data in proofs(game)]) == taken + SEATS - 1, "what crossed is dropped"


@over_cases
def test_the_last_one_who_owes_leaves(case: ProtocolCase) -> None:
    """Of one claim nothing is left, and the game is told that it is over."""
    game = until_owed(table(case, *BEGUN, (Prove(0, (claim_of(case, 2, true=True),)),), (Show(0, 0, ()),)))
    leave(game, (2,))
    game.play()
    assert game.state.fault is None and not proofs(game) and game.state.results[0]["gone"] == [2]


# --- Requests that make no sense ---


@over_cases
def test_what_no_deck_asks_for(case: ProtocolCase) -> None:
    mine = {seat: tuple(sorted(cards)) for seat, cards in faces(case.name).items()}
    places = until_owed(table(case)).state.hand.decks[0].places
    (opened,) = places.opened
    first, second = mine[0]
    for claims, why in (
        ((), "nothing to prove"),
        ((NoneOf(0, (first,), (1,)), NoneOf(0, (second,), (1,))), "more than one claim"),
        ((NoneOf(0, (), (1,)),), "no positions"),
        ((NoneOf(0, (first,), ()),), "no faces"),
        ((NoneOf(0, (first, first), (1,)),), "ascending"),
        ((NoneOf(0, (second, first), (1,)),), "ascending"),
        ((NoneOf(0, (first,), (2, 1)),), "ascending"),
        ((NoneOf(0, (first,), (1, 1)),), "ascending"),
        ((NoneOf(0, (first,), (-1,)),), "ascending"),
        ((NoneOf(0, (first,), (9,)),), "no face 9"),
        ((NoneOf(7, (first,), (1,)),), "no seat 7"),
        ((NoneOf(0, (mine[1][0],), (1,)),), "cannot prove anything about"),
        ((NoneOf(0, (opened,), (1,)),), "cannot prove anything about"),
        ((NoneOf(0, (99,), (1,)),), "cannot prove anything about"),
    ):
        with pytest.raises(BadParameter, match=why):
            places.validate_claims(Prove(0, claims), (0, 1, 2))


# --- Proofs of something else ---


@over_cases
def test_a_proof_of_another_place_names_its_seat(case: ProtocolCase) -> None:
    """Of an earlier request that asked for the same, of another seat, of another game with the same claim."""
    twice = (*ALL, (Prove(0, ()),))
    game = table(case, *twice)
    game.play(until=lambda game: len(proofs(game)) == 3)  # type: ignore[arg-type]
    until_owed(game)
    earlier = {game.signer(data): message_of(data) for data in proofs(game)}
    elsewhere = table(case, *twice, seed="elsewhere").play()
    others = {elsewhere.signer(data): message_of(data) for data in proofs(elsewhere)}
    replica = game.replica()
    for seat, known in owed(game).items():
        for message in (earlier[seat], earlier[(seat + 1) % SEATS], others[seat]):
            twin = forked(replica)
            assert twin.append(game.by_hand(seat, Cards(known.duty.id, msgspec.Raw(message)), twin)).outcome in (
                Outcome.ACCEPTED,
                Outcome.FAULT,
            )
            twin.settle()
            assert twin.state.fault is not None and twin.state.fault.seat == seat
    # The entry itself, once more: it is known, and answers nothing that is owed now.
    for data in proofs(game):
        assert forked(replica).append(data).outcome is Outcome.REPEATED


def message_of(data: bytes) -> bytes:
    body = read_body(bytes(read_entry(data).entry.body))
    assert isinstance(body, Cards)
    return bytes(body.message)


@over_cases
def test_who_owes_nothing_is_not_heard(case: ProtocolCase) -> None:
    """A seat cannot answer for another, nor twice."""
    game = until_owed(table(case))
    replica = game.replica()
    mine = owed(game)
    with pytest.raises(EntryRefused, match="answers nothing that this seat owes"):
        message = game.state.hand.decks[0].message(mine[1].duty, game.tape(1))
        replica.append(game.by_hand(0, Cards(mine[1].duty.id, msgspec.Raw(message)), replica))


# --- Words ---


@pytest.mark.parametrize(
    ("positions", "none_of", "said"),
    [
        ((3,), (7,), "this card is not 7"),
        ((3,), (7, 8), "this card is not one of 7, 8"),
        ((1, 3), (7,), "none of these 2 cards is 7"),
        ((1, 3), tuple(range(6)), "none of these 2 cards is one of 0, 1, 2, 3, 4, 5"),
        (tuple(range(12)), tuple(range(13)), "none of these 12 cards is one of 13 faces"),
    ],
)
def test_what_was_proven_in_words(positions: tuple[int, ...], none_of: tuple[int, ...], said: str) -> None:
    assert Words().proven(None, 0, NoneOf(1, positions, none_of)) == said


def test_that_a_card_is_one_of_some() -> None:
    assert NoneOf.one_of(1, (4,), {0, 2}, of=4) == NoneOf(1, (4,), (1, 3))
    with pytest.raises(BadParameter, match="does not have all of"):
        NoneOf.one_of(1, (4,), {0, 4}, of=4)
