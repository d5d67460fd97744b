"""Pots and side pots: who gets which chips, in games in which a seat wins no more of each other seat than it put in.

Chips lie in layers. The lowest goes up to the smallest amount that a seat has put in, and so on. Each layer is
contested by the hands that have paid for all of it. Layers with the same winners are one pot. A pot that does not
divide evenly leaves its odd chips, all of them, to the first of its winners in the order of the game.

A hand that its seat has left cannot be shown, and is not one that was given up: what such a hand pays is decided here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Pot:
    """Chips, and the winners among whom they are divided, in the order of the game."""

    amount: int
    winners: tuple[int, ...]

    @property
    def shares(self) -> dict[int, int]:
        """Winner to chips."""
        share, odd = divmod(self.amount, len(self.winners))
        return {seat: share + (odd if seat == self.winners[0] else 0) for seat in self.winners}


@dataclass(frozen=True)
class PotClaims:
    """Who may win what."""

    #: What each seat has put in, in the order of the game: in poker from the left of the button.
    put_in: Mapping[int, int]
    #: The hands that are still in, in the same order.
    staying: tuple[int, ...]
    #: The strength of those that can be compared, the best the highest.
    known: Mapping[int, int]
    #: Hands that were still in when their seats went.
    gone: tuple[int, ...] = ()
    #: The most that each staying hand has put in or could still have put in, where a seat left in between.
    reach: Mapping[int, int] = field(default_factory=dict)
    #: Chips that nobody has put in: they lie at the bottom of the first pot.
    dead: int = 0


def pots(claims: PotClaims) -> tuple[Pot, ...]:
    """Divide everything that was put in, but for what nobody has called: that was only lent."""
    levels = sorted({amount for amount in (*claims.put_in.values(), *claims.reach.values()) if amount > 0})
    divided: list[Pot] = []
    below = 0
    for level in levels:
        paid = {seat: min(amount, level) - below for seat, amount in claims.put_in.items() if amount > below}
        winners = _winners(claims, level)
        below = level
        if not paid or (len(paid) == 1 and winners == tuple(paid)):
            continue
        amount = sum(paid.values()) + (0 if divided else claims.dead)
        if divided and divided[-1].winners == winners:
            amount += divided.pop().amount
        divided.append(Pot(amount, winners))
    return tuple(divided)


def _winners(claims: PotClaims, level: int) -> tuple[int, ...]:
    """The best of the hands that contest the layer up to `level`. One that nobody can compare counts as a tie."""
    contest = _contest(claims, level)
    best = max((claims.known[seat] for seat in contest if seat in claims.known), default=None)
    return tuple(seat for seat in contest if claims.known.get(seat, best) == best)


def _contest(claims: PotClaims, level: int) -> tuple[int, ...]:
    """The hands that have paid for a layer. Where only those who are gone have, their bets stay in the pot: for the
    hands that could still have paid. What was beyond all of these, nobody who stayed could have won: it is the gone's.
    What only hands that were given up have paid belongs to what lies below.
    """
    highest = max(claims.put_in[seat] for seat in claims.staying)
    return (
        tuple(seat for seat in claims.staying if claims.put_in[seat] >= level)
        or tuple(seat for seat in claims.staying if claims.reach.get(seat, 0) >= level)
        or tuple(seat for seat in claims.gone if claims.put_in[seat] >= level)
        or tuple(seat for seat in claims.staying if claims.put_in[seat] == highest)
    )


def winnings(claims: PotClaims) -> dict[int, int]:
    """What each seat gets back: its shares of the pots, and what of its own nobody called."""
    divided = pots(claims)
    won = dict.fromkeys(claims.put_in, 0)
    for pot in divided:
        for seat, share in pot.shares.items():
            won[seat] += share
    rest = sum(claims.put_in.values()) + claims.dead - sum(won.values())
    if rest:
        # There is one uncalled bet at most, and it is the largest.
        won[max(claims.put_in, key=lambda seat: claims.put_in[seat])] += rest
    return won
