"""A participant against everything that others send, in whatever order, and after any restart."""

from __future__ import annotations

from nodealer.play.phases import Phase
from play.circle import Circle


def test_a_game() -> None:
    circle = Circle(hands=2).play()
    assert all(one.replica.state.phase is Phase.ENDED for one in circle.people), circle.people[0].replica.state.phase
    assert len(circle.digests()) == 1
    print(len(circle.frames))
    for place in range(4):
        circle.bring_back(place)
    assert len(circle.digests()) == 1
