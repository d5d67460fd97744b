"""Numbers that all seats draw together: fair for whoever is honest, and nobody's to choose."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodealer.errors import BadParameter, DecodeError, PeerFault
from nodealer.group import group as make_group
from nodealer.protocols.base import Binding, Duty
from nodealer.protocols.rolling import BOUND_MAX, NUMBERS_MAX, Roll, Rolling, _words
from nodealer.tape import Tape
from nodealer.wire import encode
from sampling import times

from .decks import binding, tapes_of
from .kit import changed, field_of

ANCHOR = b"a" * 32
DICE = Roll((6, 6))


def table(seats: int = 3, **options: object) -> Binding:
    return binding("mask", make_group(backend="reference"), seats, **options)  # type: ignore[arg-type]


def begun(seats: int = 3, roll: Roll = DICE, anchor: bytes = ANCHOR, **options: object) -> Rolling:
    return Rolling.begin(table(seats, **options), roll, anchor)


def said(rolling: Rolling, tapes: dict[int, Tape], *seats: int) -> Rolling:
    """These seats say what they owe; without names, all do."""
    for duty in rolling.duties:
        if not seats or duty.seat in seats:
            rolling = rolling.apply(duty, rolling.message(duty, tapes[duty.seat]))
    return rolling


def rolled(seats: int = 3, roll: Roll = DICE, anchor: bytes = ANCHOR, mark: int = 1) -> tuple[int, ...]:
    tapes = tapes_of(seats, mark)
    numbers = said(said(begun(seats, roll, anchor), tapes), tapes).numbers
    assert numbers is not None
    return numbers


def of(rolling: Rolling, seat: int) -> Duty:
    return next(duty for duty in rolling.duties if duty.seat == seat)


# --- What comes out ---


@given(st.lists(st.integers(2, BOUND_MAX), min_size=1, max_size=8), st.integers(2, 6))
@settings(max_examples=times(20, deep=300))
def test_every_number_is_below_its_bound(bounds: list[int], seats: int) -> None:
    numbers = rolled(seats, Roll(tuple(bounds)))
    assert len(numbers) == len(bounds)
    assert all(0 <= number < bound for number, bound in zip(numbers, bounds, strict=True))


def test_commit_then_open() -> None:
    """All commit side by side, and only then does anybody owe a coin; then all is said."""
    tapes, rolling = tapes_of(3), begun()
    assert [(duty.kind, duty.seat, duty.deck) for duty in rolling.duties] == [
        ("commit", seat, None) for seat in range(3)
    ]
    rolling = said(rolling, tapes, 2, 0)
    assert [(duty.kind, duty.seat) for duty in rolling.duties] == [("commit", 1)] and not rolling.opening
    rolling = said(rolling, tapes)
    assert [duty.kind for duty in rolling.duties] == ["coin"] * 3 and rolling.numbers is None
    rolling = said(rolling, tapes, 1)
    assert [duty.seat for duty in rolling.duties] == [0, 2] and rolling.numbers is None
    rolling = said(rolling, tapes)
    assert rolling.duties == () and rolling.numbers is not None and not rolling.broken
    assert rolling.without((0, 1)) is rolling, "what is rolled is rolled"


def test_the_order_of_words_does_not_matter() -> None:
    tapes = tapes_of(3)
    one = said(said(said(said(begun(), tapes, 2), tapes), tapes, 1), tapes)
    assert one.numbers == rolled()


def test_the_same_roll_gives_the_same_bytes_and_another_gives_others() -> None:
    """Restarted, a seat says the same; for another place, or other bounds, its coin is another."""
    coins = set[bytes]()
    for rolling, tape in (
        (begun(), 1),
        (begun(), 1),
        (begun(anchor=b"b" * 32), 1),
        (begun(roll=Roll((6, 7))), 1),
        (begun(roll=Roll((6,))), 1),
        (begun(hand=1), 1),
        (begun(session=b"t" * 32), 1),
        (begun(roster=b"q" * 32), 1),
        (begun(), 2),
    ):
        tapes = tapes_of(3, tape)
        rolling = said(rolling, tapes)
        coins |= {field_of(rolling.message(of(rolling, seat), tapes[seat]), "coin") for seat in range(3)}
    assert len(coins) == 3 * 8


def test_every_coin_counts() -> None:
    """With one seat's coin changed, and all else the same, the numbers are others: whoever it is."""
    roll = Roll((BOUND_MAX,) * 2)
    tapes = tapes_of(4)
    known = said(said(begun(4, roll), tapes), tapes).numbers
    for seat in range(4):
        mixed = {**tapes, seat: Tape(bytes([9, seat]) * 16)}
        assert said(said(begun(4, roll), mixed), mixed).numbers != known


