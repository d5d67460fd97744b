"""The chips of every seat, and the gains that are held until the winner's disclosure was checked.

A loss counts at once. A gain counts from the first hand that begins after the winner's own disclosure was verified;
until then it belongs to no one. Gains that are still held when the session ends go back to the players who paid them,
never to those who accused. Games without chips use the ledger with points: no one loses any, and a win is held like a
pot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from nodealer.games.base import Done
from nodealer.records import replace


@dataclass(frozen=True)
class HeldResult:
    """The result of a hand as far as it does not count yet."""

    hand: int
    paid: Mapping[int, int]
    #: Seat to what it won or lost. In a hand that ended in a dispute, all bets are lost, and held for their seats.
    net: Mapping[int, int]
    #: Seat to what it gets once its disclosure was verified, and the seats of which it was.
    gains: Mapping[int, int]
    covered: frozenset[int] = frozenset()
    claimed: bool = False
    #: Whether some of it has counted already. What has counted is final.
    final: bool = False
    #: The dead money in its pot.
    dead: int = 0

    def payers_except(self, seat: int) -> dict[int, int]:
        """Return who gets back what this seat may not have, by weight.

        These are the other losers of the hand or, if there are none (with dead money everyone may have gained), all
        others who paid.
        """
        lost = {} if self.claimed else {other: -net for other, net in self.net.items() if net < 0}
        return {other: paid for other, paid in (lost or self.paid).items() if other != seat}


@dataclass(frozen=True)
class Charge:
    """A seat's payment for leaving: dead money until a hand is played for it."""

    hand: int
    seat: int
    amount: int
    #: The others who were dealt in: they get it if no further hand is played for it.
    others: tuple[int, ...] = ()


