"""The second part of a check: the game on every protocol that can serve it, with proofs, signatures and a log."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import msgspec

from nodealer.engine.bodies import Move
from nodealer.engine.replica import replay
from nodealer.engine.resolve import config_of
from nodealer.engine.transitions import Origin, TooLate, apply_body
from nodealer.errors import BadParameter, EntryRefused, IllegalMove, LogError, Malformed
from nodealer.gamecheck.findings import Finding, Findings, Found, authors
from nodealer.gamecheck.hostile import JUNK
from nodealer.gamecheck.open_decks import Progress
from nodealer.gamecheck.table import CheckedSetup, CheckTable
from nodealer.games.base import Rules, Turn
from nodealer.games.package import GamePackage
from nodealer.group import Group, group
from nodealer.protocols import MODES, PROTOCOLS, make_protocol
from nodealer.protocols.base import Needs
from nodealer.tape import expand

#: At so many entries of a game nonsense is sent instead of moves.
NONSENSE: Final = 6


@dataclass(frozen=True)
class TableEffort:
    """How much is tried on each protocol."""

    #: Whether all modes of a protocol are tried, or only the first one that fits.
    modes: bool
    hands: int
    #: How often participants are lost and come back, and at how many entries somebody leaves.
    losses: int
    leavings: int


QUICK: Final = TableEffort(modes=False, hands=1, losses=4, leavings=2)
DEEP: Final = TableEffort(modes=True, hands=2, losses=20, leavings=10)


@dataclass(frozen=True)
class OnProtocol:
    """A protocol, and why it cannot serve the game, where that is so."""

    name: str
    parameters: bytes
    why: str | None = None

    def __str__(self) -> str:
        return self.name if self.parameters == b"{}" else f"{self.name} {self.parameters.decode()}"


def protocols_for(rules: Rules, seats: int, *, modes: bool) -> Iterator[OnProtocol]:
    """Every protocol, in the first of its modes or in all of them, and whether it can serve so many seats."""
    for name in PROTOCOLS:
        for parameters in MODES[name] if modes else MODES[name][:1]:
            claims = make_protocol(name, parameters).claims
            needs = Needs(rules.name, seats, rules.deck_max, rules.operations, frozenset(claims.roles))
            try:
                claims.refuse(needs)
            except BadParameter as why:
                yield OnProtocol(name, parameters, str(why))
            else:
                yield OnProtocol(name, parameters)


@dataclass
class TableChecks:
    """Plays a game on real tables, and notes what is wrong."""

    package: GamePackage
    rules: Rules
    effort: TableEffort
    findings: Findings
    progress: Progress
    #: At how many entries nonsense is still sent.
    _nonsense: int = 0

    def check(self, on: OnProtocol, seats: int) -> None:
        """Everything on one protocol."""
        protocol = make_protocol(on.name, on.parameters, self._group(on))
        roles = {seats + at: role for at, role in enumerate(protocol.claims.roles)}
        seating = CheckedSetup(self.package, self.rules, protocol, seats, self.effort.hands, roles)
        self.progress(f"{on}, with {seats} seats")
        with self.findings.noted():
            first = self._plain(seating)
            self.progress(f"{on}: entries that cross")
            self._crossed(seating)
            for loss in range(min(1, self.effort.losses)):
                self.progress(f"{on}: participants are lost and come back")
                self._lost(seating, first, loss)
            for leaving in range(self.effort.leavings):
                self.progress(f"{on}: somebody leaves, {leaving + 1} of {self.effort.leavings}")
                with self.findings.noted():
                    self._left(seating, first, leaving)

    def _group(self, on: OnProtocol) -> Group | None:
        """What a game sees is the same on every group. Quickly is on the fast one, where the protocol takes it."""
        if self.effort.modes:
            return None
        try:
            make_protocol(on.name, on.parameters, group())
        except BadParameter:
            return None
        return group()

    def _plain(self, seating: CheckedSetup) -> CheckTable:
        table, self._nonsense = CheckTable(seating), NONSENSE
        table.after = lambda entries: self._hostile(table)
        _play(table, "when nothing goes wrong")
        _refuse_unsound(table, "when nothing goes wrong")
        for record in table.replica.state.chronicle.records:
            if record.void is not None:
                what = f"{table.where}, nobody left, and yet the hand was broken off: {record.void}."
                raise Found(Finding("table", what))
        return table

    def _hostile(self, table: CheckTable) -> None:
        """Whoever sends nonsense instead of a move, or moves for another, is refused, and nothing else happens."""
        state, height = table.replica.state, table.replica.height
        game = state.hand.game
        want = None if game is None else game.wants
        if not isinstance(want, Turn) or self._nonsense <= 0:
            return
        self._nonsense -= 1
        for duty in [known.duty for known in state.duties.open.values() if known.duty.deck is None]:
            for seat in state.roster.with_cards:
                for junk in JUNK[:8]:
                    origin = Origin(height, seat, state.hand.number, height)
                    doing = f"{table.where}, seat {seat} sent {junk[:60]!r} as a move, and that failed with"
                    with authors("moved", doing, "Raise IllegalMove for it.", (EntryRefused, TooLate)):
                        try:
                            apply_body(state, origin, Move(duty.id, msgspec.Raw(junk)))
                        except (EntryRefused, TooLate):
                            continue
                    what = f"{table.where}, seat {seat} sent {junk[:60]!r} as a move, and it was taken."
                    self.findings.add(Finding("loose", f"{what} Decode moves strictly."))

    def _crossed(self, seating: CheckedSetup) -> None:
        table = CheckTable(seating, backwards=True)
        when = "when entries come in the other order"
        _play(table, when)
        _refuse_unsound(table, when)

    def _lost(self, seating: CheckedSetup, first: CheckTable, offset: int) -> None:
        table, height = CheckTable(seating), first.replica.height
        places = len(table.participants)
        every = max(1, height // self.effort.losses)

        def after(entries: int) -> None:
            if entries % every == offset:
                table.lose(entries // every % places)

        table.after = after
        when = "when participants are lost and come back from their homes"
        _play(table, when)
        _refuse_unsound(table, when)

    def _left(self, seating: CheckedSetup, first: CheckTable, number: int) -> None:
        table, height = CheckTable(seating), first.replica.height
        at = 1 + int.from_bytes(expand("leave", number, size=4), "little") % max(1, height - 1)
        place, gone = number % seating.seats, False

        def after(entries: int) -> None:
            nonlocal gone
            if entries >= at and not gone:
                gone = True
                table.participants[place].stays = lambda state: False
                try:
                    table.say(place, table.participants[place].leave())
                except IllegalMove:
                    # It has gone already.
                    return

        table.after = after
        when = f"when seat {place} leaves after entry {at}"
        _play(table, when)
        _refuse_unsound(table, when)
        for record in table.replica.state.chronicle.records:
            if record.void is not None:
                what = f"{table.where}, seat {place} left after entry {at}, and the hand was broken off: {record.void}."
                raise Found(Finding("left", f"{what} `left` has to say how the hand goes on or ends."))


def _play(table: CheckTable, when: str) -> None:
    with authors("table", f"{table.where}, {when}, playing failed with", ""):
        table.run()


def _refuse_unsound(table: CheckTable, when: str) -> None:
    """Nobody is at fault, all have the same table, and whoever has the log and the game comes to the same."""
    replica, seating = table.replica, table.seating
    if replica.state.fault is not None:
        what = f"{table.where}, {when}, the game could not go on: {replica.state.fault.reason}."
        raise Found(Finding("table", f"{what} All players were honest: the game asked for what cannot be."))
    if any(one.replica.digest() != replica.digest() for one in table.participants):
        raise Found(Finding("replay", f"{table.where}, {when}, two players have different tables at the end."))
    doing = f"{table.where}, {when}, the log was verified by somebody who has only the game, and that failed with"
    with authors("replay", doing, "Whatever rules depend on has to be in their parameters, or in the log."):
        config = config_of(replica.config.session, seating.protocol.group, seating.package)
        try:
            again = replay(config, replica.entries, entropy=lambda size: expand("replay", size=size))
        except (LogError, Malformed) as error:
            raise Found(Finding("replay", f"{doing} {error}. A move that was taken is refused there.")) from None
    if again.digest() != replica.digest():
        what = f"{table.where}, {when}, somebody who verified the log came to another table than the players."
        raise Found(Finding("replay", f"{what} Whatever rules depend on has to be in their parameters, or in the log."))
