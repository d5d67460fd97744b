"""Who has which chips, and what is held until the check of the seat that gained it has passed.

A loss counts at once. A gain counts at the first begin after the gainer's own book held; until then it belongs to
nobody. What is still held when the session ends goes back to those who paid it in, never to those who accused. Games
without chips use it too, with points: nobody loses any, and a win is held like a pot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from nodealer.games.base import Done
from nodealer.records import replace


@dataclass(frozen=True)
class HeldResult:
    """What a hand left that has not counted yet."""

    hand: int
    paid: Mapping[int, int]
    #: Seat to what it won or lost. In a hand that a claim ended everybody's bets are lost, and held for them.
    net: Mapping[int, int]
    #: Seat to what it gets once its book has held, and the seats whose book has.
    gains: Mapping[int, int]
    covered: frozenset[int] = frozenset()
    claimed: bool = False
    #: Whether something of it has counted already. What has counted is final.
    final: bool = False
    #: What its pot had of dead money.
    dead: int = 0

    def payers_except(self, seat: int) -> dict[int, int]:
        """To whom it goes back, by weight, what this seat may not have. With dead money all may have gained."""
        lost = {} if self.claimed else {other: -net for other, net in self.net.items() if net < 0}
        return {other: paid for other, paid in (lost or self.paid).items() if other != seat}


@dataclass(frozen=True)
class Charge:
    """What a seat has paid for leaving: dead money until a hand is played for it."""

    hand: int
    seat: int
    amount: int
    #: The others that were dealt in: theirs, where no hand is played for it any more.
    others: tuple[int, ...] = ()


@dataclass(frozen=True)
class Ledger:
    """The chips of every seat that this session has seen, the hands that are not settled, and what is nobody's yet."""

    chips: Mapping[int, int] = field(default_factory=dict)
    held: tuple[HeldResult, ...] = ()
    dead: tuple[Charge, ...] = ()

    @property
    def total(self) -> int:
        """All chips: what seats have, what is held for them, and what is dead. No hand changes it."""
        held = sum(sum(one.gains.values()) for one in self.held)
        return sum(self.chips.values()) + held + sum(one.amount for one in self.dead)

    def add_seats(self, seats: Iterable[int], stake: int) -> Ledger:
        """Seats that are new begin with the stake. Who comes back has what it had, also nothing."""
        return replace(self, chips={**dict.fromkeys(seats, stake), **self.chips})

    # defence: kept-book
    def close_hand(self, hand: int, done: Done, players: Iterable[int], *, books: bool) -> Ledger:
        """A hand is over. With `books` what somebody gained is held until its book is open.

        A charge counts at once, like a loss. What was dead before is so no more, if this hand was played for it.
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
        # Also a hand in which nobody gained: whose book is false pays even when the pot was divided.
        open_yet = gains or any(done.paid.values())
        held = HeldResult(hand, done.paid, done.net, gains, dead=done.dead)
        return replace(account, held=(*self.held, held)) if open_yet else account

    def hold_bets(self, hand: int, paid: Mapping[int, int]) -> Ledger:
        """A hand ended without result: each seat's bets are held for it until its own book is open."""
        bets = {seat: amount for seat, amount in paid.items() if amount}
        lost = {seat: -amount for seat, amount in bets.items()}
        held = (*self.held, HeldResult(hand, paid, lost, bets, claimed=True))
        return replace(self, chips=_add(self.chips, lost), held=held)

    def mark_covered(self, hand: int, seat: int) -> Ledger:
        """A seat's book of a hand is open and holds."""
        return self._update_held(hand, lambda held: replace(held, covered=held.covered | {seat}))

    # defence: lost-book
    def release_covered(self) -> Ledger:
        """A hand begins: what is covered counts from now on."""
        chips, rest = dict(self.chips), list[HeldResult]()
        for held in self.held:
            now = {seat: amount for seat, amount in held.gains.items() if seat in held.covered}
            chips = _add(chips, now)
            left = {seat: amount for seat, amount in held.gains.items() if seat not in now}
            if left:
                rest.append(replace(held, gains=left, final=held.final or bool(now)))
        return replace(self, chips=chips, held=tuple(rest))

    def forfeit(self, hand: int, seat: int) -> Ledger:
        """A seat's book of a hand is false: nothing to it, its bets to the others, and no result among the rest.

        Where something of the hand has counted already, that is final: then only the seat's own gain goes back.
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
        # What was dead in its pot goes with its bets.
        bets = _divide(held.paid.get(seat, 0) + held.dead, paid)
        return replace(self, chips=_add(_add(_add(self.chips, undone), lost), bets), held=others)

    def close_session(self) -> Ledger:
        """The session has ended: what is covered counts, the rest goes back, and what is dead to those it was for."""
        last = self.release_covered()
        chips = dict(last.chips)
        for held in last.held:
            for seat, amount in held.gains.items():
                chips = _add(chips, _divide(amount, held.payers_except(seat)))
        for charge in last.dead:
            chips = _add(chips, _divide(charge.amount, dict.fromkeys(charge.others, 1)))
        return Ledger(chips)

    def _update_held(self, hand: int, change: Callable[[HeldResult], HeldResult]) -> Ledger:
        return replace(self, held=tuple(change(held) if held.hand == hand else held for held in self.held))


def _add(chips: Mapping[int, int], more: Mapping[int, int]) -> dict[int, int]:
    return {seat: chips.get(seat, 0) + more.get(seat, 0) for seat in {**chips, **more}}


def _divide(amount: int, weights: Mapping[int, int]) -> dict[int, int]:
    """In proportion, rounded down; odd chips go to the lowest seat. Where nobody has a weight, all have the same."""
    if not weights:
        return {}
    if not any(weights.values()):
        weights = dict.fromkeys(weights, 1)
    total = sum(weights.values())
    shares = {seat: amount * weight // total for seat, weight in weights.items()}
    shares[min(seat for seat, weight in weights.items() if weight)] += amount - sum(shares.values())
    return shares
