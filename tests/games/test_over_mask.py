"""Hold'em over the real protocol: hands played, one that a seat leaves, and the log replayed."""

from __future__ import annotations

import pytest

from nodealer.client.local_table import LocalTable, seat_players
from nodealer.engine.commands import LeaveHand, MakeMove, VoteSkip
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.replica import replay
from nodealer.errors import IllegalMove
from nodealer.games.base import Turn
from nodealer.games.holdem import Call, Hand, HandStage, Holdem, Move, Muck, Raise, ShowHand, read_move
from nodealer.protocols.mask import Mask
from nodealer.tape import expand


class Source:
    """Bytes that depend only on a label."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._calls = 0

    def __call__(self, size: int) -> bytes:
        self._calls += 1
        return expand("test entropy", self._label, self._calls, size=size)


def seated(count: int, label: str) -> LocalTable:
    names = [f"player {seat}" for seat in range(count)]
    return seat_players(names, Mask(), Holdem(60, (1, 2)), Source(label), stays=stay_for_hands(3))


def game(seat: Participant) -> Hand:
    hand = seat.replica.state.hand.game
    assert isinstance(hand, Hand)
    return hand


def careful(hand: Hand, seat: int) -> Move:
    """The button raises a little before the flop and everyone else calls: no one runs out of chips."""
    if hand.stage is not HandStage.BETTING:
        return ShowHand() if seat == hand.small_blind else Muck()
    return Raise(4) if seat == hand.button and hand.pot == 3 else Call()


def test_hands_over_mask() -> None:
    table = seated(3, "hands")

    def decide(one: Participant) -> list[bytes]:
        if one.options().move is None:
            return []
        seat_known = {card.position for card in one.seat.known_cards()}
        assert set(game(one).held[one.seat.number]) <= seat_known
        return one.command(MakeMove(careful(game(one), one.seat.number)))

    table.run(decide)
    state = table.seats[0].replica.state
    assert state.phase is Phase.ENDED and state.fault is None and len(state.results) == 3
    for result in state.results:
        assert sum(row["after"] for row in result["stacks"]) == 180
    for before, after in zip(state.results, state.results[1:], strict=False):
        carried = {row["seat"]: row["before"] for row in after["stacks"]}
        assert carried == {row["seat"]: row["after"] for row in before["stacks"]}
    assert [result["button"] for result in state.results][:2] == [0, 1]
    again = replay(table.seats[0].replica.config, table.log, entropy=Source("audit"))
    assert again.digest() == table.seats[1].replica.digest()


def test_a_seat_leaves() -> None:
    """The deck is rebuilt without it, and the others play for its bet, which stays in the pot. They could not have
    voted it out: it owed nothing."""
    table = seated(3, "gone")
    table.run()
    button = table.seats[0]
    with pytest.raises(IllegalMove, match="raise to 4–60 chips"):
        button.command(MakeMove({"type": "raise", "to": 61}))
    with pytest.raises(IllegalMove, match="no move to make"):
        table.seats[1].command(MakeMove({"type": "fold"}))
    table.send(button.command(MakeMove(read_move(b'{"type":"raise","to":20}'))))
    table.run()
    with pytest.raises(IllegalMove, match="not waiting for"):
        table.seats[1].command(VoteSkip(frozenset({0})))
    table.send(button.command(LeaveHand()))

    def decide(one: Participant) -> list[bytes]:
        over = one.replica.state.results or one.options().move is None
        return [] if over else one.command(MakeMove(careful(game(one), one.seat.number)))

    table.run(decide)
    state = table.seats[1].replica.state
    (result,) = state.results
    assert result["ended"] == "showdown" and result["gone"] == [0] and len(result["board"]) == 5
    chips = {row["seat"]: row["after"] for row in result["stacks"]}
    assert chips[0] == 40 and sorted(chips.values()) == [40, 40, 100], "both called what it had raised to"


def test_a_seat_that_does_not_move_folds() -> None:
    """More than half vote to skip it: the game makes its default move, and the hand goes on."""
    table = seated(3, "slow")
    table.run()
    for seat in (1, 2):
        assert isinstance(game(table.seats[0]).wants, Turn)
        table.send(table.seats[seat].command(VoteSkip(frozenset({0}))))
        table.run()
    hand, state = game(table.seats[1]), table.seats[1].replica.state
    assert hand.table.live == (1, 2) and not hand.gone and not state.gone
    (statement,) = state.chronicle.vote_results
    assert (statement.by, statement.of, statement.did) == ((1, 2), 0, "move")
