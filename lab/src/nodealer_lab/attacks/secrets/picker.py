"""The last to join draws keys until the order of pickers, which hangs on all keys, begins with it."""

from __future__ import annotations

from typing import Any, Final

from nodealer.play.home import MemoryHome
from nodealer.protocols.base import Binding
from nodealer.protocols.lock.picking import picker_order
from nodealer_lab.attacks.base import Attack, Way
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene, home_of
from nodealer_lab.attacks.stage import Stage, playing


def first_to_pick(scene: Scene) -> dict[int, MemoryHome]:
    """Who sits there: the cheater knows the others' keys from the lobby."""
    me, homes = scene.cheater, [home_of(scene, name) for name in scene.names]
    while _order(scene, homes)[0] != me:
        homes[me] = home_of(scene, scene.names[me])
    return dict(enumerate(homes))


def _plays(scene: Scene) -> Came:
    """The order says who names the cards of the board, and nothing else: what cards these are nobody knows."""
    me, stage = scene.cheater, Stage(scene, homes=first_to_pick(scene))
    stage.until(playing)
    deck: Any = stage.state().hand.decks[0]
    return stage.came("is the one who names the cards of the board" if deck.pickers[0] == me else None)


def _order(scene: Scene, homes: list[MemoryHome]) -> tuple[int, ...]:
    """Who would pick, with these keys, before there is a table."""
    keys = tuple((seat, home.identity.public) for seat, home in enumerate(homes))
    seats = tuple(range(len(homes)))
    return picker_order(Binding("lock", 0, bytes(32), bytes(32), 0, seats, (), scene.protocol.group, keys))


PICKER: Final = Attack(
    name="picker",
    does="draws keys until it is the first of the pickers",
    ways={"lock": (Way("the last to join grinds the order of pickers", plays=_plays, unseen="cannot be seen"),)},
)
