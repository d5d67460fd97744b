"""The pitfalls of pokerkit, in the order they were found: what it does, and that our table does not."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from pokerkit import Automation, Deck, Mode, NoLimitTexasHoldem, StandardHighHand, State

from nodealer.errors import BadParameter, IllegalMove
from nodealer.games.holdem.adapter import (
    AUTOMATIONS,
    POKERKIT_VERSION,
    Act,
    BestHand,
    Board,
    Over,
    PokerTable,
    Showdown,
    require_chips,
)
from nodealer.games.holdem.faces import indices
from nodealer.games.holdem.rules import Holdem
from nodealer.games.pots import PotClaims, pots
from nodealer.wire import INTEGER_MAX
from sampling import times

FLOP, TURN, RIVER = indices("2c7dJh"), indices("3s"), indices("9c")


def table(*stacks: int, blinds: tuple[int, int] = (1, 2), ante: int = 0) -> PokerTable:
    return PokerTable.deal(tuple(range(len(stacks))), stacks, blinds, ante)


def bare(*stacks: int, mode: Mode = Mode.CASH_GAME, known: bool = False) -> State:
    """pokerkit itself."""
    state = NoLimitTexasHoldem.create_state(AUTOMATIONS, True, 0, (1, 2), 2, stacks, len(stacks), mode=mode)
    for index in range(len(stacks)):
        state.deal_hole("AdAh" if known and index == 1 else "????", index)
    return state


def checked_down(state: State) -> State:
    """Check down to the showdown."""
    for cards in ("2c7dJh", "3s", "9c", None):
        while state.actor_index is not None:
            state.check_or_call()
        if cards is not None:
            state.burn_card("??")
            state.deal_board(cards)
    return state


def at_showdown(*stacks: int) -> PokerTable:
    now = table(*stacks)
    for cards in (FLOP, TURN, RIVER, None):
        while isinstance(now.next, Act):
            now = now.check_or_call(now.next.seat)
        if cards is not None:
            now = now.open_board(cards)
    return now


def test_1_private_cards_make_replicas_disagree() -> None:
    """A replica that knew its own cards would show and win when a spectator's replica mucks."""
    mine, other = checked_down(bare(200, 200, known=True)), checked_down(bare(200, 200))
    for state in (mine, other):
        state.show_or_muck_hole_cards("KsKd")
        state.show_or_muck_hole_cards()
    assert mine.stacks != other.stacks
    # Ours has no way to put a card in but to show it, and says so of every card that is not shown.
    now = at_showdown(200, 200)
    assert now.public()[-1][0] == ["????", "????"]
    assert Automation.HOLE_CARDS_SHOWING_OR_MUCKING not in AUTOMATIONS


def test_2_no_automation_deals() -> None:
    dealing = {Automation.CARD_BURNING, Automation.HOLE_DEALING, Automation.BOARD_DEALING}
    assert not dealing & set(AUTOMATIONS)
    now = table(200, 200)
    now = now.check_or_call(1).check_or_call(0)
    assert now.next == Board(3) and now.board == ()


def test_3_cards_are_checked() -> None:
    state = bare(200, 200)
    state.check_or_call()
    state.check_or_call()
    state.burn_card("??")
    state.deal_board("AcAcAd")  # pokerkit does not even warn
    now = table(200, 200).check_or_call(1).check_or_call(0)
    for bad in ("AcAcAd", "AcAd", "AcAdAhAs"):
        with pytest.raises(BadParameter):
            now.open_board(indices(bad))
    with pytest.raises(BadParameter):
        now.open_board((0, 1, 52))
    with pytest.raises(BadParameter):
        now.open_board((0, 1, True))
    now = at_showdown(200, 200)
    assert isinstance(now.next, Showdown)
    first = now.next.seat
    for bad in ("2cAs", "AsAs", "As", "AsKsQs", ""):
        with pytest.raises(BadParameter):
            now.show(first, indices(bad))
    now = now.show(first, indices("AsKs"))
    with pytest.raises(BadParameter):
        now.show(1 - first, indices("AsQs"))


