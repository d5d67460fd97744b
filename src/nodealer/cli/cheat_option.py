"""`--cheat`: which bot cheats and how, what the protocol claims about it, and what the log shows afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from nodealer.audit.report import Report
from nodealer.cli import text as phrases
from nodealer.client.events import CheatAnnounced
from nodealer.client.suggestions import describe_unknown
from nodealer.errors import BadParameter
from nodealer.protocols.base import CardProtocol, Cheat

#: The Python arguments that start a bot that cheats, before the name of its cheat.
CHEATER: Final = ("-P", "-m", "nodealer.cli.cheater")


@dataclass(frozen=True)
class Cheating:
    """A bot that cheats on request (`--cheat`): which seat, and which attack."""

    seat: int
    name: str
    #: The name of the cheat, what it does, and what the protocol claims about it.
    attack: str
    does: str
    claim: Cheat
    sentence: str

    def refuse(self, seed: int | None, person: str | None) -> None:
        """Raise `BadParameter` in a rehearsal, or if the cheater would be the person."""
        if seed is not None:
            raise BadParameter(phrases.CHEAT_IN_REHEARSAL)
        if person == self.name:
            raise BadParameter(phrases.cheat_of_person(person))

    @property
    def option(self) -> str:
        """Return the option that asks for this cheat."""
        return f"{self.seat}:{self.attack}"

    @property
    def programs(self) -> Mapping[str, Sequence[str]]:
        """Return the Python arguments that start the cheating bot, by its name."""
        return {self.name: (*CHEATER, self.attack)}

    @property
    def announcement(self) -> CheatAnnounced:
        """Return what is said before the game: who cheats, how, and what the protocol claims."""
        claim = self.claim.cheat, self.claim.seen, self.claim.culprit
        return CheatAnnounced(self.name, self.seat, self.attack, self.does, self.sentence, *claim)

    def outcome(self, report: Report) -> str:
        """Describe what the verified log shows about the cheater."""
        if any(fault.seat == self.seat for fault in report.faults):
            return phrases.cheater_named(self.name)
        if not self.claim.culprit:
            return phrases.cheater_ineffective(self.name)
        return phrases.cheater_idle(self.name)


def parse_cheat(text: str, names: Sequence[str], protocol: CardProtocol) -> Cheating:
    """Parse SEAT[:KIND].

    Raises `BadParameter` for an unknown seat or cheat, and for a cheat that the protocol does not allow.
    """
    from nodealer.cheats.base import sentence  # late: a fair game should not wait for it
    from nodealer.cheats.registry import DEFAULT, find_cheat

    who, _, kind = text.partition(":")
    seat = _find_seat(who, names)
    attack = find_cheat(kind or DEFAULT)
    claim = attack.on(protocol).claim
    return Cheating(seat, names[seat], attack.name, attack.does, claim, sentence(claim))


def _find_seat(who: str, names: Sequence[str]) -> int:
    """Return the seat with this name or number. Raises `BadParameter`."""
    for seat, name in enumerate(names):
        if who.casefold() in (name.casefold(), str(seat)):
            return seat
    raise BadParameter(describe_unknown("seat", who, names, (f"{seat} {name}" for seat, name in enumerate(names))))
