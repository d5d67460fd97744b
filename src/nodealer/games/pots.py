"""Pots and side pots, for games in which a seat can win from each other seat at most what it put in itself.

Chips are counted in layers. The lowest layer goes up to the smallest amount that a seat has put in, the next up to the
second smallest, and so on. The hands that have paid for all of a layer contest it. Layers with the same winners form
one pot. If a pot does not divide evenly, all its odd chips go to the first of its winners in the order of the game.

A seat that leaves cannot show its hand, but it has not folded either. This module decides what such a hand pays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Pot:
    """An amount of chips and the seats that share it, in the order of the game."""

    amount: int
    winners: tuple[int, ...]

    @property
    def shares(self) -> dict[int, int]:
        """The chips each winner gets: seat to amount."""
        share, odd = divmod(self.amount, len(self.winners))
        return {seat: share + (odd if seat == self.winners[0] else 0) for seat in self.winners}


@dataclass(frozen=True)
class PotClaims:
    """The claims of all seats to the chips on the table."""

    #: What each seat has put in, in the order of the game (in poker, from the left of the button).
    put_in: Mapping[int, int]
    #: The hands that are still in, in the same order.
    staying: tuple[int, ...]
    #: The strength of the hands that can be compared: higher is better.
    known: Mapping[int, int]
    #: Hands that were still in when their seats left.
    gone: tuple[int, ...] = ()
    #: The most that each staying hand has put in or could still have put in when a seat left.
    reach: Mapping[int, int] = field(default_factory=dict)
    #: Chips that no seat of this hand put in. They go into the first pot.
    dead: int = 0


def pots(claims: PotClaims) -> tuple[Pot, ...]:
    """Divide everything that was put in, except an uncalled bet: `winnings` returns that to its owner."""
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
    """Return the best of the hands that contest the layer up to `level`. A hand of unknown strength counts as a tie."""
    contest = _contest(claims, level)
    best = max((claims.known[seat] for seat in contest if seat in claims.known), default=None)
    return tuple(seat for seat in contest if claims.known.get(seat, best) == best)


def _contest(claims: PotClaims, level: int) -> tuple[int, ...]:
    """Return the hands that contest the layer up to `level`: those that have paid for all of it.

    If only seats that left have paid for it, the layer goes to the hands that could still have paid. If none could,
    no staying hand could have won it, so the seats that left contest it. A layer that only folded hands have paid for
    goes to the staying hands that put in the most.
    """
    highest = max(claims.put_in[seat] for seat in claims.staying)
    return (
        tuple(seat for seat in claims.staying if claims.put_in[seat] >= level)
        or tuple(seat for seat in claims.staying if claims.reach.get(seat, 0) >= level)
        or tuple(seat for seat in claims.gone if claims.put_in[seat] >= level)
        or tuple(seat for seat in claims.staying if claims.put_in[seat] == highest)
    )


def winnings(claims: PotClaims) -> dict[int, int]:
    """Return what each seat gets back: its shares of the pots, plus its own uncalled bet."""
    divided = pots(claims)
    won = dict.fromkeys(claims.put_in, 0)
    for pot in divided:
        for seat, share in pot.shares.items():
            won[seat] += share
    rest = sum(claims.put_in.values()) + claims.dead - sum(won.values())
    if rest:
        # There is at most one uncalled bet, and it is the largest.
        won[max(claims.put_in, key=lambda seat: claims.put_in[seat])] += rest
    return won
