"""What a narrator tells, as lines for people in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from nodealer.cli.output import rendered, shown
from nodealer.play.narrator import Event


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
            did = {"gone": "is gone", "move": "gets the move that the rules make"}.get(event["did"])
            return ["  the hand is broken off" if event["name"] is None else f"  {shown(event['name'])} {did}"]
        case "void":
            return [f"  [magenta]no result[/magenta]: {shown(event['reason'])}"]
        case "fault":
            culprit = event["name"] or "nobody can be named"
            return [f"[red bold]FAULT[/red bold] {shown(culprit)}: {shown(event['reason'])}"]
        case "result":
            return list(_result(event))
    return []


def _result(event: Event) -> Iterator[str]:
    ended, text, parting = shown(event.get("ended", "")), rendered(event["text"]), rendered(event["parting"])
    yield from (f"  {rendered(line)}" for line in event["outcome"])
    yield f"  [green]result[/green] ({ended})" + (f": {text}" if text else "")
    if parting:
        yield f"  [bold]{parting}[/bold]"
