"""The table of phases: only its transitions happen, and all of them do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import msgspec
import pytest

from conformance.clear import bad_proof
from conformance.games import Tiny, TinyRules
from conformance.harness import Game
from nodealer.log.entry import read_entry, sign_entry
from nodealer.play.bodies import Without
from nodealer.play.phases import TRANSITIONS, Phase
from nodealer.play.replica import Replica
from nodealer.wire import encode

Make = Callable[..., Game]


def walk(game: Game, *more: bytes) -> Iterator[tuple[Phase, Phase]]:
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
    return sign_entry(game.persons[0].key, msgspec.structs.replace(last, body=msgspec.Raw(encode(Without((1,))))))


class OverAtOnce(TinyRules):
    """A game in which nobody can play: each hand is over when it begins."""

    def begin(self, hand: int, seats: tuple[int, ...], before: object) -> Tiny:
        return replace(super().begin(hand, seats, None), stage="over")


def test_only_these_happen_and_all_of_these(game: Make) -> None:
    books = {"open_book_at_end": True}
    games = [
        game(hands=2).play(),
        game(hands=2, protocol=books).play(),
        game(OverAtOnce(), protocol=books).play(),
        game(liars={1: {(1, "key"): bad_proof}}).play(),
    ]
    seen = {step for one in games for step in walk(one)}
    for contradicted in (
        game().play(until=lambda g: len(g.log) == 2),
        game(protocol=books).play(until=lambda g: g.state.phase is Phase.BOOKS),
        game().play(),
    ):
        seen |= set(walk(contradicted, twice(contradicted)))
    allowed = {(before, after) for before, afters in TRANSITIONS.items() for after in afters}
    assert seen <= allowed
    assert allowed - seen == set()


@pytest.mark.parametrize("phase", Phase)
def test_every_phase_has_a_row(phase: Phase) -> None:
    assert phase in TRANSITIONS
