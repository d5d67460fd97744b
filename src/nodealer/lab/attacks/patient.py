"""A cheater that waits where seats speak side by side, until it is the last and has seen what the others said."""

from __future__ import annotations

from functools import partial

from nodealer.errors import BadParameter
from nodealer.lab.attacks.base import Attack
from nodealer.lab.attacks.cheater import Cheater
from nodealer.lab.attacks.outcome import Came
from nodealer.lab.attacks.scene import Scene, judged, played_out, sit


class Patient(Cheater):
    """Keeps back what it would forge as long as another owes the same."""

    def due(self) -> list[bytes]:
        return [] if self._waits else super().due()

    @property
    def _waits(self) -> bool:
        if not self.seated or self.over:
            return False
        state, mine = self.replica.state, self.seat.number
        steps = self.attack.on(self.replica.config.protocol).way.forge
        owed = {(known.duty.kind, known.duty.seat) for known in state.duties.open.values() if known.duty.kind in steps}
        return any((kind, mine) in owed for kind, seat in owed if seat != mine)


def patiently(attack: Attack, scene: Scene) -> Came:
    """Carry an attack out by a seat that speaks last."""
    way = attack.on(scene.protocol).way
    played = played_out(scene, *sit(scene, {scene.cheater: partial(Patient, attack=attack)}))
    if not played.lies:
        raise BadParameter(f"{attack.name} never came to it on {scene.protocol.claims.name}")
    return judged(played, None if way.gained is None else way.gained(played))
