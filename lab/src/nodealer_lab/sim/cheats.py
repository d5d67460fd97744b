"""The cheating seats of a simulated game. Only this module of the simulator imports `lab/attacks`."""

from __future__ import annotations

from typing import Any, Final

from nodealer.cheats.cheater import Cheater
from nodealer.engine.participant import Participant
from nodealer.engine.store import PlayerStore
from nodealer.errors import BadParameter
from nodealer.protocols.base import CardProtocol, Cheat
from nodealer_lab.attacks import CHEATS

#: Attacks that a seat can try in nearly every game. Many others need a situation that seldom occurs.
FREQUENT_CHEATS: Final = ("double", "mark", "false-key", "two-things", "throw-out")


def cheats_for(protocol: CardProtocol) -> tuple[str, ...]:
    """Return the names of the attacks that a single seat can try with this protocol."""
    return tuple(name for name in CHEATS if _claim(name, protocol) is not None)


def late_cheats_for(protocol: CardProtocol) -> tuple[str, ...]:
    """Return the attacks for this protocol that act last, after every other seat.

    A cheater that waits for a permanently silent seat falls silent too. If the two are different seats, they may be
    half of the table, and then no one can continue.
    """
    return tuple(name for name in cheats_for(protocol) if CHEATS[name].on(protocol).way.late)


def claim_for(name: str, protocol: CardProtocol) -> Cheat:
    """Return the expected result of an attack. Raise `BadParameter` if it cannot be tried with this protocol."""
    return CHEATS[name].on(protocol).claim


def create_cheater(name: str, home: PlayerStore, **named: Any) -> Participant:
    """Create a participant that carries out an attack whenever it can."""
    return Cheater(home, attack=CHEATS[name], **named)


def lies_of(participant: Participant) -> tuple[bytes, ...]:
    """Return the entries that a participant has signed and an honest player would not have."""
    return tuple(participant.lies) if isinstance(participant, Cheater) else ()


def detection_time(name: str, protocol: CardProtocol) -> str | None:
    """Return when each entry forged by the attack exposes its seat, or None if the claims do not promise that."""
    attack, claim = CHEATS[name], _claim(name, protocol)
    return claim.seen if attack.law is None and claim is not None and claim.culprit else None


def _claim(name: str, protocol: CardProtocol) -> Cheat | None:
    """Return the expected result of an attack, or None if it cannot be tried with this protocol."""
    try:
        return claim_for(name, protocol)
    except BadParameter:
        return None