@dataclass(frozen=True)
class Ledger:
    """The chips of every seat that this session has seen, the held results, and the dead money."""

    chips: Mapping[int, int] = field(default_factory=dict)
    held: tuple[HeldResult, ...] = ()
    dead: tuple[Charge, ...] = ()

    @property
    def total(self) -> int:
        """All chips: those of the seats, those held for them, and dead money. No hand changes the total."""
        held = sum(sum(one.gains.values()) for one in self.held)
        return sum(self.chips.values()) + held + sum(one.amount for one in self.dead)

    def add_seats(self, seats: Iterable[int], stake: int) -> Ledger:
        """Return the ledger with the stake for each new seat.

        Players who return have what they had, even if nothing.
        """
        return replace(self, chips={**dict.fromkeys(seats, stake), **self.chips})

    # defence: kept-book
    def close_hand(self, hand: int, done: Done, players: Iterable[int], *, books: bool) -> Ledger:
        """Return the ledger after a hand.

        With `books`, gains are held until the winner has disclosed. A charge for leaving counts at once, like a loss.
        If the hand was played for the dead money, the ledger has no earlier dead money any more.
        """
        fresh = tuple(
            Charge(hand, seat, amount, tuple(other for other in players if other != seat))
            for seat, amount in sorted(done.charged.items())
            if amount
        )
        paying = {seat: -amount for seat, amount in done.charged.items()}
        chips = _add(_add(self.chips, {seat: min(0, net) for seat, net in done.net.items()}), paying)
        account = replace(self, chips=chips, dead=(*(() if done.dead else self.dead), *fresh))
        gains = {seat: amount for seat, amount in done.net.items() if amount > 0}
        if not books:
            return replace(account, chips=_add(chips, gains))
        # Also a hand without a gain: a player whose disclosure is false pays even if the pot was split.
        open_yet = gains or any(done.paid.values())
        held = HeldResult(hand, done.paid, done.net, gains, dead=done.dead)
        return replace(account, held=(*self.held, held)) if open_yet else account

    def hold_bets(self, hand: int, paid: Mapping[int, int]) -> Ledger:
        """Return the ledger after a hand without result: each seat's bets are held until it has disclosed."""
        bets = {seat: amount for seat, amount in paid.items() if amount}
        lost = {seat: -amount for seat, amount in bets.items()}
        held = (*self.held, HeldResult(hand, paid, lost, bets, claimed=True))
        return replace(self, chips=_add(self.chips, lost), held=held)

    def mark_covered(self, hand: int, seat: int) -> Ledger:
        """Return the ledger after a seat's disclosure of a hand was verified."""
        return self._update_held(hand, lambda held: replace(held, covered=held.covered | {seat}))

    # defence: lost-book
    def release_covered(self) -> Ledger:
        """Return the ledger at the start of a hand: covered gains count from now on."""
        chips, rest = dict(self.chips), list[HeldResult]()
        for held in self.held:
            now = {seat: amount for seat, amount in held.gains.items() if seat in held.covered}
            chips = _add(chips, now)
            left = {seat: amount for seat, amount in held.gains.items() if seat not in now}
            if left:
                rest.append(replace(held, gains=left, final=held.final or bool(now)))
        return replace(self, chips=chips, held=tuple(rest))

    def forfeit(self, hand: int, seat: int) -> Ledger:
        """Return the ledger after a seat's disclosure of a hand proved false.

        The seat gets nothing, its bets go to the others, and the hand has no result for the rest. If some of the hand
        has counted already, that is final: then only the seat's own gain goes back.
        """
        held = next((one for one in self.held if one.hand == hand), None)
        if held is None:
            return self
        others = tuple(one for one in self.held if one is not held)
        rest = {other: amount for other, amount in held.gains.items() if other != seat}
        paid = {other: amount for other, amount in held.paid.items() if other != seat}
        if held.claimed:
            gains = _add(rest, _divide(held.gains.get(seat, 0), paid))
            return replace(self, held=(*others, replace(held, gains=gains)))
        if held.final:
            back = _divide(held.gains.get(seat, 0), held.payers_except(seat))
            still = (*others, replace(held, gains=rest)) if rest else others
            return replace(self, chips=_add(self.chips, back), held=still)
        undone = {other: max(0, -held.net.get(other, 0)) for other in paid}
        lost = {seat: -held.paid.get(seat, 0) - min(0, held.net.get(seat, 0))}
        # The dead money in its pot goes with its bets.
        bets = _divide(held.paid.get(seat, 0) + held.dead, paid)
        return replace(self, chips=_add(_add(_add(self.chips, undone), lost), bets), held=others)

    def close_session(self) -> Ledger:
        """Return the final ledger.

        Covered gains count, other held gains go back, and dead money goes to those it was for.
        """
        last = self.release_covered()
        chips = dict(last.chips)
        for held in last.held:
            for seat, amount in held.gains.items():
                chips = _add(chips, _divide(amount, held.payers_except(seat)))
        for charge in last.dead:
            chips = _add(chips, _divide(charge.amount, dict.fromkeys(charge.others, 1)))
        return Ledger(chips)

    def _update_held(self, hand: int, change: Callable[[HeldResult], HeldResult]) -> Ledger:
        """Return the ledger with the held result of one hand changed."""
        return replace(self, held=tuple(change(held) if held.hand == hand else held for held in self.held))


def _add(chips: Mapping[int, int], more: Mapping[int, int]) -> dict[int, int]:
    """Return the sums of two mappings of seats to chips."""
    return {seat: chips.get(seat, 0) + more.get(seat, 0) for seat in {**chips, **more}}


def _divide(amount: int, weights: Mapping[int, int]) -> dict[int, int]:
    """Divide an amount in proportion to the weights, rounded down.

    The odd chips go to the lowest seat with a weight. If all weights are zero, they count as equal.
    """
    if not weights:
        return {}
    if not any(weights.values()):
        weights = dict.fromkeys(weights, 1)
    total = sum(weights.values())
    shares = {seat: amount * weight // total for seat, weight in weights.items()}
    shares[min(seat for seat, weight in weights.items() if weight)] += amount - sum(shares.values())
    return shares
