"""An independent account of the chips, computed from the results of the games and the disclosures in the log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from nodealer.engine.bodies import Book, Cards, Claim
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Applied, Outcome
from nodealer.engine.state import HandRecord
from nodealer.games.base import Done
from nodealer_lab.sim.checkers.replay import FinishedGame, ReplayedLog, hands_begun


def check_chip_account(played: FinishedGame) -> Iterator[str]:
    """Yield entries after which the table's chips differ from those of the independent account.

    In that account a loss counts at once. A gain counts at the first begin after the winner's disclosure was accepted.
    Chips still held at the end of the session go back to the seats that paid them.
    """
    for log in played.logs:
        yield from _first_difference(log)


def _first_difference(log: ReplayedLog) -> Iterator[str]:
    """Replay a log into a new `ChipLedger`.

    Yield a sentence about the first entry after which the two accounts differ.
    """
    ledger = ChipLedger(
        dict.fromkeys(log.replica.config.session.proposal.roster.with_cards, log.replica.config.rules.stake)
    )
    for applied in log.applied:
        if applied.outcome is Outcome.DROPPED:
            continue
        ledger.apply(applied, books=log.replica.config.protocol.claims.open_book_at_end)
        account = applied.after.ledger
        gains = {one.hand: dict(one.gains) for one in account.held if one.gains}
        dead = [(one.seat, one.amount) for one in account.dead]
        found = ({**account.chips}, gains, dead)
        if found != ledger.summary():
            yield f"entry {applied.number} of {log.node.name}: the table has {found} instead of {ledger.summary()}"
            return


@dataclass
class PendingPot:
    """A hand with gains that have not all been paid out, because the winners' disclosures are missing."""

    paid: Mapping[int, int]
    net: Mapping[int, int]
    #: The chips that each seat is to get. `opened` has the seats whose disclosures were correct, and `counted` says
    #: whether any chips of the hand were paid out.
    due: dict[int, int]
    disputed: bool = False
    dead: int = 0
    opened: set[int] = field(default_factory=set)
    counted: bool = False

    def losers(self, but: int) -> dict[int, int]:
        """Return who paid into the pot and how much: the losses of the losers, if there are any."""
        lost = {seat: -net for seat, net in self.net.items() if net < 0 and not self.disputed}
        return {seat: paid for seat, paid in (lost or self.paid).items() if seat != but}


