"""Verifying so many bytes costs at most three times what so many bytes of an ordinary game cost, whatever they say."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from time import process_time

import pytest

from nodealer.client.local_table import LocalTable, seat_players
from nodealer.engine.bodies import Agree, Newcomer, Propose, Without
from nodealer.engine.commands import MakeMove
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant
from nodealer.engine.replica import Replica
from nodealer.games import free
from nodealer.games.base import Rules
from nodealer.games.free import Free
from nodealer.games.holdem.hand import Hand
from nodealer.games.holdem.moves import Call, Muck, Raise
from nodealer.games.holdem.rules import Holdem
from nodealer.keys import Identity
from nodealer.log.roster import Roster, member_of, sign_newcomer
from nodealer.protocols import make_protocol
from nodealer.wire import Message

NAMES = ("Ada", "Ben", "Cleo")
#: A machine that others use too measures a little more now and then.
FACTOR = 3.0


def table_of(rules: Rules, seats: int = 3, protocol: str = "mask", hands: int = 1) -> LocalTable:
    return seat_players(NAMES[:seats], make_protocol(protocol), rules, os.urandom, stays=stay_for_hands(hands))


def asked(moves: Iterable[tuple[int, Message]], protocol: str = "mask", cards: int = 1000) -> LocalTable:
    """A table without rules at which these things are asked for."""
    served = make_protocol(protocol).claims.operations
    table, left = table_of(Free(cards, Free(cards).operations & served), 2, protocol), list(moves)

    def decide(one: Participant) -> list[bytes]:
        if not left or one.seat.number != left[0][0] or one.options().move is None:
            return []
        return one.command(MakeMove(left.pop(0)[1]))

    table.run(decide)
    return table


def holdem(hands: int, raises: int, stack: int = 10**9) -> LocalTable:
    """Everybody raises by the least, so often, and then calls."""
    table = table_of(Holdem(stack), hands=hands)

    def decide(one: Participant) -> list[bytes]:
        game = one.replica.state.hand.game
        if not isinstance(game, Hand) or not one.options().must_move:
            return []
        legal = game.legal(one.seat.number)
        war = legal.raise_from is not None and len(table.log) < raises
        return one.command(MakeMove(Raise(legal.raise_from) if war else Call() if legal.call is not None else Muck()))  # type: ignore[arg-type]

    table.run(decide)
    return table


def opened_one_by_one(protocol: str) -> LocalTable:
    moves = [(0, free.OpenCards(0, 1))] * 25
    return asked([(0, free.Shuffle(0, 100)), *moves, (0, free.Finish())], protocol)


def given_back_one_by_one() -> LocalTable:
    moves = [(0, free.GiveBack(0, (place,), "top")) for place in range(8)]
    start: list[tuple[int, Message]] = [(0, free.Shuffle(0, 20)), (0, free.DealCards(0, ((0, 8),)))]
    return asked([*start, *moves, (0, free.Finish())])


def decks_put_away() -> LocalTable:
    moves: list[tuple[int, Message]] = []
    for deck in range(6):
        moves += [(0, free.Shuffle(deck, 2)), (1, free.PutAway(deck))]
    return asked([*moves, (0, free.Finish())])


def decks_never_made() -> LocalTable:
    """Ten thousand cards are asked for again and again, and nobody makes them."""
    table = table_of(Free(10_000), 2)
    table.run()
    shuffle = table.seats[0].command(MakeMove(free.Shuffle(0, 10_000)))
    for one in table.participants:
        # Taken, and not answered.
        one.seat.receive(shuffle[0])
    return table


def long_names() -> LocalTable:
    faces = tuple(f"{number:064d}" for number in range(200))
    return asked([(0, free.Shuffle(0, 200, faces)), (0, free.PutAway(0)), (0, free.Finish())])


def said_by_hand(table: LocalTable, seat: int, body: Message, count: int) -> None:
    """The same words of a seat again and again."""
    for _ in range(count):
        table.send([table.seats[seat].seat._sign(body)])  # type: ignore[arg-type]
        table.run()


def votes() -> LocalTable:
    table = table_of(Holdem(200))
    table.run()
    state = table.seats[0].replica.state
    mover = next(known.duty for known in state.duties.open.values() if known.is_move)
    other = next(seat for seat in range(3) if seat != mover.seat)
    said_by_hand(table, other, Without((mover.id,)), 60)
    return table


def agreements_to_nothing() -> LocalTable:
    table = table_of(Holdem(200))
    table.run()
    said_by_hand(table, 0, Agree(bytes(32)), 60)
    return table


def newcomers() -> LocalTable:
    """Rosters of twenty, each seat but three with a key that nobody has seen."""
    table = table_of(Holdem(200))
    table.run()
    session, roster = table.seats[0].replica.config.session.id, table.seats[0].replica.state.roster
    for proposer in range(3):
        people = [Identity(os.urandom(32)) for _ in range(17)]
        seats = range(3, 20)
        fresh = [member_of(one, seat, f"Guest {proposer} {seat}") for one, seat in zip(people, seats, strict=True)]
        wanted = Roster((*roster.members, *fresh))
        signed = [sign_newcomer(one, session, wanted.digest, m) for one, m in zip(people, fresh, strict=True)]
        body = Propose(wanted, tuple(Newcomer(m.seat, s) for m, s in zip(fresh, signed, strict=True)))
        said_by_hand(table, proposer, body, 1)
    return table


def cost(table: LocalTable) -> float:
    """CPU seconds for a byte, of an audit."""
    config, best = table.seats[0].replica.config, float("inf")
    for _ in range(3):
        start = process_time()
        replica = Replica(config, entropy=os.urandom, eager=False)
        for data in table.log:
            replica.append(data)
        replica.settle()
        best = min(best, process_time() - start)
    return best / sum(map(len, table.log))


WORST: dict[str, Callable[[], LocalTable]] = {
    "a war of raises": lambda: holdem(1, 250),
    "cards opened one by one": lambda: opened_one_by_one("mask"),
    "the same on lock": lambda: opened_one_by_one("lock"),
    "cards given back one by one": given_back_one_by_one,
    "decks put away": decks_put_away,
    "decks never made": decks_never_made,
    "long names": long_names,
    "votes again and again": votes,
    "agreements to nothing": agreements_to_nothing,
    "newcomers": newcomers,
}


@pytest.fixture(scope="module")
def ordinary() -> float:
    return cost(holdem(2, 0, 200))


@pytest.mark.parametrize("name", WORST)
def test_costs_no_more_than_an_ordinary_game(name: str, ordinary: float) -> None:
    assert cost(WORST[name]()) <= FACTOR * ordinary
