"""The table of phases: only its transitions happen, and all of them do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import msgspec
import pytest

from conformance.clear import bad_dealt_share, bad_order, bad_proof, fixed_shuffle
from conformance.games import Tiny, TinyRules
from conformance.harness import Game
from conformance.suite import dealt
from nodealer.engine.bodies import Leave
from nodealer.engine.phases import TRANSITIONS, Phase
from nodealer.engine.replica import Replica
from nodealer.errors import CardUnreadable
from nodealer.games.base import Game as AnyGame
from nodealer.log.entry import read_entry, sign_entry
from nodealer.wire import encode

Make = Callable[..., Game]
Step = tuple[Phase, Phase]


def walk(game: Game, *more: bytes) -> Iterator[Step]:
    """The phases that a log leads a replica through."""
    replica = Replica(game.config, entropy=game.source)
    for data in (*game.log, *more):
        before = replica.state.phase
        replica.append(data)
        if replica.state.phase is not before:
            yield before, replica.state.phase


def twice(game: Game) -> bytes:
    """A second entry with the number of seat 0's last one."""
    last = next(read_entry(data).entry for data in reversed(game.log) if game.signer(data) == 0)
    return sign_entry(game.persons[0].key, msgspec.structs.replace(last, body=msgspec.Raw(encode(Leave()))))


class OverAtOnce(TinyRules):
    """A game in which nobody can play: each hand is over when it begins."""

    def begin(self, hand: int, seats: tuple[int, ...], before: AnyGame | None, chips: Mapping[int, int]) -> Tiny:
        return replace(super().begin(hand, seats, None, chips), stage="over")


def claimed(game: Make) -> Game:
    """A hand that a claim ends."""
    table = game(liars={1: {(1, "share"): bad_dealt_share}}).play(until=dealt)
    with pytest.raises(CardUnreadable) as caught:
        table.seats[0].known_cards()
    table.order(table.seats[0].dispute(caught.value))
    return table.play()


def broken_off(game: Make) -> Game:
    """A hand that half of the table breaks off."""
    table = game(seats=2).play(until=dealt)
    table.order(table.seats[1].vote_abort())
    return table.play()


def left(game: Make) -> Game:
    """A hand that all but one leave, and a session that goes on without them."""
    table = game(protocol={"recovers": False}).play(until=dealt)
    for seat in (1, 2):
        table.order(table.seats[seat].leave())
    return table.play()


def test_only_these_happen_and_all_of_these(game: Make) -> None:
    books = {"open_book_at_end": True}
    games = [
        game(hands=2).play(),
        game(hands=2, protocol=books).play(),
        game(protocol=books, liars={1: {(1, "shuffle"): fixed_shuffle}}).play(),
        game(OverAtOnce(), protocol=books).play(),
        game(liars={1: {(1, "key"): bad_proof}}).play(),
        game(liars={1: {(1, "shuffle"): bad_order}}, protocol={"recovers": False}).play(),
        claimed(game),
        broken_off(game),
        left(game),
    ]
    assert all(one.state.phase is Phase.ENDED for one in games), "whatever happens, a session can end"
    seen = {step for one in games for step in walk(one)}
    for contradicted in (
        game().play(until=lambda g: len(g.log) == 2),
        game().play(until=dealt),
        game(protocol=books).play(until=lambda g: bool(g.state.disclosures)),
        game().play(),
    ):
        seen |= set(walk(contradicted, twice(contradicted)))
    allowed = {(before, after) for before, afters in TRANSITIONS.items() for after in afters}
    assert seen <= allowed
    assert allowed - seen == set()


def test_nothing_follows_the_end(game: Make) -> None:
    """Two entries with one number after the end name their seat, and the session stays as it ended."""
    table = game().play()
    replica = table.replica()
    replica.append(twice(table))
    assert replica.state.phase is Phase.ENDED and replica.state.expelled == {0}
    assert replica.state.results == table.state.results and replica.state.ledger == table.state.ledger


def test_a_hand_that_nobody_can_play_stays_between(game: Make) -> None:
    table = game(OverAtOnce(), hands=2).play()
    assert Phase.PLAYING not in {phase for step in walk(table) for phase in step}
    assert len(table.state.results) == 2 and table.state.phase is Phase.ENDED


@pytest.mark.parametrize("phase", Phase)
def test_every_phase_has_a_row(phase: Phase) -> None:
    assert phase in TRANSITIONS
