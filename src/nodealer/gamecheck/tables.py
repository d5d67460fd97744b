"""The second part of a check: play the game on every protocol that can serve it, with proofs, signatures and a log."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import msgspec

from nodealer.engine.bodies import Move
from nodealer.engine.commands import LeaveTable
from nodealer.engine.replica import replay
from nodealer.engine.resolve import resolve_config
from nodealer.engine.transitions import Origin, TooLate, apply_body
from nodealer.errors import BadParameter, EntryRefused, LogError, Malformed
from nodealer.gamecheck.findings import Finding, Findings, Found, author_code
from nodealer.gamecheck.hostile import JUNK
from nodealer.gamecheck.open_decks import Progress
from nodealer.gamecheck.table import CheckedSetup, CheckTable
from nodealer.games.base import Rules, Turn
from nodealer.games.package import GamePackage
from nodealer.group import Group, group
from nodealer.protocols import MODES, PROTOCOLS, make_protocol
from nodealer.protocols.base import Needs
from nodealer.tape import expand

#: At this many entries of a game, nonsense is sent instead of moves.
NONSENSE: Final = 6


@dataclass(frozen=True)
class TableEffort:
    """How much is tried on each protocol."""

    #: Try all modes of each protocol, instead of only the first.
    modes: bool
    hands: int
    #: How often participants are lost and restored, and at how many entries a seat leaves.
    losses: int
    leavings: int


QUICK: Final = TableEffort(modes=False, hands=1, losses=4, leavings=2)
DEEP: Final = TableEffort(modes=True, hands=2, losses=20, leavings=10)


@dataclass(frozen=True)
class OnProtocol:
    """A protocol in one mode, and why it cannot serve the game, or None if it can."""

    name: str
    parameters: bytes
    why: str | None = None

    def __str__(self) -> str:
        """Return the protocol's name, with its parameters unless they are the default."""
        return self.name if self.parameters == b"{}" else f"{self.name} {self.parameters.decode()}"


