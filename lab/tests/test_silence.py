"""Seats that fall silent for good, at every entry of a hand: the table goes on, or ends as the law says, and nobody
who is there pays for it.

One seat, and two at once, at a table of four, with a timekeeper, with one that dies, and with none; and one of two,
where a protocol is played by two here.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import pytest

from client.looking import look
from conformance.harness import Source
from nodealer.client.agents import BotAgent
from nodealer.client.local_table import LocalTable, seat_players
from nodealer.client.policies import Policy, TimeoutVoter
from nodealer.client.timekeeper import Ticker
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.state import TableState
from nodealer.engine.votes import voters
from nodealer.group import group
from nodealer.log.session import Limits
from nodealer.protocols import make_protocol
from nodealer_lab.sim.highcard import GAME, OWN, STACK, HighCard, OwnHighCard
from sampling import DEEP

SEATS = 4
#: The protocols that are played by two, on a group that is quick.
OF_TWO = ("chain", "duel")
LIMITS = Limits(move=3000, cards=3000, bank=1000, refill=0)
NAMES = ("Ada", "Ben", "Cleo", "Dov")
#: About as many entries as a hand has.
ENTRIES = 40


@dataclass
class Played:
    """A game of two hands in which some fall silent."""

    table: LocalTable
    silent: frozenset[int]
    entries: int
    keeper: str
    seats: int
    looks: dict[Participant, Policy] = field(default_factory=dict)

    def muted(self, one: Participant) -> bool:
        number, height = one.seat.number, one.replica.height
        if number == self.seats:
            return self.keeper == "dies" and height >= self.entries
        return number in self.silent and height >= self.entries

    def run(self) -> TableState:
        """With virtual time, until nothing comes any more."""
        minds = {one: BotAgent(one.replica.config.package or GAME, one.store.root) for one in self.table.participants}
        number, waiting = self.table._ordered, [*self.table._queue]
        for now in range(400):
            while waiting:
                frame, waiting = waiting[0], waiting[1:]
                for one in self.table.participants:
                    said = one.receive(frame, number).send
                    waiting += () if self.muted(one) else said
                number += 1
            living = [one for one in self.table.participants if not self.muted(one)]
            for one in living:
                waiting += minds[one].act(one) if one.seat.number < self.seats else ()
                waiting += look(self.looks[one], one, now / 2) if not waiting else ()
        return living[0].replica.state


def played(protocol: str, silent: frozenset[int], entries: int, keeper: str) -> Played:
    timed, seats = keeper != "none", 2 if protocol in OF_TWO else SEATS
    table = seat_players(
        (*NAMES[:seats], *(["Clock"] if timed else [])),
        make_protocol(protocol, on=group() if protocol == "chain" else None),
        OwnHighCard(4) if protocol == "duel" else HighCard(6),
        Source(f"silence {protocol}"),
        stays=stay_for_hands(2),
        package=OWN if protocol == "duel" else GAME,
        clock=LIMITS if timed else None,
    )
    one = Played(table, silent, entries, keeper, seats)
    one.looks = {each: Ticker() if each.seat.number == seats else TimeoutVoter(6.0) for each in table.participants}
    return one


def check(one: Played, state: TableState) -> None:
    alive = [each for each in one.table.participants if each.seat.number not in one.silent]
    chips = sum(state.ledger.chips.values()) + sum(sum(held.gains.values()) for held in state.ledger.held)
    assert chips == one.seats * STACK, "chips are conserved"
    assert not state.faults, "nobody is blamed"
    assert len({each.replica.digest() for each in alive}) == 1
    ties = 2 * len(one.silent & set(voters(state))) >= len(voters(state))
    if not (one.keeper == "dies" and ties):
        assert state.phase is Phase.ENDED, "a defined end"
    # Who is there is never thrown out by those who are.
    assert {said.of for said in state.chronicle.vote_results} <= {*one.silent, None}


GROUPS = [*((seat,) for seat in range(SEATS)), *itertools.combinations(range(SEATS), 2)]


@pytest.mark.sample(cases=9)
@pytest.mark.parametrize("silent", GROUPS, ids=str)
@pytest.mark.parametrize("keeper", ["truly", "dies", "none"])
@pytest.mark.parametrize("protocol", ["mask", "lock", "offset"])
def test_seats_that_fall_silent(protocol: str, keeper: str, silent: tuple[int, ...]) -> None:
    drawn = Source(f"{protocol} {keeper} {silent}").below(ENTRIES - 1)
    for entries in range(1, ENTRIES) if DEEP else (1 + drawn,):
        one = played(protocol, frozenset(silent), entries, keeper)
        check(one, one.run())


@pytest.mark.sample(cases=4)
@pytest.mark.parametrize("silent", range(2))
@pytest.mark.parametrize("keeper", ["truly", "dies", "none"])
@pytest.mark.parametrize("protocol", OF_TWO)
def test_one_of_two_who_falls_silent(protocol: str, keeper: str, silent: int) -> None:
    """The other ends the game, or can only wait where the timekeeper has gone too."""
    drawn = Source(f"{protocol} {keeper} {silent}").below(ENTRIES // 2 - 1)
    for entries in range(1, ENTRIES // 2) if DEEP else (1 + drawn,):
        one = played(protocol, frozenset({silent}), entries, keeper)
        check(one, one.run())
