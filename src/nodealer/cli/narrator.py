"""What a narrator tells, as lines for people in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from nodealer.cli.output import rendered, shown
from nodealer.engine.narrator import LEAVES, Event


def in_words(event: Event) -> list[str]:
    """Lines for people; none for what would only be noise."""
    if "text" in event and event["event"] != "result" and not str(event["text"]):
        return []
    match event["event"]:
        case "move" | "without" | "break" | "leave" | "claim" | "book" | "roster" | "looked" | "unsealed":
            return [f"  {shown(event['name'])} {rendered(event['text'])}"]
        case "word":
            # Without rows of blanks: a terminal would begin its next line with what comes after them.
            return [f"  {shown(event['name'])} says: {shown(' '.join(event['text'].split()))}"]
        case "cards":
            return [f"  [dim]{shown(event['text'])}[/dim]"]
        case "changed" | "rolled":
            return [f"    {rendered(event['text'])}"]
        case "board":
            return [f"  board: {rendered(event['text'])}"]
        case "shows":
            return [f"  {shown(event['name'])} shows {rendered(event['text'])}"]
        case "statement":
            return [_statement(event)]
        case "end" if event["text"] == LEAVES:
            return [f"  {shown(event['name'])} {shown(event['text'])}"]
        case "void":
            return [f"  [magenta]no result[/magenta]: {shown(event['reason'])}"]
        case "fault":
            culprit = event["name"] or "nobody can be named"
            return [f"[red bold]FAULT[/red bold] {shown(culprit)}: {shown(event['reason'])}"]
        case "result":
            return list(_result(event))
    return []


def _statement(event: Event) -> str:
    """What the table did without waiting."""
    if event["name"] is None:
        return "  the hand is broken off"
    if event["did"] == "gone":
        return f"  {shown(event['name'])} is gone: the others did not wait"
    made = rendered(event["move"]) if str(event["move"]) else "gets the move of the rules"
    return f"  {shown(event['name'])} {made}, by the rules: the others did not wait"


def _result(event: Event) -> Iterator[str]:
    ended, text, parting = shown(event.get("ended", "")), rendered(event["text"]), rendered(event["parting"])
    yield from (f"  {rendered(line)}" for line in event["outcome"])
    yield f"  [green]result[/green] ({ended})" + (f": {text}" if text else "")
    if parting:
        yield f"  [bold]{parting}[/bold]"