def protocols_for(rules: Rules, seats: int, *, modes: bool) -> Iterator[OnProtocol]:
    """Yield every protocol, in its first mode or in all `modes`, and whether it can serve this number of seats."""
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
    """Plays a game at real tables, and collects findings."""

    package: GamePackage
    rules: Rules
    effort: TableEffort
    findings: Findings
    progress: Progress
    #: At how many more entries nonsense is sent.
    _nonsense: int = 0

    def check(self, on: OnProtocol, seats: int) -> None:
        """Play on one protocol: undisturbed, in another order, with lost participants, and with a seat that leaves."""
        protocol = make_protocol(on.name, on.parameters, self._group(on))
        roles = {seats + at: role for at, role in enumerate(protocol.claims.roles)}
        seating = CheckedSetup(self.package, self.rules, protocol, seats, self.effort.hands, roles)
        self.progress(f"{on}, with {seats} seats")
        with self.findings.collect():
            first = self._play_undisturbed(seating)
            self.progress(f"{on}: entries cross")
            self._play_crossed(seating)
            for loss in range(min(1, self.effort.losses)):
                self.progress(f"{on}: participants are lost and come back")
                self._play_with_losses(seating, first, loss)
            for leaving in range(self.effort.leavings):
                self.progress(f"{on}: a seat leaves, {leaving + 1} of {self.effort.leavings}")
                with self.findings.collect():
                    self._play_with_leaver(seating, first, leaving)

    def _group(self, on: OnProtocol) -> Group | None:
        """Return the group to play a protocol on, or None for the protocol's own default.

        A quick check uses ristretto255, the fastest, if the protocol accepts it. A game cannot tell groups apart.
        """
        if self.effort.modes:
            return None
        try:
            make_protocol(on.name, on.parameters, group())
        except BadParameter:
            return None
        return group()

    def _play_undisturbed(self, seating: CheckedSetup) -> CheckTable:
        """Play with no disturbance except nonsense instead of moves, and check the result."""
        table, self._nonsense = CheckTable(seating), NONSENSE
        table.after = lambda entries: self._send_nonsense(table)
        _play(table, "when nothing goes wrong")
        _refuse_unsound(table, "when nothing goes wrong")
        for record in table.replica.state.chronicle.records:
            if record.void is not None:
                what = f"{table.where}, no seat left, but the hand was aborted: {record.void}."
                raise Found(Finding("table", what))
        return table

    def _send_nonsense(self, table: CheckTable) -> None:
        """Send nonsense as moves, also for other seats. All of it must be rejected without other effects."""
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
                    with author_code("moved", doing, "Raise IllegalMove instead.", (EntryRefused, TooLate)):
                        try:
                            apply_body(state, origin, Move(duty.id, msgspec.Raw(junk)))
                        except (EntryRefused, TooLate):
                            continue
                    what = f"{table.where}, seat {seat} sent {junk[:60]!r} as a move, and it was accepted."
                    self.findings.add(Finding("loose", f"{what} Decode moves strictly."))

    def _play_crossed(self, seating: CheckedSetup) -> None:
        """Play with the pending entries of the last seat delivered first, and check the result."""
        table = CheckTable(seating, backwards=True)
        when = "when entries come in the other order"
        _play(table, when)
        _refuse_unsound(table, when)

    def _play_with_losses(self, seating: CheckedSetup, first: CheckTable, offset: int) -> None:
        """Play while participants are dropped and restored from their stores, and check the result."""
        table, height = CheckTable(seating), first.replica.height
        places = len(table.participants)
        every = max(1, height // self.effort.losses)

        def after(entries: int) -> None:
            """Drop and restore the next participant at every `every`-th entry."""
            if entries % every == offset:
                table.lose(entries // every % places)

        table.after = after
        when = "when participants are lost and restored from their stores"
        _play(table, when)
        _refuse_unsound(table, when)

    def _play_with_leaver(self, seating: CheckedSetup, first: CheckTable, number: int) -> None:
        """Play while one seat leaves, and check the result."""
        table, height = CheckTable(seating), first.replica.height
        at = 1 + int.from_bytes(expand("leave", number, size=4), "little") % max(1, height - 1)
        place, gone = number % seating.seats, False

        def after(entries: int) -> None:
            """Let the seat leave once, after entry `at`."""
            nonlocal gone
            if entries >= at and not gone:
                gone = True
                table.send(place, table.participants[place].command(LeaveTable()))

        table.after = after
        when = f"when seat {place} leaves after entry {at}"
        _play(table, when)
        _refuse_unsound(table, when)
        for record in table.replica.state.chronicle.records:
            if record.void is not None:
                what = f"{table.where}, seat {place} left after entry {at}, and the hand was aborted: {record.void}."
                raise Found(Finding("left", f"{what} `left` must return how the hand continues or ends."))


def _play(table: CheckTable, when: str) -> None:
    """Play a table to its end.

    Raise `Found` if the author's code fails; `when` describes what is special about this play.
    """
    with author_code("table", f"{table.where}, {when}, playing failed with", ""):
        table.run()


def _refuse_unsound(table: CheckTable, when: str) -> None:
    """Raise `Found` if a seat is at fault, if players have different tables, or if the log verifies differently."""
    replica, seating = table.replica, table.seating
    if replica.state.fault is not None:
        what = f"{table.where}, {when}, the game could not go on: {replica.state.fault.reason}."
        raise Found(Finding("table", f"{what} All players were honest: the game requested something impossible."))
    if any(one.replica.digest() != replica.digest() for one in table.participants):
        raise Found(Finding("replay", f"{table.where}, {when}, two players have different tables at the end."))
    doing = f"{table.where}, {when}, the log was verified with only the game, and that failed with"
    remedy = "Everything that the rules depend on must be in their parameters or in the log."
    with author_code("replay", doing, remedy):
        config = resolve_config(replica.config.session, seating.protocol.group, seating.package)
        try:
            again = replay(config, replica.entries, entropy=lambda size: expand("replay", size=size))
        except (LogError, Malformed) as error:
            raise Found(Finding("replay", f"{doing} {error}. A move that was accepted is rejected there.")) from None
    if again.digest() != replica.digest():
        what = f"{table.where}, {when}, verifying the log led to a different table than the players have."
        raise Found(Finding("replay", f"{what} {remedy}"))
