"""The narrator's events as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from nodealer.cli import text as phrases
from nodealer.cli.output import escape_markup, to_markup
from nodealer.engine.narrator import LEAVES, Event


def event_lines(event: Event) -> list[str]:
    """Return the lines for an event; none for an event that would only be noise."""
    if "text" in event and event["event"] != "result" and not str(event["text"]):
        return []
    match event["event"]:
        case "move" | "without" | "break" | "leave" | "claim" | "book" | "roster" | "looked" | "unsealed":
            return [f"  {escape_markup(event['name'])} {to_markup(event['text'])}"]
        case "word":
            # Without rows of blanks, which would move the rest to the beginning of the terminal's next line.
            return [phrases.spoken(escape_markup(event["name"]), escape_markup(" ".join(event["text"].split())))]
        case "cards":
            return [f"  [dim]{escape_markup(event['text'])}[/dim]"]
        case "changed" | "rolled":
            return [f"    {to_markup(event['text'])}"]
        case "board":
            return [phrases.board(to_markup(event["text"]))]
        case "shows":
            return [phrases.shows(escape_markup(event["name"]), to_markup(event["text"]))]
        case "statement":
            return [_statement(event)]
        case "end" if event["text"] == LEAVES:
            return [f"  {escape_markup(event['name'])} {escape_markup(event['text'])}"]
        case "void":
            return [phrases.no_result(escape_markup(event["reason"]))]
        case "fault":
            return [phrases.fault(escape_markup(event["name"] or ""), escape_markup(event["reason"]))]
        case "result":
            return list(_result(event))
    return []


def _statement(event: Event) -> str:
    """Describe what the table decided by vote instead of waiting."""
    if event["name"] is None:
        return phrases.HAND_ABORTED
    if event["did"] == "gone":
        return phrases.dropped_from_hand(escape_markup(event["name"]))
    move = to_markup(event["move"]) if str(event["move"]) else phrases.DEFAULT_MOVE
    return phrases.moved_automatically(escape_markup(event["name"]), move)


def _result(event: Event) -> Iterator[str]:
    """Yield the lines about the result of a hand."""
    ended, text, parting = escape_markup(event.get("ended", "")), to_markup(event["text"]), to_markup(event["parting"])
    yield from (f"  {to_markup(line)}" for line in event["outcome"])
    yield phrases.result(ended, text)
    if parting:
        yield f"  [bold]{parting}[/bold]"
