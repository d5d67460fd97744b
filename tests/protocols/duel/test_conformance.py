"""The conformance suite over duel, as far as it applies: two seats, a deck for each, every operation, every mode.

What does not apply: seats beyond two, and decks without an owner (a deck belongs to who brings it, so no card of it is
ever dealt to the other); and where every hand ends with open books, their seeds stand in the log by right.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

import pytest

from backends import FASTEST, HAS_NATIVE
from conformance import suite
from conformance.harness import Game, forked, resigned
from conformance.suite import ProtocolCase
from nodealer.cards.operations import Card, Close, Deal, Look, Open, Operation, Peek, Place, Portion, Return, Show
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Outcome
from nodealer.errors import CardUnreadable
from nodealer.group import Group, concat
from nodealer.group import group as make_group
from nodealer.proofs.encoding import encodings
from nodealer.protocols.base import Binding
from nodealer.protocols.duel import DuelDeck
from nodealer.tape import Tape
from sampling import times

from .kit import MODES, NEW, duel, played

#: Everything that can be asked, on both decks at the same time.
SCRIPT: Final[tuple[tuple[Operation, ...], ...]] = (
    NEW,
    (Deal(0, (Portion(0, 2),)), Deal(1, (Portion(1, 2),))),
    (Show(0, 0, (0,)), Show(1, 1, (1,), to=0)),
    (Return(0, (0,), Place.TOP), Return(1, (0,), Place.DISCARD)),
    (Peek(0, 0, 2, Look.REORDER), Peek(1, 1, 1)),
    (Peek(0, 0, 4, Look.TAKE), Open(1, 1)),
    (Return(0, (1,), Place.BOTTOM), Return(1, (1,), Place.SHUFFLED)),
    (Close(0), Close(1)),
)

modes = pytest.mark.parametrize("mode", MODES)


@cache
def game_of(mode: str, hands: int = 1, backend: str = FASTEST) -> Game:
    """A finished game. Shared between tests, which never change it."""
    return played(make_group(backend=backend), mode, *SCRIPT, seed=f"suite {hands}", hands=hands).play()


@pytest.mark.sample(reference=1)
@modes
@pytest.mark.parametrize("backend", ["native", "reference"])
def test_a_whole_game(mode: str, backend: str) -> None:
    if backend == "native" and not HAS_NATIVE:
        pytest.skip("the native core is not built")
    game = game_of(mode, 2, backend)
    assert game.state.phase is Phase.ENDED and game.state.fault is None and len(game.state.results) == 2
    assert len(game.digests()) == 1


@modes
@pytest.mark.parametrize(
    "holds",
    [suite.eager_and_lazy_agree, suite.books_reproduce_every_byte, suite.forgeries_name_nobody],
    ids=lambda function: function.__name__,
)
def test_holds(mode: str, holds: Callable[[Game], None]) -> None:
    holds(game_of(mode))


def test_no_secret_in_log() -> None:
    suite.no_secret_in_log(game_of("proven"))


@modes
def test_killed(mode: str) -> None:
    suite.killed_at_every_entry(game_of(mode), times(9, deep=1))
    suite.all_killed_at_every_entry(game_of(mode), times(21, deep=1))
    suite.rollbacks_are_refused(game_of(mode), times(5, deep=1))


@modes
def test_networks(mode: str) -> None:
    suite.crossings_are_accepted(game_of(mode), 6)
    for seed in range(times(1, deep=2)):
        relay = suite.slow_network(played(make_group(backend=FASTEST), mode, *SCRIPT, seed=f"{seed}"), f"{mode} {seed}")
        assert relay.state.fault is None and len(relay.state.results) == 1


@modes
def test_tampering(mode: str) -> None:
    tally = suite.tampering_is_answered(game_of(mode), times(9, deep=1))
    assert tally["refused"] and tally["fault"] and tally["nobody"]


@modes
def test_equivocation(mode: str) -> None:
    game = game_of(mode)
    replica = game.replica(0)
    for data in game.log[:20]:
        seat = game.signer(data)
        replica.append(data)
        other = resigned(data, game.persons[seat].key, lambda entry: entry.update(hand=entry["hand"] + 1))
        twin = forked(replica)
        assert twin.append(other).outcome is Outcome.FAULT
        assert twin.state.fault is not None and twin.state.fault.seat == seat


# --- Freshness and uniformity ---


def fresh_values(group: Group, message: bytes) -> list[bytes]:
    """Every point, scalar, nonce and commitment."""
    values: list[bytes] = []
    for name, said in json.loads(message).items():
        if name in ("type", "position") or isinstance(said, list):
            continue
        text = base64.b64decode(said)[1 if name in ("proof", "link") else 0 :]
        # What the end shows of a card may have been shown before, when it was played or drawn.
        values += [text[at : at + 32] for at in range(0, len(text), 32)] if name not in ("nonces", "keys") else []
    return values


def shuffle_alone(seats: int, honest: int, tape: Tape) -> tuple[int, ...]:
    table = Binding("duel", 0, bytes(32), bytes(32), 0, (0, 1), (), make_group(backend=FASTEST))
    deck = duel(table.group).new_deck(table, 0, 4, 0)
    assert deck.faces is not None
    return tuple(deck.order(tape, honest % 2, 0, deck.faces.points).vartime_list())


def case_of(mode: str) -> ProtocolCase:
    return ProtocolCase(
        f"duel {mode}", lambda group: duel(group, mode), fresh_values, shuffle_alone, lambda game, tapes: {}
    )


@modes
def test_nothing_repeats(mode: str) -> None:
    games = [game_of(mode, hands) for hands in (1, 2)]
    suite.nothing_repeats(case_of(mode), games)


def test_uniform() -> None:
    for honest in range(2):
        suite.order_is_uniform(case_of("proven"), honest=honest, times=times(1000, deep=3000))


# --- Secrecy ---


def dealt(mode: str) -> Game:
    game = played(make_group(backend=FASTEST), mode, *SCRIPT[:2], (Show(0, 0, (0,)),), seed="secrets")
    return game.play(until=lambda game: len(getattr(game.state.hand.game, "heard", ())) > 5)


def attack(deck: DuelDeck, tapes: Mapping[int, Tape]) -> dict[Card, int]:
    """Open every card of a deck with all keys that are published or on a tape, as if the missing ones were one."""
    positions = tuple(range(deck.size))
    keys = deck.cipher.integers([1] * deck.size)
    for seat in deck.binding.players:
        own = deck.layers.secrets(tapes[seat], positions, seat) if seat in tapes else None
        one = deck.cipher.integers([1])
        parts = [deck.released.get(p, {}).get(seat, one if own is None else own[p]) for p in positions]
        keys = keys * concat(*parts)
    public = {} if deck.faces is None else deck.faces.index
    index = deck.own_index(tapes[deck.owner]) if deck.owner in tapes else public
    bare = encodings(keys.invert() * deck.layers.cards(positions))
    return {deck.places.card(p): index[code] for p, code in zip(positions, bare, strict=True) if code in index}


@pytest.mark.parametrize("mode", ["proven", "committed"])
def test_nobody_reads_what_is_not_theirs(mode: str) -> None:
    game = dealt(mode)
    for number in (0, 1):
        deck = game.state.hand.decks[number]
        assert isinstance(deck, DuelDeck)
        owner, rival = deck.owner, deck.rival
        both = attack(deck, {seat: game.tape(seat) for seat in (0, 1)})
        assert sorted(both.values()) == list(range(deck.size)), "with both tapes the attack reads everything"
        mine = deck.knows(owner, game.tape(owner))
        assert len(mine) == 2 and mine.items() <= both.items()
        assert attack(deck, {owner: game.tape(owner)}) == mine, "the owner reads what it drew, and no more"
        assert not attack(deck, {rival: game.tape(rival)}) and not attack(deck, {})
        assert not deck.knows(rival, game.tape(rival))
        with pytest.raises(CardUnreadable):
            deck.knows(owner, game.tape(rival))
