"""A table in one process."""

from __future__ import annotations

import pytest

from conformance.clear import ClearProtocol
from conformance.games import TinyRules
from conformance.harness import Source, signed_json
from nodealer.errors import BadParameter, BadSignature, DecodeError
from nodealer.group import group
from nodealer.keys import Identity
from nodealer.play.local import LocalTable, seat_players
from nodealer.play.phases import Phase
from nodealer.play.seat import Seat


def table(names: tuple[str, ...] = ("Ada", "Bo", "Cy"), **options: object) -> LocalTable:
    return seat_players(names, ClearProtocol(group()), TinyRules(), Source("local"), **options)  # type: ignore[arg-type]


def test_a_hand_in_a_few_lines() -> None:
    local = table()

    def decide(seat: Seat) -> bool:
        if seat.replica.state.hand.number > 0:
            seat.stays = False
        if any(duty.kind == "move" for duty in seat.open_duties):
            local.order(seat.move({"show": True}))
            return True
        return False

    while local.seats[0].replica.state.phase is not Phase.ENDED:
        local.run(decide)
        if local.seats[0].replica.state.hand.number > 1:
            for seat in local.seats.values():
                seat.stays = False
    assert local.seats[0].replica.state.results[0]["faces"]
    assert len({seat.replica.digest() for seat in local.seats.values()}) == 1


def test_a_refused_entry_is_forgotten() -> None:
    local = table()
    digests = [seat.replica.digest() for seat in local.seats.values()]
    with pytest.raises(DecodeError):
        local.order(b"{}")
    data = local.seats[0].due()[0]
    import json

    from nodealer.log.entry import read_entry

    forged = signed_json(json.loads(read_entry(data).signed), Identity(bytes(32)))
    with pytest.raises(BadSignature):
        local.order(forged)
    assert local.log == [] and [seat.replica.digest() for seat in local.seats.values()] == digests
    local.order(data)
    assert local.log == [data]


@pytest.mark.parametrize("names", [(), ("Ada",), ("Ada", "Ada"), ("Ada", ""), tuple(f"player {n}" for n in range(21))])
def test_bad_tables(names: tuple[str, ...]) -> None:
    with pytest.raises((DecodeError, BadParameter)):
        table(names)


def test_roles_reach_the_roster() -> None:
    local = table(roles={1: "server"})
    state = local.seats[0].replica.state
    assert state.roster.roles == (("server", 1),) and state.roster.with_cards == (0, 2)
