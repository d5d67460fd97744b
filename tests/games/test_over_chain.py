"""Hold'em over `chain`: whole hands in each of its modes, and what happens when a card in a hand is invalid."""

from __future__ import annotations

import pytest

from nodealer.client.local_table import LocalTable, seat_players
from nodealer.engine.commands import MakeMove
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.replica import replay
from nodealer.games.holdem import Call, Hand, HandStage, Holdem, Muck, ShowHand
from nodealer.group import Group, group
from nodealer.protocols.chain import Chain

from .test_over_mask import Source


def played(parameters: bytes, on: Group | None, seats: int, hands: int = 1) -> LocalTable:
    names = [f"player {seat}" for seat in range(seats)]
    source, stays = Source(f"chain {parameters!r}"), stay_for_hands(hands)
    table = seat_players(names, Chain(parameters, on), Holdem(60, (1, 2)), source, stays=stays)

    def decide(one: Participant) -> list[bytes]:
        if one.options().move is None:
            return []
        game, seat = one.replica.state.hand.game, one.seat
        assert isinstance(game, Hand)
        assert set(game.held[seat.number]) <= {card.position for card in seat.known_cards()}
        return one.command(
            MakeMove(Call() if game.stage is HandStage.BETTING else ShowHand() if seat.number % 2 else Muck())
        )

    table.run(decide)
    return table


def is_clean(table: LocalTable, hands: int) -> None:
    state = table.seats[0].replica.state
    assert state.phase is Phase.ENDED and state.fault is None and len(state.results) == hands
    again = replay(table.seats[0].replica.config, table.log, entropy=Source("audit"), eager=False)
    assert again.digest() == table.seats[1].replica.digest()


@pytest.mark.parametrize("parameters", [b'{"proven":false}', b"{}"], ids=["books", "proven"])
def test_hands(parameters: bytes) -> None:
    is_clean(played(parameters, group(), seats=4, hands=2), 2)


@pytest.mark.deep
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "parameters",
    [b'{"proven":false}', b"{}", b'{"deck":"dealer","kappa":1,"proven":false}', b'{"deck":"dealer","kappa":2}'],
)
def test_hands_on_the_squares(parameters: bytes) -> None:
    is_clean(played(parameters, None, seats=3), 1)
