"""Checks of the end of a hand: its result can be written as JSON, and its chips add up."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from nodealer.gamecheck.findings import Finding, Found, author_code
from nodealer.gamecheck.hand import PURE, HandMoment, want_of
from nodealer.games.base import Done
from nodealer.wire import encode


def refuse_bad_end(moment: HandMoment) -> Done:
    """Return how a hand ended. Raises `Found` if a table could not record that end."""
    done = want_of(moment)
    if not isinstance(done, Done):
        raise Found(Finding("endless", f"{moment.when}, the hand is not over."))
    _refuse_bad_result(moment, done)
    for name, amounts in (("paid", done.paid), ("net", done.net), ("charged", done.charged)):
        _refuse_bad_amounts(moment, name, amounts)
    if moment.setup.rules.stake:
        _refuse_bad_sum(moment, done)
    return done


def _refuse_bad_result(moment: HandMoment, done: Done) -> None:
    """Raise `Found` if the result is not a dict, or not JSON."""
    result: object = done.result
    if not isinstance(result, dict):
        what = f"{moment.when}, the hand is over, but its result is {type(result).__name__}, not a dict."
        raise Found(Finding("result", what))
    try:
        encode(done.result)
    except (TypeError, ValueError, msgspec.MsgspecError) as error:
        what = f"{moment.when}, the hand is over, but its result cannot be written as JSON: {error}."
        raise Found(Finding("result", f"{what} Use only numbers, strings, lists and dicts.")) from None


def _refuse_bad_amounts(moment: HandMoment, name: str, amounts: Mapping[int, int]) -> None:
    """Raise `Found` if an amount is not a whole number, or not for a seat of the hand."""
    for seat, amount in amounts.items():
        if seat not in moment.setup.seats or type(amount) is not int:
            what = f"{moment.when}, the hand is over, but `Done.{name}` has {amount!r} for seat {seat!r}."
            remedy = f"The seats are {list(moment.setup.seats)}, and chips must be whole numbers."
            raise Found(Finding("chips", f"{what} {remedy}"))


def _refuse_bad_sum(moment: HandMoment, done: Done) -> None:
    """Raise `Found` if a seat loses more than it put in, or if chips appear or get lost."""
    what = f"{moment.when}, the hand is over, paid {dict(done.paid)}, net {dict(done.net)}"
    if (total := sum(done.net.values())) != done.dead:
        remedy = f"Wins and losses must add up to {done.dead}, but they add up to {total}. `nodealer.game.Bank` helps."
        raise Found(Finding("chips", f"{what}. {remedy}"))
    for seat, amount in done.net.items():
        if -amount > done.paid.get(seat, 0):
            raise Found(Finding("chips", f"{what}: seat {seat} loses more than it has put in."))
        if moment.chips.get(seat, 0) + amount - done.charged.get(seat, 0) < 0:
            raise Found(Finding("chips", f"{what}: seat {seat} had {moment.chips.get(seat, 0)} and loses more."))


def refuse_bad_paid(moment: HandMoment) -> None:
    """Raise `Found` if `paid` is wrong. It is refunded if the hand is aborted."""
    with author_code("chips", f"{moment.when}, `paid` failed with", PURE):
        paid = moment.game.paid
    _refuse_bad_amounts(moment, "paid", paid)
    for seat, amount in paid.items():
        if not 0 <= amount <= moment.chips.get(seat, 0):
            what = f"{moment.when}, `paid` says that seat {seat} has put in {amount}, but it started with "
            raise Found(Finding("chips", f"{what}{moment.chips.get(seat, 0)}."))
