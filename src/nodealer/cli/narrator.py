"""The events of a log as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from nodealer.cli import text as phrases
from nodealer.cli.output import escape_markup, to_markup
from nodealer.client import events
from nodealer.client.event_text import event_text
from nodealer.client.events import TableEvent


def event_lines(event: TableEvent) -> list[str]:
    """Return the lines for an event; none for an event that would only be noise."""
    match event:
        case events.VoteDecided():
            return [_vote(event)]
        case events.Result():
            return list(_result(event))
        case events.Fault(name):
            return [phrases.fault(escape_markup(name or ""), escape_markup(event.finding))]
    text = event_text(event)
    if not str(text):
        return []
    match event:
        case events.CardOperation():
            return [f"  [dim]{escape_markup(text)}[/dim]"]
        case events.Word(name):
            # Without rows of blanks, which would move the rest to the beginning of the terminal's next line.
            return [phrases.spoken(escape_markup(name), escape_markup(" ".join(event.text.split())))]
        case events.TableChanged() | events.Rolled():
            return [f"    {to_markup(text)}"]
        case events.CardsOpened(name):
            shown = to_markup(text)
            return [phrases.board(shown) if name is None else phrases.shows(escape_markup(name), shown)]
        case events.EndSigned(leaves=False):
            return []
        case events.SeatsProposed(name) | events.Moved(name) | events.Peeked(name) | events.Unsealed(name):
            return [f"  {escape_markup(name)} {to_markup(text)}"]
        case (
            events.WouldNotWait(name)
            | events.WouldBreakOff(name)
            | events.LeaveSigned(name)
            | events.CardDisputed(name)
            | events.HandDisclosed(name)
            | events.RosterAgreed(name)
            | events.EndSigned(name)
        ):
            return [f"  {escape_markup(name)} {to_markup(text)}"]
    return []


def _vote(event: events.VoteDecided) -> str:
    """Describe what the table decided by vote instead of waiting."""
    if event.name is None:
        return phrases.HAND_ABORTED
    if event.did == "gone":
        return phrases.dropped_from_hand(escape_markup(event.name))
    move = to_markup(event.move) if str(event.move) else phrases.DEFAULT_MOVE
    return phrases.moved_automatically(escape_markup(event.name), move)


def _result(event: events.Result) -> Iterator[str]:
    """Yield the lines about the result of a hand."""
    if event.void is not None:
        yield phrases.no_result(escape_markup(event.reason))
        return
    parting = to_markup(event.parting)
    yield from (f"  {to_markup(line)}" for line in event.outcome)
    yield phrases.result(escape_markup(event.result.get("ended", "")), to_markup(event.line))
    if parting:
        yield f"  [bold]{parting}[/bold]"
