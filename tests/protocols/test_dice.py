"""Dice alone: everybody commits, everybody opens, and nobody could have chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from backends import FASTEST
from nodealer.cards.events import Event, Finished, Rolled
from nodealer.cards.operations import ROLLS_MAX, SIDES_MAX, Close, NewDeck, Operation, Random
from nodealer.errors import BadParameter, Malformed, PeerFault
from nodealer.group import group
from nodealer.protocols.base import DeckChange
from nodealer.protocols.dice import COMMIT, OPEN, Dice, RollCommit, RollOpen
from nodealer.tape import Tape
from nodealer.wire import encode

from .decks import binding, tapes_of

Tapes = dict[int, Tape]


def dice(seats: int = 3, *, hand: int = 0, session: bytes = bytes(32), number: int = 7) -> Dice:
    return Dice(binding("mask", group(backend=FASTEST), seats, hand=hand, session=session), number)


def asked(roll: Random, of: Dice | None = None) -> Dice:
    change = (of or dice()).request(roll)
    assert isinstance(change.deck, Dice) and not change.events
    return change.deck


def answered(one: Dice, tapes: Tapes, seats: Iterable[int] | None = None) -> tuple[Dice, tuple[Event, ...]]:
    """After each of these seats has answered what it owes now, or all of them."""
    events = tuple[Event, ...]()
    for duty in one.duties:
        if seats is None or duty.seat in set(seats):
            change = one.apply(duty, one.message(duty, tapes[duty.seat]))
            assert isinstance(change.deck, Dice)
            one, events = change.deck, (*events, *change.events)
    return one, events


def rolled(roll: Random, tapes: Tapes, of: Dice | None = None) -> tuple[int, ...]:
    one, events = answered(asked(roll, of), tapes)
    assert not events
    _, events = answered(one, tapes)
    first, finished = events
    assert isinstance(first, Rolled) and not first.silent and finished == Finished(roll)
    return first.numbers


def dice_of(change: DeckChange) -> Dice:
    assert isinstance(change.deck, Dice)
    return change.deck


def test_first_all_commit_and_then_all_open() -> None:
    one, tapes = asked(Random(7, (6, 6))), tapes_of(3)
    for left in (3, 2, 1):
        assert [duty.kind for duty in one.duties] == [COMMIT] * left
        one = dice_of(one.apply(one.duties[0], one.message(one.duties[0], tapes[one.duties[0].seat])))
    assert [(duty.kind, duty.seat) for duty in one.duties] == [(OPEN, 0), (OPEN, 1), (OPEN, 2)]


def test_every_number_comes_and_none_too_often() -> None:
    """Not a power of two: a remainder would show. 12 sides, 10,240 numbers: eleven degrees of freedom."""
    counts = Counter[int]()
    for mark in range(1, 11):
        counts.update(rolled(Random(7, (12,) * ROLLS_MAX), tapes_of(3, mark)))
    expected = 10 * ROLLS_MAX / 12
    assert set(counts) == set(range(12))
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 40


def test_large_numbers_are_even_too() -> None:
    """Of 3·2^30 sides, a biased remainder would prefer the lower third."""
    sides = 3 << 30
    numbers = rolled(Random(7, (sides,) * ROLLS_MAX), tapes_of(2), dice(2))
    assert max(numbers) < sides
    assert abs(sum(number < 1 << 30 for number in numbers) - ROLLS_MAX / 3) < 80
    assert max(rolled(Random(7, (SIDES_MAX,) * 64), tapes_of(2), dice(2))) > 1 << 31


def test_every_share_counts() -> None:
    roll = Random(7, (SIDES_MAX, SIDES_MAX))
    known = rolled(roll, tapes_of(3))
    for seat in range(3):
        assert rolled(roll, {**tapes_of(3), seat: Tape(bytes([9]) * 32)}) != known


def test_another_table_hand_number_or_roll_is_another_roll() -> None:
    roll, tapes = Random(7, (SIDES_MAX, SIDES_MAX)), tapes_of(3)
    known = {
        rolled(roll, tapes),
        rolled(roll, tapes, dice(hand=1)),
        rolled(roll, tapes, dice(session=bytes([1]) * 32)),
        rolled(Random(8, roll.sides), tapes, dice(number=8)),
        rolled(Random(7, (*roll.sides, 2)), tapes)[:2],
        rolled(Random(7, roll.sides, (0, 1, 2)), tapes),
    }
    one, _ = answered(asked(roll), tapes)
    again, _ = answered(one, tapes)
    known.add(rolled(roll, tapes, again))
    assert len(known) == 7


def test_a_false_share_names_its_seat() -> None:
    one, _ = answered(asked(Random(7, (6,))), tapes_of(3))
    duty = one.duties[1]
    with pytest.raises(PeerFault, match="not the ones it committed to") as fault:
        one.apply(duty, encode(RollOpen(bytes(32))))
    assert fault.value.seat == 1


def test_a_share_of_an_earlier_roll_is_a_false_one() -> None:
    roll, tapes = Random(7, (6,)), tapes_of(3)
    first, _ = answered(asked(roll), tapes)
    old = first.message(first.duties[0], tapes[0])
    done, _ = answered(first, tapes)
    second, _ = answered(asked(roll, done), tapes)
    with pytest.raises(PeerFault):
        second.apply(second.duties[0], old)


def test_a_copied_commitment_opens_to_nothing() -> None:
    """Who repeats another's commitment, and then its share, would cancel or double it."""
    one, tapes = asked(Random(7, (6,))), tapes_of(3)
    said = one.message(one.duties[0], tapes[0])
    one = dice_of(one.apply(one.duties[0], said))
    one = dice_of(one.apply(one.duties[0], said))
    one, _ = answered(one, tapes)
    share = one.message(one.duties[0], tapes[0])
    one = dice_of(one.apply(one.duties[0], share))
    with pytest.raises(PeerFault) as fault:
        one.apply(one.duties[0], share)
    assert fault.value.seat == 1


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"{}",
        encode(RollOpen(bytes(32))),
        encode(RollCommit(bytes(31))),
        encode(RollCommit(bytes(33))),
        encode({"type": "roll", "commitment": bytes(32), "more": 1}),
    ],
)
def test_what_is_no_commitment(message: bytes) -> None:
    one = asked(Random(7, (6,)))
    with pytest.raises(Malformed):
        one.apply(one.duties[0], message)


