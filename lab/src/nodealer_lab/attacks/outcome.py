"""What came of an attack: what the log alone shows, in the words of the claims, and what was gained."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from nodealer.cards.operations import Close, NewDeck
from nodealer.engine.bodies import Cards
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Applied, Replica
from nodealer.engine.replica import Outcome as OfEntry
from nodealer.engine.state import Config
from nodealer_lab.attacks.base import OutcomeLabel

WhenSeen = Literal["at once", "at opening", "at the end", "never"]


@dataclass(frozen=True)
class AttackOutcome:
    """When an attack was seen, whom the log names and in which words, and what was gained: None for nothing."""

    seen: WhenSeen
    culprit: int | None = None
    why: str = ""
    gain: str | None = None

    @property
    def outcome(self) -> OutcomeLabel:
        """In the words of the matrix."""
        if self.seen != "never":
            return self.seen
        return "gains nothing" if self.gain is None else "cannot be seen"


def judge_log(config: Config, log: Iterable[bytes], lies: Collection[bytes], gain: str | None = None) -> AttackOutcome:
    """The first fault of a log in which these entries are lies, and how long after them it was found."""
    # The weights of the checks are the same each time: nobody has made these proofs for them.
    replica = Replica(config, entropy=bytes)
    lied = False
    for data in log:
        applied = replica.append(data)
        fault = replica.state.fault
        if applied.outcome is OfEntry.FAULT and fault is not None:
            at_once = data in lies and not lied
            return AttackOutcome("at once" if at_once else _seen(applied), fault.seat, fault.reason, gain)
        lied |= data in lies
    return AttackOutcome("never", gain=gain)


def _seen(applied: Applied) -> WhenSeen:
    """Before anybody holds a card of the deck is at once; after the hand, or when all is shown, is at the end."""
    before = applied.before
    if before.phase is not Phase.PLAYING:
        disputed = before.chronicle.records[-1].void is not None
        return "at opening" if disputed else "at the end"
    asked = _asked(applied)
    return "at once" if isinstance(asked, NewDeck) else "at the end" if isinstance(asked, Close) else "at opening"


def _asked(applied: Applied) -> object:
    """What was asked of the deck that an entry is about."""
    known = applied.before.duties.open.get(applied.body.duty) if isinstance(applied.body, Cards) else None
    if known is None or known.duty.deck is None:
        return None
    return getattr(applied.before.hand.decks[known.duty.deck], "asked", None)
