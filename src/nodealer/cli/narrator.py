"""The narrator's events as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from nodealer.cli import text as phrases
from nodealer.cli.output import rendered, shown
from nodealer.engine.narrator import LEAVES, Event


def in_words(event: Event) -> list[str]:
    """Return the lines for an event; none for an event that would only be noise."""
    if "text" in event and event["event"] != "result" and not str(event["text"]):
        return []
    match event["event"]:
        case "move" | "without" | "break" | "leave" | "claim" | "book" | "roster" | "looked" | "unsealed":
            return [f"  {shown(event['name'])} {rendered(event['text'])}"]
        case "word":
            # Without rows of blanks, which would move the rest to the beginning of the terminal's next line.
            return [phrases.spoken(shown(event["name"]), shown(" ".join(event["text"].split())))]
        case "cards":
            return [f"  [dim]{shown(event['text'])}[/dim]"]
        case "changed" | "rolled":
            return [f"    {rendered(event['text'])}"]
        case "board":
            return [phrases.board(rendered(event["text"]))]
        case "shows":
            return [phrases.shows(shown(event["name"]), rendered(event["text"]))]
        case "statement":
            return [_statement(event)]
        case "end" if event["text"] == LEAVES:
            return [f"  {shown(event['name'])} {shown(event['text'])}"]
        case "void":
            return [phrases.no_result(shown(event["reason"]))]
        case "fault":
            return [phrases.fault(shown(event["name"] or ""), shown(event["reason"]))]
        case "result":
            return list(_result(event))
    return []


def _statement(event: Event) -> str:
    """Describe what the table decided by vote instead of waiting."""
    if event["name"] is None:
        return phrases.HAND_ABORTED
    if event["did"] == "gone":
        return phrases.dropped_from_hand(shown(event["name"]))
    move = rendered(event["move"]) if str(event["move"]) else phrases.DEFAULT_MOVE
    return phrases.moved_automatically(shown(event["name"]), move)


def _result(event: Event) -> Iterator[str]:
    ended, text, parting = shown(event.get("ended", "")), rendered(event["text"]), rendered(event["parting"])
    yield from (f"  {rendered(line)}" for line in event["outcome"])
    yield phrases.result(ended, text)
    if parting:
        yield f"  [bold]{parting}[/bold]"
