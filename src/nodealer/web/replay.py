"""Replays a hand from the log, moment by moment, as this person saw it.

Everything is checked again, because only that reproduces what a false proof or a new roster did to the table. Nothing
is signed: the seat that reads the log is discarded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from nodealer.engine.phases import Phase
from nodealer.engine.replica import Applied, Outcome, Replica
from nodealer.engine.seat import Seat
from nodealer.engine.state import Config, TableState
from nodealer.engine.view import public_view, view_of
from nodealer.errors import CardUnreadable
from nodealer.games.view import View
from nodealer.keys import Identity
from nodealer.log.journal import MemoryJournal, Record
from nodealer.proofs.checks import Entropy
from nodealer.web import messages as doc


@dataclass(frozen=True)
class OwnSecrets:
    """The secrets a player needs to see their own cards again."""

    number: int
    root: bytes
    identity: Identity
    records: tuple[Record, ...]


def hand_number(state: TableState) -> int:
    """Return the number of the current or last hand, counted from 1."""
    return max(state.hand.number + (state.phase is Phase.PLAYING), 1)


def replay_entries(config: Config, entries: Iterable[bytes], entropy: Entropy) -> Iterable[Applied]:
    """Apply the entries of a log to a new replica and yield what each did."""
    replica = Replica(config, entropy=entropy)
    for data in entries:
        yield replica.append(data)


@dataclass
class MomentCollector:
    """Collects the moments of one hand: whenever there is a new line, or the table looks different."""

    hand: int
    #: Make the message of a moment, and the lines that an entry adds to the log panel.
    view: Callable[[TableState, View], doc.View]
    lines: Callable[[Applied], Iterable[doc.Line]]
    frames: list[doc.ReplayFrame] = field(default_factory=list)
    _pending_lines: list[doc.Line] = field(default_factory=list)
    _last: View | None = None

    def add_entry(self, applied: Applied, current_view: Callable[[], View]) -> bool:
        """Process another entry. Returns False once the hand is over."""
        if applied.outcome is Outcome.REPEATED:
            return True
        lines = list(self.lines(applied))
        state = applied.after
        if hand_number(state) < self.hand:
            return True
        if hand_number(state) > self.hand:
            return False
        self._pending_lines += lines
        seen = current_view()
        if state.phase is Phase.PLAYING:
            self._last = seen
        elif self._last is not None and seen.game is not None:
            # After a hand its decks no longer exist, but the person still wants to see their cards.
            seen = replace(seen, cards=self._last.cards)
        view = self.view(state, seen)
        if self._pending_lines or not self.frames or self.frames[-1].view.page != view.page:
            self.frames.append(doc.ReplayFrame(view, tuple(self._pending_lines)))
            self._pending_lines = []
        return True


def replay_hand(
    config: Config, entries: Iterable[bytes], moments: MomentCollector, own: OwnSecrets | None, entropy: Entropy
) -> tuple[doc.ReplayFrame, ...]:
    """Return the moments of a hand, read from the log as the player who sat there, or as a spectator."""
    if own is None:
        for applied in replay_entries(config, entries, entropy):
            state = applied.after
            if not moments.add_entry(applied, lambda state=state: public_view(state)):  # type: ignore[misc]
                break
    else:
        with suppress(_StopReading):
            _Reader(moments, config, own, entries, entropy)
    return tuple(moments.frames)


class _StopReading(Exception):
    """Stops reading: the hand or the log is over."""


class _Reader(Seat):
    """A seat that reads a log as the player who sat there, and never signs anything."""

    def __init__(
        self, moments: MomentCollector, config: Config, own: OwnSecrets, entries: Iterable[bytes], entropy: Entropy
    ) -> None:
        """Read the log at once, passing each entry to `moments`."""
        self._moments = moments
        journal = MemoryJournal()
        for record in own.records:
            journal.write(record)
        super().__init__(
            config,
            own.number,
            root=own.root,
            key=own.identity,
            journal=journal,
            entropy=entropy,
            log=self._entries_then_stop(entries),
        )

    def _entries_then_stop(self, entries: Iterable[bytes]) -> Iterable[bytes]:
        """Yield the entries, then stop before the seat could act."""
        yield from entries
        raise _StopReading

    def receive(self, data: bytes) -> Applied:
        """Apply an entry, and stop reading if the hand is over."""
        applied = super().receive(data)
        if not self._moments.add_entry(applied, self._current_view):
            raise _StopReading
        return applied

    def _current_view(self) -> View:
        """Return the player's view, or the public one if a card does not open."""
        try:
            return view_of(self)
        except CardUnreadable:
            return public_view(self.replica.state)
