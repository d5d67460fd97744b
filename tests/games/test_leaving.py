"""Hold'em over `mask` at a table of participants: a seat leaves anywhere, and the others play the hand to its end."""

from __future__ import annotations

from typing import Final

import pytest

from conformance.harness import Source
from nodealer.client.local_table import LocalTable, seat_players
from nodealer.engine.commands import LeaveHand, MakeMove
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.replica import replay
from nodealer.errors import IllegalMove
from nodealer.games.holdem import Hand, Holdem
from nodealer.games.holdem.moves import Call, Raise, ShowHand
from nodealer.protocols.mask import Mask
from sampling import times

SEATS: Final = 4
STACK: Final = 60
#: More than the entries of a hand that nobody leaves.
ENTRIES: Final = 70


class Leaving:
    """Players who call, and show when they may; one of them leaves when the log has a given number of entries."""

    def __init__(self, leavers: dict[int, int], hands: int) -> None:
        self.leavers = leavers
        names = [f"player {seat}" for seat in range(SEATS)]
        self.table: LocalTable = seat_players(
            names, Mask(), Holdem(STACK, (1, 2)), Source("holdem leaves"), stays=stay_for_hands(hands)
        )

    def play(self) -> None:
        """Deliver frame by frame, so that a seat can leave between any two entries."""
        while self._left() or self.table.step() or self._decided():
            pass

    def _left(self) -> bool:
        """Return whether a seat has just left. What it had sent before still counts."""
        for seat, height in list(self.leavers.items()):
            one = self.table.seats.get(seat)
            if one is not None and len(self.table.log) >= height:
                del self.leavers[seat]
                try:
                    self.table.send(one.command(LeaveHand()))
                except IllegalMove:
                    # Between hands, or when it is gone already, there is nothing to leave.
                    return False
                return True
        return False

    def _decided(self) -> bool:
        return any(self._decide(one) for one in self.table.participants)

    def _decide(self, one: Participant) -> bool:
        if one.options().move is None:
            return False
        hand = one.replica.state.hand.game
        assert isinstance(hand, Hand)
        legal = hand.legal(one.seat.number)
        raises = legal.raise_from is not None and hand.pot == 3
        self.table.send(
            one.command(MakeMove(ShowHand() if legal.show else Raise(legal.raise_from or 0) if raises else Call()))
        )
        return True


def played(leavers: dict[int, int], hands: int = 1) -> LocalTable:
    """Play a table at which these seats leave to the end of its session, and check it."""
    game = Leaving(dict(leavers), hands)
    game.play()
    table = game.table
    (state, *others) = (one.replica.state for one in table.seats.values())
    assert state.phase is Phase.ENDED and not state.faults
    assert {one.replica.digest() for one in table.seats.values()} == {table.seats[0].replica.digest()}
    assert sum(state.ledger.chips.values()) == SEATS * STACK
    for result in state.results:
        stacks = [(row["before"], row["after"]) for row in result["stacks"]]
        charged = sum(one["amount"] for one in result["charged"])
        assert sum(before for before, _ in stacks) + result["dead"] == sum(after for _, after in stacks) + charged
        shown = [card for row in result["shown"] for card in row["cards"]]
        assert len({*shown, *result["board"]}) == len(shown) + len(result["board"]), "no card twice"
    assert others
    return table


@pytest.mark.timeout(900)
def test_one_leaves_at_any_entry() -> None:
    """The hand ends with a full board whenever more than one player is left to bet."""
    ends = set()
    for height in range(SEATS + 6, ENTRIES, times(21, deep=1)):
        table = played({height % SEATS: height})
        result = table.seats[0].replica.state.results[0]
        ends.add(result["ended"])
        if result["gone"] and result["ended"] == "showdown":
            assert result["gone"] == [height % SEATS] and len(result["board"]) == 5
            assert len(result["shown"]) >= 2
    assert "showdown" in ends


@pytest.mark.timeout(900)
def test_two_leave_down_to_two() -> None:
    """One after the other, the second often while the deck is being rebuilt."""
    for first in range(SEATS + 23, ENTRIES - 10, times(40, deep=4)):
        played({first % SEATS: first, (first + 1) % SEATS: first + 5})


def test_a_log_with_a_rebuild_is_replayed() -> None:
    """The next hand is played too, with the leaver, who has come back for it."""
    table = played({2: 30}, hands=2)
    assert [result["gone"] for result in table.seats[0].replica.state.results] == [[2], []]
    seat = table.seats[1]
    again = replay(seat.replica.config, table.log, entropy=Source("audit"))
    assert again.digest() == seat.replica.digest() and not again.state.faults
    types = b"".join(table.log)
    assert all(b'"type":"%s"' % step in types for step in (b"join", b"held", b"tag", b"share"))
