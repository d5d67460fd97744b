"""Checks of a game's words, page and export at every moment: what people see must never fail."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from typing import Final

import msgspec

from nodealer.cards.events import Opened
from nodealer.cards.operations import Peek
from nodealer.errors import IllegalMove
from nodealer.gamecheck.findings import Finding, Findings, Found, author_code
from nodealer.gamecheck.form import difference, form
from nodealer.gamecheck.hand import EventsDelivered, HandMoment, MoveMade, players, want_of
from nodealer.games.base import Ask, Done, Turn
from nodealer.games.package import Export
from nodealer.games.text import Line
from nodealer.games.view import View
from nodealer.wire import Message, encode

#: What people may type instead of a move.
TYPED: Final = ("", "?", "help", "x", "0", "1", "2", "-1", "99999999999999999999", "1 2 3", "é", "\x00", "a" * 3000)
WAITED: Final = "People also look at the table while others have to move: it must always return text."
REMEDY: Final = "People may need it at any moment of a hand: it must always return something."
UNDERSTAND: Final = "Raise IllegalMove, with a sentence, for input that you do not understand."


def check_step_texts(before: HandMoment, after: HandMoment, findings: Findings) -> None:
    """Check the texts about a step, and what everyone sees after it."""
    game = form(after.game)
    words, names = after.setup.package.words, after.setup.names
    for seat in after.setup.seats:
        with findings.collect():
            _check_seat_texts(before, after, seat)
    with findings.collect(), _words_call(after, "changed"):
        _refuse_no_text(after, "changed", words.changed(before.game, after.game, names))
    act = after.course[-1]
    if isinstance(act, MoveMade):
        with findings.collect(), _words_call(before, "move"):
            _refuse_no_text(before, "move", words.move(before.game, act.seat, act.move, names))
    elif isinstance(act, EventsDelivered):
        opened = [event for event in act.events if isinstance(event, Opened)]
        with findings.collect():
            _check_opened_texts(before, opened)
        asked = want_of(before)
        for peek in asked.operations if isinstance(asked, Ask) else ():
            if isinstance(peek, Peek):
                with findings.collect():
                    _check_choice_texts(before, peek)
    if difference(game, form(after.game)) is not None:
        what = f"{after.when}, showing the game to people changed it."
        findings.add(Finding("changed", f"{what} Words, page and bots must only read the game."))


def _words_call(moment: HandMoment, name: str, remedy: str = REMEDY) -> AbstractContextManager[None]:
    """Return a context manager for calling a method of the game's texts. It reports what the method raises."""
    return author_code("words", f"{moment.when}, `words.{name}` failed with", remedy)


def _refuse_no_text(moment: HandMoment, name: str, returned: object) -> None:
    """Raise `Found` if a method of the words returned something that is not text."""
    for text in returned if isinstance(returned, Sequence) and not isinstance(returned, str) else (returned,):
        if not isinstance(text, str | Line):
            what = f"{moment.when}, `words.{name}` returned {type(text).__name__}, which is neither str nor Line."
            raise Found(Finding("words", what))


def _check_seat_texts(before: HandMoment, moment: HandMoment, seat: int) -> None:
    """Check the table and the page as one person sees them, and how typed text is parsed."""
    words, view, want = moment.setup.package.words, moment.view(seat), want_of(moment)
    for (deck, _), face in view.cards.items():
        with _words_call(moment, "face"):
            _refuse_no_text(moment, "face", words.face(moment.game, deck, face))
    _refuse_bad_page(moment, view)
    if isinstance(want, Turn) and seat in players(moment) and seat not in moment.gone:
        with _words_call(moment, "table", WAITED):
            _refuse_no_text(moment, "table", words.table(view))
    if isinstance(want, Turn) and seat in (*want.seats, *want.may):
        with _words_call(moment, "news"):
            _refuse_no_text(moment, "news", words.news(before.view(seat), view))
        with _words_call(moment, "prompt"):
            _refuse_no_text(moment, "prompt", words.prompt(view))
        if moment.setup.package.listens:
            for text in TYPED:
                _refuse_bad_reading(moment, view, text)


