"""Independent checks of books and claims: what seats had committed themselves to, and which seat owes what."""

from __future__ import annotations

from collections.abc import Iterator

from nodealer.engine.bodies import Begin, Book, Claim
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Applied, Outcome
from nodealer.errors import CardUnreadable
from nodealer.tape import Tape, seed_commitment
from nodealer_lab.sim.checkers.chips import is_disputed
from nodealer_lab.sim.checkers.replay import FinishedGame, ReplayedLog


def check_disclosures(played: FinishedGame) -> Iterator[str]:
    """Yield false disclosures that name no seat, seats that begin while owing one, and claims about readable cards."""
    for log in played.logs:
        tracker = DisclosureTracker(log)
        for applied in log.applied:
            for wrong in tracker.violations_of(applied):
                yield f"entry {applied.number} of {log.node.name}: {wrong}"


class DisclosureTracker:
    """The commitments to seeds that seats began with, and the disclosures that they owe."""

    def __init__(self, log: ReplayedLog) -> None:
        """Start at the beginning of this log, when no disclosure is owed."""
        self._log = log
        self._begun: dict[tuple[int, int], bytes] = {}
        #: Pairs of hand and seat.
        self._owed: set[tuple[int, int]] = set()

    def violations_of(self, applied: Applied) -> Iterator[str]:
        """Yield the violations caused by an entry."""
        before, after, seat, body = applied.before, applied.after, applied.entry.seat, applied.body
        owing = {who for _, who in self._owed}
        taken = applied.outcome is Outcome.ACCEPTED
        if isinstance(body, Begin) and taken:
            self._begun[before.duties.open[body.duty].duty.binding.hand, seat] = body.commitment
            if seat in owing:
                yield f"seat {seat} begins while it owes a book"
        elif isinstance(body, Book) and applied.outcome is not Outcome.DROPPED:
            hand = before.duties.open[body.duty].duty.binding.hand
            yield from self._check_seed(applied, hand, body.seed)
            self._owed.discard((hand, seat))
        elif isinstance(body, Claim) and taken:
            yield from self._check_seed(applied, before.hand.number, body.seed)
            if self._can_read_card(applied, body):
                yield f"seat {seat} disputes card {body.position} of deck {body.deck}, which it can read"
        self._record_end(applied)
        if before.phase is not Phase.PLAYING and after.phase is Phase.PLAYING and after.hand.game is not None:
            for player in sorted(owing.intersection(after.hand.game.players)):
                yield f"seat {player} is dealt in while it owes a book"

    def _record_end(self, applied: Applied) -> None:
        """Record which disclosures are owed when a hand ends: one by each seat that was dealt in.

        They are owed if the mode requires them after every hand, or if the hand ended in a dispute.
        """
        before, after = applied.before, applied.after
        for record in after.chronicle.records[len(before.chronicle.records) :]:
            ends = record.void is None and self._log.replica.config.protocol.claims.open_book_at_end
            if ends or is_disputed(applied, record):
                self._owed |= {(record.hand, player) for player in before.hand.binding.players}
            if isinstance(applied.body, Claim):
                self._owed.discard((record.hand, applied.entry.seat))
        self._owed = {(hand, seat) for hand, seat in self._owed if seat not in after.expelled}

    def _check_seed(self, applied: Applied, hand: int, seed: bytes) -> Iterator[str]:
        """Yield a violation if a wrong seed does not name its seat at this very entry.

        Other lies are named at the entry that contained them.
        """
        seat = applied.entry.seat
        bound = seed_commitment(Tape(seed), session=self._log.replica.config.session.id, seat=seat, hand=hand)
        named = {(fault.seat, fault.entry) for fault in applied.after.faults[len(applied.before.faults) :]}
        if bound != self._begun.get((hand, seat)) and (seat, applied.number) not in named:
            yield f"seat {seat} opens another seed for hand {hand} than it began with, and is not named for it"

    def _can_read_card(self, applied: Applied, claim: Claim) -> bool:
        """Return whether the claimant's seed can read the disputed card, given what the claimant had seen."""
        height = self._log.replica.height_of(applied.entry.seen) or 0
        deck = self._log.applied[height].before.hand.decks.get(claim.deck)
        try:
            if deck is not None:
                deck.knows(applied.entry.seat, Tape(claim.seed))
        except CardUnreadable as unreadable:
            return (unreadable.deck, unreadable.position) != (claim.deck, claim.position)
        return True
