"""Words, page and export of a game, on every moment that was reached: what people see must never fail."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from typing import Final

import msgspec

from nodealer.cards.events import Opened
from nodealer.cards.operations import Peek
from nodealer.errors import IllegalMove
from nodealer.gamecheck.findings import Finding, Findings, Found, authors
from nodealer.gamecheck.form import difference, form
from nodealer.gamecheck.hand import EventsDelivered, HandMoment, Made, players, wants
from nodealer.games.base import Ask, Done, Turn
from nodealer.games.package import Export
from nodealer.games.text import Line
from nodealer.games.view import View
from nodealer.wire import Message, encode

#: What people type who do not know better.
TYPED: Final = ("", "?", "help", "x", "0", "1", "2", "-1", "99999999999999999999", "1 2 3", "é", "\x00", "a" * 3000)
WAITED: Final = "People look at the table while others are to move, too: let it say something."
REMEDY: Final = "It is for people, at any moment of a hand: let it say something."
UNDERSTAND: Final = "Raise IllegalMove with a sentence for what you do not understand."


def spoken(before: HandMoment, after: HandMoment, findings: Findings) -> None:
    """What is said of a step, and what everybody sees after it."""
    game = form(after.game)
    words, names = after.setup.package.words, after.setup.names
    for seat in after.setup.seats:
        with findings.noted():
            _seen(before, after, seat)
    with findings.noted(), _words(after, "changed"):
        _refuse_no_text(after, "changed", words.changed(before.game, after.game, names))
    act = after.course[-1]
    if isinstance(act, Made):
        with findings.noted(), _words(before, "move"):
            _refuse_no_text(before, "move", words.move(before.game, act.seat, act.move, names))
    elif isinstance(act, EventsDelivered):
        opened = [event for event in act.events if isinstance(event, Opened)]
        with findings.noted():
            _turned_up(before, opened)
        asked = wants(before)
        for peek in asked.operations if isinstance(asked, Ask) else ():
            if isinstance(peek, Peek):
                with findings.noted():
                    _offered(before, peek)
    if difference(game, form(after.game)) is not None:
        what = f"{after.when}, showing the game to people has changed it."
        findings.add(Finding("changed", f"{what} Words, page and bots look at a game, and change nothing."))


def _words(moment: HandMoment, name: str, remedy: str = REMEDY) -> AbstractContextManager[None]:
    """A call of the game's words."""
    return authors("words", f"{moment.when}, `words.{name}` failed with", remedy)


def _refuse_no_text(moment: HandMoment, name: str, said: object) -> None:
    for text in said if isinstance(said, Sequence) and not isinstance(said, str) else (said,):
        if not isinstance(text, str | Line):
            what = f"{moment.when}, `words.{name}` gave {type(text).__name__}, which is neither text nor a line."
            raise Found(Finding("words", what))


def _seen(before: HandMoment, moment: HandMoment, seat: int) -> None:
    """The table and the page as a person sees them, and what comes of what a person types."""
    words, view, want = moment.setup.package.words, moment.view(seat), wants(moment)
    for (deck, _), face in view.cards.items():
        with _words(moment, "face"):
            _refuse_no_text(moment, "face", words.face(moment.game, deck, face))
    _refuse_bad_page(moment, view)
    if isinstance(want, Turn) and seat in players(moment) and seat not in moment.gone:
        with _words(moment, "table", WAITED):
            _refuse_no_text(moment, "table", words.table(view))
    if isinstance(want, Turn) and seat in (*want.seats, *want.may):
        with _words(moment, "news"):
            _refuse_no_text(moment, "news", words.news(before.view(seat), view))
        with _words(moment, "prompt"):
            _refuse_no_text(moment, "prompt", words.prompt(view))
        if moment.setup.package.listens:
            for text in TYPED:
                _refuse_bad_reading(moment, view, text)


