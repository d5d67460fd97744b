"""The tutorial's game is short, correct, and runs over the real protocol."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from nodealer.cards import Card, Moved, Opened
from nodealer.errors import IllegalMove
from nodealer.games.base import Ask, Done, Turn
from nodealer.play.phases import Phase
from nodealer.play.replica import replay

BLOCKS = re.findall(r"```python\n(.*?)```", (Path(__file__).parent.parent / "docs/tutorial.md").read_text(), re.S)


@pytest.fixture(scope="module")
def tutorial() -> dict[str, Any]:
    # A dataclass looks for its module by name; this one has the name of the test.
    namespace: dict[str, Any] = {"__name__": __name__}
    exec(compile(BLOCKS[0], "docs/tutorial.md", "exec"), namespace)
    return namespace


def test_the_game_is_short() -> None:
    assert len(BLOCKS[0].splitlines()) < 100


def test_war_over_mask(tutorial: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(BLOCKS[1], "docs/tutorial.md", "exec"), tutorial)
    table = tutorial["table"]
    state = table.seats[0].replica.state
    assert state.phase is Phase.ENDED and state.fault is None
    (result,) = state.results
    assert result["gone"] == [] and sum(row["cards"] for row in result["won"]) % 3 == 0
    assert "won" in capsys.readouterr().out
    again = replay(table.seats[0].replica.config, table.log, entropy=os.urandom)
    assert again.digest() == table.seats[1].replica.digest()


def test_war_by_hand(tutorial: dict[str, Any]) -> None:
    flip = b'{"type":"flip"}'
    hand = tutorial["War"](2).begin(0, (1, 4), None, {1: 0, 4: 0})
    assert isinstance(hand.wants, Ask)
    dealt = hand.told(tuple(Moved(Card(0, 0, at), (1, 4)[at // 2]) for at in range(4)))
    assert dealt.wants == Turn((1, 4))
    with pytest.raises(IllegalMove):
        dealt.moved(1, b'{"type":"flop"}')
    shown = dealt.moved(4, flip).moved(1, flip)
    assert isinstance(shown.wants, Ask) and dealt.wants == Turn((1, 4))
    # Two aces: the cards stay on the table. Then a king against a queen takes all four.
    tie = shown.told((Opened(Card(0, 0, 0), 12), Opened(Card(0, 0, 2), 25)))
    assert tie.wants == Turn((1, 4)) and tie.prize == 2
    end = tie.moved(1, flip).moved(4, flip).told((Opened(Card(0, 0, 1), 11), Opened(Card(0, 0, 3), 23)))
    assert isinstance(end.wants, Done)
    assert end.wants.result["won"] == [{"seat": 1, "cards": 4}, {"seat": 4, "cards": 0}]
    assert isinstance(dealt.left((4,), cards=False).wants, Done)
    # Who does not move is moved for, and nothing is at stake.
    assert dealt.moved(4, dealt.default(4)) == dealt.moved(4, flip)
    assert hand.players == (1, 4) and end.wants.paid == {} == end.wants.net
