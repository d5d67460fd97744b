"""Seats leave: what of their cards returns, what crosses with it, and hold'em that goes on.

That the deck is whole wherever they leave is in the conformance suite.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

import pytest
from msgspec import Raw

from conformance.harness import Game, Source, Table, events_of
from conformance.leaving import (
    ends_well,
    fall_silent,
    finish,
    leave,
    play_leaving,
    playing,
    recovered,
    true_faces,
    until_idle,
)
from nodealer.cards.events import Moved, Opened
from nodealer.cards.operations import Close, Deal, NewDeck, Open, Operation, Place, Return, Show
from nodealer.engine.bodies import Cards
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Outcome, Replica
from nodealer.errors import EntryRefused, IllegalMove
from nodealer.games.holdem.hand import Hand
from nodealer.group import Group
from nodealer.protocols.lock.card_lock import Locking
from nodealer.protocols.lock.recovery import LockDeclaring, Raising
from nodealer.protocols.lock.shuffle import Cascading
from nodealer.wire import encode

from ..kit import messages
from .kit import RESTING, deck_of, holdem, points_in, portions, scripted

SEATS: Final = 4
#: Cards held, laid aside, on the table, shown and in the pile; and everything is done twice.
SCRIPT: Final[tuple[tuple[Operation, ...], ...]] = (
    (NewDeck(0, 12), Deal(0, portions(range(SEATS)))),
    (Open(0, 2), Deal(0, portions(range(SEATS)))),
    (Return(0, (), Place.DISCARD),),
    (Show(0, 2, ()), Open(0, 1)),
    (Open(0, 1),),
    (Close(0),),
)


def script(group: Group, seed: str = "leaving", seats: int = SEATS) -> Table:
    return scripted(group, *SCRIPT, seats=seats, seed=seed)


# --- What is held, what returns, what is dead ---


def test_what_returns_and_what_does_not(fast: Group) -> None:
    """Seat 1 leaves: its hand and its discard return; those of seat 0, the open and the shown cards do not."""
    game = until_idle(script(fast), 4)
    before, tapes = deck_of(game), {seat: game.tape(seat) for seat in game.seats}
    faces = true_faces(before, tapes, range(12))
    places = before.places
    mine = {p for p, seat in (*places.held.items(), *places.discards.items()) if seat == 1}
    assert places.discards == {0: 0, 1: 1} and len(mine) == 2
    leave(game, (1,))
    recovered(game)
    after = deck_of(game)
    returned = {faces[p] for p in (*places.pile, *mine)}
    assert sorted(true_faces(after, tapes, after.places.pile).values()) == sorted(returned)
    assert after.places.opened == places.opened
    assert after.places.held == {p: seat for p, seat in places.held.items() if seat != 1}
    assert after.places.discards == {0: 0}
    assert not set(after.places.pile) & set(range(12)), "old positions of the pile are dead"
    moved = [event for event in events_of(game.seats[0].replica) if isinstance(event, Moved)]
    assert {event.card.position for event in moved if event.holder is None} >= mine - {1}


@pytest.mark.parametrize("released", range(SEATS))
def test_half_dealt_cards_go_back(fast: Group, released: int) -> None:
    """The last seat leaves a deal that so many have answered: nobody holds anything, and all is dealt anew."""
    game = script(fast)
    game.play(until=lambda game: bool(messages(game.log)) and deck_is_dealing(game, released))
    leave(game, (3,))
    assert not deck_of(game).places.held
    recovered(game)
    assert len(deck_of(game).places.pile) == 12
    finish(game, RESTING)


def deck_is_dealing(game: Game, released: int) -> bool:
    said = [message for _, message in messages(game.log)]
    return (
        said[-1]["type"] in ("lock", "release")
        and sum(m["type"] == "release" for m in said) == released
        and (not isinstance(deck_of(game).stage, Locking))
    )


@pytest.mark.parametrize("released", range(1, SEATS))
def test_half_opened_cards_go_back(fast: Group, released: int) -> None:
    """Secrets for cards of the table are out, but not all: the cards go back and are never opened."""
    game = until_idle(script(fast), 1)
    count = len(game.log) + 1 + released
    game.play(until=lambda game: len(game.log) >= count)
    assert sum(message["type"] == "release" for _, message in messages(game.log)) == SEATS + released
    half = set(deck_of(game).released) - deck_of(game).places.held.keys()
    leave(game, (3,))
    assert len(half) == 2 and not deck_of(game).places.opened
    finish(game, RESTING)
    opened = {event.card.position for event in events_of(game.seats[0].replica) if isinstance(event, Opened)}
    assert opened and not opened & half


def test_last_cards(fast: Group) -> None:
    """Nothing is left in the pile, or one card that everybody knows: the deck still goes on."""
    for size, board in ((4, 2), (3, 1), (5, 4)):
        held = 0 if board == 4 else 1
        deal = (Deal(0, portions((0,))),) if held else ()
        game = scripted(fast, (NewDeck(0, size), *deal), (Open(0, board),), (Open(0, 1),), seats=3)
        until_idle(game, 2)
        leave(game, (2,))
        assert finish(game, RESTING) >= 0
    game = scripted(fast, (NewDeck(0, 3), Deal(0, portions((0, 1)))), (Open(0, 1),), (Show(0, 0, (0,)),), seats=3)
    until_idle(game, 2)
    leave(game, (2,))
    finish(game, RESTING)


def test_positions_of_a_dead_pile(fast: Group) -> None:
    """A game that named cards of the pile gets others instead: nobody had seen those, so they are as good."""
    game = scripted(
        fast,
        (NewDeck(0, 8), Deal(0, portions(range(3)))),
        (Show(0, 0, (0,)), Show(0, 1, (1,)), Open(0, positions=(5, 6))),
        (Open(0, positions=(4,)),),
        seats=3,
    )
    until_idle(game, 1)
    leave(game, (2,))
    finish(game, RESTING)
    opened = [event for event in events_of(game.seats[0].replica) if isinstance(event, Opened)]
    assert len(opened) == 5 and len({event.face for event in opened}) == 5


def test_no_point_occurs_twice(fast: Group) -> None:
    """No point of one making of the deck, or of one recovery, occurs in another."""
    game = script(fast, "points")
    parts: list[set[bytes]] = []

    def part() -> None:
        done = set().union(*parts)
        new = {point for _, message in messages(game.log) for point in points_in(message)}
        seen = sum(len(one) for one in parts)
        parts.append(new - done)
        fresh = [p for _, m in messages(game.log)[marks[-1] :] for p in points_in(m)]
        assert not done & set(fresh) and len(done) == seen
        marks.append(len(messages(game.log)))

    marks = [0]
    until_idle(game, 2)
    part()
    for leaver in (3, 2):
        leave(game, (leaver,))
        recovered(game)
        part()
    assert all(len(one) > 30 for one in parts)
    finish(game, RESTING)


# --- Crossings and those who come back ---


@pytest.mark.sample(cases=2)
@pytest.mark.parametrize("seed", range(6))
def test_slow_network(fast: Group, seed: int) -> None:
    """Every seat sees the log with a delay of its own, and leaves are agreed on in the middle of it."""
    slow(fast, f"slow {seed}")


@pytest.mark.deep
@pytest.mark.timeout(600)
def test_slow_networks(fast: Group) -> None:
    for seed in range(200):
        slow(fast, f"slower {seed}")


def slow(group: Group, seed: str) -> None:
    source = Source(seed)
    game = holdem(group, 4, seed) if source.below(2) else script(group, seed)
    relay = Replica(game.config, entropy=source)
    pending: dict[int, list[bytes]] = {seat: [] for seat in game.seats}
    have = dict.fromkeys(game.seats, 0)
    leaving = [source.below(60), source.below(60)]
    gone: set[int] = set()
    # One of two may go without a word; with two such ones those who stay would be half, and have to wait.
    silent = source.below(4) if source.below(2) else None
    for _ in range(20000):
        if relay.state.phase is not Phase.PLAYING and relay.state.hand.number >= 1:
            assert relay.state.fault is None
            return
        while leaving and relay.height >= min(leaving) and relay.state.phase is Phase.PLAYING:
            leaving.remove(min(leaving))
            gone.add(source.below(4))
        number = source.below(4)
        seat, action = game.seats[number], source.below(3)
        if action == 0 and have[number] < relay.height:
            seat.receive(relay.entries[have[number]])
            have[number] += 1
        elif action == 1 and pending[number]:
            outcome = relay.append(pending[number].pop(0)).outcome
            assert outcome in (Outcome.ACCEPTED, Outcome.DROPPED)
        elif action == 2 and number in gone and number != silent:
            with suppress(IllegalMove):
                pending[number].append(seat.leave())
        elif action == 2 and number not in gone:
            state = seat.replica.state
            # A word about what was closed meanwhile, or by one that owes something, counts for nothing.
            current = have[number] == relay.height and not pending[number]
            if silent in gone - state.gone and current and not state.hand.skip_votes.get(number):
                with suppress(IllegalMove):
                    pending[number].append(seat.vote_skip([silent]))
            seat.stays = state.hand.number < 1
            pending[number] += seat.answer_duties()
            for duty in seat.open_duties:
                if duty.choice and (data := game.decide(seat, duty)) is not None:
                    pending[number].append(data)
                    break
    raise AssertionError("the game does not end")


@pytest.mark.sample(cases=3)
@pytest.mark.parametrize("missed", range(0, 14, 2))
def test_who_comes_back_in_a_recovery(fast: Group, missed: int) -> None:
    """A seat that was declared gone speaks again: dropped or refused, and the table goes on without it."""
    game = until_idle(script(fast, "back"), 1)
    back = game.seats[1]
    signed = back.answer_duties()
    fall_silent(game, (1,))
    height = len(game.log) + missed
    game.play(until=lambda game: len(game.log) >= height)
    for data in signed:
        assert game.order(data) is Outcome.DROPPED
    # It has seen that it is gone: it may begin the next hand, and says nothing of the cards of this one.
    assert not messages(back.answer_duties())
    finish(game, RESTING)


def test_the_words_of_a_leaver(fast: Group) -> None:
    """Messages of every kind from a seat that is gone are refused with its name, and change nothing."""
    game = until_idle(script(fast, "words"), 1)
    leave(game, (1,))
    while isinstance(deck_of(game).stage, Cascading | LockDeclaring | Raising | Locking):
        replica = game.replica()
        before = replica.digest()
        for duty in deck_of(game).duties:
            body = Cards(duty.id, Raw(encode({"type": "cascade"})))
            with pytest.raises(EntryRefused) as refused:
                replica.append(game.by_hand(1, body, replica))
            assert refused.value.seat == 1 and replica.digest() == before
        game.play(until=lambda _: True)
    finish(game, RESTING)


# --- Hold'em ---


def holdem_result(game: Table) -> None:
    ends_well(game)
    result = game.state.results[0]
    chips = [(row["before"], row["after"]) for row in result["stacks"]]
    # What was paid for leaving in the middle of a card lies in the next pot.
    paid = sum(one["amount"] for one in result["charged"])
    assert sum(before for before, _ in chips) == sum(after for _, after in chips) + paid
    assert len(set(result["board"])) == len(result["board"])
    assert sum(pot["amount"] for pot in result["pots"]) > 0
    shown = [card for row in result["shown"] for card in row["cards"]]
    assert len({*shown, *result["board"]}) == len(shown) + len(result["board"])
    assert result["gone"] == sorted(game.silent)


@pytest.mark.parametrize("seats", [3, 4, pytest.param(6, marks=pytest.mark.deep)])
def test_holdem_goes_on(fast: Group, seats: int) -> None:
    """Leavers at many moments, down to two who stay."""
    for number, start in enumerate(range(seats, 6 * seats + 20, 25)):
        game = holdem(fast, seats, f"hold {start}")
        leavers = [(number + k) % seats for k in range(seats - 2)]
        play_leaving(game, [(start + 13 * k, (leaver,)) for k, leaver in enumerate(leavers)])
        holdem_result(game)


@pytest.mark.deep
@pytest.mark.timeout(900)
@pytest.mark.parametrize("leaver", range(3))
def test_holdem_left_at_every_entry(fast: Group, leaver: int) -> None:
    for height in range(3, 60):
        holdem_result(play_leaving(holdem(fast, 3, "every"), [(height, (leaver,))]))


def test_holdem_left_by_who_must_act(fast: Group) -> None:
    """Who leaves is the last to act of a round: the board is asked for while the deck recovers."""
    seen = set()
    for height in (25, 27, 37):
        game = holdem(fast, 4, "to act 2").play(until=lambda game: len(game.log) >= height and playing(game))
        hand = game.state.hand.game
        if not playing(game) or not isinstance(hand, Hand) or not (turns := getattr(hand.wants, "seats", ())):
            continue
        leave(game, turns)
        if playing(game):
            seen.add(deck_of(game).asked is not None and isinstance(deck_of(game).stage, Cascading))
        game.play()
        holdem_result(game)
    assert True in seen


def test_with_one_left_the_hand_ends(fast: Group) -> None:
    for height in (5, 12, 30):
        game = holdem(fast, 3, "alone").play(until=lambda game: len(game.log) >= height)
        leave(game, (0, 2))
        assert game.state.results[0]["ended"] == "forfeit"
        game.play()
        holdem_result(game)
