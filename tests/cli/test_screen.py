"""What a table prints as entries come in: the headings of its hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest

from conformance.games import Tiny, TinyRules
from engine.circle import Circle
from nodealer.cli.terminal.ui import TerminalUI
from nodealer.client.narrator import Narrator
from nodealer.engine.frame_result import ReceivedEvent
from nodealer.engine.replica import Applied
from nodealer.errors import BadParameter
from nodealer.games.base import Game


@dataclass(frozen=True)
class Twice(TinyRules):
    """Over by itself after two hands: a third cannot begin."""

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> Tiny:
        if hand == 2:
            raise BadParameter("the game is over")
        return super().begin(hand, seats, before, chips)


def shown(circle: Circle, happened: Sequence[ReceivedEvent]) -> None:
    """Show what happened to the first player."""
    ui, narrator = TerminalUI(name=None, network=False), Narrator.for_table(circle.people[0].replica.config)
    for one in happened:
        if isinstance(one, Applied):
            for event in narrator.describe(one):
                ui.show(event)


@pytest.mark.parametrize("hands", [2, 5])
def test_a_heading_is_that_of_a_hand_that_begins(hands: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where players begin another one, not knowing that there is none."""
    circle = Circle(2, rules=Twice(), hands=hands).play()
    shown(circle, circle.happened[0])
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("Hand")] == ["Hand 1", "Hand 2"]
    assert lines.index("Hand 1") < lines.index("Hand 2") and len([line for line in lines if "result" in line]) == 2


def test_who_comes_back_in_the_middle_of_a_hand_sees_no_heading_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    circle = Circle(2, rules=Twice()).play(until=lambda circle: bool(circle.people[0].options().must_move))
    so_far = len(circle.happened[0])
    circle.play()
    shown(circle, circle.happened[0][so_far:])
    assert [line for line in capsys.readouterr().out.splitlines() if line.startswith("Hand")] == ["Hand 2"]