def test_3_warnings_are_errors_and_filters_stay() -> None:
    """When pokerkit warns, a table rejects the move; the warning filters are unchanged afterwards."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = list(warnings.filters)
        now = table(200, 200, 200)
        with pytest.raises(IllegalMove):
            now._apply(lambda state: warnings.warn("pokerkit is not sure", stacklevel=1))
        assert list(warnings.filters) == before


@pytest.mark.parametrize("amount", [10.5, 10.0, True, "10", None, b"10", 1 << 60, -10, 0])
def test_4_amounts_are_whole_numbers(amount: Any) -> None:
    bare(200, 200).complete_bet_or_raise_to(10.5)  # type: ignore[arg-type]
    now = table(200, 200)
    with pytest.raises(IllegalMove):
        now.raise_to(1, amount)
    assert now.raise_to(1, 10).stacks == {0: 198, 1: 190}


@pytest.mark.parametrize("stack", [0, -1, True, 1.0, 2**53, "9", None])
def test_4_stacks_are_whole_numbers(stack: Any) -> None:
    with pytest.raises(BadParameter):
        table(100, stack)
    with pytest.raises(BadParameter):
        require_chips(stack, "a stack")
    with pytest.raises(BadParameter):
        table(100, 100, blinds=(stack, 2))
    if stack != 0 or stack is False:
        with pytest.raises(BadParameter):
            table(100, 100, ante=stack)


def test_4_other_bad_tables() -> None:
    for seats, stacks in (((0,), (5,)), ((0, 0), (5, 5)), (tuple(range(10)), (5,) * 10), ((0, 1), (5, 5, 5))):
        with pytest.raises(BadParameter):
            PokerTable.deal(seats, stacks, (1, 2), 0)
    with pytest.raises(BadParameter):
        table(100, 100, blinds=(3, 2))
    with pytest.raises(BadParameter):
        table(INTEGER_MAX, INTEGER_MAX)
    assert table(INTEGER_MAX - 1, 1).put_in == (1, 1)


def test_5_the_last_hand_cannot_be_mucked() -> None:
    state = checked_down(bare(200, 200))
    state.show_or_muck_hole_cards(False)
    with pytest.raises((UserWarning, AssertionError)):
        # Without a filter that makes the warning an error, the pot of four chips is gone.
        state.show_or_muck_hole_cards(False)
        assert sum(state.stacks) == 400
    now = at_showdown(200, 200)
    first, second = now.showdown_order
    now = now.muck(first)
    assert now.next == Showdown(second) and now.live == (second,)
    assert not now.may_muck(second)
    with pytest.raises(IllegalMove):
        now.muck(second)
    assert now.claim(second).stacks == {first: 198, second: 202}


def test_5_all_in_hands_cannot_be_mucked() -> None:
    now = table(50, 200, 200).check_or_call(2).raise_to(0, 50).check_or_call(1).check_or_call(2)
    now = now.open_board(FLOP)
    # The two with chips go on; at the river there is an all-in hand among three, and nobody may muck.
    for cards in (TURN, RIVER, None):
        while isinstance(now.next, Act):
            now = now.check_or_call(now.next.seat)
        if cards:
            now = now.open_board(cards)
    for seat in now.showdown_order:
        assert not now.may_muck(seat)
    with pytest.raises(IllegalMove, match="show it"):
        now.muck(now.showdown_order[0])


def test_6_only_the_last_hand_takes_a_pot_unseen() -> None:
    now = at_showdown(200, 200)
    first = now.showdown_order[0]
    with pytest.raises(IllegalMove, match="still in"):
        now.claim(first)
    # In tournament mode the last hand would have to show what nobody knows.
    state = checked_down(bare(200, 200, mode=Mode.TOURNAMENT))
    state.show_or_muck_hole_cards(False)
    with pytest.raises((ValueError, AssertionError)):
        state.show_or_muck_hole_cards("????")


def test_7_one_run_of_the_board_when_all_in() -> None:
    now = table(100, 100).raise_to(1, 100).check_or_call(0)
    assert now.all_in and isinstance(now.next, Showdown)
    first, second = now.showdown_order
    now = now.show(first, indices("AsAd")).show(second, indices("KsKd"))
    for cards in (FLOP, TURN, RIVER):
        assert now.next == Board(len(cards))
        now = now.open_board(cards)
    assert now.next == Over()
    assert now.stacks == {first: 200, second: 0}


def test_8_no_action_out_of_turn() -> None:
    now = table(200, 200, 200)
    assert now.next == Act(2)
    acts: list[Callable[[], PokerTable]] = [
        lambda: now.fold(0),
        lambda: now.check_or_call(1),
        lambda: now.raise_to(0, 10),
        lambda: now.show(2, (0, 1)),
        lambda: now.muck(2),
        lambda: now.claim(2),
    ]
    for act in acts:
        with pytest.raises(IllegalMove, match="not your turn"):
            act()
    with pytest.raises(BadParameter):
        now.open_board(FLOP)


def test_8_an_absent_seat_checks_or_folds() -> None:
    now = table(200, 200, 200)
    now = now.check_or_fold(2)
    assert now.live == (0, 1)
    now = now.check_or_call(0).check_or_fold(1)
    assert now.live == (0, 1) and now.next == Board(3)
    now = now.open_board(FLOP)
    with pytest.raises(IllegalMove, match="check instead"):
        now.fold(0)


def test_9_a_table_is_a_value() -> None:
    """pokerkit's states always differ and use the global random generator; tables do neither."""
    before = random.getstate()
    one, two = table(200, 200, 50, ante=1), table(200, 200, 50, ante=1)
    for _ in range(3):
        one, two = one.check_or_call(one.next.seat), two.check_or_call(two.next.seat)  # type: ignore[union-attr]
    one, two = one.open_board(FLOP), two.open_board(FLOP)
    assert random.getstate() == before
    assert one.public() == two.public()
    bare(200, 200)
    assert random.getstate() != before


