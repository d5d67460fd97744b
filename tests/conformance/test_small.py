"""The conformance suite at its small size: 3 seats, 6 cards, both backends, everything.

The reference is slow, and says what the core says: `make test` asks it at fewer places, for one game of each protocol.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from backends import HAS_NATIVE
from nodealer.engine.replica import Outcome
from nodealer.group import group
from nodealer.log.entry import read_entry
from sampling import DEEP, times

from . import suite
from .cases import ALL
from .harness import Game, forked, resigned
from .suite import ProtocolCase

#: Each with what its tests are marked by.
BACKENDS = {
    "native": [pytest.mark.skipif(not HAS_NATIVE, reason="the native core is not built")],
    "reference": [],
}
PAIRS = [
    pytest.param(case, backend, id=f"{case.name}-{backend}", marks=marks)
    for case in ALL
    for backend, marks in BACKENDS.items()
]
GAMES = [
    pytest.param(
        case,
        backend,
        number,
        id=f"{case.name}-{backend}-{number}",
        marks=[pytest.mark.deep] if number and backend == "reference" else marks,
    )
    for case in ALL
    for backend, marks in BACKENDS.items()
    for number in range(len(case.rules))
]

over_games = pytest.mark.parametrize(("case", "backend", "number"), GAMES)
over_pairs = pytest.mark.parametrize(("case", "backend"), PAIRS)


@cache
def played(case_name: str, backend: str, number: int = 0, hands: int = 1) -> Game:
    """A finished game. Shared between tests, which never change it."""
    case = next(case for case in ALL if case.name == case_name)
    return case.game(group(backend=backend), case.rules[number], hands=hands, seed=f"small {number} {hands}").play()


@cache
def dealt(case_name: str, backend: str) -> Game:
    """A game in which cards are in hands, and nobody has shown any. Shared, too."""
    case = next(case for case in ALL if case.name == case_name)
    return case.game(group(backend=backend), seed="secrets").play(until=suite.dealt)


def hands_on(backend: str) -> int:
    return 2 if DEEP or backend == "native" else 1


@over_games
@pytest.mark.parametrize(
    "holds",
    [
        suite.every_card_once,
        suite.no_secret_in_log,
        suite.eager_and_lazy_agree,
        suite.books_reproduce_every_byte,
    ],
    ids=lambda function: function.__name__,
)
def test_holds(case: ProtocolCase, backend: str, number: int, holds: Callable[[Game], None]) -> None:
    holds(played(case.name, backend, number, hands_on(backend)))


@over_pairs
def test_seats_know_their_own(case: ProtocolCase, backend: str) -> None:
    suite.seats_know_their_own(played(case.name, backend, 0, hands_on(backend)))


def stride_on(backend: str) -> int:
    """At which places something is tried. Where the three seats begin at different ones, they try all of them."""
    return times(3 if backend == "native" else 29, deep=1)


@over_games
def test_killed(case: ProtocolCase, backend: str, number: int) -> None:
    suite.killed_at_every_entry(played(case.name, backend, number), stride_on(backend))


@over_games
def test_all_killed(case: ProtocolCase, backend: str, number: int) -> None:
    suite.all_killed_at_every_entry(played(case.name, backend, number), times(3, deep=1) * stride_on(backend))


@over_games
def test_slow_network(case: ProtocolCase, backend: str, number: int) -> None:
    for seed in range(times(1, deep=4)):
        game = case.game(group(backend=backend), case.rules[number], seed=f"slow {seed}")
        relay = suite.slow_network(game, f"slow {case.name} {number} {seed}")
        assert relay.state.fault is None and len(relay.state.results) == 1


@over_games
def test_crossings(case: ProtocolCase, backend: str, number: int) -> None:
    suite.crossings_are_accepted(played(case.name, backend, number), times(6 if backend == "native" else 2, deep=24))


@over_pairs
def test_rollbacks(case: ProtocolCase, backend: str) -> None:
    suite.rollbacks_are_refused(played(case.name, backend), stride_on(backend))


@over_pairs
def test_nothing_repeats(case: ProtocolCase, backend: str) -> None:
    numbers = range(len(case.rules) if DEEP or backend == "native" else 1)
    games = [played(case.name, backend, number, hands) for number in numbers for hands in {1, hands_on(backend)}]
    games += [case.game(group(backend=backend), seed=f"more {seed}").play() for seed in range(times(1, deep=8))]
    suite.nothing_repeats(case, games)


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_uniform(case: ProtocolCase) -> None:
    for honest in range(3):
        suite.order_is_uniform(case, honest=honest, times=times(1000, deep=3000))


@over_games
def test_tampering(case: ProtocolCase, backend: str, number: int) -> None:
    # The other games have the same messages but for a few, so a part of them is enough.
    stride = times(5 if number == 0 and backend == "native" else 11, deep=1)
    tally = suite.tampering_is_answered(played(case.name, backend, number), stride)
    assert tally["refused"] and tally["fault"] and tally["nobody"]


@over_pairs
def test_forgeries(case: ProtocolCase, backend: str) -> None:
    suite.forgeries_name_nobody(played(case.name, backend), times(10, deep=40))


@over_pairs
def test_equivocation(case: ProtocolCase, backend: str) -> None:
    """Two entries with one number: a fault wherever the second one comes."""
    game = played(case.name, backend)
    replica = game.replica(0)
    for number, data in enumerate(game.log):
        seat = game.signer(data)
        replica.append(data)
        other = resigned(data, game.persons[seat].key, lambda entry: entry.update(hand=entry["hand"] + 1))
        twin = forked(replica)
        assert twin.append(other).outcome is Outcome.FAULT
        assert twin.state.fault is not None and twin.state.fault.seat == seat
        assert twin.state.fault.entry == number + 1 == twin.height - 1
        assert read_entry(other).entry.seq == read_entry(data).entry.seq


@over_pairs
@pytest.mark.parametrize("secrecy", suite.SECRECY.values(), ids=suite.SECRECY.keys())
def test_secrecy(case: ProtocolCase, backend: str, secrecy: Callable[[ProtocolCase, Game], None]) -> None:
    """Protocols keep their cards secret; the clear one fails exactly these assertions, which is a test of the suite."""
    game = dealt(case.name, backend)
    assert all(suite.hidden_cards(game).values())
    suite.the_attack_works(case, game)
    if secrecy.__name__ in case.fails:
        with pytest.raises(AssertionError):
            secrecy(case, game)
    else:
        secrecy(case, game)


def test_only_the_clear_protocol_may_fail() -> None:
    assert {case.name for case in ALL if case.fails} == {"clear"}
