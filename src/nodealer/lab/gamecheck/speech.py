"""Words, page and export of a game, on every moment that was reached: what people see must never fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from nodealer.cards import Opened, Peek
from nodealer.errors import IllegalMove
from nodealer.games.base import Ask, Done, Turn
from nodealer.games.view import View
from nodealer.games.words import Line
from nodealer.lab.gamecheck.findings import Finding, Findings, Found
from nodealer.lab.gamecheck.form import difference, form
from nodealer.lab.gamecheck.hand import Made, Moment, Told, called, wants
from nodealer.wire import Message, encode

#: What people type who do not know better.
TYPED: Final = ("", "?", "help", "x", "0", "1", "2", "-1", "99999999999999999999", "1 2 3", "é", "\x00", "a" * 3000)
REMEDY: Final = "It is for people, at any moment of a hand: let it say something."


def spoken(before: Moment, after: Moment, findings: Findings) -> None:
    """What is said of a step, and what everybody sees after it."""
    game = form(after.game)
    for seat in after.setup.seats:
        findings.tried(lambda: _seen(after, seat))
    act = after.course[-1]
    if isinstance(act, Made):
        words, names = after.setup.package.words, after.setup.names
        findings.tried(lambda: _said(after, "move", lambda: words.move(before.game, act.seat, act.move, names)))
    elif isinstance(act, Told):
        opened = [event for event in act.events if isinstance(event, Opened)]
        findings.tried(lambda: _turned_up(before, after, opened))
        asked = wants(before)
        for peek in asked.operations if isinstance(asked, Ask) else ():
            if isinstance(peek, Peek):
                findings.tried(lambda: _offered(before, peek))
    if difference(game, form(after.game)) is not None:
        what = f"{after.when}, showing the game to people has changed it."
        findings.add(Finding("changed", f"{what} Words, page and bots look at a game, and change nothing."))


def _said(moment: Moment, name: str, code: Callable[[], object]) -> None:
    """A text of the game's words."""
    doing = f"{moment.when}, `words.{name}` failed with"
    said = called("words", doing, REMEDY, code)
    for text in said if isinstance(said, Sequence) and not isinstance(said, str) else (said,):
        if not isinstance(text, str | Line):
            what = f"{moment.when}, `words.{name}` gave {type(text).__name__}, which is neither text nor a line."
            raise Found(Finding("words", what))


def _seen(moment: Moment, seat: int) -> None:
    """The table and the page as a person sees them, and what comes of what a person types."""
    words, view, want = moment.setup.package.words, moment.view(seat), wants(moment)
    for (deck, _), face in view.cards.items():
        _said(moment, "face", lambda: words.face(moment.game, deck, face))
    _refuse_bad_page(moment, view)
    if isinstance(want, Turn) and seat in (*want.seats, *want.may):
        _said(moment, "table", lambda: words.table(view))
        _said(moment, "prompt", lambda: words.prompt(view))
        if moment.setup.package.listens:
            for text in TYPED:
                _refuse_bad_reading(moment, view, text)


def _refuse_bad_page(moment: Moment, view: View) -> None:
    page = called(
        "page", f"{moment.when}, `page` for seat {view.seat} failed with", REMEDY, lambda: _page(moment, view)
    )
    try:
        encode(page)
    except (TypeError, ValueError, msgspec.MsgspecError) as error:
        what = f"{moment.when}, what `page` gives for seat {view.seat} cannot be written as JSON: {error}."
        raise Found(Finding("page", what)) from None
    if not isinstance(page, dict) or "version" not in page:
        what = f'{moment.when}, what `page` gives for seat {view.seat} has no "version".'
        raise Found(Finding("page", f"{what} Name the version of the form of this document."))


def _page(moment: Moment, view: View) -> object:
    return moment.setup.package.page(view)


def _refuse_bad_reading(moment: Moment, view: View, text: str) -> None:
    try:
        read = moment.setup.package.words.read(view, text)
    except IllegalMove:
        return
    except Exception as error:
        doing = f"{moment.when}, a person typed {text[:40]!r}, and `words.read` failed with"
        called("words", doing, "Raise IllegalMove with a sentence for what you do not understand.", _raising(error))
        return
    if read is not None and not isinstance(read, Message):
        what = f"{moment.when}, a person typed {text[:40]!r}, and `words.read` gave {type(read).__name__}."
        raise Found(Finding("words", f"{what} Give a move, or None for a request for help."))


def _raising(error: Exception) -> Callable[[], None]:
    def code() -> None:
        raise error

    return code


def _turned_up(before: Moment, after: Moment, opened: Sequence[Opened]) -> None:
    words, by_seat = after.setup.package.words, dict[int | None, list[Opened]]()
    for event in opened:
        deck = before.decks.get(event.card.deck)
        holder = None if deck is None else deck.places.holder(event.card.position)
        doing = f"{before.when}, `words.owner` failed with"
        owner = called("words", doing, REMEDY, lambda: words.owner(before.game, event, holder))
        _said(before, "face", lambda: words.face(before.game, event.card.deck, event.face))
        by_seat.setdefault(owner, []).append(event)
    for events in by_seat.values():
        _said(before, "cards", lambda: words.cards(before.game, events))


def _offered(moment: Moment, peek: Peek) -> None:
    deck, words = moment.decks.get(peek.deck), moment.setup.package.words
    if deck is None:
        return
    view = moment.view(peek.seat)
    seen = {(peek.deck, at): deck.faces[at] for at in deck.places.pile[: peek.count]}
    shown = View(view.seat, view.names, view.hand, view.game, view.cards, view.my_turn, seen)
    _said(moment, "offer", lambda: words.offer(shown, peek))
    for text in TYPED:
        try:
            words.choose(shown, peek, text)
        except IllegalMove:
            continue
        except Exception as error:
            doing = f"{moment.when}, a person typed {text[:40]!r}, and `words.choose` failed with"
            called("words", doing, "Raise IllegalMove for what you do not understand.", _raising(error))


def told_at_the_end(moment: Moment, done: Done, findings: Findings) -> None:
    """How a finished hand is told, in words and in the format of other programs."""
    package, names = moment.setup.package, moment.setup.names
    findings.tried(lambda: _said(moment, "result", lambda: package.words.result(done.result, names)))
    findings.tried(lambda: _said(moment, "columns", lambda: list(package.words.columns(done.result, names).values())))
    if package.export is not None:
        findings.tried(lambda: _exported(moment))


def _exported(moment: Moment) -> None:
    export, names = moment.setup.package.export, moment.setup.names
    if export is None:
        return
    doing = f"{moment.when}, the hand is over, and exporting it as {export.format} failed with"

    def code() -> Any:
        hand = export.hand(moment.game, names)
        return export.text([] if hand is None else [hand])

    if not isinstance(called("export", doing, "Every finished hand can be exported, or is None.", code), str):
        raise Found(Finding("export", f"{moment.when}, what is exported as {export.format} is no text."))
