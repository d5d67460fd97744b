"""Who has lost the last hand cuts it off a log, and shows the rest as all that was played."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from nodealer.audit.verify import verify_file
from nodealer.log.file import save_log
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage


def _plays(scene: Scene) -> Came:
    stage = Stage(scene, hands=2)
    stage.end()
    replica = stage[0].replica
    log = replica.entries[: replica.state.chronicle.ends[0]]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        save_log(path, replica.config.session, log)
        report = verify_file(path, entropy=bytes, on=scene.protocol.group, game=scene.game)
    return stage.came("has a log called clean that lacks a hand" if report.verdict == "clean" else None)


CLAIM: Final = Cheat("a log that is cut, and shown as the whole", "never", False)
CUT_LOG: Final = Attack(
    name="cut-log",
    does="cuts the hand off a log that it has lost",
    of=("A45",),
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(Without("nodealer.audit.verify:_judge", "cut or replica.state.phase is not Phase.ENDED", "cut"),),
        ),
        CLAIM,
    ),
)
