"""Who has which chips, and what is held until the check of the seat that gained it has passed.

A loss counts at once. A gain counts at the first begin after the gainer's own book held; until then it belongs to
nobody. What is still held when the session ends goes back to those who paid it in, never to those who accused. Games
without chips use it too, with points: nobody loses any, and a win is held like a pot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Held:
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

    @property
    def payers(self) -> dict[int, int]:
        """To whom it goes back, by weight, what nobody may have."""
        if self.claimed:
            return dict(self.paid)
        return {seat: -net for seat, net in self.net.items() if net < 0}


@dataclass(frozen=True)
class Account:
    """The chips of every seat that this session has seen, and the hands that are not settled."""

    chips: Mapping[int, int] = field(default_factory=dict)
    held: tuple[Held, ...] = ()

    def seated(self, seats: Iterable[int], stake: int) -> Account:
        """Seats that are new begin with the stake. Who comes back has what it had, also nothing."""
        return replace(self, chips={**dict.fromkeys(seats, stake), **self.chips})

    def closed(self, hand: int, paid: Mapping[int, int], net: Mapping[int, int], *, books: bool) -> Account:
        """A hand is over. With `books` what somebody gained is held until its book is open."""
        chips = _added(self.chips, {seat: min(0, amount) for seat, amount in net.items()})
        gains = {seat: amount for seat, amount in net.items() if amount > 0}
        if not books:
            return replace(self, chips=_added(chips, gains))
        # Also a hand in which nobody gained: whose book is false pays even when the pot was divided.
        open_yet = gains or any(paid.values())
        return Account(chips, (*self.held, Held(hand, paid, net, gains)) if open_yet else self.held)

    def claimed(self, hand: int, paid: Mapping[int, int]) -> Account:
        """A hand ended without result: each seat's bets are held for it until its own book is open."""
        bets = {seat: amount for seat, amount in paid.items() if amount}
        lost = {seat: -amount for seat, amount in bets.items()}
        return Account(_added(self.chips, lost), (*self.held, Held(hand, paid, lost, bets, claimed=True)))

    def covered(self, hand: int, seat: int) -> Account:
        """A seat's book of a hand is open and holds."""
        return self._with(hand, lambda held: replace(held, covered=held.covered | {seat}))

    def released(self) -> Account:
        """A hand begins: what is covered counts from now on."""
        chips, rest = dict(self.chips), list[Held]()
        for held in self.held:
            now = {seat: amount for seat, amount in held.gains.items() if seat in held.covered}
            chips = _added(chips, now)
            left = {seat: amount for seat, amount in held.gains.items() if seat not in now}
            if left:
                rest.append(replace(held, gains=left, final=held.final or bool(now)))
        return Account(chips, tuple(rest))

    def named(self, hand: int, seat: int) -> Account:
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
            gains = _added(rest, _divided(held.gains.get(seat, 0), paid))
            return Account(self.chips, (*others, replace(held, gains=gains)))
        if held.final:
            back = _divided(held.gains.get(seat, 0), held.payers)
            return Account(_added(self.chips, back), (*others, replace(held, gains=rest)) if rest else others)
        undone = {other: max(0, -held.net.get(other, 0)) for other in paid}
        lost = {seat: -held.paid.get(seat, 0) - min(0, held.net.get(seat, 0))}
        return Account(_added(_added(_added(self.chips, undone), lost), _divided(held.paid.get(seat, 0), paid)), others)

    def over(self) -> Account:
        """The session has ended: what is covered counts, and the rest goes back."""
        last = self.released()
        chips = dict(last.chips)
        for held in last.held:
            for seat, amount in held.gains.items():
                payers = {payer: weight for payer, weight in held.payers.items() if payer != seat}
                chips = _added(chips, _divided(amount, payers))
        return Account(chips)

    def _with(self, hand: int, change: Callable[[Held], Held]) -> Account:
        return replace(self, held=tuple(change(held) if held.hand == hand else held for held in self.held))


def _added(chips: Mapping[int, int], more: Mapping[int, int]) -> dict[int, int]:
    return {seat: chips.get(seat, 0) + more.get(seat, 0) for seat in {**chips, **more}}


def _divided(amount: int, weights: Mapping[int, int]) -> dict[int, int]:
    """In proportion, rounded down; odd chips go to the lowest seat. Where nobody has a weight, all have the same."""
    if not weights:
        return {}
    if not any(weights.values()):
        weights = dict.fromkeys(weights, 1)
    total = sum(weights.values())
    shares = {seat: amount * weight // total for seat, weight in weights.items()}
    shares[min(seat for seat, weight in weights.items() if weight)] += amount - sum(shares.values())
    return shares
