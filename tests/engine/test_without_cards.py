"""Rolls and envelopes at a table: in the log, in the audit, killed, tampered with, and with players who leave."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from backends import FASTEST
from conformance import suite
from conformance.bids import BidRules
from conformance.clear import ClearProtocol
from conformance.harness import Game, Table, events_of
from conformance.leaving import ends_well, fall_silent, play_leaving, playing
from nodealer.cards.events import Rolled
from nodealer.cards.operations import Capability, NewDeck, Random, Seal, Unseal
from nodealer.engine.phases import Phase
from nodealer.group import group
from nodealer.protocols import PROTOCOLS, make_protocol
from nodealer.protocols.base import CardProtocol
from protocols.script import ScriptRules

SEATS = {"lock": 2, "chain": 2, "duel": 2}


def clear() -> CardProtocol:
    return ClearProtocol(group(backend=FASTEST))


def played(**options: Any) -> Game:
    return Game(clear(), BidRules(), **options).play()


def test_everybody_sees_the_same() -> None:
    game = played(hands=2)
    assert game.state.phase is Phase.ENDED and not game.state.faults and len(game.digests()) == 1
    first, second = game.state.results
    assert [bid for _, bid in first["bids"]] == [b"0".hex(), b"10".hex(), b"20".hex()]
    assert all(len(numbers) == 2 and not silent for numbers, silent in first["rolled"])
    assert len({str(roll) for hand in (first, second) for roll in hand["rolled"]}) > 1


@pytest.mark.parametrize("name", PROTOCOLS)
def test_beside_every_protocol(name: str) -> None:
    """Also where books are open at the end: they make every message again."""
    modes = {"chain": b'{"proven":false}', "duel": b'{"mode":"xor"}'}
    protocol = make_protocol(name, modes.get(name, b"{}"), group(backend=FASTEST))
    game = Game(protocol, BidRules(), seats=SEATS.get(name, 3)).play()
    assert game.state.phase is Phase.ENDED and not game.state.faults and len(game.state.results) == 1


def test_killed_anywhere_it_ends_the_same() -> None:
    game = played()
    suite.killed_at_every_entry(game)
    suite.all_killed_at_every_entry(game, stride=3)


def test_orders_rollbacks_and_books() -> None:
    game = played()
    suite.crossings_are_accepted(game)
    suite.rollbacks_are_refused(game, stride=4)
    suite.books_reproduce_every_byte(game)
    suite.eager_and_lazy_agree(game)


def test_every_field_tampered_with_is_answered() -> None:
    game = played()
    tally = suite.tampering_is_answered(game)
    assert tally["fault"] >= 6 and tally["refused"] > 50
    suite.forgeries_name_nobody(game, flips=10)


def test_the_log_is_small() -> None:
    """Some hundred bytes for a seat, where a deck costs thousands."""
    game = Game(clear(), BidRules(rolls=1)).play()
    said = [data for data in game.log if b'"type":"cards"' in data]
    assert len(said) == 12 and max(map(len, said)) < 700


def as_the_law_says(game: Game) -> list[list[int]]:
    """Every roll has numbers, or somebody who did not open. Gives who, for each."""
    (result,) = game.state.results
    assert all(bool(numbers) != bool(silent) for numbers, silent in result["rolled"])
    return [silent for _, silent in result["rolled"]]


@pytest.mark.parametrize("height", range(4, 28, 2))
def test_somebody_leaves_anywhere(height: int) -> None:
    """The others go on. What it had committed to and not opened is missing, and is never made again."""
    game = play_leaving(Table(clear(), BidRules(), seats=4), [(height, (3,))])
    assert sum(3 in silent for silent in as_the_law_says(game)) <= 1
    bids = dict(game.state.results[0]["bids"])
    assert {seat: bids[seat] for seat in range(3)} == {seat: (b"%d" % (10 * seat)).hex() for seat in range(3)}
    assert bids.get(3) in (None, b"30".hex())


@pytest.mark.parametrize(("first", "then"), [(5, 7), (6, 12), (9, 21), (14, 15)])
def test_two_leave_one_after_the_other(first: int, then: int) -> None:
    as_the_law_says(play_leaving(Table(clear(), BidRules(), seats=4), [(first, (0,)), (then, (2,))]))


@pytest.mark.parametrize("height", [5, 9, 13, 22, 26])
def test_the_others_would_not_wait(height: int) -> None:
    game = Table(clear(), BidRules(), seats=4)
    game.play(until=lambda game: len(game.log) >= height and playing(game))
    fall_silent(game, (1,))
    game.play()
    ends_well(game)
    as_the_law_says(game)


@pytest.mark.parametrize(
    "script",
    [
        [[NewDeck(0, 3)], [Random(0, (6,))]],
        [[NewDeck(0, 3)], [Seal(0)]],
        [[Random(0, (6,))], [NewDeck(0, 3)]],
        [[Random(0, (6,))], [Unseal(0)]],
        [[Random(16, (6,))]],
        [[Unseal(0)]],
        [[Random(0, (1,))]],
    ],
)
def test_what_a_game_cannot_ask(script: Any) -> None:
    """It is the game that is wrong, and nobody is named."""
    game = Game(clear(), ScriptRules.of([[NewDeck(5, 2)], *script])).play()
    (fault,) = game.state.faults
    assert fault.seat is None and re.search(r"deck|roll|envelope|number", fault.reason)


def test_what_was_not_announced() -> None:
    rules = replace(ScriptRules.of([[NewDeck(5, 2)], [Random(0, (6,))]]), announced=frozenset({Capability.SHARED_DECK}))
    (fault,) = Game(clear(), rules).play().state.faults
    assert fault.seat is None and "did not announce" in fault.reason


def test_a_roll_of_some() -> None:
    """Those who are named roll; the others need not."""
    game = Game(clear(), ScriptRules.of([[Random(0, (6,), (0, 2))]])).play()
    rolls = [event for event in events_of(game.replica()) if isinstance(event, Rolled)]
    assert len(rolls) == 1 and sum(b'"type":"cards"' in data for data in game.log) == 4