@pytest.mark.parametrize("size", [0, 31, 33, 1 << 16])
def test_what_is_no_share(size: int) -> None:
    one, _ = answered(asked(Random(7, (6,))), tapes_of(3))
    with pytest.raises(Malformed):
        one.apply(one.duties[0], encode(RollOpen(bytes(size))))


def test_who_leaves_before_all_have_committed_is_not_missed() -> None:
    tapes = tapes_of(3)
    for committed in ((), (0,), (0, 1)):
        one, _ = answered(asked(Random(7, (6,))), tapes, committed)
        change = one.without((0,))
        assert not change.events
        one, events = answered(dice_of(change), tapes)
        if not events:
            one, events = answered(one, tapes)
        assert isinstance(events[0], Rolled) and len(events[0].numbers) == 1


def test_who_leaves_after_it_takes_the_roll_along() -> None:
    """Whatever it has seen of the others' shares: it is never rolled again."""
    tapes = tapes_of(3)
    for opened in ((), (1,), (1, 2)):
        one, _ = answered(asked(Random(7, (6,))), tapes)
        one, _ = answered(one, tapes, opened)
        change = one.without((0,))
        assert change.events == (Rolled(7, (), (0,)), Finished(Random(7, (6,))))
        assert not change.deck.duties


def test_a_share_that_was_opened_stays() -> None:
    tapes, roll = tapes_of(3), Random(7, (SIDES_MAX,))
    one, _ = answered(asked(roll), tapes)
    one, _ = answered(one, tapes, (0,))
    change = one.without((0,))
    assert not change.events
    _, events = answered(dice_of(change), tapes)
    assert events[0] == Rolled(7, rolled(roll, tapes))


def test_when_all_are_gone_there_is_no_roll() -> None:
    change = asked(Random(7, (6,), (1,))).without((1,))
    assert change.events[0] == Rolled(7, (), (1,))


def test_nobody_rolls_alone_for_others() -> None:
    """Were it the last that is left of those who roll, it would try shares until it likes the number."""
    tapes, roll = tapes_of(3), Random(7, (6,), (0, 1))
    for committed in ((), (0,), (1,)):
        one, _ = answered(asked(roll), tapes, committed)
        assert one.without((1,)).events == (Rolled(7, (), (1,)), Finished(roll))
    one, _ = answered(asked(Random(7, (6,))), tapes, (0,))
    one = dice_of(one.without((2,)))
    assert one.without((1,)).events == (Rolled(7, (), (1,)), Finished(Random(7, (6,))))


@pytest.mark.parametrize(
    "operation",
    [
        Random(7, ()),
        Random(7, (6,) * (ROLLS_MAX + 1)),
        Random(7, (1,)),
        Random(7, (0,)),
        Random(7, (SIDES_MAX + 1,)),
        Random(7, (True,)),
        Random(7, (6,), (0, 0)),
        Random(7, (6,), (0, 5)),
        NewDeck(7, 5),
        Close(7),
    ],
)
def test_what_cannot_be_rolled(operation: Operation) -> None:
    with pytest.raises(BadParameter):
        dice().request(operation)


def test_one_roll_at_a_time() -> None:
    with pytest.raises(BadParameter):
        asked(Random(7, (6,))).request(Random(7, (6,)))


def test_digests_tell_every_state() -> None:
    tapes, one = tapes_of(3), asked(Random(7, (6,)))
    seen = {dice().digest(), one.digest()}
    for _ in range(2):
        for seat in range(3):
            one, _ = answered(one, tapes, (seat,))
            seen.add(one.digest())
    assert len(seen) == 8
