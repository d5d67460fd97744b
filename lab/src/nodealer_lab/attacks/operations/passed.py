"""A seat passes another card on than it has named, and keeps what it has."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from nodealer.games.free.rules import PassOn
from nodealer.protocols.codec import read_message
from nodealer.protocols.mask.messages import MaskHand
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.operations.free import face_of, free_stage, hand, lies, nobody_looks, other_face
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene

TO: Final = 0


def _mask(moment: Moment) -> bytes:
    """Under the receiver's key it puts a face of its choice."""
    said, group = read_message(MaskHand, moment.honest), moment.deck.binding.group
    stage: Any = moment.deck.stage
    (position,) = stage._positions(moment.duty.seat)
    shift = other_face(moment) - moment.deck.face_points((face_of(moment, position),))
    return encode(replace(said, msg=(group.points(said.msg) + shift).to_bytes()))


def _plays(scene: Scene) -> Came:
    stage = free_stage(PASSED, scene)
    held = hand(stage, scene.cheater)
    position, before = min(held), hand(stage, TO)
    stage.asks(scene.cheater, PassOn(0, (position,), TO))
    got = [face for place, face in hand(stage, TO).items() if place not in before]
    gain = "passes another card on than it held" if got and got != [held[position]] else None
    return stage.came(gain, lies(stage, scene.cheater))


PASSED: Final = Attack(
    name="passed",
    does="passes another card on than it has named",
    of=("A33",),
    ways={
        "mask": (
            Way(
                "a card that is passed or shown to one player exchanged for another",
                {"hand": _mask},
                plays=_plays,
                defence=(nobody_looks("nodealer.protocols.mask.handing:Handing.apply"),),
            ),
        ),
    },
)