class ChipLedger:
    """The chips of all seats, what is held for them, and the dead money."""

    def __init__(self, chips: Mapping[int, int]) -> None:
        """Start with these chips of each seat, and with nothing held."""
        self.chips = dict(chips)
        self.pots: dict[int, PendingPot] = {}
        #: For each payment for leaving: the seat, the amount, and the others that were dealt in.
        self.dead: list[tuple[int, int, tuple[int, ...]]] = []

    def summary(self) -> tuple[dict[int, int], dict[int, dict[int, int]], list[tuple[int, int]]]:
        """Return chips, held gains and dead money in the form in which they are compared."""
        held = {hand: dict(pot.due) for hand, pot in self.pots.items() if pot.due}
        return dict(self.chips), held, [(seat, amount) for seat, amount, _ in self.dead]

    def apply(self, applied: Applied, *, books: bool) -> None:
        """Apply a log entry. `books` says whether every seat must disclose its seed after each hand."""
        before, after = applied.before, applied.after
        begun = hands_begun(after) > hands_begun(before)
        # A false disclosure may be the last thing that a begin was waiting for.
        self._open(applied)
        if begun and before.phase is not Phase.PLAYING:
            self.count()
        for record in after.chronicle.records[len(before.chronicle.records) :]:
            self._end(applied, record, books=books)
        if begun and before.phase is Phase.PLAYING:
            self.count()
        if after.roster is not before.roster:
            for seat in after.roster.with_cards:
                self.chips.setdefault(seat, after.config.rules.stake)
        if after.phase is Phase.ENDED is not before.phase:
            self.finish()

    def _end(self, applied: Applied, record: HandRecord, *, books: bool) -> None:
        """Record the end of a hand by this entry: its result, or the dispute if it was voided with chips in the pot.

        A seat whose claim ended the hand has disclosed its seed with the claim.
        """
        before, game = applied.before.hand.game, applied.after.hand.game
        if record.void is not None:
            if before is not None and is_disputed(applied, record):
                self.dispute(record.hand, before.paid)
            if isinstance(applied.body, Claim):
                self.open(record.hand, applied.entry.seat)
            return
        done = game.wants if game is not None else None
        if game is not None and isinstance(done, Done):
            self.close(record.hand, done, game.players, books=books)

    def _open(self, applied: Applied) -> None:
        """If the entry is a disclosure (a `Book`), record whether the disclosure is correct or false.

        Other entries change nothing. An accepted disclosure is correct, and any other outcome means that it is false.
        """
        seat, body = applied.entry.seat, applied.body
        if not isinstance(body, Book):
            return
        hand = applied.before.duties.open[body.duty].duty.binding.hand
        if applied.outcome is Outcome.ACCEPTED:
            self.open(hand, seat)
        else:
            self.name(hand, seat)

    # --- What happens to chips ---

    def _pay(self, amounts: Mapping[int, int]) -> None:
        """Add these amounts to the chips of the seats. Negative amounts are taken away."""
        for seat, amount in amounts.items():
            self.chips[seat] = self.chips.get(seat, 0) + amount

    def close(self, hand: int, done: Done, players: Iterable[int], *, books: bool) -> None:
        """Record the result of a hand: losses at once, gains when they are covered by a disclosure.

        Without `books` there are no disclosures, and gains count at once too.
        """
        for seat, net in done.net.items():
            self._pay({seat: net if net < 0 or not books else 0})
        if done.dead:
            self.dead.clear()
        for seat, amount in sorted(done.charged.items()):
            self._pay({seat: -amount})
            if amount:
                self.dead.append((seat, amount, tuple(other for other in players if other != seat)))
        due = {seat: net for seat, net in done.net.items() if net > 0}
        if books and (due or any(done.paid.values())):
            self.pots[hand] = PendingPot(done.paid, done.net, due, dead=done.dead)

    def dispute(self, hand: int, paid: Mapping[int, int]) -> None:
        """Record a hand that ended in a dispute, without a result: hold the chips that each seat put in."""
        bets = {seat: amount for seat, amount in paid.items() if amount}
        self._pay({seat: -amount for seat, amount in bets.items()})
        self.pots[hand] = PendingPot(paid, {}, dict(bets), disputed=True)

    def open(self, hand: int, seat: int) -> None:
        """Record that a seat's disclosure of a hand is correct, so that its gains can be paid out."""
        if hand in self.pots:
            self.pots[hand].opened.add(seat)

    def count(self) -> None:
        """Pay each seat with a correct disclosure what is held for it, because a hand begins or the session ends."""
        for hand, pot in list(self.pots.items()):
            for seat in pot.opened & pot.due.keys():
                self._pay({seat: pot.due.pop(seat)})
                pot.counted = True
            if not pot.due:
                del self.pots[hand]

    def name(self, hand: int, seat: int) -> None:
        """Record that a seat's disclosure of a hand is false.

        The seat's bets go to the others, and nothing else of the hand counts. Gains that were already paid out are
        final.
        """
        pot = self.pots.get(hand)
        if pot is None:
            return
        own, others = pot.due.pop(seat, 0), {other: paid for other, paid in pot.paid.items() if other != seat}
        if pot.disputed:
            for other, more in shares(own, others).items():
                pot.due[other] = pot.due.get(other, 0) + more
        elif pot.counted:
            self._pay(shares(own, pot.losers(seat)))
            if not pot.due:
                del self.pots[hand]
        else:
            # The hand is undone for everyone but the seat itself, which loses all that it put in.
            self._pay({other: -min(0, pot.net.get(other, 0)) for other in others})
            self._pay({seat: -pot.paid.get(seat, 0) - min(0, pot.net.get(seat, 0))})
            self._pay(shares(pot.paid.get(seat, 0) + pot.dead, others))
            del self.pots[hand]

    def finish(self) -> None:
        """End the session: return held chips to those who paid them, and dead money to those who were dealt in."""
        self.count()
        for pot in self.pots.values():
            for seat, amount in pot.due.items():
                self._pay(shares(amount, pot.losers(seat)))
        for _, amount, others in self.dead:
            self._pay(shares(amount, dict.fromkeys(others, 1)))
        self.pots.clear()
        self.dead.clear()


def is_disputed(applied: Applied, record: HandRecord) -> bool:
    """Return whether a hand ended in a dispute: by an accepted claim, or by unusable cards and disclosures."""
    if applied.outcome is not Outcome.ACCEPTED or record.void is None:
        return False
    books = applied.after.disclosures.get(record.hand)
    return isinstance(applied.body, Claim) or (isinstance(applied.body, Cards) and books is not None and books.disputed)


def shares(amount: int, weights: Mapping[int, int]) -> dict[int, int]:
    """Divide an amount in proportion to weights, rounded down. The lowest seat with a share gets the remainder."""
    parts = {seat: weight for seat, weight in sorted(weights.items()) if weight} or dict.fromkeys(sorted(weights), 1)
    left, got = amount, dict[int, int]()
    for seat, weight in parts.items():
        got[seat] = amount * weight // sum(parts.values())
        left -= got[seat]
    for seat in list(got)[:1]:
        got[seat] += left
    return got
