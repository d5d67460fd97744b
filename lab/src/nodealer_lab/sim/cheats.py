"""Where seats that cheat come from: the one place of the simulator that knows `lab/attacks`."""

from __future__ import annotations

from typing import Any, Final

from nodealer.cheats.cheater import Cheater
from nodealer.engine.participant import Participant
from nodealer.engine.store import PlayerStore
from nodealer.errors import BadParameter
from nodealer.protocols.base import CardProtocol, Cheat
from nodealer_lab.attacks import CHEATS

#: What a seat can try in nearly every game; many other attacks wait for a moment that seldom comes.
OFTEN: Final = ("double", "mark", "false-key", "two-things", "throw-out")


def cheats_on(protocol: CardProtocol) -> tuple[str, ...]:
    """The attacks that a seat alone can try where this is played, by name."""
    return tuple(name for name in CHEATS if _claim(name, protocol) is not None)


def waiting_on(protocol: CardProtocol) -> tuple[str, ...]:
    """Those of them that say something last, when all others have. Who waits for one that is silent for good is silent
    too: at a table where that one is not the cheater itself, both may be half of it, and nobody can go on."""
    return tuple(name for name in cheats_on(protocol) if CHEATS[name].on(protocol).way.late)


def claim_of(name: str, protocol: CardProtocol) -> Cheat:
    """What must come of an attack. Raises `BadParameter` where it cannot be tried."""
    return CHEATS[name].on(protocol).claim


def cheating(name: str, home: PlayerStore, **named: Any) -> Participant:
    """A participant that carries an attack out whenever it can."""
    return Cheater(home, attack=CHEATS[name], **named)


def lies_of(participant: Participant) -> tuple[bytes, ...]:
    """What it has signed that an honest player would not have."""
    return tuple(participant.lies) if isinstance(participant, Cheater) else ()


def seen_when(name: str, protocol: CardProtocol) -> str | None:
    """When every single entry that the attack forges names its seat, as the claims say; None where it need not."""
    attack, claim = CHEATS[name], _claim(name, protocol)
    return claim.seen if attack.law is None and claim is not None and claim.culprit else None


def _claim(name: str, protocol: CardProtocol) -> Cheat | None:
    try:
        return claim_of(name, protocol)
    except BadParameter:
        return None
