"""`--cheat`: which bot cheats and how, what the protocol claims about it, and what the log shows afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nodealer.audit.report import Report
from nodealer.cli import text as phrases
from nodealer.cli.output import escape_markup
from nodealer.cli.screen import Screen
from nodealer.client.events import CheatAnnounced
from nodealer.client.suggestions import describe_unknown
from nodealer.errors import BadParameter
from nodealer.protocols.base import CardProtocol, Cheat


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

    def announce(self, screen: Screen) -> None:
        """Say before the game who cheats, how, and what the protocol claims."""
        claim = self.claim.cheat, self.claim.seen, self.claim.culprit
        screen.emit(CheatAnnounced(self.name, self.seat, self.attack, self.does, self.sentence, *claim))
        if not screen.json:
            screen.say(phrases.cheats(escape_markup(self.name), escape_markup(self.does)))
            screen.say(phrases.cheat_claim(escape_markup(self.sentence)))

    def judge(self, screen: Screen, report: Report) -> None:
        """Say after the game what the verified log shows."""
        if not screen.json:
            screen.say(phrases.cheat_outcome(escape_markup(self.outcome(report))))

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
