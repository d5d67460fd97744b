"""Bots play whole hands on open decks; every step is taken twice, and what comes out must be the same.

A table's digest is over what a game was told: its parameters, moves and events. So a game may depend on nothing else:
not on chance, not on what was played before in this process, and not on a value that somebody has changed meanwhile.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from nodealer.errors import BadParameter
from nodealer.gamecheck.findings import Finding, Findings, Found, authors
from nodealer.gamecheck.form import Form, difference, form, named
from nodealer.gamecheck.hand import (
    Act,
    HandMoment,
    Refused,
    answered,
    answered_or_left,
    applied,
    begun,
    bot_moved,
    chooser,
    left,
    moved,
    shown,
    wants,
)
from nodealer.games.base import Ask, Done, Game, Turn

#: So many moves and requests of one hand are enough for any game that ends.
STEPS_MAX: Final = 3000


@dataclass(frozen=True)
class Trail:
    """A hand that was played: its moments, and what each was made of as it was reached."""

    moments: tuple[HandMoment, ...]
    forms: tuple[Form, ...]
    #: The hand before it.
    before: Game | None

    @property
    def done(self) -> Done:
        """How it ended."""
        want = self.moments[-1].game.wants
        if not isinstance(want, Done):
            raise BadParameter("the hand is not over")
        return want


def stepped(moment: HandMoment, *, fast: bool = False) -> HandMoment:
    """The next moment of a hand that bots play."""
    want = wants(moment)
    if isinstance(want, Ask):
        # Bots that play from the beginning can prove what is asked. After a move that was tried, perhaps not.
        return answered_or_left(moment, chooser(moment)) if fast else answered(moment, chooser(moment))
    if not isinstance(want, Turn):
        raise BadParameter("the hand is over")
    if not want.seats:
        what = f"{moment.when}, the game waits for a move that nobody owes: all seats are in `may`, none in `seats`."
        raise Found(Finding("endless", f"{what} Bots, and players who are in no hurry, wait forever."))
    return bot_moved(moment, want.seats[moment.moves % len(want.seats)], fast=fast)


def run(moment: HandMoment, *, fast: bool = False) -> Iterator[HandMoment]:
    """The moments after this one, to the end of the hand."""
    for _ in range(STEPS_MAX):
        if isinstance(wants(moment), Done):
            return
        moment = stepped(moment, fast=fast)
        yield moment
    what = f"{moment.when}, and after {STEPS_MAX} steps, the hand is not over."
    raise Found(Finding("endless", f"{what} A hand has to end whatever players do: count turns, and end it."))


def finish(moment: HandMoment) -> HandMoment:
    """The last moment of a hand that goes on from here."""
    return next(iter(deque(run(moment, fast=True), maxlen=1)), moment)


def by_default(moment: HandMoment) -> HandMoment:
    """The hand to its end when nobody moves any more, and the rules move for them."""
    for _ in range(STEPS_MAX):
        want = wants(moment)
        if isinstance(want, Ask):
            moment = answered_or_left(moment, chooser(moment))
        elif isinstance(want, Turn) and want.seats:
            made = default_made(moment, want.seats[0])
            moment = left(moment, want.seats[:1], cards=False) if made is None else made
        else:
            return moment
    what = f"{moment.when}, and after {STEPS_MAX} steps in which only default moves were made, the hand is not over."
    raise Found(Finding("endless", f"{what} Let it end when nobody does anything."))


def default_made(moment: HandMoment, seat: int) -> HandMoment | None:
    """The hand after the move that the rules make for a seat; None where they make none."""
    doing = f"{moment.when}, `default` was asked for the move of seat {seat} and failed with"
    with authors("default", doing, "Give a legal move, or None."):
        move = moment.game.default(seat)
    if move is None:
        return None
    try:
        return moved(moment, seat, move)
    except Refused as refused:
        what = f"{moment.when}, the default move of seat {seat} is {shown(move)}, and is refused: {refused}."
        raise Found(Finding("default", f"{what} Give a legal move, or None: then the seat has to go.")) from None


# --- Every step twice ---


def played(first: HandMoment, before_it: Game | None, findings: Findings) -> Trail:
    """A whole hand. Raises `Found` for what stops it; notes what is wrong beside."""
    moments, forms = [first], [form(first.game)]
    for moment in run(first):
        before, act = moments[-1], moment.course[-1]
        _refuse_chance(before, moment, act)
        _refuse_change(before, forms[-1], act)
        moments.append(moment)
        forms.append(form(moment.game))
        _compare(before, moment, forms, findings)
    return Trail(tuple(moments), tuple(forms), before_it)


def _named(act: Act) -> str:
    return {"EventsDelivered": "told", "Made": "moved", "Left": "left"}[type(act).__name__]


def _refuse_chance(before: HandMoment, after: HandMoment, act: Act) -> None:
    again = applied(before.game, act)
    where = difference(form(after.game), form(again))
    if where is None:
        where = difference(form(after.game.wants), form(after.game.wants))
        where = None if where is None else f"wants.{where}"
    if where is not None:
        what = f"{before.when}, `{_named(act)}` was called twice with the same things on the same value, and gave two "
        what += f"different ones: {named(where)} differs. Every player, and whoever verifies the game, has to come "
        raise Found(
            Finding("random", what + "to the same: rules draw nothing, read no clock, and count nothing apart.")
        )


def _refuse_change(before: HandMoment, was: Form, act: Act) -> None:
    where = difference(was, form(before.game))
    if where is not None:
        what = f"{before.when}, `{_named(act)}` changed the value that it was called on: {named(where)} is another now."
        what += " The table may go back to an old value, so they never change: make a new one (`dataclasses.replace`),"
        raise Found(Finding("changed", f"{what} and copy a dict or list before you change it."))


def _compare(before: HandMoment, after: HandMoment, forms: list[Form], findings: Findings) -> None:
    """Two moments that differ must not compare as equal."""
    where = difference(forms[-2], forms[-1])
    if where is None:
        what = (
            f"{before.when}, `{_named(after.course[-1])}` was called, and the game is as it was before: nothing of it "
        )
        findings.add(Finding("idle", f"{what}has changed, and it would go on so forever. Refuse such a move."))
    elif type(before.game).__eq__ is not object.__eq__ and before.game == after.game:
        what = f"{before.when}, the game before and after `{_named(after.course[-1])}` compare as equal, though "
        what += f"{named(where)} differs. Two different histories must not look the same: let `==` compare this field,"
        findings.add(Finding("equal", f"{what} or leave it out of the value."), where)


def refuse_memory(trail: Trail) -> None:
    """Play the same hand once more, now that others were played. Raises `Found` where it comes out differently."""
    first = trail.moments[0]
    game = begun(first.setup, first.number, trail.before, first.chips).game
    for at, act in enumerate(trail.moments[-1].course, 1):
        game = applied(game, act)
        where = difference(trail.forms[at], form(game))
        if where is not None:
            what = (
                f"{trail.moments[at].when}, the same hand was played once more, move by move, and `{_named(act)}` gave "
            )
            what += f"something else: {named(where)} differs. Something is kept outside of the game's values, in a "
            raise Found(Finding("outside", f"{what}global or in a class: whoever verifies the game does not have it."))
