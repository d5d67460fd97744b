"""The source's own form of the recovery: it works once it is mended, three attacks break it, and none breaks ours."""

from __future__ import annotations

from typing import Final

from nodealer.group import Group, Points, concat
from nodealer.protocols.lock.recovery import LockDeclaring
from nodealer.protocols.lock.shuffle import Cascading

from ..kit import cheat, is_fault
from .cheats import Multiplied, false_cascade, false_held
from .kit import at_place, deck_of
from .source_recovery import SourceRecovery, encodings
from .test_attacks import leaving, other_face

SIZE: Final = 20
HANDS: Final = {0: (0, 1), 1: (2, 3), 2: (4, 5)}
TABLE: Final = (6, 7, 8)
ATTACKER: Final = 0


def fresh(group: Group, *, permuting: bool = True, decodes: bool = True) -> SourceRecovery:
    return SourceRecovery(group, HANDS, TABLE, SIZE, permuting, decodes)


LEFT: Final = [j for j in range(SIZE) if j not in TABLE and all(j not in hand for hand in HANDS.values())]


def test_mended_it_decodes(fast: Group) -> None:
    recovery = fresh(fast)
    deck = recovery.common(recovery.arrays())
    assert len(deck) == SIZE - len(HANDS) * 2 - len(TABLE), "m − N·h − T, not m − x·h − T"
    assert sorted(face for face in recovery.opened(deck) if face is not None) == LEFT


# --- First: the lock leaves the secrets of the arrays on every card ---


def test_as_written_nothing_decodes(fast: Group) -> None:
    recovery = fresh(fast, decodes=False)
    assert set(recovery.opened(recovery.common(recovery.arrays()))) == {None}


def test_ours_decodes(fast: Group) -> None:
    game = leaving(fast).play()
    assert game.state.fault is None and len(game.state.results) == 1


# --- Second: whoever knows the order of its own array knows everything ---


def read_by_order(recovery: SourceRecovery, arrays: dict[int, Points]) -> tuple[dict[bytes, int], dict[int, set[int]]]:
    """What the attacker reads if its array came back in the order in which it sent it."""
    named = dict(zip(encodings(arrays[ATTACKER]), recovery.expected(ATTACKER), strict=True))
    others = {p: set(encodings(array)) for p, array in arrays.items() if p != ATTACKER}
    hands = {p: {face for point, face in named.items() if point not in array} for p, array in others.items()}
    return named, hands


def in_order(recovery: SourceRecovery, player: int, faces: list[int], array: Points) -> Points:
    return array


def test_without_permuting_all_is_read(fast: Group) -> None:
    recovery = fresh(fast, permuting=False)
    arrays = recovery.arrays({ATTACKER: in_order})
    named, hands = read_by_order(recovery, arrays)
    assert hands == {1: {2, 3}, 2: {4, 5}}, "every hand"
    assert sorted(named[point] for point in recovery.common(arrays)) == LEFT, "and every card of the deck, by its point"
    truth = {(recovery.e[0] * recovery.e[1] * recovery.e[2] * recovery.faces[j]).to_bytes(): j for j in range(SIZE)}
    assert all(truth[point] == face for point, face in named.items())


def test_with_permuting_it_reads_nothing_right(fast: Group) -> None:
    recovery = fresh(fast)
    _, hands = read_by_order(recovery, recovery.arrays({ATTACKER: in_order}))
    assert hands != {1: {2, 3}, 2: {4, 5}}


def test_in_ours_an_honest_seat_permutes(fast: Group) -> None:
    """Whatever order the deck comes in, what an honest seat sends on is in an order that only it knows."""
    game = leaving(fast)
    for seat in (0, 1, 2):
        deck = deck_of(game)
        assert isinstance(deck.stage, Cascading) and [duty.seat for duty in deck.duties] == [seat]
        s = deck.cascade_secret(game.tape(seat), seat)
        game.play(until=lambda game: deck_of(game) is not deck)
        stage = deck_of(game).stage
        assert isinstance(stage, Cascading | LockDeclaring)
        order = [encodings(stage.cards).index(point) for point in encodings(s * deck.stage.cards)]
        assert sorted(order) == list(range(len(order))) != order


# --- Third: nothing shows that an array is what it should be ---


def put_back(recovery: SourceRecovery, player: int, faces: list[int], array: Points) -> Points:
    """My own card instead of one that I do not hold. All sizes are right."""
    mine = recovery.e[player] * recovery.faces[recovery.hands[player][0]]
    return at_place(array, faces.index(LEFT[0]), mine).take(recovery.order(len(array)))


def test_own_card_put_back_and_another_taken_out(fast: Group) -> None:
    recovery = fresh(fast)
    deck = recovery.common(recovery.arrays({ATTACKER: put_back}))
    assert len(deck) == len(LEFT)
    opened = recovery.opened(deck)
    assert HANDS[ATTACKER][0] in opened and LEFT[0] not in opened


def test_in_ours_that_is_a_fault(fast: Group) -> None:
    """The analogue: declare a face that one does not hold, so that this one is taken out and one's own stays in."""
    forge = false_held(lambda deck, d: at_place(d.X, 0, d.e * other_face(deck, d)))
    is_fault(cheat(leaving(fast), 0, "held", forge), "lock held cards")


def factors(recovery: SourceRecovery, count: int) -> list[int]:
    return [3 + 2 * index for index in range(count)]


def multiplied(recovery: SourceRecovery, player: int, faces: list[int], array: Points) -> Points:
    """Every point by a factor of its own, which the others' secrets and permutations do not change."""
    return recovery.group.integers(factors(recovery, len(array))) * array


def test_known_factors_read_everything(fast: Group) -> None:
    """The intersection is empty, but when that is noticed all is known."""
    recovery = fresh(fast)
    arrays = recovery.arrays({ATTACKER: multiplied})
    assert not recovery.common(arrays)
    faces = recovery.expected(ATTACKER)
    others = {p: set(encodings(array)) for p, array in arrays.items() if p != ATTACKER}
    everything = set.union(*others.values())
    named = dict[bytes, int]()
    for factor, face in zip(factors(recovery, len(faces)), faces, strict=True):
        back = encodings(fast.integers([factor]).invert() * arrays[ATTACKER])
        named |= {point: face for point in back if point in everything}
    hands = {p: {face for point, face in named.items() if point not in array} for p, array in others.items()}
    assert hands == {1: {2, 3}, 2: {4, 5}}


def test_in_ours_known_factors_get_no_answer(fast: Group) -> None:
    """Factors in the cascade, or on a held card: a fault, and no honest seat multiplies what it was sent."""

    def change(step: Multiplied) -> Multiplied:
        count = len(step.cards)
        cards = concat(*(step.S.group.integers([3 + 2 * j]) * step.cards[j] for j in range(count)))
        return Multiplied(step.before, step.s, step.S, step.order, cards)

    for seat in range(2):
        is_fault(cheat(leaving(fast), seat, "cascade", false_cascade(change)), "shuffle proof (scalar)")
    three = fast.integers([3])
    is_fault(cheat(leaving(fast), 1, "held", false_held(lambda deck, d: three * d.X)), "lock held cards")