def test_9_nothing_changes_an_old_table() -> None:
    old = table(200, 200)
    public = old.public()
    new = old.raise_to(1, 20)
    with pytest.raises(IllegalMove):
        new.raise_to(0, 21)
    assert old.public() == public != new.public()


def test_10_odd_chips() -> None:
    """Pots with the same winners are one, and its odd chips go to the first winner from the left of the button."""
    # Two equal hands and three losers, all in for 1, 2 and 3 chips: layers of 5, 4 and 3 chips. Divided one by one they
    # would give 3 + 2 + 2 and 2 + 2 + 1; as the one pot that they are when the losers are out, they give 6 and 6.
    now = table(50, 50, 1, 2, 3, blinds=(1, 1))
    now = now.check_or_call(2).raise_to(3, 2).raise_to(4, 3).check_or_call(0).check_or_call(1)
    for cards in (FLOP, TURN, RIVER):
        now = now.open_board(cards)
        while isinstance(now.next, Act):
            now = now.check_or_call(now.next.seat)
    hands = {0: "AsKd", 1: "AdKs", 2: "4h5h", 3: "4d5d", 4: "4c5c"}
    claims = PotClaims({0: 3, 1: 3, 2: 1, 3: 2, 4: 3}, (0, 1, 2, 3, 4), {0: 9, 1: 9, 2: 1, 3: 1, 4: 1})
    for seat in now.showdown_order:
        now = now.show(seat, indices(hands[seat]))
    assert now.next == Over()
    assert now.stacks == {0: 53, 1: 53, 2: 0, 3: 0, 4: 0}
    (pot,) = pots(claims)
    assert pot.shares == {0: 6, 1: 6}
    assert pots(PotClaims({0: 1, 1: 1, 2: 1}, (0, 1), {}))[0].shares == {0: 2, 1: 1}


def test_11_every_error_is_ours() -> None:
    now = table(200, 200)
    for error in (ValueError, TypeError, AssertionError, UserWarning):

        def fail(state: State, error: type[Exception] = error) -> None:
            raise error("prose")

        with pytest.raises(IllegalMove, match="prose"):
            now._apply(fail)

    def lose(state: State) -> None:
        state.stacks[0] -= 1

    with pytest.raises(IllegalMove, match="lose"):
        now._apply(lose)


def test_12_the_version_is_agreed_on() -> None:
    """In the versions of a proposal: `engine/resolve.py` rejects others."""
    assert Holdem(100).versions == (("pokerkit", POKERKIT_VERSION),)
    assert POKERKIT_VERSION.encode() not in Holdem(100).parameters


def test_seats_and_blinds() -> None:
    """pokerkit's order is from the left of the button; heads-up its first seat has the big blind."""
    assert table(200, 200).bets == {0: 2, 1: 1}
    assert table(200, 200).next == Act(1)
    assert table(200, 200, 200).bets == {0: 1, 1: 2, 2: 0}
    assert table(200, 200, 200, 200).next == Act(2)
    assert table(200, 200, ante=3).stacks == {0: 195, 1: 196}
    assert table(200, 200, ante=3).put_in == (5, 4)


def test_hands_are_looked_up_as_pokerkit_does() -> None:
    """The same five cards of the same rank, for full and partial boards, and the same errors."""
    drawn = random.Random(52)
    for _ in range(times(250, deep=20_000)):
        cards = drawn.sample(list(Deck.STANDARD), drawn.choice((5, 6, 7, 7, 7)))
        theirs, ours = (kind.from_game(cards[:2], cards[2:]) for kind in (StandardHighHand, BestHand))
        assert (ours.entry, ours.cards, str(ours)) == (theirs.entry, theirs.cards, str(theirs))
        again = BestHand.from_game(iter(cards[:2]), iter(cards[2:]))
        assert again == ours and not again < ours and not again > ours
    for hole, board in (("????", "AsKsQsJsTs"), ("AsKs", "????"), ("AsKs", "QsJs"), ("", "")):
        refused = []
        for kind in (StandardHighHand, BestHand):
            with pytest.raises((KeyError, ValueError)) as error:
                kind.from_game(hole, board)
            refused.append(error.type)
        assert refused[0] is refused[1]
