"""Check a game: play it in every way, and tell its author what is wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from nodealer.cards.operations import Capability
from nodealer.engine.resolve import refuse_without_asserts
from nodealer.errors import BadParameter
from nodealer.gamecheck import open_decks, tables
from nodealer.gamecheck.agreement import default_rules, refuse_bad_settings, refuse_other_rules
from nodealer.gamecheck.findings import Findings
from nodealer.gamecheck.hand import NAMES
from nodealer.gamecheck.open_decks import CheckEffort, OpenDecks, Progress
from nodealer.gamecheck.other_process import refuse_other_processes
from nodealer.gamecheck.tables import OnProtocol, TableChecks, TableEffort, protocols_for
from nodealer.games.base import Rules
from nodealer.games.package import GamePackage
from nodealer.games.registry import resolve_game

#: The preferred number of seats for checks at real tables.
FEW: Final = 3


@dataclass
class GameReport:
    """The report of a check: what was done, what was found, and notes for the author."""

    package: GamePackage
    findings: Findings = field(default_factory=Findings)
    protocols: list[OnProtocol] = field(default_factory=list)
    did: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """True if nothing was found."""
        return not self.findings

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        return {
            "game": self.package.name,
            "version": self.package.version,
            "ok": self.ok,
            "findings": self.findings.as_json(),
            "protocols": [{"name": str(one), "played": one.why is None, "why": one.why} for one in self.protocols],
            "did": self.did,
            "notes": self.notes,
        }


@dataclass(frozen=True)
class Depth:
    """How thorough a check is."""

    decks: CheckEffort
    tables: TableEffort
    #: Try every number of seats.
    all_seats: bool


QUICK: Final = Depth(open_decks.QUICK, tables.QUICK, all_seats=False)
DEEP: Final = Depth(open_decks.DEEP, tables.DEEP, all_seats=True)


def check(place: str, depth: Depth, progress: Progress) -> GameReport:
    """Check the game at `module:attribute`, or an installed one. Raises `BadParameter` if it cannot be checked."""
    refuse_without_asserts()
    report = GameReport(resolve_game(place))
    package = report.package
    if package.bot is None:
        raise BadParameter(f"{package.name} has no bot. The check lets bots play the game: add one")
    with report.findings.collect():
        rules = default_rules(package)
        with report.findings.collect():
            refuse_other_rules(package, rules)
        refuse_bad_settings(package, report.findings)
        _play(place, report, rules, depth, progress)
    return report


def _play(place: str, report: GameReport, rules: Rules, depth: Depth, progress: Progress) -> None:
    """Play the game on open decks, in other processes and on protocols, and fill the report."""
    counts = _seat_counts(report.package, rules, depth)
    decks = OpenDecks(report.package, rules, depth.decks, report.findings, progress)
    decks.check(counts)
    _record_attempts(report, decks)
    able = [count for count in counts if count not in decks.refused]
    if not decks.trails:
        report.notes.append("No hand reached its end, so the game was not tested on any protocol.")
        return
    progress("the same hands in other processes")
    with report.findings.collect():
        refuse_other_processes(place, able)
    report.notes += [f"It cannot be played with {count} seats: {why}." for count, why in decks.refused.items()]
    unused = rules.operations - decks.used
    if unused:
        named = ", ".join(f"Capability.{one.name}" for one in Capability if one in unused)
        report.notes.append(f"{named}: never used. If the game does not need it, more protocols can serve the game.")
    seats = min(able, key=lambda count: (count > FEW, -count if count <= FEW else count))
    _check_protocols(report, rules, depth, seats, progress)


def _seat_counts(package: GamePackage, rules: Rules, depth: Depth) -> list[int]:
    """Return the seat counts to test: of those a protocol can serve, the least, the game's own and the most, or all."""
    served = [
        count
        for count in range(2, len(NAMES) + 1)
        if any(on.why is None for on in protocols_for(rules, count, modes=False))
    ]
    if not served:
        whys = "; ".join(str(on.why) for on in protocols_for(rules, package.seats, modes=False))
        raise BadParameter(f"no protocol can serve {package.name}: {whys}")
    some = {served[0], package.seats, served[-1]}
    return [count for count in served if depth.all_seats or count in some]


def _record_attempts(report: GameReport, decks: OpenDecks) -> None:
    """Add to the report what was tried on open decks."""
    tried = decks.probes.tried
    report.did.append(
        f"{decks.games} hands on open decks: {tried.hostile} hostile moves, {tried.leavings} times a seat left, "
        f"{tried.orders} rounds in two orders, and {tried.finished} hands continued from there to their end"
    )


def _check_protocols(report: GameReport, rules: Rules, depth: Depth, seats: int, progress: Progress) -> None:
    """Check the game on every protocol that can serve it, and fill the report."""
    effort = depth.tables
    played = TableChecks(report.package, rules, effort, report.findings, progress)
    for on in protocols_for(rules, seats, modes=effort.modes):
        report.protocols.append(on)
        if on.why is None:
            played.check(on, seats)
    names = ", ".join(str(on) for on in report.protocols if on.why is None)
    report.did.append(
        f"played with {seats} seats on {names or 'no protocol'}: verified from the log, in two orders, with "
        f"participants that were lost and came back, and with seats that left"
    )