def test_a_die_is_fair() -> None:
    """Of 6,000 throws each face comes up about 1,000 times: within five standard deviations."""
    throws = Counter(number for mark in range(6) for number in rolled(2, Roll((6,) * 1000), mark=mark))
    assert set(throws) == set(range(6)) and all(abs(count - 1000) < 5 * 29 for count in throws.values())


def test_no_number_is_favoured_by_the_reduction(monkeypatch: pytest.MonkeyPatch) -> None:
    """A word of the last, incomplete run is thrown away: with 3·2^30 for a bound half of the wrong way would show."""
    bound = 3 * 2**30
    fair = 2**64 - 2**64 % bound
    given = iter([fair, 2**64 - 1, fair - 1, 5])
    monkeypatch.setattr("nodealer.protocols.rolling._words", lambda joint, count: given)
    assert Roll((bound, bound)).numbers(b"") == (bound - 1, 5)


def test_words_never_run_out() -> None:
    """Blocks follow each other, and no word of one is one of another's."""
    words = list(islice(_words(b"joint", 2), 64))
    assert len(set(words)) == 64 and all(0 <= word < 2**64 for word in words)


def test_what_can_be_rolled() -> None:
    assert Roll((2, BOUND_MAX)).bounds == (2, 2**32)
    for bounds in ((), (6,) * (NUMBERS_MAX + 1)):
        with pytest.raises(BadParameter, match="1 to 1000 numbers"):
            Roll(bounds)
    for bound in (1, 0, -1, BOUND_MAX + 1):
        with pytest.raises(BadParameter, match="a number is one of 2 to"):
            Roll((6, bound))


def test_what_it_costs() -> None:
    """Some hundred bytes for six seats, however many numbers."""
    tapes, rolling, total = tapes_of(6), begun(6, Roll((6,) * 100)), 0
    while rolling.duties:
        duty = rolling.duties[0]
        message = rolling.message(duty, tapes[duty.seat])
        total += len(message)
        rolling = rolling.apply(duty, message)
    assert total < 12 * 80


# --- Cheats ---


def test_a_coin_chosen_after_the_others() -> None:
    """The last to open has seen all other coins; whatever it opens but its own is its fault."""
    tapes, other = tapes_of(3), tapes_of(3, 2)
    rolling = said(said(begun(), tapes), tapes, 0, 1)
    duty = of(rolling, 2)
    honest = rolling.message(duty, tapes[2])
    for coin in (rolling.message(duty, other[2]), changed(honest, coin=bytes(32)), encode_coin(rolling.coins[0])):
        with pytest.raises(PeerFault, match="the coin is not the one that it committed to") as caught:
            rolling.apply(duty, coin)
        assert caught.value.seat == 2
    assert rolling.apply(duty, honest).numbers is not None


def encode_coin(coin: bytes) -> bytes:
    rolling = said(begun(), tapes_of(3))
    return changed(rolling.message(of(rolling, 0), tapes_of(3)[0]), coin=coin)


def test_a_copied_commitment_is_of_no_use() -> None:
    """Its coin opens it for its own seat only: the seat is in the hash."""
    tapes, rolling = tapes_of(3), begun()
    rolling = said(rolling, tapes, 0, 1)
    copied = rolling.apply(
        of(rolling, 2), changed(rolling.message(of(rolling, 2), tapes[2]), commitment=rolling.commitments[0])
    )
    opened = said(copied, tapes, 0)
    coin = encode_coin(opened.coins[0])
    with pytest.raises(PeerFault, match="committed"):
        opened.apply(of(opened, 2), coin)


def test_a_commitment_of_another_place() -> None:
    """Of an earlier roll, hand, table or list of bounds: its coin opens nothing here."""
    tapes = tapes_of(3)
    for elsewhere in (
        begun(anchor=b"b" * 32),
        begun(roll=Roll((6, 7))),
        begun(hand=1),
        begun(session=b"t" * 32),
        begun(roster=b"q" * 32),
        replace(begun(), binding=replace(table(), protocol="lock")),
        replace(begun(), binding=replace(table(), version=7)),
    ):
        there, here = said(elsewhere, tapes), said(begun(), tapes, 0, 1)
        message = changed(here.message(of(here, 2), tapes[2]), commitment=there.commitments[2])
        here = here.apply(of(here, 2), message)
        with pytest.raises(PeerFault, match="committed"):
            here.apply(of(here, 2), there.message(of(there, 2), tapes[2]))


