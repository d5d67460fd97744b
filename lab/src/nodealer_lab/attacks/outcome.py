"""The outcome of an attack: what the log alone shows, and what the attacker gained."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from nodealer.cards.operations import Close, NewDeck
from nodealer.engine.bodies import Cards
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Applied, Replica
from nodealer.engine.replica import Outcome as EntryOutcome
from nodealer.engine.state import Config
from nodealer_lab.attacks.base import OutcomeLabel, WhenSeen


@dataclass(frozen=True)
class AttackOutcome:
    """The outcome of an attack: when it was seen, which seat the log names and why, and the gain (None if nothing)."""

    seen: WhenSeen
    culprit: int | None = None
    why: str = ""
    gain: str | None = None

    @property
    def outcome(self) -> OutcomeLabel:
        """The result as the attack matrix prints it."""
        if self.seen != "never":
            return self.seen
        return "gains nothing" if self.gain is None else "cannot be seen"


def judge_log(config: Config, log: Iterable[bytes], lies: Collection[bytes], gain: str | None = None) -> AttackOutcome:
    """Return the first fault of a log in which the entries `lies` are false, and when it was found."""
    # With this entropy the weights of the batched checks are constant. No attack here makes its proofs to fit them.
    replica = Replica(config, entropy=bytes)
    lied = False
    for data in log:
        applied = replica.append(data)
        fault = replica.state.fault
        if applied.outcome is EntryOutcome.FAULT and fault is not None:
            at_once = data in lies and not lied
            return AttackOutcome("at once" if at_once else _when_found(applied), fault.seat, fault.reason, gain)
        lied |= data in lies
    return AttackOutcome("never", gain=gain)


def _when_found(applied: Applied) -> WhenSeen:
    """Return when a fault was found.

    That is at once before anyone holds a card of the deck, and at the end when the hand is over or all is shown.
    """
    before = applied.before
    if before.phase is not Phase.PLAYING:
        disputed = before.chronicle.records[-1].void is not None
        return "at opening" if disputed else "at the end"
    asked = _operation_in_progress(applied)
    return "at once" if isinstance(asked, NewDeck) else "at the end" if isinstance(asked, Close) else "at opening"


def _operation_in_progress(applied: Applied) -> object:
    """Return the operation of the deck that an entry is about, or None."""
    known = applied.before.duties.open.get(applied.body.duty) if isinstance(applied.body, Cards) else None
    if known is None or known.duty.deck is None:
        return None
    return getattr(applied.before.hand.decks[known.duty.deck], "asked", None)
