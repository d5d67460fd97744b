"""A table within one process."""

from __future__ import annotations

import pytest

from conformance.clear import ClearProtocol
from conformance.games import TinyRules
from conformance.harness import Source
from nodealer.client.local_table import LocalTable, seat_players
from nodealer.engine.commands import MakeMove
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.errors import NodealerError
from nodealer.group import group


def table(names: tuple[str, ...] = ("Ada", "Bo", "Cy"), roles: dict[int, str] | None = None) -> LocalTable:
    source, stays = Source("local"), stay_for_hands(2)
    return seat_players(names, ClearProtocol(group()), TinyRules(), source, stays=stays, roles=roles)


def shows(participant: Participant) -> list[bytes]:
    return [] if participant.options().move is None else participant.command(MakeMove({"show": True}))


def test_two_hands_in_a_few_lines() -> None:
    local = table()
    local.run(shows)
    states = [one.replica.state for one in local.participants]
    assert all(state.phase is Phase.ENDED and len(state.results) == 2 for state in states)
    assert len({one.replica.digest() for one in local.participants}) == 1
    assert (
        len({one.session_words for one in local.participants}) == 1 and len(local.participants[0].key_words_of(1)) == 6
    )


def test_what_nobody_could_have_said_is_forgotten() -> None:
    local = table()
    local.send([b"{}", b"junk", b""])
    local.run(shows)
    assert local.participants[0].is_over and len(local.log) == len(set(local.log))


@pytest.mark.parametrize("names", [("Ada",), ("Ada", "Ada"), ("Ada", ""), tuple(f"player {n}" for n in range(21))])
def test_bad_tables(names: tuple[str, ...]) -> None:
    with pytest.raises((NodealerError, KeyError)):
        table(names)


def test_roles_reach_the_roster() -> None:
    state = table(roles={1: "server"}).participants[0].replica.state
    assert state.roster.roles == (("server", 1),) and state.roster.with_cards == (0, 2)