def _refuse_bad_page(moment: HandMoment, view: View) -> None:
    """Raise `Found` if the page fails, is not JSON, or has no version."""
    with author_code("page", f"{moment.when}, `page` for seat {view.seat} failed with", REMEDY):
        page: object = moment.setup.package.page(view)
    try:
        encode(page)
    except (TypeError, ValueError, msgspec.MsgspecError) as error:
        what = f"{moment.when}, the result of `page` for seat {view.seat} cannot be written as JSON: {error}."
        raise Found(Finding("page", f"{what} Use only numbers, strings, lists and dicts.")) from None
    if not isinstance(page, dict) or "version" not in page:
        what = f'{moment.when}, the result of `page` for seat {view.seat} has no "version".'
        raise Found(Finding("page", f"{what} Add the version of this document's format."))


def _refuse_bad_reading(moment: HandMoment, view: View, text: str) -> None:
    """Raise `Found` if parsing typed text fails with anything but `IllegalMove`."""
    doing = f"{moment.when}, a person typed {text[:40]!r}, and `words.read` failed with"
    try:
        with author_code("words", doing, UNDERSTAND, (IllegalMove,)):
            read: object = moment.setup.package.words.read(view, text)
    except IllegalMove:
        return
    if not isinstance(read, Message):
        what = f"{moment.when}, a person typed {text[:40]!r}, and `words.read` returned {type(read).__name__}."
        raise Found(Finding("words", f"{what} Return a move, or raise IllegalMove."))
    with _words_call(moment, "sure"):
        _refuse_no_text(moment, "sure", moment.setup.package.words.sure(view, read))


def _check_opened_texts(before: HandMoment, opened: Sequence[Opened]) -> None:
    """Raise `Found` if the game has no valid text for opened cards."""
    words, by_seat = before.setup.package.words, dict[int | None, list[Opened]]()
    for event in opened:
        deck = before.decks.get(event.card.deck)
        holder = None if deck is None else deck.places.holder(event.card.position)
        with _words_call(before, "owner"):
            by_seat.setdefault(words.owner(before.game, event, holder), []).append(event)
        with _words_call(before, "face"):
            _refuse_no_text(before, "face", words.face(before.game, event.card.deck, event.face))
    for events in by_seat.values():
        with _words_call(before, "cards"):
            _refuse_no_text(before, "cards", words.cards(before.game, events))


def _check_choice_texts(moment: HandMoment, peek: Peek) -> None:
    """Raise `Found` if the game has no valid text for a choice among cards looked at."""
    deck, words = moment.decks.get(peek.deck), moment.setup.package.words
    if deck is None:
        return
    view = moment.view(peek.seat)
    seen = {(peek.deck, at): deck.faces[at] for at in deck.places.pile[: peek.count]}
    shown = View(view.seat, view.names, view.hand, view.game, view.cards, view.my_turn, seen)
    with _words_call(moment, "offer"):
        _refuse_no_text(moment, "offer", words.offer(shown, peek))
    with _words_call(moment, "choice_help"):
        _refuse_no_text(moment, "choice_help", words.choice_help(peek))
    with _words_call(moment, "looked"):
        _refuse_no_text(moment, "looked", words.looked(moment.game, peek))
    for text in TYPED:
        doing = f"{moment.when}, a person typed {text[:40]!r}, and `words.choose` failed with"
        with suppress(IllegalMove), author_code("words", doing, UNDERSTAND, (IllegalMove,)):
            words.choose(shown, peek, text)


def check_end_texts(moment: HandMoment, done: Done, findings: Findings) -> None:
    """Check the texts about a finished hand, and its export."""
    package, names = moment.setup.package, moment.setup.names
    with findings.collect(), _words_call(moment, "result"):
        _refuse_no_text(moment, "result", package.words.result(done.result, names))
    with findings.collect(), _words_call(moment, "outcome"):
        _refuse_no_text(moment, "outcome", package.words.outcome(done.result, names))
    for seat in moment.setup.seats:
        with findings.collect(), _words_call(moment, "parting"):
            _refuse_no_text(moment, "parting", package.words.parting(done.result, seat))
    with findings.collect(), _words_call(moment, "columns"):
        _refuse_no_text(moment, "columns", list(package.words.columns(done.result, names).values()))
    if package.export is not None:
        with findings.collect():
            _refuse_bad_export(moment, package.export)


def _refuse_bad_export(moment: HandMoment, export: Export) -> None:
    """Raise `Found` if a finished hand cannot be exported."""
    doing = f"{moment.when}, the hand is over, and exporting it as {export.format} failed with"
    with author_code("export", doing, "Return None for a hand that the format cannot represent."):
        hand = export.hand(moment.game, moment.setup.names)
        text: object = export.text([] if hand is None else [hand])
    if not isinstance(text, str):
        raise Found(Finding("export", f"{moment.when}, the {export.format} export is not text."))
