"""Let bots play whole hands on open decks. Every step is taken twice, and both results must be the same.

A table's digest covers the inputs of a game: its parameters, moves and events. So a game must depend on nothing else:
not on randomness, not on what was played before in this process, and not on a value that was changed in between.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from nodealer.errors import BadParameter
from nodealer.gamecheck.findings import Finding, Findings, Found, author_code
from nodealer.gamecheck.form import Form, difference, form, quote
from nodealer.gamecheck.hand import (
    Act,
    HandMoment,
    Refused,
    apply_act,
    apply_move,
    begin_hand,
    bot_chooser,
    format_move,
    leave_seats,
    make_bot_move,
    run_operations,
    run_operations_or_leave,
    want_of,
)
from nodealer.games.base import Ask, Done, Game, Turn

#: More moves and requests than any hand needs that ends at all.
STEPS_MAX: Final = 3000


@dataclass(frozen=True)
class Trail:
    """A hand that was played: its moments, and each as plain data from when it was reached, to detect changes."""

    moments: tuple[HandMoment, ...]
    forms: tuple[Form, ...]
    #: The previous hand.
    before: Game | None

    @property
    def done(self) -> Done:
        """The end of the hand. Raises `BadParameter` if it is not over."""
        want = self.moments[-1].game.wants
        if not isinstance(want, Done):
            raise BadParameter("the hand is not over")
        return want


def next_moment(moment: HandMoment, *, fast: bool = False) -> HandMoment:
    """Return the next moment of a hand that bots play."""
    want = want_of(moment)
    if isinstance(want, Ask):
        # Bots that play from the beginning can give every proof. After a hostile move, perhaps not.
        return (
            run_operations_or_leave(moment, bot_chooser(moment))
            if fast
            else run_operations(moment, bot_chooser(moment))
        )
    if not isinstance(want, Turn):
        raise BadParameter("the hand is over")
    if not want.seats:
        what = f"{moment.when}, the game waits, but no seat has to move: all are in `may`, none in `seats`."
        raise Found(Finding("endless", f"{what} Bots, and players in no hurry, would wait forever."))
    return make_bot_move(moment, want.seats[moment.moves % len(want.seats)], fast=fast)


def run(moment: HandMoment, *, fast: bool = False) -> Iterator[HandMoment]:
    """Yield the moments after this one, to the end of the hand. Raises `Found` if it does not end."""
    for _ in range(STEPS_MAX):
        if isinstance(want_of(moment), Done):
            return
        moment = next_moment(moment, fast=fast)
        yield moment
    what = f"{moment.when}, and after {STEPS_MAX} steps, the hand is not over."
    raise Found(Finding("endless", f"{what} A hand must end whatever players do: limit the number of turns."))


def play_to_end(moment: HandMoment) -> HandMoment:
    """Play a hand from here to its end and return its last moment."""
    return next(iter(deque(run(moment, fast=True), maxlen=1)), moment)


def play_defaults(moment: HandMoment) -> HandMoment:
    """Play a hand to its end with default moves only, as if no player moved any more. Return its last moment."""
    for _ in range(STEPS_MAX):
        want = want_of(moment)
        if isinstance(want, Ask):
            moment = run_operations_or_leave(moment, bot_chooser(moment))
        elif isinstance(want, Turn) and want.seats:
            made = make_default_move(moment, want.seats[0])
            moment = leave_seats(moment, want.seats[:1], cards=False) if made is None else made
        else:
            return moment
    what = f"{moment.when}, and after {STEPS_MAX} steps in which only default moves were made, the hand is not over."
    raise Found(Finding("endless", f"{what} It must end even if no player does anything."))


def make_default_move(moment: HandMoment, seat: int) -> HandMoment | None:
    """Return the moment after a seat's default move, or None if the rules have none."""
    doing = f"{moment.when}, `default` was asked for the move of seat {seat} and failed with"
    with author_code("default", doing, "Return a legal move or None."):
        move = moment.game.default(seat)
    if move is None:
        return None
    try:
        return apply_move(moment, seat, move)
    except Refused as refused:
        what = (
            f"{moment.when}, the default move of seat {seat} is {format_move(move)}, but that is rejected: {refused}."
        )
        raise Found(Finding("default", f"{what} Return a legal move, or None to remove the seat.")) from None


# --- Every step twice ---


def play_hand(first: HandMoment, before_it: Game | None, findings: Findings) -> Trail:
    """Play a whole hand. Raises `Found` if it cannot go on; other problems are added to `findings`."""
    moments, forms = [first], [form(first.game)]
    for moment in run(first):
        before, act = moments[-1], moment.course[-1]
        _refuse_randomness(before, moment, act)
        _refuse_mutation(before, forms[-1], act)
        moments.append(moment)
        forms.append(form(moment.game))
        _compare(before, moment, forms, findings)
    return Trail(tuple(moments), tuple(forms), before_it)


def _method(act: Act) -> str:
    """Return the name of the method that an act calls."""
    return {"EventsDelivered": "told", "MoveMade": "moved", "SeatsLeft": "left"}[type(act).__name__]


def _refuse_randomness(before: HandMoment, after: HandMoment, act: Act) -> None:
    """Raise `Found` if the same step gives a different result the second time."""
    again = apply_act(before.game, act)
    where = difference(form(after.game), form(again))
    if where is None:
        where = difference(form(after.game.wants), form(after.game.wants))
        where = None if where is None else f"wants.{where}"
    if where is not None:
        what = f"{before.when}, `{_method(act)}` was called twice with the same arguments on the same value, and the "
        what += f"results differ: {quote(where)}. Every player, and everyone who verifies the game, must get the same "
        raise Found(Finding("random", what + "result: do not use randomness, a clock or a global counter."))


def _refuse_mutation(before: HandMoment, was: Form, act: Act) -> None:
    """Raise `Found` if a step changed the value it was called on."""
    where = difference(was, form(before.game))
    if where is not None:
        what = f"{before.when}, `{_method(act)}` changed the value that it was called on: {quote(where)} is different."
        what += " The table may go back to an old value, so values must not change: make a new one"
        raise Found(
            Finding("changed", f"{what} (`dataclasses.replace`), and copy a dict or list before you change it.")
        )


def _compare(before: HandMoment, after: HandMoment, forms: list[Form], findings: Findings) -> None:
    """Add a finding if a step changed nothing, or if two different moments compare as equal."""
    where = difference(forms[-2], forms[-1])
    if where is None:
        what = f"{before.when}, `{_method(after.course[-1])}` was called and changed nothing."
        findings.add(Finding("idle", f"{what} It could be repeated forever. Reject such a move."))
    elif type(before.game).__eq__ is not object.__eq__ and before.game == after.game:
        what = f"{before.when}, the games before and after `{_method(after.course[-1])}` compare as equal, although "
        what += f"{quote(where)} differs. Different states must not look the same: let `==` compare this field,"
        findings.add(Finding("equal", f"{what} or remove it from the value."), where)


def refuse_hidden_state(trail: Trail) -> None:
    """Replay a hand after others were played. Raises `Found` if it goes differently."""
    first = trail.moments[0]
    game = begin_hand(first.setup, first.number, trail.before, first.chips).game
    for at, act in enumerate(trail.moments[-1].course, 1):
        game = apply_act(game, act)
        where = difference(trail.forms[at], form(game))
        if where is not None:
            what = f"{trail.moments[at].when}, the same hand was replayed, and `{_method(act)}` returned something "
            what += (
                f"else: {quote(where)} differs. Some state is outside the game's values, in a global or in a class: "
            )
            raise Found(Finding("outside", f"{what}those who verify the game do not have it."))
