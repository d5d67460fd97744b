"""What came of an attack, read from the log alone, in the words of the claims."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from nodealer.cards import Close, NewDeck
from nodealer.play.bodies import Cards
from nodealer.play.phases import Phase
from nodealer.play.replica import Applied, Outcome, Replica
from nodealer.play.state import Config, Fault
from nodealer.proofs.checks import Entropy

Seen = Literal["at once", "at opening", "at the end", "never"]


@dataclass(frozen=True)
class Came:
    """When an attack was seen, and what the log says of it."""

    seen: Seen
    fault: Fault | None

    @property
    def culprit(self) -> int | None:
        """Whom the log names."""
        return None if self.fault is None else self.fault.seat


def what_came(config: Config, log: Iterable[bytes], lies: Collection[bytes], entropy: Entropy) -> Came:
    """The first fault of a log in which these entries are lies, and how long after them it was found."""
    replica = Replica(config, entropy=entropy)
    for data in log:
        applied = replica.append(data)
        if applied.outcome is Outcome.FAULT:
            return Came("at once" if data in lies else _seen(applied), replica.state.fault)
    return Came("never", None)


def _seen(applied: Applied) -> Seen:
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
