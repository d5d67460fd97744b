"""What a table prints as entries come in: the headings of its hands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from conformance.games import Tiny, TinyRules
from engine.circle import Circle
from nodealer.cli.screen import Screen
from nodealer.engine.frame_result import Received
from nodealer.errors import BadParameter
from nodealer.games.base import Game


@dataclass(frozen=True)
class Twice(TinyRules):
    """Over by itself after two hands: a third cannot begin."""

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> Tiny:
        if hand == 2:
            raise BadParameter("the game is over")
        return super().begin(hand, seats, before, chips)


@pytest.mark.parametrize("hands", [2, 5])
def test_a_heading_is_that_of_a_hand_that_begins(hands: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where players begin another one, not knowing that there is none."""
    circle = Circle(2, rules=Twice(), hands=hands).play()
    shown = Screen(json=False).follow(circle.people[0])
    shown(Received(happened=tuple(circle.happened[0])))
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("Hand")] == ["Hand 1", "Hand 2"]
    assert lines.index("Hand 1") < lines.index("Hand 2") and len([line for line in lines if "result" in line]) == 2


def test_who_comes_back_in_the_middle_of_a_hand_sees_no_heading_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    circle = Circle(2, rules=Twice()).play(until=lambda circle: bool(circle.people[0].options().must_move))
    screen, so_far = Screen(json=False), len(circle.happened[0])
    shown = screen.follow(circle.people[0])
    shown(Received())
    circle.play()
    shown(Received(happened=tuple(circle.happened[0][so_far:])))
    assert [line for line in capsys.readouterr().out.splitlines() if line.startswith("Hand")] == ["Hand 2"]