def _refuse_bad_page(moment: HandMoment, view: View) -> None:
    with authors("page", f"{moment.when}, `page` for seat {view.seat} failed with", REMEDY):
        page: object = moment.setup.package.page(view)
    try:
        encode(page)
    except (TypeError, ValueError, msgspec.MsgspecError) as error:
        what = f"{moment.when}, what `page` gives for seat {view.seat} cannot be written as JSON: {error}."
        raise Found(Finding("page", f"{what} Put numbers, texts, lists and dicts into it.")) from None
    if not isinstance(page, dict) or "version" not in page:
        what = f'{moment.when}, what `page` gives for seat {view.seat} has no "version".'
        raise Found(Finding("page", f"{what} Name the version of the form of this document."))


def _refuse_bad_reading(moment: HandMoment, view: View, text: str) -> None:
    doing = f"{moment.when}, a person typed {text[:40]!r}, and `words.read` failed with"
    try:
        with authors("words", doing, UNDERSTAND, (IllegalMove,)):
            read: object = moment.setup.package.words.read(view, text)
    except IllegalMove:
        return
    if not isinstance(read, Message):
        what = f"{moment.when}, a person typed {text[:40]!r}, and `words.read` gave {type(read).__name__}."
        raise Found(Finding("words", f"{what} Give a move, or raise IllegalMove."))
    with _words(moment, "sure"):
        _refuse_no_text(moment, "sure", moment.setup.package.words.sure(view, read))


def _turned_up(before: HandMoment, opened: Sequence[Opened]) -> None:
    words, by_seat = before.setup.package.words, dict[int | None, list[Opened]]()
    for event in opened:
        deck = before.decks.get(event.card.deck)
        holder = None if deck is None else deck.places.holder(event.card.position)
        with _words(before, "owner"):
            by_seat.setdefault(words.owner(before.game, event, holder), []).append(event)
        with _words(before, "face"):
            _refuse_no_text(before, "face", words.face(before.game, event.card.deck, event.face))
    for events in by_seat.values():
        with _words(before, "cards"):
            _refuse_no_text(before, "cards", words.cards(before.game, events))


def _offered(moment: HandMoment, peek: Peek) -> None:
    deck, words = moment.decks.get(peek.deck), moment.setup.package.words
    if deck is None:
        return
    view = moment.view(peek.seat)
    seen = {(peek.deck, at): deck.faces[at] for at in deck.places.pile[: peek.count]}
    shown = View(view.seat, view.names, view.hand, view.game, view.cards, view.my_turn, seen)
    with _words(moment, "offer"):
        _refuse_no_text(moment, "offer", words.offer(shown, peek))
    with _words(moment, "choice_help"):
        _refuse_no_text(moment, "choice_help", words.choice_help(peek))
    with _words(moment, "looked"):
        _refuse_no_text(moment, "looked", words.looked(moment.game, peek))
    for text in TYPED:
        doing = f"{moment.when}, a person typed {text[:40]!r}, and `words.choose` failed with"
        with suppress(IllegalMove), authors("words", doing, UNDERSTAND, (IllegalMove,)):
            words.choose(shown, peek, text)


def told_at_the_end(moment: HandMoment, done: Done, findings: Findings) -> None:
    """How a finished hand is told, in words and in the format of other programs."""
    package, names = moment.setup.package, moment.setup.names
    with findings.noted(), _words(moment, "result"):
        _refuse_no_text(moment, "result", package.words.result(done.result, names))
    with findings.noted(), _words(moment, "outcome"):
        _refuse_no_text(moment, "outcome", package.words.outcome(done.result, names))
    for seat in moment.setup.seats:
        with findings.noted(), _words(moment, "parting"):
            _refuse_no_text(moment, "parting", package.words.parting(done.result, seat))
    with findings.noted(), _words(moment, "columns"):
        _refuse_no_text(moment, "columns", list(package.words.columns(done.result, names).values()))
    if package.export is not None:
        with findings.noted():
            _refuse_bad_export(moment, package.export)


def _refuse_bad_export(moment: HandMoment, export: Export) -> None:
    doing = f"{moment.when}, the hand is over, and exporting it as {export.format} failed with"
    with authors("export", doing, "Every finished hand can be exported, or is None."):
        hand = export.hand(moment.game, moment.setup.names)
        text: object = export.text([] if hand is None else [hand])
    if not isinstance(text, str):
        raise Found(Finding("export", f"{moment.when}, what is exported as {export.format} is no text."))
