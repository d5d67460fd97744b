"""One hand with every operation of `mask`, held against the whole suite; and no key of an old place in its log."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Final

import pytest

from backends import FASTEST
from conformance import suite
from conformance.cases import MASK
from conformance.harness import Table, forked
from conformance.leaving import fall_silent, finish, leave, playing, union_is_whole
from nodealer.cards.operations import (
    Close,
    Deal,
    Gift,
    Look,
    Mix,
    NewDeck,
    Open,
    Operation,
    Pass,
    Peek,
    Place,
    Portion,
    Prove,
    Return,
    Show,
    needed_capabilities,
)
from nodealer.engine.replica import Replica
from nodealer.group import group
from nodealer.protocols.base import Binding
from nodealer.protocols.mask import Mask
from nodealer.protocols.mask.deck import MaskDeck, Masked
from nodealer.protocols.mask.hand_shuffle import Mixing
from nodealer.protocols.mask.peek import AnsweringPeek, RequestingPeek
from nodealer.protocols.mask.protocol import OPERATIONS
from nodealer.protocols.mask.reorder import Arranging
from nodealer.protocols.mask.transfer import HandingOver, Receiving
from nodealer.tape import Tape
from nodealer_lab.sim.checkers.secrecy import keys_of_old_places
from sampling import times

from .kit import deck_of, lasting, played

#: Three seats with two cards each, and four in the pile.
SCRIPT: Final[tuple[tuple[Operation, ...], ...]] = (
    (NewDeck(0, 10), Deal(0, tuple(Portion(seat, 2) for seat in range(3)))),
    (Peek(0, 1, 2),),
    (Peek(0, 2, 3, Look.REORDER),),
    (Peek(0, 0, 2, Look.KEEP),),
    (Peek(0, 1, 3, Look.TAKE),),
    (Pass(0, (Gift(0, 1, (0,)), Gift(1, 2, (2,)))), Show(0, 2, (4,), to=0)),
    (Mix(0, 1, (3, 15, 18)),),
    (Return(0, (5,), Place.TOP, by=2, depth=1), Return(0, (13,), Place.SHUFFLED)),
    # Exchange: laid aside, and as many dealt.
    (Return(0, (21,), Place.DISCARD), Deal(0, (Portion(1, positions=(28,)),))),
    (Return(0, (22,), Place.BOTTOM), Return(0, (1,), Place.TOP)),
    (Open(0, 1), Open(0, positions=(26,)), Show(0, 1, (23,))),
    # Of all hidden cards, that they are none of the open ones.
    (Prove(0, ()),),
    (Close(0),),
)


@cache
def whole() -> Table:
    return played(group(backend=FASTEST), *SCRIPT).play()


def replicas() -> list[Replica]:
    """The table after every entry."""
    every = [whole().replica(0)]
    for data in whole().log:
        every.append(forked(every[-1]))
        every[-1].append(data)
    return every


def test_every_operation_is_there() -> None:
    asked = frozenset[object]().union(*(needed_capabilities(one, None) for request in SCRIPT for one in request))
    assert asked == OPERATIONS
    assert len(whole().state.results) == 1 and not whole().state.faults


def test_nothing_is_lost_and_no_old_place_is_opened() -> None:
    """After every entry each face is somewhere once; no key of a place is published where no card lies any more, and no
    secret of such a place stands anywhere in the log."""
    counted, last = 0, None
    tapes = {seat: whole().tape(seat) for seat in whole().seats}
    game = whole()
    for before, after in zip(replicas(), replicas()[1:], strict=False):
        assert not list(keys_of_old_places(before.state, after.state))
        deck = after.state.hand.decks.get(0)
        if isinstance(deck, MaskDeck):
            last = deck
            counted += union_is_whole_in(after, game)
    assert counted > 30 and last is not None
    places = last.places
    dead = set(range(places.position_count)) - {*places.pile, *places.held, *places.discards, *places.opened}
    assert len(dead) > 15
    text = b"".join(suite.decoded_strings(game.log))
    for position in dead:
        # Who published before the card was passed or put back did so for a deal; its last holder never did.
        for seat in last.masked_by(position):
            secret = last.card_secrets(tapes[seat], (position,), seat).to_bytes()
            assert (secret in text) == (seat in last.released.get(position, {}))


def union_is_whole_in(replica: Replica, game: Table) -> bool:
    class There:
        state, seats, silent, tape = replica.state, game.seats, game.silent, staticmethod(game.tape)

    resting = (*MASK.resting, RequestingPeek, AnsweringPeek, Arranging, Mixing, Receiving, HandingOver)
    return union_is_whole(There, resting)  # type: ignore[arg-type]


def test_holds() -> None:
    suite.no_secret_in_log(whole())
    suite.eager_and_lazy_agree(whole())
    suite.books_reproduce_every_byte(whole())


def test_killed_and_resumed() -> None:
    suite.killed_at_every_entry(whole(), times(31, deep=1))
    suite.all_killed_at_every_entry(whole(), times(67, deep=1))


def test_crossings() -> None:
    suite.crossings_are_accepted(whole(), times(2, deep=24))


def test_nothing_repeats() -> None:
    suite.nothing_repeats(MASK, [whole()])


def test_tampering() -> None:
    tally = suite.tampering_is_answered(whole(), times(41, deep=1))
    assert tally["refused"] and tally["fault"] and tally["nobody"]


def _mixed_alone(seats: int, honest: int, tape: Tape) -> tuple[int, ...]:
    on = group(backend=FASTEST)
    deck = Mask(on=on).new_deck(Binding("mask", 0, bytes(32), bytes(32), 0, (0, 1, 2), (), on), 0, 4, None)
    G = on.integers([1, 2, 3, 4]) * on.G
    order, _ = Mixing(honest, (0, 1, 2, 3), b"")._draws(deck, tape, Masked(G, G), on.G)
    return tuple(order.vartime_list())


def test_a_hand_is_shuffled_uniformly() -> None:
    suite.order_is_uniform(replace(MASK, name="mixed", shuffle_alone=_mixed_alone), times=times(1000, deep=3000))


# --- Who leaves ---

#: What can go on without anybody: four seats, cards by name only where nobody can have lost them.
LEAVING: Final[tuple[tuple[Operation, ...], ...]] = (
    (NewDeck(0, 12), Deal(0, tuple(Portion(seat, 2) for seat in range(4)))),
    (Peek(0, 1, 2),),
    (Peek(0, 2, 2, Look.REORDER),),
    (Peek(0, 0, 2, Look.KEEP),),
    (Peek(0, 1, 2, Look.TAKE),),
    (Mix(0, 1, ()),),
    (Pass(0, (Gift(0, 1, ()), Gift(1, 2, ()), Gift(3, 0, ()))),),
    (Return(0, (), Place.TOP, depth=1),),
    (Open(0, 1),),
)
RESTING: Final = (*MASK.resting, RequestingPeek, AnsweringPeek, Arranging, Mixing, Receiving, HandingOver)
#: The entries before and after the operations in question.
HEIGHTS: Final = range(21, 80)


def left_at(height: int, leavers: tuple[int, ...]) -> int:
    """Gives how often the deck was counted after the leaving."""
    game = lasting(group(backend=FASTEST), *LEAVING)
    game.play(until=lambda game: len(game.log) >= height and playing(game))
    if not playing(game):
        return 0
    leave(game, leavers)
    return finish(game, RESTING)


def test_somebody_leaves_at_a_step_of_each() -> None:
    """At some entries of the operations, with another seat each time; `make deep` has every entry and seat."""
    for height in HEIGHTS[3 :: times(17, deep=1)]:
        assert left_at(height, (height % 4,)), height


@pytest.mark.deep
@pytest.mark.timeout(900)
@pytest.mark.parametrize("leavers", [(0,), (1,), (2,), (3,), (0, 2), (1, 3)], ids=str)
def test_anybody_leaves_at_every_step(leavers: tuple[int, ...]) -> None:
    assert sum(left_at(height, leavers) for height in HEIGHTS) > len(HEIGHTS)


@pytest.mark.parametrize(
    "height", [30, pytest.param(24, marks=pytest.mark.deep), pytest.param(47, marks=pytest.mark.deep)]
)
def test_the_others_would_not_wait(height: int) -> None:
    game = lasting(group(backend=FASTEST), *LEAVING)
    game.play(until=lambda game: len(game.log) >= height and playing(game))
    fall_silent(game, (3,))
    assert finish(game, RESTING)


def test_a_card_that_was_looked_at_goes_back_into_the_deck() -> None:
    """A deck that is made again is a shuffle: who looked knows nothing of it any more, and every card is there."""
    game = lasting(group(backend=FASTEST), *LEAVING)
    game.play(until=lambda game: 0 in game.state.hand.decks and bool(deck_of(game).places.peeked))
    assert deck_of(game).knows(1, game.tape(1)).keys() > {deck_of(game).places.card(8)}
    leave(game, (3,))
    game.play(until=lambda game: len(deck_of(game).layers.all_layers) == 2)
    deck = deck_of(game)
    assert deck.places.peeked == {} and deck.dead >= {8, 9}
    assert {card.position for card in deck.knows(1, game.tape(1))} == {2, 3}
    assert union_is_whole(game, RESTING)