def test_a_coin_answers_all_commitments() -> None:
    """On a fork with another commitment of somebody the duty to open is another: no coin is opened for both."""
    tapes = tapes_of(3)
    here = said(begun(), tapes)
    there = replace(here, commitments={**here.commitments, 1: bytes(32)})
    assert of(here, 0).id != of(there, 0).id
    with pytest.raises(BadParameter, match="does not owe"):
        here.apply(of(there, 0), here.message(of(here, 0), tapes[0]))


def test_words_that_are_not_owed() -> None:
    tapes, rolling = tapes_of(3), begun()
    duty = of(rolling, 0)
    message = rolling.message(duty, tapes[0])
    once = rolling.apply(duty, message)
    with pytest.raises(BadParameter, match="seat 0 does not owe this commit"):
        once.apply(duty, message)
    with pytest.raises(BadParameter, match="does not owe"):
        rolling.apply(replace(duty, seat=7), message)


@pytest.mark.parametrize("opening", [False, True])
def test_malformed_words(opening: bool) -> None:
    tapes, rolling = tapes_of(3), begun()
    rolling = said(rolling, tapes) if opening else rolling
    duty = of(rolling, 1)
    honest = rolling.message(duty, tapes[1])
    name = "coin" if opening else "commitment"
    data = field_of(honest, name)
    for wrong in (
        b"",
        b"{}",
        honest + b" ",
        honest * 2,
        b"[" * 200,
        changed(honest, **{name: data[:-1]}),
        changed(honest, **{name: data + b"\0"}),
        changed(honest, **{name: b""}),
        changed(honest, **{name: None}),
        honest.replace(b'"type"', b'"kind"'),
        encode({"type": "coin" if opening else "commit", name: "x" * 5000}),
        (begun() if opening else said(begun(), tapes)).message(duty, tapes[1]),
    ):
        with pytest.raises(DecodeError):
            rolling.apply(duty, wrong)


# --- Who leaves ---


def test_who_leaves_before_it_has_committed_is_not_waited_for() -> None:
    tapes, rolling = tapes_of(4), begun(4)
    rolling = said(rolling, tapes, 0, 1).without((3,))
    assert [duty.seat for duty in rolling.duties] == [2] and not rolling.broken
    rolling = said(said(rolling, tapes), tapes)
    assert rolling.numbers is not None and set(rolling.coins) == {0, 1, 2}
    # The last one that had not: all others are there already.
    waiting = said(begun(4), tapes, 0, 1, 2).without((3,))
    assert waiting.opening and [duty.kind for duty in waiting.duties] == ["coin"] * 3


@pytest.mark.parametrize("opened", [(), (0,), (0, 1)])
def test_who_leaves_with_a_coin_breaks_the_roll(opened: tuple[int, ...]) -> None:
    """It may have seen the numbers. Nothing is rolled without it, nobody owes anything, and the game is told who."""
    tapes = tapes_of(3)
    rolling = said(begun(), tapes)
    rolling = said(rolling, tapes, *opened) if opened else rolling
    broken = rolling.without((2,))
    assert broken.broken and broken.missing == (2,) and broken.duties == () and broken.numbers is None
    assert broken.without((0,)) is broken, "who leaves then breaks nothing any more"


def test_who_has_committed_and_leaves_before_all_have_breaks_it_too() -> None:
    rolling = said(begun(), tapes_of(3), 0).without((0, 1))
    assert rolling.broken and rolling.missing == (0,) and rolling.seats == (0, 2)


def test_who_has_opened_may_leave() -> None:
    tapes = tapes_of(3)
    rolling = said(said(begun(), tapes), tapes, 0).without((0,))
    assert not rolling.broken and [duty.seat for duty in rolling.duties] == [1, 2]
    assert said(rolling, tapes).numbers == rolled()


def test_nobody_rolls_alone() -> None:
    """One seat that is left would choose the numbers; no seats would all have the same."""
    for seats in ((1, 2), (0, 1, 2)):
        alone = begun().without(seats)
        assert alone.broken and alone.missing == () and alone.duties == () and alone.numbers is None
