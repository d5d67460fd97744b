"""The end of a hand: a result that everybody can read, and chips that add up."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from nodealer.gamecheck.findings import Finding, Found, authors
from nodealer.gamecheck.hand import PURE, HandMoment, wants
from nodealer.games.base import Done
from nodealer.wire import encode


def refuse_bad_end(moment: HandMoment) -> Done:
    """How a hand ended. Raises `Found` for an end that a table cannot note."""
    done = wants(moment)
    if not isinstance(done, Done):
        raise Found(Finding("endless", f"{moment.when}, the hand is not over."))
    _refuse_bad_result(moment, done)
    for name, amounts in (("paid", done.paid), ("net", done.net), ("charged", done.charged)):
        _refuse_bad_amounts(moment, name, amounts)
    if moment.setup.rules.stake:
        _refuse_bad_sum(moment, done)
    return done


def _refuse_bad_result(moment: HandMoment, done: Done) -> None:
    result: object = done.result
    if not isinstance(result, dict):
        what = f"{moment.when}, the hand is over, and its result is {type(result).__name__}, not a dict."
        raise Found(Finding("result", what))
    try:
        encode(done.result)
    except (TypeError, ValueError, msgspec.MsgspecError) as error:
        what = f"{moment.when}, the hand is over, and its result cannot be written as JSON: {error}."
        raise Found(Finding("result", f"{what} Put numbers, texts, lists and dicts into it.")) from None


def _refuse_bad_amounts(moment: HandMoment, name: str, amounts: Mapping[int, int]) -> None:
    for seat, amount in amounts.items():
        if seat not in moment.setup.seats or type(amount) is not int:
            what = f"{moment.when}, the hand is over, and `Done.{name}` says {amount!r} of seat {seat!r}."
            raise Found(Finding("chips", f"{what} Seats are {list(moment.setup.seats)}, and chips whole numbers."))


def _refuse_bad_sum(moment: HandMoment, done: Done) -> None:
    """With chips at stake nobody loses what it has not put in, and no chip is made or lost."""
    what = f"{moment.when}, the hand is over, paid {dict(done.paid)}, net {dict(done.net)}"
    if (total := sum(done.net.values())) != done.dead:
        remedy = f"What is won must be what is lost: these add up to {total}. `nodealer.game.Bank` counts so."
        raise Found(Finding("chips", f"{what}. {remedy}"))
    for seat, amount in done.net.items():
        if -amount > done.paid.get(seat, 0):
            raise Found(Finding("chips", f"{what}: seat {seat} loses more than it has put in."))
        if moment.chips.get(seat, 0) + amount - done.charged.get(seat, 0) < 0:
            raise Found(Finding("chips", f"{what}: seat {seat} had {moment.chips.get(seat, 0)}, and loses more."))


def refuse_bad_paid(moment: HandMoment) -> None:
    """What was put in so far. It goes back when the hand is broken off."""
    with authors("chips", f"{moment.when}, `paid` failed with", PURE):
        paid = moment.game.paid
    _refuse_bad_amounts(moment, "paid", paid)
    for seat, amount in paid.items():
        if not 0 <= amount <= moment.chips.get(seat, 0):
            what = f"{moment.when}, `paid` says that seat {seat} has put in {amount}, and it began with "
            raise Found(Finding("chips", f"{what}{moment.chips.get(seat, 0)}."))
